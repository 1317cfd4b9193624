import { describe, expect, it } from 'vitest';
import { describeRuns } from '../../runner/analysis/compare-run.ts';
import { reason } from '../../runner/contract/withheld.ts';
import { leaveOutStarts } from '../../runner/analysis/estimate.ts';
import { blocksOf as rungsOfBlocks } from '../../runner/analysis/ladder/ladders.ts';
import type { Measures, SeriesRow } from '../../runner/contract/metric.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { metricNamed } from '../../runner/metrics/catalogue.ts';
import { valuesOf, withDerived } from '../../runner/metrics/value.ts';
import { asSeries } from '../../runner/storage/series.ts';
import { compare, comparisonBy, decision } from '../helpers/samples/compared-blocks.ts';
import { measured, trial } from '../helpers/samples/measured-trial.ts';
import { recordSample, seriesInMemory } from '../helpers/samples/sample-result.ts';

/** Twelve seconds in which a transaction ends every so many. */
const secondsOf = (every: number): SeriesRow[] =>
  Array.from({ length: 12 }, (_, second) => [
    { second, name: 'tps', value: second % every === 0 ? 2 : 0 },
    { second, name: 'latency.average', value: every },
  ]).flat();

const six = [1, 2, 3, 4, 5, 6];

/** In the first blocks of each side, as many as are given, transactions take one second; in the others, two. */
const blocksOfLong = ([without, with_]: readonly [number, number], change: Partial<Trial> = {}): Trial[] =>
  six.flatMap((block) =>
    (
      [
        ['without', block <= without ? 1 : 2],
        ['with', block <= with_ ? 1 : 2],
      ] as const
    ).map(([variant, every]) =>
      trial(
        variant,
        block,
        withDerived({ tps: 2 / every, 'latency.average': every, transactions: 24 / every }, asSeries(secondsOf(every))),
        change,
      ),
    ),
  );

const metricsOf = (trials: readonly Trial[]): string[] => compare(trials).comparisons.map(({ metric }) => metric);
const named = (name: string) => metricNamed(name) ?? expect.fail(`no ${name}`);

describe('what a trial withholds because of its own speed', () => {
  it('is compared if every trial has it, and not by the faster trials alone', () => {
    expect(metricsOf(blocksOfLong([6, 6]))).toContain('tps.p10');
    expect(metricsOf(blocksOfLong([6, 4]))).not.toContain('tps.p10');
    expect(metricsOf(blocksOfLong([1, 2]))).not.toContain('tps.p10');
    expect(comparisonBy(compare(blocksOfLong([1, 2])).comparisons, 'tps')).toMatchObject({ baseline: { n: 6 } });
  });

  it('is a percentile of too few transactions, for the run and for a script', () => {
    const blocks = (transactions: (block: number) => number): Trial[] =>
      six.flatMap((block) =>
        ['without', 'with'].map((variant) => {
          const count = transactions(block);
          const scriptMeasures = { 'transactions@order': count, 'latency.p99@order': 0.1 };
          return trial(
            variant,
            block,
            withDerived({ tps: 90, transactions: count, 'latency.p99': 0.1, ...scriptMeasures }, new Map()),
          );
        }),
      );
    const percentiles = ['latency.p99', 'latency.p99@order'];
    expect(metricsOf(blocks(() => 1200))).toEqual(expect.arrayContaining(percentiles));
    const some = blocks((block) => 900 + 50 * block);
    for (const name of percentiles) {
      expect(metricsOf(some)).not.toContain(name);
      expect(valuesOf(named(name), some)).toEqual([]);
    }
  });

  it('is background work per transaction, if some trials hardly write', () => {
    const blocks = (bytes: (block: number) => number): Trial[] =>
      six.flatMap((block) =>
        ['without', 'with'].map((variant) =>
          trial(variant, block, withDerived({ tps: 100, transactions: 1000, 'wal.bytes': bytes(block) }, new Map())),
        ),
      );
    expect(metricsOf(blocks(() => 9e6))).toContain('wal.bytes');
    expect(metricsOf(blocks((block) => 20_000 * block))).not.toContain('wal.bytes');
  });

  it('is not a value whose source failed: the other blocks still tell it', () => {
    const trials = blocksOfLong([6, 6]).map((one) =>
      one.block === 3 ? { ...one, measures: { ...one.measures, 'tps.p10': null } } : one,
    );
    expect(comparisonBy(compare(trials).comparisons, 'tps.p10')).toMatchObject({ baseline: { n: 5 } });
  });

  it('is not told of runs without blocks either', () => {
    const runs = (...counts: number[]) =>
      counts.map((transactions) => measured(withDerived({ tps: 10, transactions, 'latency.p95': 0.1 }, new Map())));
    const request = { baseline: 'old', candidate: 'new', pairs: null, obstacle: reason('separate-runs', 'a reason') };
    const of = (baselineRuns: ReturnType<typeof runs>, metric: string) =>
      describeRuns({
        ...request,
        limit: 'time',
        decision: { ...decision, metric },
        baselineRuns,
        candidateRuns: runs(300, 300),
      });
    expect(of(runs(300, 250), 'tps').map(({ metric }) => metric)).toContain('latency.p95');
    expect(of(runs(300, 150), 'tps').map(({ metric }) => metric)).not.toContain('latency.p95');
    expect(comparisonBy(of(runs(300, 150), 'latency.p95'), 'latency.p95')).toMatchObject({ change: null });
  });

  it('stands at no rung of a ladder whose other trials have it', () => {
    const trials = six.flatMap((block) =>
      [2, 4].map((clients) => {
        const measures: Measures = {
          tps: 100,
          transactions: clients === 2 && block === 1 ? 100 : 300,
          'latency.p95': 0.1,
        };
        return trial('one', block, withDerived(measures, new Map()), { level: { clients } });
      }),
    );
    const blocks = rungsOfBlocks(trials, { axis: 'clients', values: [2, 4], conditions: {} }, named('latency.p95'));
    expect(blocks).toEqual(six.map(() => [null, 0.1]));
  });

  it('is not told of the part of a trial that is left without its start', async () => {
    const { run, trials, rows } = recordSample({ blocks: 1, trialSeconds: 200 });
    const { definition } = run.experiment;
    const series = new Map(
      trials.map(({ id }) => [
        id,
        (rows.get(id) ?? []).map((row): SeriesRow => {
          if (row.name !== 'tps') return { ...row, value: 1.5 };
          return { ...row, value: row.second <= 40 ? 5 : row.second % 3 === 0 ? 0 : 10 };
        }),
      ]),
    );
    const cut = await leaveOutStarts(
      trials.map((one) => ({ ...one, measures: { ...one.measures, 'latency.average': 1.5 } })),
      { ...definition, protocol: { ...definition.protocol, truncate: 'mser-5' } },
      (one) => seriesInMemory(series).read(one),
    );
    expect(cut.map(({ steady }) => steady?.measures['tps.p10'])).toEqual(cut.map(() => null));
  });
});
