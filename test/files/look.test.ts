import { mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
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
  expect(refused).toMatchObject({ message: expect.stringContaining('was changed while it was read') as string });
});
