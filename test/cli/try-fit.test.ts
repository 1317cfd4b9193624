import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { overrunSeconds, tooLong, trialsFor } from '../../runner/cli/actions/try-plan.ts';

const usual = { seconds: 5, warmUpSeconds: 1 };
const seconds = fc.double({ min: 0.001, max: 1000, noNaN: true });

describe('the trials of a try', () => {
  it('measure throughput, as long as the user says or as usual, until transactions are known to be long', () => {
    expect(trialsFor({}, usual, null)).toEqual([{ ...usual, metric: 'tps' }]);
    expect(trialsFor({ seconds: 7 }, usual, null)).toEqual([{ ...usual, seconds: 7, metric: 'tps' }]);
    expect(trialsFor({}, usual, 0.25)).toEqual([{ ...usual, metric: 'tps' }]);
  });

  it('are long enough for four long transactions, or for as many as there is time for', () => {
    expect(trialsFor({}, usual, 2.4)).toEqual(
      [9, 6, 5, 5].map((one) => ({ seconds: one, warmUpSeconds: 2, metric: 'latency.average' })),
    );
  });

  it('are never shorter than usual, never longer than the user says, and end between two transactions', () => {
    fc.assert(
      fc.property(seconds, fc.integer({ min: 1, max: 60 }), (transaction, declared) => {
        for (const trials of trialsFor({}, usual, transaction)) expect(trials.seconds).toBeGreaterThanOrEqual(5);
        expect(trialsFor({ seconds: declared }, usual, transaction).map((one) => one.seconds)).toEqual([declared]);
      }),
    );
  });

  it('let throughput decide only where a client has many transactions', () => {
    fc.assert(
      fc.property(seconds, (transaction) => {
        for (const trials of trialsFor({}, usual, transaction)) {
          expect(trials.metric).toBe(trials.seconds >= 20 * transaction ? 'tps' : 'latency.average');
        }
      }),
    );
  });

  it('overrun by their last transactions, which is the user’s choice if he says how long they are', () => {
    expect(overrunSeconds({}, null)).toBe(0);
    expect(overrunSeconds({}, 2)).toBe(2);
    expect(overrunSeconds({ seconds: 5 }, 2)).toBe(0);
  });
});

describe('a script that is too long for a try', () => {
  const atLeast = { blocks: 6, seconds: 1501 };

  it('is refused with the time that it takes and what to do', () => {
    expect(tooLong({ script: 'report.sql' }, { transactionSeconds: 61.7, variants: 2, atLeast }).message).toBe(
      'A transaction of report.sql takes 62 s. 6 blocks, the minimum for a verdict, then take at least 26 minutes, more than the ten minutes of a try. Shorten the script, measure for longer (--seconds 62), or see whether it takes less with fewer clients (--clients 1).',
    );
  });

  it('cannot be measured for longer with more than two variants, or with fewer clients than one', () => {
    const options = { script: 'report.sql', clients: 1 };
    expect(tooLong(options, { transactionSeconds: 30, variants: 3, atLeast }).message).toMatch(
      /Shorten the script, compare fewer values\.$/,
    );
  });
});
