import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { buildOptions } from '../../lib/build-options.ts';
import { hasEnded, identityOf, isRunning, ownIdentity } from '../../runner/process/tracked-process.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

const earlier = { ...ownIdentity(), start: `${ownIdentity().start?.split(':')[0] ?? ''}:1` };

describe('a process', () => {
  test('has ended when its id means none or another one', () => {
    expect(hasEnded(ownIdentity())).toBe(false);
    expect(hasEnded(earlier)).toBe(true);
    expect(hasEnded({ ...ownIdentity(), pid: 2 ** 22 - 1 })).toBe(true);
  });

  test('noted where the start of the machine could not be identified is not known to have ended', () => {
    expect(hasEnded({ ...earlier, start: ':1' })).toBe(false);
    expect(isRunning({ ...earlier, start: ':1' })).toBe(false);
  });

  test.each([
    ['PID', { namespace: 'pid:[1]' }],
    // Its clock is shifted, and with it the start by which we would know the process.
    ['time', { timeNamespace: 'time:[1]' }],
  ])('of another %s namespace is not known to have ended, nor to run', (_, elsewhere) => {
    expect(hasEnded({ ...earlier, ...elsewhere })).toBe(false);
    expect(isRunning({ ...ownIdentity(), ...elsewhere })).toBe(false);
  });

  test('that an older pgduet noted, without its time namespace, is known as before', () => {
    const { pid, start, namespace } = ownIdentity();
    expect(isRunning({ pid, start, namespace })).toBe(true);
    expect(hasEnded({ pid, start: earlier.start, namespace })).toBe(true);
  });
});

/** A command of another user, to whom /proc shows only processes of his own. */
const hidden = (...command: string[]) => [
  ...['--mount', 'sh', '-c', 'mount -t proc -o hidepid=2 proc /proc && exec setpriv "$@"', 'sh'],
  ...['--reuid=65534', '--regid=65534', '--clear-groups', ...command],
];
const canHide = process.getuid?.() === 0 && spawnSync('unshare', hidden('true')).status === 0;

test.skipIf(!canHide)('a process that /proc hides from this user is not known to have ended', async () => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const program = path.join(folder, 'has-ended.mjs');
  const contents = `import { hasEnded } from './runner/process/tracked-process.ts';
    console.log(hasEnded(JSON.parse(process.argv[2])));`;
  await build({ ...buildOptions, stdin: { contents, resolveDir: path.resolve('.') }, outfile: program });
  const other = spawn('sleep', ['60']);
  const asked = JSON.stringify(identityOf(other.pid ?? 0));
  const answer = () =>
    spawnSync('unshare', hidden(process.execPath, program, asked), { encoding: 'utf8', cwd: folder }).stdout.trim();
  expect(answer()).toBe('false');
  const ended = once(other, 'exit');
  other.kill('SIGKILL');
  await ended;
  expect(answer()).toBe('true');
});
