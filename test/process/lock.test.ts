import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ownIdentity, processStart } from '../../runner/process/tracked-process.ts';
import { takeLock } from '../../runner/process/lock.ts';
import { UserError } from '../../runner/contract/errors.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'lock-test-'));
  file = path.join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

function heldBy(identity: Partial<ReturnType<typeof ownIdentity>>): void {
  writeFileSync(file, JSON.stringify({ ...ownIdentity(), ...identity }));
}

describe('a lock', () => {
  test('keeps out a second taker until it is released, and leaves nothing', () => {
    const lock = takeLock(file, 'The folder x');
    expect(() => takeLock(file, 'The folder x')).toThrow(UserError);
    expect(() => takeLock(file, 'The folder x')).toThrow(
      `The folder x: in use by another pgduet (process ${process.pid})`,
    );
    lock.release();
    takeLock(file, 'The folder x').release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is never written through a symbolic link', () => {
    const other = path.join(folder, 'other');
    writeFileSync(other, 'content');
    symlinkSync(other, `${file}.${process.pid}`);
    takeLock(file, 'x').release();
    expect(readFileSync(other, 'utf8')).toBe('content');
  });

  test('of a living process counts, and of a killed one does not', async () => {
    const other = spawn('sleep', ['30']);
    heldBy({ pid: other.pid ?? 0, start: processStart(other.pid ?? 0) });
    expect(() => takeLock(file, 'x')).toThrow('in use');
    other.kill('SIGKILL');
    await once(other, 'exit');
    takeLock(file, 'x').release();
  });

  test('of an earlier process with the same id does not count', () => {
    heldBy({ start: `${ownIdentity().start?.split(':')[0] ?? ''}:1` });
    takeLock(file, 'x').release();
  });

  test('of another container counts, since nobody can see from here whether its process lives', () => {
    heldBy({ pid: 2, start: ownIdentity().start, namespace: 'pid:[1]' });
    expect(() => takeLock(file, 'x')).toThrow(`another container. If it is gone, remove ${file}`);
  });

  test('from before a restart of the machine does not count, whatever its container', () => {
    heldBy({ start: '00000000-0000-0000-0000-000000000000:5', namespace: 'pid:[1]' });
    takeLock(file, 'x').release();
  });

  // As a user of its own: nothing is refused to root.
  test.runIf(process.getuid?.() === 0)(
    'that somebody else has laid, and that may not be removed, is refused by its path',
    () => {
      chmodSync(folder, 0o1777);
      writeFileSync(file, 'no lock');
      chownSync(file, 12_345, 12_345);
      process.seteuid?.(65_534);
      try {
        expect(() => takeLock(file, 'The folder x')).toThrow(
          `${file} is not the lock of a running pgduet, but it cannot be removed`,
        );
        expect(() => takeLock(file, 'The folder x')).toThrow(UserError);
      } finally {
        process.seteuid?.(0);
      }
      expect(readdirSync(folder)).toEqual(['lock']);
    },
  );

  test('is readable to everybody, whatever the umask', () => {
    const before = process.umask(0o077);
    try {
      const lock = takeLock(file, 'x');
      expect(statSync(file).mode & 0o777).toBe(0o644);
      lock.release();
    } finally {
      process.umask(before);
    }
  });

  test.runIf(process.getuid?.() === 0)('of another user counts, even for the owner of the folder', () => {
    chownSync(folder, 65_534, 65_534);
    const lock = takeLock(file, 'x');
    const asOwner = (): void => {
      process.seteuid?.(65_534);
      try {
        takeLock(file, 'The folder x').release();
      } finally {
        process.seteuid?.(0);
      }
    };
    expect(asOwner).toThrow(`The folder x: in use by another pgduet (process ${process.pid})`);
    // As older versions made it.
    chmodSync(file, 0o600);
    expect(asOwner).toThrow(UserError);
    expect(asOwner).toThrow(`The folder x: perhaps in use by another pgduet. This user may not read ${file}`);
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
    expect(asOwner).not.toThrow();
  });

  test('that a disk no longer lets us remove hides no other error when we release it', () => {
    const lock = takeLock(file, 'The folder x');
    renameSync(folder, `${folder}.aside`);
    symlinkSync(folder, folder);
    try {
      expect(() => statSync(file)).toThrow('ELOOP');
      expect(() => lock.release()).not.toThrow();
    } finally {
      rmSync(folder);
      renameSync(`${folder}.aside`, folder);
    }
  });

  test('that has taken the place of ours is not removed when we release ours', () => {
    const lock = takeLock(file, 'x');
    rmSync(file);
    heldBy({ pid: 1 });
    lock.release();
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  test('that is damaged does not count', () => {
    writeFileSync(file, '{');
    const lock = takeLock(file, 'x');
    expect(existsSync(file)).toBe(true);
    lock.release();
  });
});
