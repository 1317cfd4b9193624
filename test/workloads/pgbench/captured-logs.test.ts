import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { digestLogs } from '../../../runner/workloads/pgbench/log/digest-log.ts';
import type { LatencyDigest } from '../../../runner/contract/tool-output.ts';

const fixtures = path.resolve(import.meta.dirname, '../../fixtures/pgbench-logs');
const versions = readdirSync(fixtures).filter((name) => /^\d/.test(name));

/** The logs of these cases, for each version that has them. */
function captured(...names: string[]): string[] {
  return versions.flatMap((version) =>
    names.map((name) => path.join(version, name)).filter((folder) => existsSync(path.join(fixtures, folder))),
  );
}

function digestOf(folder: string, options?: { hasLag?: boolean }): Promise<LatencyDigest> {
  const names = readdirSync(path.join(fixtures, folder)).filter((name) => name.startsWith('pgbench_log.'));
  return digestLogs(
    names.sort().map((name) => path.join(fixtures, folder, name)),
    options,
  );
}

/** What pgbench itself printed about the run; 0 if it printed nothing. */
function printedByPgbench(folder: string, pattern: RegExp): number {
  return Number(pattern.exec(readFileSync(path.join(fixtures, folder, 'stdout.log'), 'utf8'))?.[1] ?? 0);
}

const milliseconds = (seconds: number | null | undefined): number => Number(((seconds ?? NaN) * 1000).toFixed(3));

describe('logs of transactions that pgbench 11 to 18 wrote', () => {
  it.each(
    captured('transactions', 'rate', 'rate-skipped', 'max-tries', 'rate-max-tries', 'failed', 'failures-detailed'),
  )('have as many transactions, failures and skipped ones as it said: %s', async (folder) => {
    const digest = await digestOf(folder, { hasLag: folder.includes('rate') });
    expect(digest).toMatchObject({
      transactions: printedByPgbench(folder, /actually processed: (\d+)/),
      failedTransactions: printedByPgbench(folder, /failed transactions: (\d+)/),
      skippedTransactions: printedByPgbench(folder, /transactions skipped: (\d+)/),
      exact: true,
      problems: [],
    });
    const inSeconds = digest.perSecond.reduce((sum, second) => sum + second.transactions, 0);
    expect(inSeconds).toBe(digest.transactions);
  });

  // Only for runs with a rate does pgbench print the mean of the transactions themselves.
  it.each(captured('rate', 'rate-skipped', 'rate-max-tries'))(
    'have the latency and lag that it said: %s',
    async (folder) => {
      const { latencySeconds, lagSeconds, ...digest } = await digestOf(folder, { hasLag: true });
      expect(milliseconds(latencySeconds.mean)).toBe(printedByPgbench(folder, /latency average = ([\d.]+)/));
      // Up to 14, pgbench divides the lag of the transactions by a number that includes the skipped ones.
      const counted = digest.transactions + (Number.parseInt(folder) < 15 ? digest.skippedTransactions : 0);
      const meanLag = ((lagSeconds?.mean ?? NaN) * digest.transactions) / counted;
      expect(milliseconds(meanLag)).toBe(printedByPgbench(folder, /schedule lag: avg ([\d.]+)/));
      expect(milliseconds(lagSeconds?.max)).toBe(printedByPgbench(folder, /schedule lag: .*max ([\d.]+)/));
    },
  );

  it.each([
    ['transactions', false],
    ['max-tries', false],
    ['rate-skipped', true],
    ['rate-max-tries', true],
  ])('tell by themselves whether there is lag: %s %s', async (name, hasLag) => {
    for (const folder of captured(name)) expect('lagSeconds' in (await digestOf(folder)), folder).toBe(hasLag);
  });
});

describe('logs of aggregates that pgbench 11 to 18 wrote', () => {
  it.each(captured('aggregate', 'aggregate-rate', 'aggregate-rate-skipped', 'aggregate-failures-detailed'))(
    'have what it said, but for the last interval: %s',
    async (folder) => {
      const digest = await digestOf(folder);
      const all = {
        transactions: printedByPgbench(folder, /actually processed: (\d+)/),
        failedTransactions: printedByPgbench(folder, /failed transactions: (\d+)/),
        skippedTransactions: printedByPgbench(folder, /transactions skipped: (\d+)/),
      };
      for (const name of ['transactions', 'failedTransactions', 'skippedTransactions'] as const) {
        const found = digest[name];
        // Since 15, 0 may also mean that pgbench had no --failures-detailed.
        if (name === 'failedTransactions' && Number.parseInt(folder) >= 15 && all[name] === 0) {
          expect(found).toBeNull();
          continue;
        }
        expect(found, name).toBeLessThanOrEqual(all[name]);
        expect(found, name).toBeGreaterThanOrEqual(0.6 * all[name]);
      }
      const { mean } = digest.latencySeconds;
      const printedMean = printedByPgbench(folder, /latency average = ([\d.]+)/);
      if (!folder.includes('failures')) expect(Math.abs(milliseconds(mean) / printedMean - 1)).toBeLessThan(0.15);
      expect('lagSeconds' in digest).toBe(folder.includes('rate'));
      expect(digest.perSecond.length).toBeGreaterThanOrEqual(4);
      expect(digest).toMatchObject({ exact: false, problems: [] });
    },
  );

  // Sums and maxima of the columns, by awk.
  it.each([
    ['11.13/aggregate-rate-skipped', 614, 8406, 119219, 1744, 1493, 10919] as const,
    ['14.1/aggregate-rate-skipped', 480, 10412, 36871, 1717, 1631, 9435] as const,
    ['15.18/aggregate-rate-skipped', 863, 6444, 68148, 1546, 1419, 52396] as const,
    ['18.6/aggregate-rate-skipped', 416, 11061, 98325, 1691, 1626, 33031] as const,
  ])('%s: %d transactions, mean %d us, maximum %d us, %d skipped', async (...row) => {
    const [folder, transactions, mean, max, skipped, lagMean, lagMax] = row;
    const digest = await digestOf(folder);
    expect(digest).toMatchObject({ transactions, skippedTransactions: skipped });
    const micros = (seconds: number | null | undefined): number => Math.round((seconds ?? NaN) * 1e6);
    expect(micros(digest.latencySeconds.mean)).toBe(mean);
    expect(micros(digest.latencySeconds.max)).toBe(max);
    expect(micros(digest.lagSeconds?.mean)).toBe(lagMean);
    expect(micros(digest.lagSeconds?.max)).toBe(lagMax);
  });

  it.each(captured('aggregate-interval-2'))('have no series by the second of two seconds: %s', async (folder) => {
    const { perSecond, problems } = await digestOf(folder);
    expect(perSecond).toEqual([]);
    expect(problems).toHaveLength(1);
  });
});
