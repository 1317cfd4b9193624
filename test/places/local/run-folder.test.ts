import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { UserError } from '../../../runner/contract/errors.ts';
import { ownIdentity } from '../../../runner/process/identity.ts';
import { takeLock } from '../../../runner/process/lock.ts';
import { inUseFile, keptFolders, makeRunFolder, removeLeftovers } from '../../../runner/places/local/run-folder.ts';
import { ownTemporaryFolder } from '../../helpers/own-temporary-folder.ts';

const temporary = ownTemporaryFolder();
const release = (): Promise<void> => Promise.resolve();

function folderOf(owner: { process: ReturnType<typeof ownIdentity>; kept: boolean }): string {
  const folder = path.join(temporary(), 'pgduet-x');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'owner.json'), JSON.stringify({ kind: 'pgduet-run-folder', ...owner }));
  return folder;
}

const isRoot = process.getuid?.() === 0;

describe('removing leftovers', () => {
  test('leaves the folder of a running run, and removes that of a killed one', async () => {
    const running = makeRunFolder(release);
    const killed = folderOf({ process: { ...ownIdentity(), pid: 2 ** 22 - 1 }, kept: false });
    expect(await removeLeftovers(release)).toEqual([killed]);
    expect(existsSync(running.path)).toBe(true);
    await running.remove();
  });

  test('leaves the folder of a run in another container with the same temporary directory', async () => {
    const folder = folderOf({ process: { ...ownIdentity(), pid: 1, namespace: 'pid:[1]' }, kept: false });
    expect(await removeLeftovers(release, { kept: true })).toEqual([]);
    expect(existsSync(folder)).toBe(true);
  });

  test('leaves kept clusters while a run uses them', async () => {
    const kept = makeRunFolder(release);
    kept.keep();
    const lock = takeLock(path.join(kept.path, inUseFile), 'x');
    expect(await removeLeftovers(release, { kept: true })).toEqual([]);
    expect(keptFolders()).toEqual([kept.path]);
    lock.release();
    expect(await removeLeftovers(release, { kept: true })).toEqual([kept.path]);
  });

  test('touches no folder that others may write to, whatever it says of itself', async () => {
    const folder = folderOf({ process: { ...ownIdentity(), pid: 2 ** 22 - 1 }, kept: false });
    chmodSync(folder, 0o777);
    expect(await removeLeftovers(release, { kept: true })).toEqual([]);
    chmodSync(folder, 0o711);
    expect(await removeLeftovers(release)).toEqual([folder]);
  });

  test('touches no folder whose owner cannot be read', async () => {
    const folder = path.join(temporary(), 'pgduet-y');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'owner.json'), '{"kind":"pgduet-run-folder","pid":1}');
    expect(await removeLeftovers(release, { kept: true })).toEqual([]);
  });
});

test.skipIf(!isRoot || !existsSync('/dev/fuse'))(
  'another user’s file system that is mounted under a name of ours is passed over',
  async () => {
    const foreign = path.join(temporary(), 'pgduet-foreign');
    mkdirSync(foreign);
    const killed = folderOf({ process: { ...ownIdentity(), pid: 2 ** 22 - 1 }, kept: false });
    const script = path.join(import.meta.dirname, '../../helpers/processes/foreign-mount.py');
    const mount = spawn('python3', [script, foreign], { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(mount, 'exit');
    try {
      await once(mount.stdout, 'data');
      expect(() => statSync(foreign)).toThrow('EACCES');
      expect(await removeLeftovers(release, { kept: true })).toEqual([killed]);
      expect(keptFolders()).toEqual([]);
    } finally {
      mount.stdin.end();
      await ended;
    }
  },
);

describe('a temporary directory', () => {
  test('in which everybody may rename what is not theirs is refused, and nothing is made in it', () => {
    chmodSync(temporary(), 0o777);
    const open = `${temporary()} may be written by other users, without the sticky bit`;
    const remedy = 'Remove it, or set TMPDIR to another folder.';
    expect(() => makeRunFolder(release)).toThrow(UserError);
    expect(() => makeRunFolder(release)).toThrow(open);
    expect(() => makeRunFolder(release)).toThrow(remedy);
    expect(readdirSync(temporary())).toEqual([]);
    chmodSync(temporary(), 0o1777);
    expect(existsSync(makeRunFolder(release).path)).toBe(true);
  });

  test.each(['\n', '\r'])('with a line break in its name is the user’s to put right (%j)', (lineBreak) => {
    const folder = path.join(temporary(), `a${lineBreak}b`);
    mkdirSync(folder);
    vi.stubEnv('TMPDIR', folder);
    expect(() => makeRunFolder(release)).toThrow(UserError);
    expect(() => makeRunFolder(release)).toThrow(`TMPDIR is ${JSON.stringify(folder)}: `);
    expect(readdirSync(folder)).toEqual([]);
  });
});

test('nobody else may write into a run folder, whatever the umask', async () => {
  const before = process.umask(0);
  try {
    const folder = makeRunFolder(release);
    for (const one of [folder.path, folder.servers, folder.volumes]) expect(statSync(one).mode & 0o777).toBe(0o711);
    chmodSync(folder.path, 0o711);
    await folder.remove();
  } finally {
    process.umask(before);
  }
});

const onLinux = process.platform === 'linux';
test.skipIf(!onLinux)('a folder swapped for a link while it is removed leads nowhere', async () => {
  const elsewhere = path.join(temporary(), 'elsewhere');
  const names = Array.from({ length: 2000 }, (_, number) => String(number));
  const fill = (folder: string): void => {
    mkdirSync(folder);
    for (const name of names) writeFileSync(path.join(folder, name), '');
  };
  fill(elsewhere);
  const folder = makeRunFolder(release);
  const data = path.join(folder.volumes, 'data');
  fill(data);
  const link = path.join(temporary(), 'link');
  symlinkSync(elsewhere, link);
  const exchange = path.join(import.meta.dirname, '../../helpers/processes/exchange.py');
  const hostile = spawn('python3', [exchange, data, link], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(hostile, 'exit');
  await once(hostile.stdout, 'data');
  await folder.remove().catch(() => undefined);
  hostile.kill('SIGKILL');
  await ended;
  expect(readdirSync(elsewhere)).toHaveLength(names.length);
});
