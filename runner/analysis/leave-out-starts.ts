import type { Experiment } from '../contract/experiment/schema.ts';
import { commonCut, mser5 } from '../statistics/steady-state.ts';
import type { FinishedTrial, SteadyPart, Trial } from '../contract/result.ts';

/**
 * The trials with what `protocol.truncate` leaves of each: the start that MSER-5 finds to differ is left out, the same from
 * all trials of a block. Where a trial of it is too short for that, or MSER-5 finds no steady part, nothing is left out;
 * nor is it from trials of a fixed number of transactions, whose work is the measure.
 */
export function leaveOutStarts(
  trials: readonly Trial[],
  { protocol, workload }: Pick<Experiment, 'protocol' | 'workload'>,
): Trial[] {
  if (protocol.truncate === 'none' || workload.durationSeconds === undefined) return [...trials];
  const cuts = new Map<string, number | null>();
  for (const trial of trials) {
    if (trial.state !== 'finished') continue;
    const block = blockOf(trial);
    cuts.set(block, commonCut([cuts.get(block) ?? (cuts.has(block) ? null : 0), mser5(throughput(trial))]));
  }
  return trials.map((trial) => {
    const cut = trial.state === 'finished' ? (cuts.get(blockOf(trial)) ?? 0) : 0;
    return trial.state === 'finished' && cut > 0 ? { ...trial, steady: partAfter(trial, cut) } : trial;
  });
}

/** Trials that are cut alike: those of one attempt at a block. */
function blockOf({ block, attempt = 1 }: Trial): string {
  return `${block} ${attempt}`;
}

/** By second, without the first and the last one: a trial starts and ends in mid-second. */
function fullSeconds({ latency }: FinishedTrial) {
  return latency?.perSecond.slice(1, -1) ?? [];
}

function throughput(trial: FinishedTrial): number[] {
  return fullSeconds(trial).map(({ transactions }) => transactions);
}

function partAfter(trial: FinishedTrial, cutSeconds: number): SteadyPart {
  const seconds = fullSeconds(trial).slice(cutSeconds);
  const transactions = seconds.reduce((sum, one) => sum + one.transactions, 0);
  const latencySum = seconds.reduce((sum, one) => sum + one.transactions * (one.latencyMeanSeconds ?? 0), 0);
  return {
    cutSeconds,
    tps: transactions / seconds.length,
    latencyAverageSeconds: transactions === 0 ? null : latencySum / transactions,
  };
}
