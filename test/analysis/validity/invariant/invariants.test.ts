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
import { trial, type TrialDetails } from '../../../helpers/samples/measured-trial.ts';
import { recordSample } from '../../../helpers/samples/sample-result.ts';
import { type FoundCase, keepsFindings } from '../../../helpers/shown/findings.ts';

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

type Of = { facts?: Facts; shape?: Partial<TrialContext['shape']>; details?: TrialDetails };

function judged(measures: Measures, { facts = {}, shape = {}, details = {} }: Of = {}): Check[] {
  const of = trial('a', 1, { ...sound, ...measures }, { facts, ...details });
  return ledger(invariants, (check) => check.judge(of, { ...context, shape: { ...context.shape, ...shape } }));
}

function checkOf(id: string, ...of: Parameters<typeof judged>): Check | undefined {
  return judged(...of).find((check) => check.id === id);
}

/** What is checked, what it measured, and what the check must say: its state, and figures or reasons of its finding. */
type Case = [about: string, measures: Measures, state: CheckState | undefined, of?: Of & { says?: RegExp }];

const kept: FoundCase[] = [];

function judges(id: string, cases: readonly Case[]): void {
  for (const [about, measures, , { says: _, ...of } = {}] of cases)
    kept.push({ id, about, judge: () => checkOf(id, measures, of) });
  it.each(cases)(`${id}: %s`, (_, measures, state, { says = /^/, ...of } = {}) => {
    const check = checkOf(id, measures, of);
    expect(check?.state).toBe(state);
    expect(check?.finding ?? '').toMatch(says);
  });
}

it('a sound trial keeps every invariant', () => {
  expect(judged({}).map((check) => check.state)).toEqual(Array(6).fill('pass'));
});

it('without figures, nothing is called kept', () => {
  const nothing = Object.fromEntries(Object.keys(sound).map((name) => [name, null]));
  for (const check of judged(nothing)) if (check.id !== 'length-of-the-trial') expect(check.state).toBe('not-assessed');
});

describe('the log', () => {
  it('that lacks any transaction is warned of, and one that has more fails the run', () => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.nat(1e6), (logged, counted) => {
        const expected = logged === counted ? 'pass' : logged < counted ? 'warn' : 'fail';
        expect(checkOf('transaction-log', { 'log.transactions': logged, transactions: counted })?.state).toBe(expected);
      }),
    );
  });

  judges('transaction-log', [
    ['without the metric that decides, the block is measured again', { 'log.transactions': 5e4, tps: null }, 'fail'],
    ['failed transactions count, too', { 'transactions.failed': 3, 'log.failed': 2 }, 'warn', { says: / 2 .* 3/ }],
    ['skipped ones, too', { 'transactions.skipped': 0, 'log.skipped': 1 }, 'fail'],
  ]);
});

describe('commits', () => {
  const uncounted = { 'database.autovacuums': null, 'database.autoanalyzes': null };
  judges('commits', [
    ['one is lacking', { 'database.commits': 99_999 }, 'fail', { says: /never/ }],
    ['200 of somebody else', { 'database.commits': 100_300 }, 'fail'],
    [
      'of somebody who was seen',
      { 'database.commits': 190_000 },
      'fail',
      { facts: { otherSessions: ['bob (psql, pid 7)'] }, says: /bob/ },
    ],
    ['of autovacuum', { 'database.commits': 100_400, 'database.autovacuums': 30 }, 'pass'],
    ['of who knows whom', { 'database.commits': 400_000 }, 'fail'],
    // Each of them commits while it starts.
    ['perhaps of parallel workers', { 'database.commits': 400_000, 'waits.workers': 1.5 }, 'not-assessed'],
    ['lacking, with parallel workers', { 'database.commits': 90_000, 'waits.workers': 1.5 }, 'fail'],
    ['perhaps of autovacuum', { 'database.commits': 400_000, ...uncounted }, 'not-assessed'],
    ['lacking, without a word of autovacuum', { 'database.commits': 90_000, ...uncounted }, 'fail'],
  ]);

  it('are judged by nothing that grows with the work of others', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e7 }), fc.integer({ min: 300, max: 1e7 }), (own, foreign) => {
        const measures = { 'load.commits': own, 'database.commits': own + foreign + Math.ceil(own / 1000) };
        expect(checkOf('commits', measures)?.state).toBe('fail');
      }),
    );
  });
});

