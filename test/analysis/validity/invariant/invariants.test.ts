import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ledger } from '../../../../runner/analysis/validity/judge-validity.ts';
import { invariants } from '../../../../runner/analysis/validity/registry.ts';
import { longestExpectedSilence } from '../../../../runner/analysis/validity/invariant/silence.ts';
import type { TrialContext } from '../../../../runner/analysis/validity/check.ts';
import type { Check, CheckState } from '../../../../runner/contract/check.ts';
import type { Measures } from '../../../../runner/contract/metric.ts';
import type { Facts } from '../../../../runner/contract/trial.ts';
import { placeNamed } from '../../../../runner/places/registry.ts';
import { trial } from '../../../helpers/samples/measured-trial.ts';
import { recordSample } from '../../../helpers/samples/sample-result.ts';

const loadedBytes = 300 * 2 ** 20;
const context: TrialContext = {
  experiment: recordSample({}).run.experiment.definition,
  place: placeNamed('local'),
  settings: {},
  shape: { clients: 8, limit: 'time', transactions: null, durationSeconds: 100, offeredPerSecond: null },
  loadedBytes,
  series: new Map(),
};

/** What a trial of 100 s with 1,000 transactions a second measures if nothing happens to it. */
const sound: Measures = {
  tps: 1000,
  transactions: 100_000,
  'transactions.failed': 0,
  'transactions.skipped': null,
  'log.transactions': 100_000,
  'log.failed': 0,
  'log.skipped': 0,
  'load.seconds': 100,
  'load.commits': 100_000,
  'collect.commits': 40,
  'database.commits': 100_050,
  'database.autovacuums': 0,
  'database.autoanalyzes': 0,
  'progress.gap': 1.001,
  'progress.silence': 0,
  'database.sizeAtStart': loadedBytes,
  'client.turn': 0.008,
  'waits.active': 5.1,
  'waits.idle': 2.9,
  'waits.samples': 1000,
};

function judged(
  measures: Measures,
  { facts = {}, shape = {} }: { facts?: Facts; shape?: Partial<TrialContext['shape']> } = {},
): Check[] {
  const of = trial('a', 1, { ...sound, ...measures }, { facts });
  return ledger(invariants, (check) => check.judge(of, { ...context, shape: { ...context.shape, ...shape } }));
}

function state(name: string, ...of: Parameters<typeof judged>): CheckState | undefined {
  return judged(...of).find((check) => check.name === name)?.state;
}

function finding(name: string, ...of: Parameters<typeof judged>): string | undefined {
  return judged(...of).find((check) => check.name === name)?.finding;
}

it('a sound trial keeps every invariant', () => {
  expect(judged({}).map((check) => check.state)).toEqual(Array(6).fill('pass'));
});

it('without figures, nothing is called kept', () => {
  const nothing = Object.fromEntries(Object.keys(sound).map((name) => [name, null]));
  for (const check of judged(nothing))
    if (check.name !== 'length of the trial') expect(check.state).toBe('not assessed');
});

describe('the log', () => {
  it('that lacks any transaction is warned of, and one that has more fails the run', () => {
    const counts = fc.tuple(fc.nat(1e6), fc.nat(1e6));
    fc.assert(
      fc.property(counts, ([logged, counted]) => {
        const expected = logged === counted ? 'pass' : logged < counted ? 'warn' : 'fail';
        expect(state('transaction log', { 'log.transactions': logged, transactions: counted })).toBe(expected);
      }),
    );
  });

  it('that lacks the metric that decides fails the trial, so that its block is measured again', () => {
    expect(state('transaction log', { 'log.transactions': 50_000, tps: null })).toBe('fail');
  });

  it('is compared by failed and skipped transactions, too', () => {
    expect(finding('transaction log', { 'transactions.failed': 3, 'log.failed': 2 })).toMatch(
      /^the log has 2 failed transactions, the run says 3/,
    );
    expect(state('transaction log', { 'transactions.skipped': 0, 'log.skipped': 1 })).toBe('fail');
  });
});

describe('commits', () => {
  it('below those of the run fail it, however few are lacking', () => {
    expect(finding('commits', { 'database.commits': 99_999 })).toContain(
      'the run counts what the server never committed',
    );
  });

  it('of somebody else fail it as soon as they are of note', () => {
    expect(state('commits', { 'database.commits': 100_300 })).toBe('fail');
    expect(
      finding('commits', { 'database.commits': 190_000 }, { facts: { otherSessions: ['bob (psql, pid 7)'] } }),
    ).toMatch(/somebody else used the database \(seen: bob \(psql, pid 7\)\)$/);
  });

  it('of autovacuum are explained', () => {
    expect(state('commits', { 'database.commits': 100_400, 'database.autovacuums': 30 })).toBe('pass');
  });

  it('are judged by nothing that grows with the work of others', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e7 }), fc.integer({ min: 300, max: 1e7 }), (own, foreign) => {
        const measures = { 'load.commits': own, 'database.commits': own + foreign + Math.ceil(own / 1000) };
        expect(state('commits', measures)).toBe('fail');
      }),
    );
  });
});

