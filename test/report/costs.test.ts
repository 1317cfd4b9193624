import { describe, expect, test } from 'vitest';
import { worthOf } from '../../runner/analysis/worth.ts';
import type { Result } from '../../runner/contract/result.ts';
import { keptPrices } from '../../runner/rds/prices/kept-prices.ts';
import { pricedKey, type Prices } from '../../runner/rds/prices/price.ts';
import { median, variance } from '../../runner/statistics/summaries.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { deployWithCosts } from '../helpers/samples/deployed-sample.ts';
import type { SampleOptions } from '../helpers/samples/sample-result.ts';
import { costsTable } from '../../runner/report/sections/costs.ts';

const [baseline, candidate] = ['without-log-volume', 'with-log-volume'];

// By hand: db.r6g.2xlarge at 0.899 an hour, 1,024 GiB of io2 at 0.125 a month and 10,000 IOPS at 0.10, in months of 730 hours;
// the log volume is billed as 1,000 GiB and 3,000 IOPS.
const withoutVolume = 0.899 * 730 + 1024 * 0.125 + 10_000 * 0.1;
const volume = 1000 * 0.125 + 3000 * 0.1;

async function deployed(
  options: SampleOptions = {},
  ...of: Parameters<typeof deployWithCosts> extends [unknown, ...infer Rest] ? Rest : never
) {
  return (await changedSample(options, (recorded) => deployWithCosts(recorded, ...of))).result;
}

function tpsOf(result: Result, variant: string): number[] {
  return result.trials.flatMap(({ conditions, measures }) =>
    conditions.variant === variant ? (measures['tps'] ?? []) : [],
  );
}

const sum = (one: number, other: number): number => one + other;

describe('the cost of a variant', () => {
  test('is dollars a month and per million transactions, as anyone can recompute them', async () => {
    const result = await deployed();
    for (const [name, month] of [
      [baseline, withoutVolume],
      [candidate, withoutVolume + volume],
    ] as const) {
      for (const { measures } of result.trials.filter(({ conditions }) => conditions.variant === name)) {
        expect(measures['dollarsPerMonth']).toBeCloseTo(month, 6);
        const transactionsPerHour = (measures['tps'] ?? Number.NaN) * 3600;
        expect(measures['dollarsPerMillionTransactions']).toBeCloseTo((month / 730 / transactionsPerHour) * 1e6, 9);
      }
    }
    const compared = result.comparisons.find(({ metric }) => metric === 'dollarsPerMillionTransactions');
    expect(compared).toMatchObject({ better: 'lower', primary: false, verdict: null });
    expect(compared?.baseline.median).toBeCloseTo(
      ((withoutVolume / 730 / 3600) * 1e6) / (median(tpsOf(result, baseline)) ?? 0),
      2,
    );
  });

  test('is kept with the source and date of each of its parts, and with its Region', async () => {
    const { variants } = await deployed();
    expect(variants[1]?.cost).toMatchObject({ region: 'us-east-1' });
    expect(variants[1]?.cost?.parts.map(({ what, logVolume, date }) => [what, logVolume, date])).toEqual([
      ['db.r6g.2xlarge, single-az', false, '2025-04-24'],
      ['1,024 GiB of io2', false, '2026-11-21'],
      ['10,000 IOPS of io2', false, '2026-11-21'],
      ['log volume: 1,000 GiB', true, '2026-11-21'],
      ['log volume: 3,000 IOPS', true, '2026-11-21'],
    ]);
    expect(variants[1]?.cost?.parts[1]?.source).toContain('https://aws.amazon.com/rds/postgresql/pricing/');
  });
});

