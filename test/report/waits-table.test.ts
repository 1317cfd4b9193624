import { expect, test } from 'vitest';
import type { Result } from '../../runner/contract/result.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { waitsTable } from '../../runner/report/sections/waits.ts';

/** Each variant with what its server calls the events; of two versions unless both are the same. */
async function notesOf(spellings: Record<string, Record<string, string>>): Promise<string[]> {
  const sample = await sampleResult({ blocks: 2 });
  const result: Result = {
    ...sample,
    trials: sample.trials.map((trial) => ({
      ...trial,
      facts: { ...trial.facts, waitEvents: spellings[trial.conditions.variant] ?? {} },
    })),
  };
  return waitsTable(result, new Set(result.trials.map(({ id }) => id))).notes;
}

test('the waits of two versions of PostgreSQL come with the names on each side, where these differ', async () => {
  const [base, other] = (await sampleResult({ blocks: 2 })).variants.map(({ name }) => name);
  const older = { 'IO:WalSync': 'IO:WALSync', 'IPC:BufferIo': 'IPC:BufferIO' };
  expect(await notesOf({ [base ?? '']: older })).toContain(
    `Versions of PostgreSQL name some events differently. The table uses the newest name: IO:WalSync (IO:WALSync on ${base}).`,
  );
  const notesOnBoth = await notesOf({ [base ?? '']: older, [other ?? '']: older });
  expect(notesOnBoth.join(' ')).not.toContain('name some events differently');
});
