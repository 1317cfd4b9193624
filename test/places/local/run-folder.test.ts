import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { PartError, UserError } from '../../../runner/contract/errors.ts';
import { identityOf, isRunning, ownIdentity } from '../../../runner/process/tracked-process.ts';
import { type Lock, takeLock } from '../../../runner/process/lock.ts';
import { inUseFile, keptFolders, makeRunFolder, removeLeftovers } from '../../../runner/places/local/run-folder.ts';
import { serverUser } from '../../../runner/process/rights.ts';
import { ownTemporaryFolder } from '../../helpers/own-temporary-folder.ts';

const temporary = ownTemporaryFolder();
const release = (): Promise<void> => Promise.resolve();
const { signal } = new AbortController();
const removed = async (also?: { kept: boolean }): Promise<string[]> =>
  (await removeLeftovers(release, signal, also)).removed;

function folderOf(owner: { process: ReturnType<typeof ownIdentity>; kept: boolean }, name = 'pgduet-x'): string {
  const folder = path.join(temporary(), name);
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'owner.json'), JSON.stringify({ kind: 'pgduet-run-folder', ...owner }));
  return folder;
}

const isRoot = process.getuid?.() === 0;

describe('removing leftovers', () => {
  test('leaves the folder of a running run, and removes that of a killed one', async () => {
    const running = makeRunFolder(release);
    const killed = folderOf({ process: { ...ownIdentity(), pid: 2 ** 22 - 1 }, kept: false });
    expect(await removed()).toEqual([killed]);
    expect(existsSync(running.path)).toBe(true);
    await running.remove();
  });

  test('leaves the folder of a run in another container with the same temporary directory', async () => {
    const folder = folderOf({ process: { ...ownIdentity(), pid: 1, namespace: 'pid:[1]' }, kept: false });
    expect(await removed({ kept: true })).toEqual([]);
    expect(existsSync(folder)).toBe(true);
  });

  test('leaves kept clusters while a run uses them', async () => {
    const kept = makeRunFolder(release);
    kept.keep();
    const lock = takeLock(path.join(kept.path, inUseFile), 'x');
    expect(await removed({ kept: true })).toEqual([]);
    expect(keptFolders()).toEqual([kept.path]);
    lock.release();
    expect(await removed({ kept: true })).toEqual([kept.path]);
  });

  test('leaves kept clusters that a run has begun to use while others were removed', async () => {
    const kept = [makeRunFolder(release), makeRunFolder(release)];
    for (const folder of kept) folder.keep();
    const locks: Lock[] = [];
    const beginNext = (volumes: string): Promise<void> => {
      for (const { path: folder } of kept.filter((one) => one.volumes !== volumes)) {
        locks.push(takeLock(path.join(folder, inUseFile), 'x'));
      }
      return Promise.resolve();
    };
    const cleaned = await removeLeftovers(beginNext, signal, { kept: true });
    expect(cleaned.removed).toHaveLength(1);
    expect(cleaned).toMatchObject({ inUse: keptFolders(), left: [] });
    expect(keptFolders()).toHaveLength(1);
    for (const lock of locks) lock.release();
  });

  test('keeps runs from kept clusters while it removes them', async () => {
    const kept = makeRunFolder(release);
    kept.keep();
    const take = (): Promise<void> => {
      takeLock(path.join(kept.path, inUseFile), 'x');
      return Promise.resolve();
    };
    await expect(removeLeftovers(take, signal, { kept: true })).rejects.toThrow('in use by another pgduet');
  });

  test('hears an interruption, and tells what is left', async () => {
    const killed = { process: { ...ownIdentity(), pid: 2 ** 22 - 1 }, kept: false };
    const folders = [folderOf(killed, 'pgduet-x'), folderOf(killed, 'pgduet-y'), folderOf(killed, 'pgduet-z')];
    const interruption = new AbortController();
    const hang = (_: string, heard: AbortSignal): Promise<void> => {
      setTimeout(() => interruption.abort(), 20);
      return sleep(60_000, undefined, { signal: heard });
    };
    const cleaned = await removeLeftovers(hang, interruption.signal);
    expect(cleaned.removed).toEqual([]);
    expect(cleaned.left.map(({ folder }) => folder).sort()).toEqual(folders);
    expect(cleaned.left.map(({ why }) => why)).toEqual(folders.map(() => 'interrupted'));
    expect(folders.every((folder) => existsSync(folder))).toBe(true);
  });

  test('goes on where something outlasts its folder, and says what', async () => {
    const killed = { process: { ...ownIdentity(), pid: 2 ** 22 - 1 }, kept: false };
    const folders = [folderOf(killed, 'pgduet-x'), folderOf(killed, 'pgduet-y')];
    const refuse = (volumes: string): Promise<void> =>
      volumes.startsWith(folders[0] ?? '')
        ? Promise.reject(new PartError('still in use', 'server-ended'))
        : Promise.resolve();
    const cleaned = await removeLeftovers(refuse, signal);
    expect(cleaned).toEqual({ removed: [folders[1]], inUse: [], left: [{ folder: folders[0], why: 'still in use' }] });
    expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
  });

  test.each([
    ['nothing', []],
    ['an empty file of its owner', ['owner.json']],
    ['such a file that is not whole', ['owner.json.new']],
  ])('takes a folder of ours with %s, once nobody is about to say whose it is', async (_, names) => {
    const folder = path.join(temporary(), 'pgduet-x');
    mkdirSync(folder, { mode: 0o700 });
    for (const name of names) writeFileSync(path.join(folder, name), '');
    expect(await removed()).toEqual([]);
    const earlier = Date.now() / 1000 - 600;
    utimesSync(folder, earlier, earlier);
    expect(await removed()).toEqual([folder]);
  });

  test('touches no folder that others may write to, whatever it says of itself', async () => {
    const folder = folderOf({ process: { ...ownIdentity(), pid: 2 ** 22 - 1 }, kept: false });
    chmodSync(folder, 0o777);
    expect(await removed({ kept: true })).toEqual([]);
    chmodSync(folder, 0o711);
    expect(await removed()).toEqual([folder]);
  });

  test('touches no folder whose owner cannot be read', async () => {
    const folder = path.join(temporary(), 'pgduet-y');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'owner.json'), '{"kind":"pgduet-run-folder","pid":1}');
    chmodSync(folder, 0o700);
    utimesSync(folder, 1, 1);
    expect(await removed({ kept: true })).toEqual([]);
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
      expect(await removed({ kept: true })).toEqual([killed]);
      expect(keptFolders()).toEqual([]);
    } finally {
      mount.stdin.end();
      await ended;
    }
  },
);

