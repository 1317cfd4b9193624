import { describe, expect, it } from 'vitest';
import { billedSince, spentDollars } from '../../../runner/rds/prices/bill.ts';
import { requireEnoughLeft } from '../../../runner/rds/prices/limits.ts';
import { deletionDollars, marginMinutes, maxDollars } from '../../../runner/rds/prices/margin.ts';

const price = { whole: 20, withoutDatabases: 1 };
const createdAt = new Date('2026-11-28T12:00:00Z');
const after = (minutes: number) => new Date(createdAt.getTime() + minutes * 60_000);

describe('the bill of a stack', () => {
  it('counts a database from when it is available, and the driver from the creation of the stack', () => {
    const since = billedSince({ createdAt, databasesAt: after(30) }, price);
    expect(spentDollars(since, price, after(30))).toBeCloseTo(0.5);
    expect(spentDollars(since, price, after(90))).toBeCloseTo(20.5);
  });

  it('counts everything from the creation of the stack where nobody knows when a database became available', () => {
    const since = billedSince({ createdAt, databasesAt: null }, price);
    expect(spentDollars(since, price, after(30))).toBeCloseTo(10);
  });

  it('ends within half an hour of its limit, and the run has a quarter of an hour of it to save its results', () => {
    expect(marginMinutes).toBe(30);
    expect(deletionDollars(14, price.whole)).toBe(19);
    expect(maxDollars(14, price.whole)).toBe(24);
  });
});

describe('a run before which money was spent', () => {
  const limits = { dollars: 15 };

  it('is refused with the sum where too little is left', () => {
    expect(() => requireEnoughLeft(limits, { spentDollars: 9.5, runDollars: 6 })).toThrow(
      'Rejected: limits.dollars is 15: the stack has cost 9.50 dollars so far, and the rest of the run is expected to cost 6.00 dollars, which makes 15.50. Raise the limit in the experiment file, or measure less: another profile, in a new stack.',
    );
  });

  it('is not where enough is left, where there is no limit, and where its length is unknown', () => {
    expect(() => requireEnoughLeft(limits, { spentDollars: 9, runDollars: 6 })).not.toThrow();
    expect(() => requireEnoughLeft({}, { spentDollars: 900, runDollars: 6 })).not.toThrow();
    expect(() => requireEnoughLeft(limits, { spentDollars: 14, runDollars: null })).not.toThrow();
  });

  it('is refused where the limit is spent, even if its length is unknown', () => {
    expect(() => requireEnoughLeft(limits, { spentDollars: 15, runDollars: null })).toThrow(
      'the stack has cost 15.00 dollars so far, and run length unknown',
    );
  });
});
