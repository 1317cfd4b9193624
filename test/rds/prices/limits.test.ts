import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { CostEstimate } from '../../../runner/rds/prices/estimate.ts';
import { checkLimits, requireWithinLimits } from '../../../runner/rds/prices/limits.ts';
import { stackExpiry } from '../../../runner/rds/driver/early-end.ts';

const lifetimeHours = 24;
const hour = 3600;

function costing(low: number, high: number, notKnown: string[] = []): CostEstimate {
  const dollars = { low, high };
  return {
    prices: { source: 'kept', region: 'us-east-1', dates: { from: '2025-04-24', to: '2026-11-21' } },
    lines: [],
    dollarsPerHour: dollars,
    run: { hours: 1, dollars },
    atMost: null,
    deletesItself: true,
    isUnannounced: false,
    snapshots: null,
    logVolumes: [],
    notKnown,
    remedy: 'npx --no-install pgduet prices --region us-east-1',
    leftOut: '',
  };
}

describe('a limit', () => {
  test('below what is expected is a problem that names both', () => {
    const found = checkLimits({ hours: 1, dollars: 10 }, lifetimeHours, 2 * hour, costing(9, 11));
    expect(found.problems.map(({ words }) => words)).toEqual([
      'limits.hours is 1: the run is expected to take 2.0 hours',
      'limits.dollars is 10: the run is expected to cost 11.00 dollars',
    ]);
    expect(() => requireWithinLimits(found)).toThrow(/11\.00 dollars\. Raise the limit in the experiment file, or .*$/);
  });

  test('that is not reached is none', () => {
    expect(checkLimits({ hours: 2, dollars: 11 }, lifetimeHours, 2 * hour, costing(9, 11))).toEqual({
      problems: [],
      warnings: [],
    });
  });

  test('in dollars that is missing is none, but what ends the bill instead is said, with its dollars', () => {
    const found = (hours: number | null, costs: CostEstimate | null) => checkLimits({}, hours, 2 * hour, costs);
    const expiring: CostEstimate = { ...costing(9, 11), atMost: { dollars: { low: 218, high: 266.75 }, by: 'expiry' } };
    const words = (bill: string) =>
      `limits.dollars is missing, so the stack of a run that does not end bills ${bill}. Set limits.dollars in the experiment file.`;
    expect(found(24, expiring)).toEqual({
      problems: [],
      warnings: [words('until it expires after 24 hours: 266.75 dollars in all')],
    });
    expect(found(24, { ...expiring, notKnown: ['driver: r7g.large'] }).warnings).toEqual([
      words('until it expires after 24 hours: at least 266.75 dollars in all'),
    ]);
    expect(found(null, { ...costing(9, 11), deletesItself: false }).warnings).toEqual([
      words('until you destroy it: 11.00 dollars an hour'),
    ]);
    expect(found(null, costing(9, 11)).warnings).toEqual([
      words('as long as it shows signs of life: 11.00 dollars an hour'),
    ]);
    expect(found(null, null).warnings).toEqual([]);
  });

  test('in dollars is exceeded by the known part alone, and is refused where nobody can say that it holds', () => {
    const unknown = costing(9, 11, ['driver: r7g.large']);
    expect(checkLimits({ dollars: 10 }, lifetimeHours, hour, unknown).problems[0]?.words).toContain('at least 11.00');
    const below = checkLimits({ dollars: 12 }, lifetimeHours, hour, unknown);
    expect(() => requireWithinLimits(below)).toThrow(
      /unknown: driver: r7g\.large\. Fetch the prices, which needs no credentials: npx --no-install pgduet prices --region us-east-1$/,
    );
    expect(checkLimits({ hours: 12 }, lifetimeHours, hour, unknown).problems).toEqual([]);
  });

  test('on a run of unknown length is said to be unjudged', () => {
    expect(checkLimits({ hours: 1 }, lifetimeHours, null, null).warnings).toEqual([
      expect.stringContaining('run length unknown'),
    ]);
  });

  test('in hours holds on this machine, too', () => {
    expect(checkLimits({ hours: 1 }, lifetimeHours, 2 * hour, null).problems).toHaveLength(1);
  });
});

test('a run that its stack would stop before its end is a problem, with or without a price', () => {
  for (const costs of [costing(1, 1), null]) {
    expect(checkLimits({}, lifetimeHours, 25 * hour, costs).problems.map(({ words }) => words)).toEqual([
      'expiry.hours is 24, and the last 15 minutes are reserved for saving: the run is expected to take 25.0 hours, so it would be stopped before its end',
    ]);
  }
  expect(checkLimits({}, null, 25 * hour, costing(1, 1)).problems).toEqual([]);
});

test('a run is a problem exactly when it would last longer than the stack lets it measure', async () => {
  vi.useFakeTimers({ now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  const lifetimeNow = () => Promise.resolve(lifetimeHours);
  const { signal } = stackExpiry(new Date(0), lifetimeHours, { now: () => new Date(), lifetimeNow });
  while (!signal.aborted) await vi.advanceTimersByTimeAsync(60_000);
  const stoppedAfterSeconds = Date.now() / 1000;
  expect(checkLimits({}, lifetimeHours, stoppedAfterSeconds - 1, null).problems).toEqual([]);
  expect(checkLimits({}, lifetimeHours, stoppedAfterSeconds + 1, null).problems).toHaveLength(1);
});
