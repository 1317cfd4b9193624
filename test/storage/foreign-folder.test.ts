import { chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import { refuseForeignFolder } from '../../runner/storage/foreign-folder.ts';
import { withResultsLocked } from '../../runner/storage/results-lock.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

const nobody = 65_534;

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

describe.skipIf(process.getuid?.() !== 0)('a folder of another user', () => {
  test('is refused where everybody may make one', () => {
    const folder = folderOf(nobody, around(0o1777));
    expect(() => refuseForeignFolder(folder)).toThrow(UserError);
    expect(() => refuseForeignFolder(folder)).toThrow(`${folder} belongs to another user (id 65534)`);
  });

  test('is as good as our own where only we could have put it', () => {
    refuseForeignFolder(folderOf(nobody, around(0o755)));
  });

  test('is as good as our own if all around it is of the same user', () => {
    const parent = around(0o1777);
    chownSync(parent, nobody, nobody);
    refuseForeignFolder(folderOf(nobody, parent));
  });

  test('is not reached by a symbolic link of that user either', () => {
    const parent = around(0o1777);
    const link = path.join(parent, 'results');
    symlinkSync(folderOf(0, parent, 'other'), link);
    lchownSync(link, nobody, nobody);
    expect(() => refuseForeignFolder(link)).toThrow('belongs to another user');
  });

  test.each(['results', 'results/tiny'])('at %s keeps a run from beginning', async (name) => {
    const parent = around(0o1777);
    if (name !== 'results') chmodSync(folderOf(0, parent), 0o1777);
    folderOf(nobody, parent, name);
    const run = withResultsLocked(path.join(parent, 'results/tiny'), () => Promise.resolve());
    await expect(run).rejects.toThrow(`${path.join(parent, name)} belongs to another user`);
  });
});

test('a folder of our own is never refused', () => {
  const parent = around(0o1777);
  mkdirSync(path.join(parent, 'results'));
  refuseForeignFolder(path.join(parent, 'results'));
});