test.skipIf(!isRoot)('a folder for which there is no room is not left', () => {
  const small = path.join(temporary(), 'small');
  mkdirSync(small);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=755', 'tmpfs', small]);
  try {
    vi.stubEnv('TMPDIR', small);
    expect(() => writeFileSync(path.join(small, 'full'), Buffer.alloc(2 ** 20))).toThrow('ENOSPC');
    expect(() => makeRunFolder(release)).toThrow('ENOSPC');
    expect(readdirSync(small)).toEqual(['full']);
  } finally {
    execFileSync('umount', [small]);
  }
});

describe.skipIf(process.platform !== 'linux')('what the servers’ user has at work in a run’s folder', () => {
  const { uid, gid } = serverUser();

  test.each([
    ['its working folder', 'cd "$0" && sh -c "$1"'],
    ['an open file', 'sh -c "$1" 3> "$0/file"'],
  ])('ends with the folder, whatever program it is: %s', async (_, script) => {
    const folder = makeRunFolder(release);
    const inside = path.join(folder.volumes, 'data');
    mkdirSync(inside);
    chownSync(inside, uid, gid);
    chmodSync(temporary(), 0o755);
    // Its parent ends at once, as that of a command of a server which has put it into the background.
    const shell = ['-c', `(${script}) &`, inside, 'echo $$; exec sleep 3333'];
    const left = spawn('sh', shell, { ...(isRoot && { uid, gid }), cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed] = (await once(left.stdout, 'data')) as [Buffer];
    const started = identityOf(Number(printed.toString()));
    await folder.remove();
    expect(isRunning(started)).toBe(false);
    expect(existsSync(folder.path)).toBe(false);
  });

  test('leaves what has nothing there, and what is of another user', async () => {
    const folder = makeRunFolder(release);
    const elsewhere = spawn('sleep', ['3333'], { cwd: '/' });
    const others = isRoot ? [spawn('sleep', ['3333'], { cwd: folder.volumes, uid: 12_345, gid: 12_345 })] : [];
    await sleep(100);
    await folder.remove();
    for (const one of [elsewhere, ...others]) {
      expect(one).toMatchObject({ exitCode: null, signalCode: null });
      one.kill('SIGKILL');
    }
  });
});

describe('a temporary directory', () => {
  test('in which everybody may rename what is not theirs is refused, and nothing is made in it', () => {
    chmodSync(temporary(), 0o777);
    const open = `${temporary()} has no sticky bit and can be written by other users`;
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
