import { describe, expect, it } from 'vitest';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import { metricsOf } from '../../runner/metrics/catalogue.ts';
import { leaveOutStarts } from '../../runner/analysis/leave-out-starts.ts';
import type { FinishedTrial, Trial } from '../../runner/contract/result.ts';
import { sampleResult } from '../helpers/sample-result.ts';

const { trials, experiment } = sampleResult({ blocks: 2, trialSeconds: 200 });
const truncating: Experiment = {
  ...experiment.definition,
  protocol: { ...experiment.definition.protocol, truncate: 'mser-5' },
};

/** Throughput of 500 for so many full seconds, and of about 1000 from then on. */
function startingSlowly(id: string, slowSeconds: number): Trial[] {
  return trials.map((trial) => {
    if (trial.id !== id || trial.state !== 'finished' || !trial.latency) return trial;
    const perSecond = trial.latency.perSecond.map((one, index) => ({
      ...one,
      transactions: index <= slowSeconds ? 500 : 1000 + ((index * 7919) % 7) - 3,
      latencyMeanSeconds: index <= slowSeconds ? 0.02 : 0.01,
    }));
    return { ...trial, latency: { ...trial.latency, perSecond } };
  });
}

function finished(of: readonly Trial[], id: string): FinishedTrial {
  const trial = of.find((one) => one.id === id);
  if (trial?.state !== 'finished') throw new Error(`no finished trial ${id}`);
  return trial;
}

const slow = 'block-01-2-with-log-volume';
const [beside, elsewhere] = ['block-01-1-without-log-volume', 'block-02-1-with-log-volume'];

describe('the start of a trial', () => {
  const cut = leaveOutStarts(startingSlowly(slow, 40), truncating);

  it('is left out where it differs, and throughput and average latency are those of the rest', () => {
    const trial = finished(cut, slow);
    expect(trial.steady?.cutSeconds).toBe(40);
    expect(trial.steady?.tps).toBeCloseTo(1000, -1);
    expect(trial.steady?.latencyAverageSeconds).toBeCloseTo(0.01, 9);
    const read = (name: string) =>
      metricsOf('time')
        .find((metric) => metric.name === name)
        ?.read(trial);
    expect(read('tps')).toBe(trial.steady?.tps);
    expect(read('latency.average')).toBe(trial.steady?.latencyAverageSeconds);
    expect(read('latency.p99')).toBe(trial.latency?.latencySeconds.p99);
  });

  it('is as long for the trial beside it in the block, at least, and not for those of other blocks', () => {
    expect(finished(cut, beside).steady?.cutSeconds).toBe(40);
    expect(finished(cut, elsewhere).steady?.cutSeconds ?? 0).toBeLessThan(40);
  });

  it('stays where nobody asked, where trials are of a fixed number of transactions, and where one is too short', () => {
    const whole = (of: readonly Trial[]) =>
      of.every((trial) => trial.state !== 'finished' || trial.steady === undefined);
    const slowStart = startingSlowly(slow, 40);
    expect(whole(leaveOutStarts(slowStart, experiment.definition))).toBe(true);
    const workload = { ...truncating.workload, durationSeconds: undefined, transactions: 9 };
    expect(whole(leaveOutStarts(slowStart, { ...truncating, workload }))).toBe(true);
    const short = sampleResult({ blocks: 2, trialSeconds: 30 }).trials;
    expect(whole(leaveOutStarts(short, truncating))).toBe(true);
  });
});
