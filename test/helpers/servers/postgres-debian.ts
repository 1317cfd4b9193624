import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runChecked } from '../../../runner/process/run-command.ts';

/**
 * A release candidate that no package of PyPI, npm or Maven has. Debian's programs need newer libraries than most machines
 * have, so the libraries come with them, and the programs are changed to take these.
 */
const packages = {
  suites: 'sid experimental',
  programs: ['postgresql-19', 'postgresql-client-19', 'libpq5'].map((name) => `${name}/experimental`),
  libraries: [
    ...['libc6', 'libgcc-s1', 'libstdc++6', 'zlib1g', 'liblz4-1', 'libzstd1', 'liblzma5', 'libicu78', 'libxml2-16'],
    ...['libxslt1.1', 'libssl3t64', 'libgssapi-krb5-2', 'libkrb5-3', 'libk5crypto3', 'libkrb5support0', 'libcom-err2'],
    ...['libkeyutils1', 'libldap2', 'libsasl2-2', 'libpam0g', 'libaudit1', 'libcap-ng0', 'libselinux1', 'libpcre2-8-0'],
    ...['libsystemd0', 'libcap2', 'libnuma1', 'liburing2', 'libuuid1', 'libreadline8t64', 'libtinfo6'],
  ].map((name) => `${name}/sid`),
} as const;

/** Where the programs are, below the folder into which the packages are unpacked. */
const programs = 'usr/lib/postgresql/19/bin';
const libraries = 'usr/lib/x86_64-linux-gnu';

/**
 * Unpacks PostgreSQL 19 into a temporary folder. What was downloaded stays below `cache`.
 *
 * @param patchelf program that changes which libraries a program takes
 */
export async function unpackNineteen(
  cache: string,
  patchelf: string,
): Promise<{ programs: string; version: string; remove: () => void }> {
  const archives = await download(path.join(cache, 'debian-19'));
  const folder = mkdtempSync(path.join(tmpdir(), 'postgres-19-'));
  chmodSync(folder, 0o755);
  for (const archive of archives) await runChecked(['dpkg-deb', '-x', archive, folder]);
  const [own, needed] = [path.join(folder, programs), path.join(folder, libraries)];
  for (const program of readdirSync(own).map((name) => path.join(own, name))) {
    // A few are scripts.
    if (!readFileSync(program).subarray(0, 4).equals(Buffer.from('\x7fELF', 'latin1'))) continue;
    const loader = path.join(needed, 'ld-linux-x86-64.so.2');
    await runChecked([patchelf, '--set-interpreter', loader, '--force-rpath', '--set-rpath', needed, program]);
  }
  const { stdout } = await runChecked([path.join(own, 'postgres'), '--version']);
  const version = /\(PostgreSQL\) (\S+)/.exec(stdout)?.[1] ?? '';
  return { programs: own, version, remove: () => rmSync(folder, { recursive: true }) };
}

/** Asks apt, with lists of its own: the machine keeps its suites. */
async function download(folder: string): Promise<string[]> {
  const isThere = path.join(folder, 'complete');
  if (!existsSync(isThere)) {
    for (const part of ['lists/partial', 'archives/partial', 'packages']) {
      mkdirSync(path.join(folder, part), { recursive: true });
    }
    const sources = path.join(folder, 'suites.list');
    writeFileSync(
      sources,
      packages.suites
        .split(' ')
        .map((suite) => `deb http://deb.debian.org/debian ${suite} main\n`)
        .join(''),
    );
    const own = [
      ...['-o', `Dir::Etc::sourcelist=${sources}`, '-o', 'Dir::Etc::sourceparts=/dev/null'],
      ...['-o', `Dir::State::lists=${path.join(folder, 'lists')}`, '-o', `Dir::Cache=${folder}`],
      ...['-o', 'APT::Sandbox::User=root'],
    ];
    await runChecked(['apt-get', ...own, 'update', '--quiet']);
    await runChecked(['apt-get', ...own, 'download', '--quiet', ...packages.programs, ...packages.libraries], {
      cwd: path.join(folder, 'packages'),
    });
    writeFileSync(isThere, '');
  }
  return readdirSync(path.join(folder, 'packages')).map((name) => path.join(folder, 'packages', name));
}
