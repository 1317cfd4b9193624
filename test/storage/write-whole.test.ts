import { writeFile } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import { systemProblem } from '../../runner/contract/errors.ts';
import { writeWhole } from '../../runner/storage/write-whole.ts';

// Linux has a device that is always full.
vi.mock('write-file-atomic', () => ({ default: (_: string, data: string) => writeFile('/dev/full', data) }));

it('a file for which there is no room is named in the error', async () => {
  const error: unknown = await writeWhole('/results/run.json', 'x').catch((thrown: unknown) => thrown);
  expect(systemProblem(error)?.message).toMatch(/^\/results\/run\.json is on a disk without room\. /);
});
