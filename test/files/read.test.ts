import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readBeginning, readTextIfThere, readTextWhole } from '../../runner/files/read.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

test('a pipe, a device and a socket are refused at once', () => {
  const pipe = path.join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(() => readTextWhole(pipe)).toThrow(`${pipe} is a pipe. Name a file.`);
  expect(() => readTextWhole('/dev/zero')).toThrow('/dev/zero is a device. Name a file.');
});

test('a folder is told as the system does', () => {
  const folder = path.join(temporaryFolder(), 'folder');
  mkdirSync(folder);
  expect(() => readTextWhole(folder)).toThrow('EISDIR');
});

test('a file that is too large is refused before it is read', () => {
  const file = path.join(temporaryFolder(), 'large');
  writeFileSync(file, 'x'.repeat(3 * 1024 ** 2));
  expect(() => readTextWhole(file, { max: 2 ** 20 })).toThrow(`${file} has 3 MiB; pgduet reads at most 1.`);
  expect(readTextWhole(file)).toHaveLength(3 * 1024 ** 2);
});

test('files whose size the system does not know are read to their end, or to the limit', () => {
  expect(readTextWhole('/proc/self/status')).toMatch(/^Name:/);
  expect(() => readTextWhole('/proc/self/status', { max: 10 })).toThrow('pgduet does not read larger files');
});

test('a link is followed only where the user named it', () => {
  const file = path.join(temporaryFolder(), 'file');
  const link = path.join(temporaryFolder(), 'link');
  writeFileSync(file, 'text');
  symlinkSync(file, link);
  expect(readTextWhole(link)).toBe('text');
  expect(() => readTextWhole(link, { links: 'refused' })).toThrow(
    `${link} is a symbolic link, which pgduet does not follow`,
  );
});

test('what is not there is null, or the system’s error', () => {
  expect(readTextIfThere('/not/there')).toBeNull();
  expect(() => readTextWhole('/not/there')).toThrow('ENOENT');
});

test('the beginning of a file is read, and of a pipe, a device or a link nothing, without a wait', async () => {
  const folder = temporaryFolder();
  const at = (name: string): string => path.join(folder, name);
  writeFileSync(at('file'), 'x'.repeat(100));
  expect(await readBeginning(at('file'), 10)).toBe('x'.repeat(10));
  execFileSync('mkfifo', [at('pipe')]);
  symlinkSync('/dev/zero', at('link'));
  await expect(readBeginning(at('pipe'), 10)).rejects.toThrow(`${at('pipe')} is a pipe.`);
  await expect(readBeginning(at('link'), 10)).rejects.toThrow('ELOOP');
  await expect(readBeginning('/dev/zero', 10)).rejects.toThrow('/dev/zero is a device.');
});
