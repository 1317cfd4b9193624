import { expect, test } from 'vitest';
import { length } from '../../../../runner/analysis/validity/invariant/length.ts';
import type { TrialContext } from '../../../../runner/analysis/validity/check.ts';
import { trial } from '../../../helpers/samples/measured-trial.ts';
import { placeNamed } from '../../../../runner/places/registry.ts';
import { recordSample } from '../../../helpers/samples/sample-result.ts';

function checked(durationSeconds: number | null, tookSeconds: number): ReturnType<typeof length.judge> {
  const startedAt = '2026-11-06T14:00:00.000Z';
  const endedAt = new Date(Date.parse(startedAt) + tookSeconds * 1000).toISOString();
  const limit = durationSeconds === null ? 'transactions' : 'time';
  const context: TrialContext = {
    experiment: recordSample({}).run.experiment.definition,
    place: placeNamed('local'),
    settings: {},
    shape: { clients: 8, limit, transactions: null, durationSeconds, offeredPerSecond: null },
    loadedBytes: 0,
    series: new Map(),
  };
  return length.judge(trial('a', 1, {}, { startedAt, endedAt }), context);
}

test('a trial that ends a little after its time passes', () => {
  expect(checked(600, 612)).toMatchObject({ state: 'pass', finding: '612.0 s (planned: 600 s)' });
});

test('a trial whose last transactions took long is warned of, and so is one that ended early', () => {
  expect(checked(60, 95)).toMatchObject({ state: 'warn', finding: expect.stringContaining('took long') as string });
  expect(checked(60, 41)).toMatchObject({ state: 'warn', finding: expect.stringContaining('ended early') as string });
});

test('the question does not arise where a trial ends after so many transactions', () => {
  expect(checked(null, 900)).toBeNull();
});