describe('a silence', () => {
  it.each([
    [0, 'pass'],
    [1, 'warn'],
    [24, 'warn'],
    [26, 'fail'],
  ])('of %d s in 100 s at 1,000 TPS: %s', (seconds, expected) => {
    expect(state('silent seconds', { 'progress.silence': seconds })).toBe(expected);
  });

  it('of half a minute fails the longest trial', () => {
    const measures = { 'progress.silence': 31, 'load.seconds': 3600, transactions: 3.6e6 };
    expect(state('silent seconds', measures, { shape: { durationSeconds: 3600 } })).toBe('fail');
  });

  it('is usual where few transactions are expected, by the rate that was offered or by what was done', () => {
    const few = { transactions: 20, 'progress.silence': 28 };
    expect(state('silent seconds', few)).toBe('pass');
    expect(state('silent seconds', few, { shape: { offeredPerSecond: 0.2 } })).toBe('pass');
    expect(state('silent seconds', few, { shape: { offeredPerSecond: 50 } })).toBe('fail');
  });

  it('that fills nearly all of a fast trial is not usual', () => {
    expect(state('silent seconds', { transactions: 100, 'progress.silence': 99.9 })).toBe('fail');
  });

  it('of the load generator itself fails the trial, whatever the server did', () => {
    expect(finding('silent seconds', { 'progress.gap': 5 })).toMatch(/^the load generator.* made no report for 5\.0 s/);
    expect(state('silent seconds', { 'progress.gap': 5 })).toBe('fail');
    expect(state('silent seconds', { 'progress.gap': 2.2 })).toBe('warn');
  });

  it('is read from the series where the load generator reports nothing', () => {
    const measures = { 'progress.gap': null, 'progress.silence': null, 'seconds.silent': 40 };
    expect(state('silent seconds', measures)).toBe('fail');
  });

  it('is nobody’s fault where the load emptied the file of the reports', () => {
    const measures = { 'progress.gap': null, 'progress.silence': null, 'progress.emptied': 3 };
    expect(state('silent seconds', { ...measures, 'seconds.silent': 40 })).toBe('warn');
    expect(finding('silent seconds', { ...measures, 'seconds.silent': 40 })).toMatch(
      /^no transaction ended for 40\.0 s, and the load emptied the file .* nothing shows whether the server/,
    );
    expect(state('silent seconds', { ...measures, 'seconds.silent': 0 })).toBe('pass');
    expect(state('silent seconds', measures)).toBe('not assessed');
  });

  it('that is usual is longer than nearly all that chance makes', () => {
    fc.assert(
      fc.property(fc.integer(), fc.double({ min: 0.1, max: 1000, noNaN: true }), (seed, perSecond) => {
        const random = fc.sample(fc.double({ min: 1e-12, max: 1, noNaN: true }), { numRuns: 200, seed });
        const longest = Math.max(...random.map((one) => -Math.log(one) / perSecond));
        expect(longestExpectedSilence(200, perSecond)).toBeGreaterThan(Math.min(longest, 19 / perSecond));
      }),
      { numRuns: 20 },
    );
  });
});

describe('the length by the load’s own clock', () => {
  it.each([
    [100.4, 'pass'],
    [104, 'warn'],
    [126, 'fail'],
    [80, 'fail'],
  ])('of %d s instead of 100 s: %s', (seconds, expected) => {
    expect(state('length of the trial', { 'load.seconds': seconds })).toBe(expected);
  });
});

describe('a load whose clients took long to connect', () => {
  it.each([
    [100, 1, 'pass', '99.0 s (planned: 100 s)'],
    [100, 30, 'warn', '70.0 s (planned: 100 s): connecting took 30.0 of 100 s, which is not measured'],
    // 200 clients on two processors.
    [12, 2.6, 'warn', '9.4 s (planned: 12 s): connecting took 2.6 of 12 s, which is not measured'],
    [100, 60, 'fail', '40.0 s (planned: 100 s): connecting took 60.0 of 100 s'],
    // It would have been allowed to end a little early.
    [2, 1.5, 'fail', '0.5 s (planned: 2 s): connecting took 1.5 of 2 s'],
  ])('of %d s, %d s of connecting: %s, in these words', (durationSeconds, connecting, expected, words) => {
    const measures = { 'load.seconds': durationSeconds - connecting, 'load.connecting': connecting };
    expect(state('length of the trial', measures, { shape: { durationSeconds } })).toBe(expected);
    expect(finding('length of the trial', measures, { shape: { durationSeconds } })).toBe(words);
  });

  it('ended early all the same where that is not why, and something stood still where it was too long', () => {
    expect(finding('length of the trial', { 'load.seconds': 50, 'load.connecting': 10 })).toMatch(/it ended early$/);
    expect(finding('length of the trial', { 'load.seconds': 150, 'load.connecting': 60 })).toMatch(/stood still$/);
  });
});

