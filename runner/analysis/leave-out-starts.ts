import type { Experiment } from '../contract/experiment/schema.ts';
import type { TrialSeries } from '../contract/metric.ts';
import type { Trial } from '../contract/trial.ts';
import { withDerived } from '../metrics/value.ts';
import { wholeSeconds } from '../metrics/whole-seconds.ts';
import { commonCut, startThatDiffers } from '../statistics/steady-state.ts';
import { toolOf } from '../workloads/registry.ts';

/**
 * The trials as `protocol.truncate` asks for them: without the start, if MSER-5, guarded against stalls, finds that it
 * differs. All trials of a block lose the same number of seconds. A block loses nothing if one of its trials is too
 * short for MSER-5 or has no steady part. Trials of a fixed number of transactions are never cut, since all of their
 * work is measured.
 */
export async function leaveOutStarts(
  trials: readonly Trial[],
  { protocol, workload }: Pick<Experiment, 'protocol' | 'workload'>,
  readSeries: (trial: Trial) => Promise<TrialSeries>,
): Promise<Trial[]> {
  if (protocol.truncate === 'none' || toolOf(workload).shape(workload).limit === 'transactions') return [...trials];
  const series = new Map<string, TrialSeries>();
  for (const trial of trials) if (trial.state === 'finished') series.set(trial.id, await readSeries(trial));
  const cuts = new Map<string, number | null>();
  for (const trial of trials) {
    if (trial.state !== 'finished') continue;
    const block = blockOf(trial);
    const own = startThatDiffers(wholeSeconds(series.get(trial.id)?.get('tps')).map(({ value }) => value));
    cuts.set(block, commonCut([cuts.get(block) ?? (cuts.has(block) ? null : 0), own]));
  }
  return trials.map((trial) => {
    const cutSeconds = trial.state === 'finished' ? (cuts.get(blockOf(trial)) ?? 0) : 0;
    return cutSeconds > 0 ? { ...trial, steady: partAfter(series.get(trial.id) ?? new Map(), cutSeconds) } : trial;
  });
}

/** Key of the trials that are cut alike: the trials of one attempt at a block. */
function blockOf({ block, attempt }: Trial): string {
  return `${block} ${attempt}`;
}

function partAfter(series: TrialSeries, cutSeconds: number): NonNullable<Trial['steady']> {
  const seconds = wholeSeconds(series.get('tps')).slice(cutSeconds);
  const latencies = new Map(series.get('latency.average')?.map(({ second, value }) => [second, value]));
  const { 'tps.p10': slowSeconds = null } = withDerived(
    {},
    new Map([['tps', series.get('tps')?.slice(cutSeconds) ?? []]]),
  );
  const transactions = seconds.reduce((sum, { value }) => sum + value, 0);
  const latencySum = seconds.reduce((sum, { second, value }) => sum + value * (latencies.get(second) ?? 0), 0);
  return {
    cutSeconds,
    measures: {
      tps: transactions / seconds.length,
      'tps.total': transactions / seconds.length,
      'tps.p10': slowSeconds,
      'latency.average': transactions === 0 ? null : latencySum / transactions,
    },
  };
}
