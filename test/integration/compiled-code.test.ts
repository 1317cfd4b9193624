import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { compiled, project } from '../../lib/build-options.ts';

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

/** A temporary directory that everybody may write to, as /tmp is. */
const temporary = mkdtempSync(path.join(tmpdir(), 'shared-'));
chmodSync(temporary, 0o1777);
afterAll(() => rmSync(temporary, { recursive: true }));

function run(command: readonly string[], cwd = project): { status: number | null; stdout: string; stderr: string } {
  const [program = '', ...args] = command;
  return spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: temporary, TMPDIR: temporary },
  });
}

const { app } = JSON.parse(readFileSync(path.join(project, 'cdk.json'), 'utf8')) as { app: string };
const scripts = (
  JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
).scripts;

/** Commands that root may run without a second thought. */
const commands: [name: string, command: string[]][] = [
  ['pgduet --version', ['node', 'bin/pgduet.mjs', '--version']],
  ['pgduet as a package has it', ['node', path.join(compiled, 'pgduet.mjs'), '--version']],
  ['the CDK app', app.split(' ')],
  ['a script of npm', (scripts['bench'] ?? '').split(' ')],
];

describe.skipIf(!isRoot)('a user who makes the cache folders of compilers in the temporary directory', () => {
  const folders = ['tsx-0', 'node-compile-cache', 'esbuild-0'].map((name) => path.join(temporary, name));
  it.each(commands)('gains nothing when root runs %s', (_, command) => {
    const script = folders.map((folder) => `mkdir -p ${folder} && chmod 777 ${folder}`).join(' && ');
    execFileSync('sh', ['-c', script], { uid: nobody, gid: nobody, cwd: temporary });
    run(command);
    // The owner of the folder may replace what root puts there, for root to run it the next time.
    expect(folders.flatMap((folder) => readdirSync(folder))).toEqual([]);
  });
});

/** A copy of the sources. */
function copyOfProject(name: string): string {
  const copy = path.join(temporary, name);
  mkdirSync(copy);
  const parts = ['bin', 'lib', 'runner', 'prices', 'package.json', 'tsconfig.json'];
  execFileSync('cp', ['-r', ...parts.map((part) => path.join(project, part)), copy]);
  execFileSync('ln', ['-s', path.join(project, 'node_modules'), copy]);
  return copy;
}

it('what pgduet writes may be written by nobody else, whatever the umask', () => {
  const folder = path.join(temporary, 'open');
  mkdirSync(folder);
  const program = path.join(project, 'bin/pgduet.mjs');
  const { status } = run(['sh', '-c', `umask 000; exec node '${program}' init mine`], folder);
  expect(status).toBe(0);
  expect(readdirSync(folder)).toContain('experiments');
  expect(execFileSync('find', [folder, '-mindepth', '1', '-perm', '-002'], { encoding: 'utf8' })).toBe('');
});

describe.skipIf(!isRoot)('a copy of the project that its user cannot write to', () => {
  it('runs, and leaves nothing in the temporary directory', () => {
    const copy = copyOfProject('copy');
    const before = readdirSync(temporary);
    const { status, stdout, stderr } = spawnSync('node', [path.join(copy, 'bin/pgduet.mjs'), '--version'], {
      cwd: temporary,
      encoding: 'utf8',
      uid: nobody,
      gid: nobody,
      env: { PATH: process.env['PATH'], TMPDIR: temporary },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.trim()).toMatch(/^\d+\.\d+\.\d+$/);
    expect(readdirSync(temporary)).toEqual(before);
  });
});

// From Node.js 22.18 on, there is nothing to transpile.
const readsTypeScript = Boolean((process.features as { typescript?: unknown }).typescript);

describe.skipIf(readsTypeScript)('transpiled sources', () => {
  /** Starts pgduet in a copy of the project, whose folder for transpiled sources may be there. */
  function filesKept(name: string, mode: number | null): string[] {
    const copy = copyOfProject(name);
    const packages = path.join(copy, 'node_modules');
    rmSync(packages);
    execFileSync('cp', ['-rs', path.join(project, 'node_modules'), packages]);
    const folder = path.join(packages, '.pgduet');
    rmSync(folder, { recursive: true, force: true });
    if (mode !== null) {
      mkdirSync(folder);
      chmodSync(folder, mode);
    }
    const program = path.join(copy, 'bin/pgduet.mjs');
    expect(run(['sh', '-c', `umask 000; exec node '${program}' --version`], copy).status).toBe(0);
    expect(execFileSync('stat', ['--format=%a', folder], { encoding: 'utf8' })).toBe(
      `${(mode ?? 0o700).toString(8)}\n`,
    );
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  }

  it('are kept where only the user of the checkout can write', () => {
    expect(filesKept('kept', null).length).toBeGreaterThan(1);
  });

  it('are not kept where others can write', () => {
    expect(filesKept('open-to-all', 0o777)).toEqual([]);
  });
});
