import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import { makeFolder, writeFileIn } from '../../runner/files/write.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

test('a file is written with the folders on its way, and replaced as a whole', async () => {
  const root = temporaryFolder();
  await writeFileIn(root, 'trials/001/trial.json', 'first');
  await writeFileIn(root, 'trials/001/trial.json', 'second');
  expect(readFileSync(path.join(root, 'trials/001/trial.json'), 'utf8')).toBe('second');
  expect(readdirSync(path.join(root, 'trials/001'))).toEqual(['trial.json']);
});

test('what only the owner may read is never open to others, whatever was there', async () => {
  const root = temporaryFolder();
  writeFileSync(path.join(root, 'secret'), '');
  chmodSync(path.join(root, 'secret'), 0o666);
  await writeFileIn(root, 'secret', 'x', { readers: 'owner' });
  expect(statSync(path.join(root, 'secret')).mode & 0o777).toBe(0o600);
});

describe('a folder', () => {
  test('is made with those on its way, and each of them is named', () => {
    const root = temporaryFolder();
    const folders = ['a', 'a/b', 'a/b/c'].map((name) => path.join(root, name));
    expect(makeFolder(path.join(root, 'a/b/c'))).toEqual(folders.toReversed());
    expect(makeFolder(path.join(root, 'a/b/c'))).toEqual([]);
    for (const folder of folders) expect(statSync(folder).isDirectory()).toBe(true);
  });

  test('is refused where something else has its name', () => {
    const root = temporaryFolder();
    writeFileSync(path.join(root, 'file'), '');
    symlinkSync('nowhere', path.join(root, 'link'));
    expect(() => makeFolder(path.join(root, 'file'))).toThrow(`${root}/file is a file, not a folder.`);
    expect(() => makeFolder(path.join(root, 'link/below'))).toThrow(`${root}/link is a symbolic link, not a folder.`);
  });

  // Linux lets nobody make a folder there.
  test('is refused at once where there can be none', () => {
    expect(() => makeFolder('/proc/results/quick')).toThrow('Could not create /proc/results. Choose another folder.');
  });

  test('leaves none on its way behind where it cannot be made', () => {
    const root = temporaryFolder();
    expect(() => makeFolder(path.join(root, 'a', 'b'.repeat(300)))).toThrow('ENAMETOOLONG');
    expect(readdirSync(root)).toEqual([]);
  });
});

describe('a name that leads elsewhere', () => {
  const plant = {
    'a symbolic link': (file: string, other: string) => symlinkSync(other, file),
    'a pipe': (file: string) => execFileSync('mkfifo', [file]),
    'a folder': (file: string) => mkdirSync(file),
  };
  test.each(Object.entries(plant))('%s is refused by its path, and left as it was', async (kind, make) => {
    const [root, other] = [temporaryFolder(), path.join(temporaryFolder(), 'other')];
    writeFileSync(other, 'not ours');
    make(path.join(root, 'report.md'), other);
    const error: unknown = await writeFileIn(root, 'report.md', 'x').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect(String(error)).toContain(`${path.join(root, 'report.md')} is ${kind}, so pgduet does not write to it`);
    expect(readFileSync(other, 'utf8')).toBe('not ours');
    expect(lstatSync(path.join(root, 'report.md')).isFile()).toBe(false);
    expect(readdirSync(root)).toEqual(['report.md']);
  });

  test('another name of a file keeps what it has', async () => {
    const [root, other] = [temporaryFolder(), path.join(temporaryFolder(), 'other')];
    writeFileSync(other, 'not ours', { mode: 0o640 });
    linkSync(other, path.join(root, 'report.md'));
    await writeFileIn(root, 'report.md', 'ours');
    expect(readFileSync(other, 'utf8')).toBe('not ours');
    expect(readFileSync(path.join(root, 'report.md'), 'utf8')).toBe('ours');
  });

  test('a folder on the way that is a link is refused, and nothing is made behind it', async () => {
    const [root, other] = [temporaryFolder(), temporaryFolder()];
    symlinkSync(other, path.join(root, 'trials'));
    await expect(writeFileIn(root, 'trials/001/trial.json', 'x')).rejects.toThrow(
      `${path.join(root, 'trials')} is not a folder, or it is a symbolic link`,
    );
    expect(readdirSync(other)).toEqual([]);
  });
});
