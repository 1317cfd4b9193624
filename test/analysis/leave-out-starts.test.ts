import { describe, expect, it } from 'vitest';
import { leaveOutStarts } from '../../runner/analysis/estimate.ts';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import type { SeriesRow } from '../../runner/contract/metric.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { valueOf } from '../../runner/metrics/value.ts';
import { recordSample, seriesInMemory } from '../helpers/samples/sample-result.ts';

const { run, trials, rows } = recordSample({ blocks: 2, trialSeconds: 200 });
const { definition } = run.experiment;
const truncating: Experiment = { ...definition, protocol: { ...definition.protocol, truncate: 'mser-5' } };

const slow = 'block-01-2-with-log-volume';
const [beside, elsewhere] = ['block-01-1-without-log-volume', 'block-02-1-with-log-volume'];

/** Throughput of 500 in the first full seconds of one trial, and of about 1000 after that. */
function startingSlowly(slowSeconds: number): typeof rows {
  const own = (rows.get(slow) ?? []).map((row): SeriesRow => {
    const early = row.second <= slowSeconds;
    if (row.name === 'tps') return { ...row, value: early ? 500 : 1000 + ((row.second * 7919) % 7) - 3 };
    return { ...row, value: early ? 0.02 : 0.01 };
  });
  return new Map([...rows, [slow, own]]);
}

function cutOf(series: typeof rows, experiment: Experiment, of: readonly Trial[] = trials): Promise<Trial[]> {
  return leaveOutStarts(of, experiment, (trial) => seriesInMemory(series).read(trial));
}

function find(of: readonly Trial[], id: string): Trial {
  const trial = of.find((one) => one.id === id);
  if (!trial) throw new Error(`no trial ${id}`);
  return trial;
}

describe('the start of a trial', async () => {
  const cut = await cutOf(startingSlowly(40), truncating);

  it('is left out where it differs, and throughput and average latency are those of the rest', () => {
    const trial = find(cut, slow);
    expect(trial.steady?.cutSeconds).toBe(40);
    expect(trial.steady?.measures['tps']).toBeCloseTo(1000, -1);
    expect(trial.steady?.measures['latency.average']).toBeCloseTo(0.01, 9);
    const read = (name: string) => valueOf({ name }, trial);
    expect(read('tps')).toBe(trial.steady?.measures['tps']);
    // The mean of all trials and the slow seconds are of the same part: beside the whole, they would contradict it.
    expect(read('tps.total')).toBe(read('tps'));
    expect(read('tps.p10')).toBeCloseTo(997, 0);
    expect(read('latency.average')).toBe(trial.steady?.measures['latency.average']);
    expect(read('latency.p99')).toBe(trial.measures['latency.p99']);
  });

  it('is as long for the trial beside it in the block, at least, and not for those of other blocks', () => {
    expect(find(cut, beside).steady?.cutSeconds).toBe(40);
    expect(find(cut, elsewhere).steady?.cutSeconds ?? 0).toBeLessThan(40);
  });

  it('stays where nobody asked, where trials are of a fixed number of transactions, and where one is too short', async () => {
    const whole = (of: readonly Trial[]) => of.every(({ steady }) => steady === undefined);
    const slowStart = startingSlowly(40);
    expect(whole(await cutOf(slowStart, definition))).toBe(true);
    const workload = { ...truncating.workload, durationSeconds: undefined, transactions: 9 };
    expect(whole(await cutOf(slowStart, { ...truncating, workload }))).toBe(true);
    const short = recordSample({ blocks: 2, trialSeconds: 30 });
    expect(whole(await cutOf(short.rows, truncating, short.trials))).toBe(true);
  });
});
