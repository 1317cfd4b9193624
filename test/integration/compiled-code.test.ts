import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
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
import { afterAll, describe, expect, it, vi } from 'vitest';

const project = path.resolve(import.meta.dirname, '../..');
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
  ['the CDK app', app.split(' ')],
  ['a script of npm', (scripts['bench'] ?? '').split(' ')],
];

describe.skipIf(!isRoot)('a user who makes the cache folders of compilers in the temporary directory', () => {
  const folders = ['tsx-0', 'node-compile-cache', 'esbuild-0'].map((name) => path.join(temporary, name));
  const marker = path.join(temporary, 'marker');
  const asNobody = (script: string): void => {
    execFileSync('sh', ['-c', script], { uid: nobody, gid: nobody, cwd: temporary });
  };

  it.each(commands)('gains nothing when root runs %s', (_, command) => {
    asNobody(folders.map((folder) => `mkdir -p ${folder} && chmod 777 ${folder}`).join(' && '));
    run(command);
    const poison = `import('node:fs').then((fs) => fs.writeFileSync(${JSON.stringify(marker)}, 'ran'));`;
    writeFileSync(path.join(temporary, 'poison'), JSON.stringify({ code: poison, map: { mappings: '' } }), {
      mode: 0o644,
    });
    // The owner of the folder may replace root's files.
    asNobody(
      folders.map((folder) => `for f in ${folder}/*; do [ -f "$f" ] && rm -f "$f" && cp poison "$f"; done`).join('; ') +
        '; true',
    );
    run(command);
    expect(existsSync(marker)).toBe(false);
    expect(folders.flatMap((folder) => readdirSync(folder))).toEqual([]);
  });
});

/** A copy of the project, which has compiled nothing yet. */
function copyOfProject(name: string): string {
  const copy = path.join(temporary, name);
  mkdirSync(copy);
  const parts = ['bin', 'runner', 'package.json', 'package-lock.json'];
  execFileSync('cp', ['-r', ...parts.map((part) => path.join(project, part)), copy]);
  execFileSync('ln', ['-s', path.join(project, 'node_modules'), copy]);
  return copy;
}

it('what is compiled may be written by nobody else, whatever the umask', () => {
  const copy = copyOfProject('open');
  const { status } = run(['sh', '-c', 'umask 000; exec node bin/pgduet.mjs --version'], copy);
  expect(status).toBe(0);
  const compiled = path.join(copy, 'dist');
  expect(readdirSync(compiled)).not.toEqual([]);
  expect(execFileSync('find', [compiled, '-perm', '-002'], { encoding: 'utf8' })).toBe('');
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

  it('is not compiled where others may rename: their code would run', () => {
    const copy = copyOfProject('renamed');
    const open = path.join(temporary, 'others-may-rename');
    mkdirSync(open);
    chmodSync(open, 0o777);
    const { status, stderr } = spawnSync('node', [path.join(copy, 'bin/pgduet.mjs'), '--version'], {
      cwd: temporary,
      encoding: 'utf8',
      uid: nobody,
      gid: nobody,
      env: { PATH: process.env['PATH'], TMPDIR: open },
    });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('has no sticky bit') as string,
    });
    expect(readdirSync(open)).toEqual([]);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'leaves nothing there when %s ends it as it starts',
    async (signal) => {
      const copy = copyOfProject(signal);
      const before = readdirSync(temporary);
      const made = (): string[] => readdirSync(temporary).filter((name) => name.startsWith('pgduet-program-'));
      const started = spawn('node', [path.join(copy, 'bin/pgduet.mjs'), 'plan', 'nothing'], {
        cwd: temporary,
        uid: nobody,
        gid: nobody,
        env: { PATH: process.env['PATH'], TMPDIR: temporary },
        stdio: 'ignore',
      });
      const ended = once(started, 'exit');
      await vi.waitFor(() => expect(made()).toHaveLength(1), { interval: 2, timeout: 10_000 });
      started.kill(signal);
      expect((await ended)[1]).toBe(signal);
      expect(readdirSync(temporary)).toEqual(before);
    },
  );

  it('leaves nothing there that clean does not take, where it is killed', async () => {
    const copy = copyOfProject('killed');
    const before = readdirSync(temporary);
    const pgduet = [path.join(copy, 'bin/pgduet.mjs')];
    const env = { PATH: process.env['PATH'], TMPDIR: temporary };
    const user = { cwd: temporary, uid: nobody, gid: nobody, env };
    const reading = spawn('node', [...pgduet, 'parse', '-'], { ...user, stdio: ['pipe', 'ignore', 'inherit'] });
    const ended = once(reading, 'exit');
    const made = (): string[] => readdirSync(temporary).filter((name) => name.startsWith('pgduet-program-'));
    await vi.waitFor(() => expect(made()).toHaveLength(1), { interval: 2, timeout: 10_000 });
    const [folder = ''] = made().map((name) => path.join(temporary, name));
    await vi.waitFor(() => expect(readdirSync(folder)).toContain('owner.json'), { interval: 2, timeout: 10_000 });
    expect(spawnSync('node', [...pgduet, 'clean'], { ...user, encoding: 'utf8' }).stdout).toBe('Nothing to remove.\n');
    reading.kill('SIGKILL');
    await ended;
    const { stdout } = spawnSync('node', [...pgduet, 'clean'], { ...user, encoding: 'utf8' });
    expect(stdout).toBe(`Removed:\n  ${folder}\n`);
    expect(readdirSync(temporary)).toEqual(before);
  });
});