describe('what an answer is worth', () => {
  test('is the change of TPS over the change of cost, with the interval carried through', async () => {
    const result = await deployed();
    const [worth] = worthOf(result.comparisons, result.variants);
    const pairs = result.comparisons.find(({ primary }) => primary)?.pairs ?? [];
    const costRatio = (withoutVolume + volume) / withoutVolume;
    const ratio = tpsOf(result, candidate).reduce(sum) / tpsOf(result, baseline).reduce(sum);
    expect(worth?.cost.value).toBeCloseTo(costRatio - 1, 9);
    expect(worth?.throughput.value).toBeCloseTo(ratio - 1, 9);
    expect(worth?.perDollar.value).toBeCloseTo(ratio / costRatio - 1, 9);
    expect(worth?.perDollar.low).toBeCloseTo((1 + (worth?.throughput.low ?? NaN)) / costRatio - 1, 9);
    expect(worth?.perDollar.high).toBeCloseTo((1 + (worth?.throughput.high ?? NaN)) / costRatio - 1, 9);
    const gains = pairs.map((pair) => pair.candidate - pair.baseline);
    // Student's t of 31 in 1,000 with five degrees of freedom, times the standard error.
    const error = 2.971 * Math.sqrt((variance(gains) ?? NaN) / 6);
    expect(worth?.tpsPer100?.value).toBeCloseTo(gains.reduce(sum) / 6 / (volume / 100), 6);
    expect(worth?.tpsPer100?.low).toBeCloseTo((gains.reduce(sum) / 6 - error) / (volume / 100), 1);
    expect(worth?.tpsPer100?.high).toBeCloseTo((gains.reduce(sum) / 6 + error) / (volume / 100), 1);
    expect(worth?.forLogVolume).toBe(true);
  });

  test('counts the trials that stall: a candidate that gains 20% and stalls in one trial of six gains nothing', async () => {
    const { result } = await changedSample(
      { blocks: 12, variants: { [baseline]: 1, [candidate]: 1.2 } },
      (recorded) => {
        for (const { block, conditions, measures } of recorded.trials) {
          if (conditions.variant === candidate && block % 6 === 3) measures['tps'] = 0.2 * (measures['tps'] ?? 0);
        }
        deployWithCosts(recorded);
      },
    );
    const [worth] = worthOf(result.comparisons, result.variants);
    const ratio = tpsOf(result, candidate).reduce(sum) / tpsOf(result, baseline).reduce(sum);
    expect(ratio).toBeLessThan(1.06);
    expect(worth?.throughput.value).toBeCloseTo(ratio - 1, 9);
    expect(worth?.throughput.low).toBeLessThan(-0.1);
  });

  test('has no range where a block is unknown: it may have cost anything', async () => {
    const failedTrial = { block: 2, variant: candidate };
    const result = await deployed({ blocks: 14, failedTrial });
    const [worth] = worthOf(result.comparisons, result.variants);
    expect(worth?.throughput).toMatchObject({ low: null, high: null });
    expect(worth?.tpsPer100).toMatchObject({ value: expect.any(Number) as number, low: null, high: null });
  });

  test('takes both sides at the same price where sources disagree, so that what they share does not blur it', async () => {
    const instance = pricedKey({ kind: 'database-instance', class: 'db.r6g.2xlarge', deployment: 'single-az' });
    const kept = keptPrices('us-east-1');
    const origin = { words: 'two sources', date: '2026-11-21' };
    const unsure: Prices = {
      ...kept,
      find: (priced) =>
        pricedKey(priced) === instance ? { low: 0.8, high: 1, per: 'hour', origin } : kept.find(priced),
    };
    const result = await deployed({}, {}, unsure);
    const [worth] = worthOf(result.comparisons, result.variants);
    const storage = 1024 * 0.125 + 10_000 * 0.1;
    const ratioAt = (hourly: number) => volume / (hourly * 730 + storage);
    expect(worth?.cost).toEqual({
      value: expect.closeTo(ratioAt(0.9), 9) as number,
      low: expect.closeTo(ratioAt(1), 9) as number,
      high: expect.closeTo(ratioAt(0.8), 9) as number,
    });
    // What it costs more is only the volume, whose price is certain.
    expect(worth?.more).toEqual({
      value: expect.closeTo(425, 6) as number,
      low: expect.closeTo(425, 6) as number,
      high: expect.closeTo(425, 6) as number,
    });
    expect(result.trials[0]?.measures['dollarsPerMonth']).toBeCloseTo(0.9 * 730 + storage, 6);
  });

  test('lets a reader see which use of the same money bought more', async () => {
    const variants = { [baseline]: 1, [candidate]: 1.31, 'equal-iops': 1.1 };
    const change = { 'equal-iops': { sizeGib: 2024, iops: 13_000 } };
    const { result } = await changedSample({ variants }, (recorded) => {
      const other = recorded.run.experiment.definition.variants['equal-iops'];
      if (other) other.dedicatedLogVolume = false;
      deployWithCosts(recorded, change);
    });
    const worth = worthOf(result.comparisons, result.variants);
    expect(worth.map(({ more, forLogVolume }) => [Math.round(more.value), forLogVolume])).toEqual([
      [425, true],
      [425, false],
    ]);
    const [volumes, iops] = worth.map(({ tpsPer100 }) => tpsPer100?.value ?? Number.NaN);
    expect(volumes).toBeGreaterThan((iops ?? 0) * 2);
    const { rows } = costsTable(result);
    expect(rows.map(({ cells }) => cells.slice(0, 2))).toEqual([
      [baseline, '1,784'],
      [candidate, '2,209'],
      ['equal-iops', '2,209'],
    ]);
  });

  test('is nothing where no price is known', async () => {
    const elsewhere = await deployed({}, {}, keptPrices('eu-west-1'));
    expect(costsTable(elsewhere).rows).toEqual([]);
    expect(elsewhere.comparisons.map(({ metric }) => metric)).not.toContain('dollarsPerMillionTransactions');
  });
});
