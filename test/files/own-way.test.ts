import { chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import { requireSafePath } from '../../runner/files/open-folder.ts';
import { withResultsLocked } from '../../runner/storage/results-folder.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

const nobody = 65_534;
const check = (folder: string) => (): void => requireSafePath(folder, 'choose another folder (--out)');

function around(mode: number): string {
  const folder = temporaryFolder();
  chmodSync(folder, mode);
  return folder;
}

function folderOf(uid: number, parent: string, name = 'results'): string {
  const folder = path.join(parent, name);
  mkdirSync(folder);
  chownSync(folder, uid, uid);
  return folder;
}

test('a path through something that is no folder is refused by the name of that', () => {
  expect(check('/dev/null/results')).toThrow(
    '/dev/null/results goes through /dev/null, which is a device. Correct the path, or choose another folder (--out).',
  );
});

describe.skipIf(process.getuid?.() !== 0)('a folder of another user', () => {
  test.each([0o1777, 0o755])('is refused in a folder of ours with the mode %o', (mode) => {
    const folder = folderOf(nobody, around(mode));
    expect(check(folder)).toThrow(UserError);
    expect(check(folder)).toThrow(`${folder} belongs to another user (id 65534)`);
  });

  test('is refused at any place of the way, whatever lies in it', () => {
    const bench = folderOf(nobody, around(0o1777), 'bench');
    const nightly = folderOf(0, bench, 'nightly');
    expect(check(nightly)).toThrow(`${bench} belongs to another user`);
    expect(check(path.join(nightly, 'not/there/yet'))).toThrow(`${bench} belongs to another user`);
  });

  test('is not reached by a symbolic link of that user, nor by a link of ours through one of theirs', () => {
    const parent = around(0o1777);
    const link = path.join(parent, 'results');
    symlinkSync(folderOf(0, parent, 'other'), link);
    lchownSync(link, nobody, nobody);
    expect(check(link)).toThrow('belongs to another user');
    const ours = path.join(temporaryFolder(), 'ours');
    symlinkSync(path.join(link, 'below'), ours);
    expect(check(ours)).toThrow(`${link} belongs to another user`);
  });

  test.each(['results', 'results/tiny'])(
    'at %s keeps a run from beginning, and nothing is made in it',
    async (name) => {
      const parent = around(0o1777);
      if (name !== 'results') chmodSync(folderOf(0, parent), 0o1777);
      folderOf(nobody, parent, name);
      const run = withResultsLocked(path.join(parent, 'results/tiny'), () => Promise.resolve());
      await expect(run).rejects.toThrow(`${path.join(parent, name)} belongs to another user`);
    },
  );

  test('is the user’s own who called sudo', () => {
    const folder = folderOf(nobody, around(0o755));
    process.env['SUDO_UID'] = String(nobody);
    try {
      check(folder)();
    } finally {
      delete process.env['SUDO_UID'];
    }
  });
});

test('a folder where everybody may rename what is not theirs is refused', () => {
  const parent = around(0o777);
  mkdirSync(path.join(parent, 'results'));
  expect(check(path.join(parent, 'results'))).toThrow(
    `${parent} has no sticky bit and can be written by other users, who could redirect what is written to`,
  );
});

test('a folder of our own is never refused, nor one that is still to be made, nor a link of ours', () => {
  const parent = around(0o1777);
  const own = path.join(parent, 'results');
  mkdirSync(own);
  symlinkSync(own, path.join(parent, 'link'));
  for (const name of ['results', 'results/not/yet', 'link', 'link/not/yet']) check(path.join(parent, name))();
});

test('links that lead in a circle are told', () => {
  const parent = around(0o755);
  symlinkSync('two', path.join(parent, 'one'));
  symlinkSync('one', path.join(parent, 'two'));
  expect(check(path.join(parent, 'one'))).toThrow('too many symbolic links');
});