describe('what was offered', () => {
  const shape = { offeredPerSecond: 1000 };

  it('may differ by chance', () => {
    expect(state('offered transactions', { transactions: 99_000 }, { shape })).toBe('pass');
  });

  it('and was not done is named, with its share', () => {
    expect(finding('offered transactions', { transactions: 60_000 }, { shape })).toMatch(
      /^60,000 of about 100,000 were carried out \(60 %\)/,
    );
  });

  it('counts as done if it was skipped or failed: that is told elsewhere', () => {
    const measures = { transactions: 60_000, 'transactions.skipped': 40_000 };
    expect(state('offered transactions', measures, { shape })).toBe('pass');
  });
});

describe('the size of the database', () => {
  it.each([
    [0.3, 'fail'],
    [1.05, 'pass'],
    [4, 'warn'],
  ])('of %d times what was to be loaded: %s', (times, expected) => {
    expect(state('size of the database', { 'database.sizeAtStart': times * loadedBytes })).toBe(expected);
  });
});

it('commits beyond those of the run may be those of parallel workers, of which each commits while it starts', () => {
  expect(state('commits', { 'database.commits': 400_000 })).toBe('fail');
  expect(state('commits', { 'database.commits': 400_000, 'waits.workers': 1.5 })).toBe('not assessed');
  expect(state('commits', { 'database.commits': 90_000, 'waits.workers': 1.5 })).toBe('fail');
});

it('commits beyond those of the run are nobody’s if it is not known what autovacuum did', () => {
  const uncounted = { 'database.autovacuums': null, 'database.autoanalyzes': null };
  expect(state('commits', { 'database.commits': 400_000, ...uncounted })).toBe('not assessed');
  expect(state('commits', { 'database.commits': 90_000, ...uncounted })).toBe('fail');
});

describe('the time of a transaction', () => {
  const of = (measures: Measures, shape: Partial<TrialContext['shape']> = {}): CheckState | undefined =>
    state('time of a transaction', measures, { shape });

  it('adds up to clients / TPS if as many sessions were sampled as there are clients, within 5 %', () => {
    expect(of({ 'waits.active': 5.45 })).toBe('pass');
    expect(of({ 'waits.active': 5.55 })).toBe('warn');
    expect(of({ 'waits.active': 4.75 })).toBe('pass');
    expect(of({ 'waits.active': 4.65 })).toBe('warn');
  });

  it('does not add up if parallel workers are counted as sessions, which takes no verdict away', () => {
    expect(of({ 'waits.active': 19 })).toBe('warn');
    expect(finding('time of a transaction', { 'waits.active': 17 })).toBe(
      '19.9 sessions on average in 1000 samples, with 8 clients: others worked in the database, too, so its parts do not add up to clients / TPS, and the time of this trial is not explained',
    );
  });

  it('may have fewer sessions at the end, where clients wait for no other after their last transaction', () => {
    const late = { 'load.seconds': 125, 'waits.active': 3.5 };
    expect(of(late)).toBe('pass');
    expect(of({ ...late, 'waits.active': 2.9 })).toBe('warn');
    expect(of({ 'waits.active': 1 }, { limit: 'transactions', transactions: 100_000, durationSeconds: null })).toBe(
      'pass',
    );
  });

  it('counts sessions with a rate, too, and only those at work where a transaction connects or others are connected', () => {
    const rate = { 'client.turn': null };
    expect(of(rate, { offeredPerSecond: 1000 })).toBe('pass');
    expect(of({ ...rate, 'waits.idle': 5 }, { offeredPerSecond: 1000 })).toBe('warn');
    expect(of({ ...rate, 'waits.idle': 5 })).toBe('pass');
    expect(of({ ...rate, 'waits.active': 9 })).toBe('warn');
    expect(of({ 'latency.connection': 0.003, 'waits.idle': 0.1 })).toBe('pass');
    expect(of({ 'latency.connection': 0.004, 'waits.idle': 0.1 })).toBe('warn');
  });

  it('is not assessed where sessions were not sampled', () => {
    expect(of({ 'waits.active': null })).toBe('not assessed');
  });
});
