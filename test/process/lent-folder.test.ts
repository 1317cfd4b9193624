import { linkSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { withLentFolder } from '../../runner/process/lent-folder.ts';
import { serverUser } from '../../runner/process/rights.ts';
import { ownTemporaryFolder } from '../helpers/own-temporary-folder.ts';

const temporary = ownTemporaryFolder();

it('belongs to the user of the servers while it is lent, and then it is ours as it was, with its files', async () => {
  const folder = await withLentFolder(temporary(), 'logs', (lent) => {
    expect(statSync(lent).uid).toBe(serverUser().uid);
    writeFileSync(path.join(lent, 'log'), 'text');
    return Promise.resolve(lent);
  });
  expect(folder).toBe(path.join(temporary(), 'logs'));
  const own = { uid: process.getuid?.(), gid: process.getgid?.() };
  expect(statSync(folder)).toMatchObject(own);
  expect(statSync(path.join(folder, 'log'))).toMatchObject(own);
});

const laid: Record<string, (folder: string, elsewhere: string) => void> = {
  'a symbolic link': (folder, elsewhere) => symlinkSync(elsewhere, path.join(folder, 'log')),
  'a file with several names': (folder, elsewhere) => linkSync(elsewhere, path.join(folder, 'log')),
  'a folder': (folder) => mkdirSync(path.join(folder, 'log')),
};

it.each(Object.keys(laid))('is refused: %s', async (what) => {
  const elsewhere = path.join(temporary(), 'elsewhere');
  writeFileSync(elsewhere, 'text', { mode: 0o600 });
  const before = lstatSync(elsewhere).mode;
  const lent = withLentFolder(temporary(), 'logs', (folder) => {
    laid[what]?.(folder, elsewhere);
    return Promise.resolve();
  });
  await expect(lent).rejects.toThrow(`logs/log is ${what}`);
  expect(lstatSync(elsewhere)).toMatchObject({ mode: before, uid: process.getuid?.() });
  expect(readFileSync(elsewhere, 'utf8')).toBe('text');
});

it('what went wrong in it is the cause, whatever it has left', async () => {
  const lent = withLentFolder(temporary(), 'logs', (folder) => {
    mkdirSync(path.join(folder, 'log'));
    return Promise.reject(new Error('the cause'));
  });
  await expect(lent).rejects.toThrow('the cause');
  expect(statSync(path.join(temporary(), 'logs')).uid).toBe(process.getuid?.());
});
