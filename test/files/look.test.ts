import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { UserError, whyFailed } from '../../runner/contract/errors.ts';
import { entriesBelow } from '../../runner/files/look.ts';
import { ownTemporaryFolder } from '../helpers/own-temporary-folder.ts';

const temporary = ownTemporaryFolder();

test('a folder that vanishes while it is listed is the user’s to put right, and no bug', async () => {
  const folder = path.join(temporary(), 'run');
  let refused: unknown = null;
  for (let round = 0; round < 200 && refused === null; round++) {
    for (let number = 0; number < 20; number++) mkdirSync(path.join(folder, `${number}/inside`), { recursive: true });
    const listed = entriesBelow(folder).catch((error: unknown) => (refused = error));
    await new Promise((resolve) => setImmediate(resolve));
    renameSync(folder, `${folder}.away`);
    await listed;
    rmSync(`${folder}.away`, { recursive: true });
  }
  expect(refused).toBeInstanceOf(UserError);
  expect(refused).toMatchObject({
    message: expect.stringContaining('changed while pgduet was reading it') as string,
  });
});

test('a folder whose name is not in UTF-8 is refused by it', async () => {
  const folder = path.join(temporary(), 'run');
  mkdirSync(Buffer.concat([Buffer.from(`${folder}/trials/`), Buffer.from([0xff])]), { recursive: true });
  const why = `${folder}/trials/\ufffd has a name that is not in UTF-8. Rename it, or remove it.`;
  await expect(entriesBelow(folder)).rejects.toThrow(new UserError(why));
});

test('folders that are nested beyond what a path can say are refused by name', async () => {
  const folder = path.join(temporary(), 'run');
  mkdirSync(folder);
  const name = 'x'.repeat(200);
  try {
    // Until it is too deep for a shell.
    execFileSync('sh', ['-c', `while mkdir ${name} && cd ${name}; do :; done 2>/dev/null`], { cwd: folder });
    await expect(entriesBelow(folder)).rejects.toThrow(UserError);
    await expect(entriesBelow(folder)).rejects.toThrow(/run\/x+\.\.\. is nested too deeply to be read\. Remove it\./);
  } finally {
    execFileSync('rm', ['-rf', folder]);
  }
});

test('a folder that cannot be read is refused in the words that other messages have', async () => {
  const file = path.join(temporary(), 'run');
  writeFileSync(file, '');
  await expect(entriesBelow(file)).rejects.toThrow(
    new UserError(
      `${file} cannot be read: ${whyFailed(Object.assign(new Error(), { code: 'ENOTDIR' }))}. Remove it, or make it readable.`,
    ),
  );
});
