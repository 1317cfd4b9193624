import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { digestLogs } from '../../../runner/workloads/pgbench/digest-log.ts';
import { findLogs } from '../../../runner/workloads/pgbench/log-files.ts';
import type { LatencyDigest } from '../../../runner/workloads/run.ts';

const fixtures = path.resolve(import.meta.dirname, '../../fixtures/pgbench-logs');

function digestFixture(name: string, options?: { hasLag?: boolean }): Promise<LatencyDigest> {
  return digestLogs(findLogs(path.join(fixtures, name)), options);
}

/** What pgbench itself said of the run; null where it did not. */
function saidByPgbench(name: string, pattern: RegExp): number | null {
  const match = pattern.exec(readFileSync(path.join(fixtures, name, 'stdout.log'), 'utf8'));
  return match?.[1] === undefined ? null : Number(match[1]);
}

describe('logs of pgbench 15', () => {
  it.each(['transactions', 'rate', 'rate-skipped', 'max-tries', 'rate-max-tries', 'failed', 'failures-detailed'])(
    'have as many transactions, failures and skipped ones as pgbench said: %s',
    async (name) => {
      const digest = await digestFixture(name, { hasLag: name.startsWith('rate') });
      expect(digest).toMatchObject({
        transactions: saidByPgbench(name, /actually processed: (\d+)/),
        failedTransactions: saidByPgbench(name, /failed transactions: (\d+)/),
        skippedTransactions: saidByPgbench(name, /transactions skipped: (\d+)/) ?? 0,
        exact: true,
        problems: [],
      });
      const inSeconds = digest.perSecond.reduce((sum, second) => sum + second.transactions, 0);
      expect(inSeconds).toBe(digest.transactions);
    },
  );

  // Only of rate-limited runs does pgbench tell the mean of the transactions themselves.
  it.each(['rate', 'rate-skipped', 'rate-max-tries'])(
    'have the latency and lag that pgbench said: %s',
    async (name) => {
      const { latencySeconds, lagSeconds } = await digestFixture(name, { hasLag: true });
      const milliseconds = (seconds: number | null | undefined): number => Number(((seconds ?? NaN) * 1000).toFixed(3));
      expect(milliseconds(latencySeconds.mean)).toBe(saidByPgbench(name, /latency average = ([\d.]+)/));
      expect(milliseconds(lagSeconds?.mean)).toBe(saidByPgbench(name, /schedule lag: avg ([\d.]+)/));
      expect(milliseconds(lagSeconds?.max)).toBe(saidByPgbench(name, /schedule lag: .*max ([\d.]+)/));
    },
  );

  it.each([
    ['max-tries', false],
    ['rate-max-tries', true],
    ['rate-skipped', true],
    ['transactions', false],
  ])('tell by themselves whether there is lag: %s %s', async (name, hasLag) => {
    expect('lagSeconds' in (await digestFixture(name))).toBe(hasLag);
  });

  it('of aggregates give mean, maximum and seconds', async () => {
    expect(await digestFixture('aggregate')).toMatchInlineSnapshot(`
      {
        "exact": false,
        "failedTransactions": 0,
        "latencySeconds": {
          "max": 0.101738,
          "mean": 0.006772033699356304,
          "p50": null,
          "p90": null,
          "p95": null,
          "p99": null,
          "p999": null,
        },
        "perSecond": [
          {
            "latencyMeanSeconds": 0.007902933333333334,
            "second": 1795244886,
            "transactions": 240,
          },
          {
            "latencyMeanSeconds": 0.009637821686746987,
            "second": 1795244887,
            "transactions": 415,
          },
          {
            "latencyMeanSeconds": 0.006096487062404871,
            "second": 1795244888,
            "transactions": 657,
          },
          {
            "latencyMeanSeconds": 0.006120901840490797,
            "second": 1795244889,
            "transactions": 652,
          },
          {
            "latencyMeanSeconds": 0.0058970768094534715,
            "second": 1795244890,
            "transactions": 677,
          },
        ],
        "problems": [],
        "skippedTransactions": 0,
        "transactions": 2641,
      }
    `);
  });

  it('of aggregates give failures, skipped transactions and lag', async () => {
    const digest = await digestFixture('aggregate-rate');
    expect({ ...digest, perSecond: digest.perSecond.length }).toMatchInlineSnapshot(`
      {
        "exact": false,
        "failedTransactions": 548,
        "lagSeconds": {
          "max": 0.004769,
          "mean": 0.0002584741896758703,
          "p50": null,
          "p90": null,
          "p95": null,
          "p99": null,
          "p999": null,
        },
        "latencySeconds": {
          "max": 0.013122,
          "mean": 0.0029741788715486194,
          "p50": null,
          "p90": null,
          "p95": null,
          "p99": null,
          "p999": null,
        },
        "perSecond": 5,
        "problems": [],
        "skippedTransactions": 4,
        "transactions": 833,
      }
    `);
  });

  it('of aggregates over two seconds have no series by the second', async () => {
    const digest = await digestFixture('aggregate-interval-2');
    expect(digest.perSecond).toEqual([]);
    expect(digest.problems).toHaveLength(1);
  });
});