describe('a silence', () => {
  const few = { transactions: 20, 'progress.silence': 28 };
  const unseen = { 'progress.gap': null, 'progress.silence': null };
  const emptied = { ...unseen, 'progress.emptied': 3 };
  const long = { 'progress.silence': 31, 'load.seconds': 3600, transactions: 3.6e6 };
  judges('silent-seconds', [
    ['0 s of 100', { 'progress.silence': 0 }, 'pass'],
    ['1 s', { 'progress.silence': 1 }, 'warn'],
    ['24 s', { 'progress.silence': 24 }, 'warn'],
    ['26 s', { 'progress.silence': 26 }, 'fail'],
    ['31 s of an hour', long, 'fail', { shape: { durationSeconds: 3600 } }],
    ['28 s, with 20 transactions', few, 'pass'],
    ['28 s, where 20 were offered', few, 'pass', { shape: { offeredPerSecond: 0.2 } }],
    ['28 s, where 5,000 were offered', few, 'fail', { shape: { offeredPerSecond: 50 } }],
    ['nearly all of a fast trial', { transactions: 100, 'progress.silence': 99.9 }, 'fail'],
    ['of the load generator', { 'progress.gap': 5 }, 'fail', { says: / 5\.0 s/ }],
    ['of the load generator, 2.2 s', { 'progress.gap': 2.2 }, 'warn'],
    ['read from the series', { ...unseen, 'seconds.silent': 40 }, 'fail'],
    ['whose reports the load emptied', { ...emptied, 'seconds.silent': 40 }, 'warn', { says: /40\.0 s/ }],
    ['of 0 s, whose reports the load emptied', { ...emptied, 'seconds.silent': 0 }, 'pass'],
    ['of which nothing is known', emptied, 'not-assessed'],
  ]);

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

describe('the length', () => {
  const connecting = (planned: number, seconds: number): Measures => ({
    'load.seconds': planned - seconds,
    'load.connecting': seconds,
  });
  const [short, shortest] = [{ durationSeconds: 12 }, { durationSeconds: 2 }];
  judges('length-of-the-trial', [
    ['100.4 of 100 s', { 'load.seconds': 100.4 }, 'pass'],
    ['104 s', { 'load.seconds': 104 }, 'warn'],
    ['126 s', { 'load.seconds': 126 }, 'fail'],
    ['80 s', { 'load.seconds': 80 }, 'fail'],
    ['1 s of connecting', connecting(100, 1), 'pass', { says: /^99\.0 s/ }],
    ['30 s of connecting', connecting(100, 30), 'warn', { says: /^70\.0 s .* 30\.0 of 100 s/ }],
    // 200 clients on two processors.
    ['2.6 of 12 s of connecting', connecting(12, 2.6), 'warn', { shape: short, says: /^9\.4 s .* 2\.6 of 12 s/ }],
    ['60 s of connecting', connecting(100, 60), 'fail', { says: /^40\.0 s .* 60\.0 of 100 s/ }],
    // It would have been allowed to end a little early.
    ['1.5 of 2 s of connecting', connecting(2, 1.5), 'fail', { shape: shortest, says: /^0\.5 s .* 1\.5 of 2 s/ }],
    ['too short, beside connecting', { 'load.seconds': 50, 'load.connecting': 10 }, 'fail', { says: /early/ }],
    ['too long, beside connecting', { 'load.seconds': 150, 'load.connecting': 60 }, 'fail', { says: /stalled/ }],
  ]);

  const took = (seconds: number, durationSeconds: number | null): Of => {
    const startedAt = '2026-11-06T14:00:00.000Z';
    const endedAt = new Date(Date.parse(startedAt) + seconds * 1000).toISOString();
    return { details: { startedAt, endedAt }, shape: { durationSeconds } };
  };
  const ownClock = { 'load.seconds': null, 'latency.average': null };
  judges('length-of-the-trial', [
    ['612 of 600 s, by the clock of the runner', ownClock, 'pass', { ...took(612, 600), says: /^612\.0 s/ }],
    ['95 of 60 s', ownClock, 'warn', { ...took(95, 60), says: /slow/ }],
    ['41 of 60 s', ownClock, 'warn', { ...took(41, 60), says: /early/ }],
    ['of a number of transactions', ownClock, undefined, took(900, null)],
  ]);
});

describe('what was offered', () => {
  const shape = { offeredPerSecond: 1000 };
  judges('offered-transactions', [
    ['may differ by chance', { transactions: 99_000 }, 'pass', { shape }],
    ['was not done', { transactions: 60_000 }, 'warn', { shape, says: /^60,000 of about 100,000 .*60%/ }],
    ['was skipped, which is told elsewhere', { transactions: 6e4, 'transactions.skipped': 4e4 }, 'pass', { shape }],
  ]);
});

judges('size-of-the-database', [
  ['a third', { 'database.sizeAtStart': 0.3 * loadedBytes }, 'fail'],
  ['about what was loaded', { 'database.sizeAtStart': 1.05 * loadedBytes }, 'pass'],
  ['four times', { 'database.sizeAtStart': 4 * loadedBytes }, 'warn'],
]);

describe('the sampled sessions', () => {
  const late = { 'load.seconds': 125, 'waits.active': 3.5 };
  const counted = { limit: 'transactions', transactions: 100_000, durationSeconds: null } as const;
  const rate = { 'client.turn': null };
  const offered = { shape: { offeredPerSecond: 1000 } };
  judges('time-of-a-transaction', [
    // 2.9 are idle: with 8 clients, 7.6 to 8.4 are enough.
    ['8.35', { 'waits.active': 5.45 }, 'pass'],
    ['8.45', { 'waits.active': 5.55 }, 'warn'],
    ['7.65', { 'waits.active': 4.75 }, 'pass'],
    ['7.55', { 'waits.active': 4.65 }, 'warn'],
    [
      'parallel workers among them',
      { 'waits.active': 17 },
      'warn',
      { says: /^19\.9 .* 1000 .* 8 clients: other sessions/ },
    ],
    ['fewer, where clients ended early', late, 'pass'],
    ['fewer than clients that ended early explain', { ...late, 'waits.active': 2.9 }, 'warn'],
    ['fewer, with a number of transactions', { 'waits.active': 1 }, 'pass', { shape: counted }],
    ['with a rate', rate, 'pass', offered],
    ['more, with a rate', { ...rate, 'waits.idle': 5 }, 'warn', offered],
    ['idle ones of others', { ...rate, 'waits.idle': 5 }, 'pass'],
    ['active ones of others', { ...rate, 'waits.active': 9 }, 'warn'],
    ['new for each transaction', { 'latency.connection': 0.003, 'waits.idle': 0.1 }, 'pass'],
    ['too many new ones', { 'latency.connection': 0.004, 'waits.idle': 0.1 }, 'warn'],
    ['unknown', { 'waits.active': null }, 'not-assessed'],
  ]);
});

keepsFindings('of-every-trial', kept);
