import { expect, test } from 'vitest';
import type { CarriedOutStep } from '../../runner/contract/result.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { stepsTable } from '../../runner/report/sections/trials.ts';

const at = (seconds: number): string => new Date(Date.UTC(2026, 10, 21) + seconds * 1000).toISOString();

test('tries to load, bytes that were touched, and a snapshot with the command that deletes it', async () => {
  const times = { startedAt: at(0), endedAt: at(90) };
  const deleteCommand = 'aws rds delete-db-snapshot --db-snapshot-identifier kept --region us-east-1';
  const steps: CarriedOutStep[] = [
    {
      step: 'load',
      ...times,
      error: 'no',
      loads: [
        { server: 'one', startedAt: at(0), endedAt: at(30), outcome: 'failed', error: 'lost' },
        { server: 'one', startedAt: at(60), endedAt: at(90), outcome: 'loaded' },
        { server: 'two', startedAt: at(90), endedAt: at(90), outcome: 'loaded-before' },
      ],
    },
    { step: 'touch', ...times, touched: [{ server: 'one', bytes: 1.3e11, seconds: 1000 }] },
    { step: 'snapshot', ...times, snapshot: { name: 'kept', arn: null, source: 'alice-one', deleteCommand } },
  ];
  const { rows } = stepsTable({ ...(await sampleResult({ blocks: 2 })), steps });
  expect(rows.map(({ cells }) => cells)).toEqual([
    ['load', '1 min 30 s', 'one failed after 30 s: lost; one in 30 s; two was already loaded; not finished: no'],
    ['touch', '1 min 30 s', 'one: 121 GiB read in 17 min, 124 MiB per second'],
    ['snapshot', '1 min 30 s', `snapshot kept of alice-one is kept, and billed until you delete it: ${deleteCommand}`],
  ]);
});
