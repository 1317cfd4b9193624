import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { isOwnMark, ownMark } from '../../runner/files/own-mark.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

let home: string;
let environment: { HOME: string };
beforeEach(() => {
  home = temporaryFolder();
  environment = { HOME: home };
});

const keyFile = (): string => path.join(home, '.local/state/pgduet', `key-${process.getuid?.() ?? 0}`);

async function markHere(text: string): Promise<string> {
  const mark = await ownMark(text, environment);
  if (mark === null) throw new Error('no key');
  return mark;
}

describe('a mark', () => {
  test('is known again by the user who made it, of the very same text', async () => {
    const mark = await markHere('code');
    expect(mark).toMatch(/^[0-9a-f]{64}$/);
    expect(await markHere('code')).toBe(mark);
    expect(isOwnMark(mark, 'code', environment)).toBe(true);
    expect(isOwnMark(mark, 'other code', environment)).toBe(false);
    expect(isOwnMark(`${mark.slice(0, -1)}g`, 'code', environment)).toBe(false);
    expect(isOwnMark('', 'code', environment)).toBe(false);
    expect(isOwnMark(undefined, 'code', environment)).toBe(false);
  });

  test('is nothing in another home, which has its own key', async () => {
    const mark = await markHere('code');
    const elsewhere = { HOME: temporaryFolder() };
    expect(isOwnMark(mark, 'code', elsewhere)).toBe(false);
    expect(await ownMark('code', elsewhere)).not.toBe(mark);
  });

  test('needs a key that only the user may read', async () => {
    await markHere('code');
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
    expect(readFileSync(keyFile(), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  });

  test('is not made where nothing says where to keep a key, or none can be kept', async () => {
    expect(await ownMark('code', {})).toBeNull();
    writeFileSync(path.join(home, '.local'), '');
    expect(await ownMark('code', environment)).toBeNull();
    expect(isOwnMark('0'.repeat(64), 'code', environment)).toBe(false);
  });

  test('is not made with a key that was damaged, but with a new one', async () => {
    const mark = await markHere('code');
    writeFileSync(keyFile(), '');
    expect(isOwnMark(mark, 'code', environment)).toBe(false);
    expect(await markHere('code')).not.toBe(mark);
  });
});

test.skipIf(process.getuid?.() !== 0)('a key that somebody else has put there is not used', async () => {
  mkdirSync(path.dirname(keyFile()), { recursive: true });
  writeFileSync(keyFile(), `${'0'.repeat(64)}\n`);
  chmodSync(keyFile(), 0o644);
  const forged = await markHere('code');
  chownSync(keyFile(), 65_534, 65_534);
  expect(isOwnMark(forged, 'code', environment)).toBe(false);
});
