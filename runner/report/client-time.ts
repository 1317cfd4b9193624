import type { FinishedTrial, Result } from '../results/result.ts';
import { percent } from './quantities.ts';
import { median } from '../statistics/quantiles.ts';

/**
 * The part of a transaction's turn that no measured latency holds: with C clients always busy, one turn takes C / TPS; what
 * exceeds the latency average was spent in the client, or waiting for stragglers.
 */
export interface ClientTime {
  seconds: number;
  /** Of the whole turn, 0 to 1. */
  share: number;
}

/** Above this share the driver is part of what was measured. */
export const clientTimeWarningShare = 0.1;

/** null where the run does not tell. Only for closed loops: at a given rate clients also wait for their schedule. */
export function clientTime({ run }: FinishedTrial): ClientTime | null {
  if (run.clients === null || run.tps === null || run.tps <= 0 || run.latencyAverageSeconds === null) return null;
  const turnSeconds = run.clients / run.tps;
  const seconds = turnSeconds - run.latencyAverageSeconds;
  return { seconds, share: seconds / turnSeconds };
}

/** One warning per variant whose median share is above the threshold. */
export function clientTimeWarnings({ variants, trials, experiment }: Result): string[] {
  if (experiment.definition.workload.rate !== undefined) return [];
  return variants.flatMap(({ name }) => {
    const own = trials.filter((trial) => trial.state === 'finished').filter(({ variant }) => variant === name);
    const share = median(own.flatMap((trial) => clientTime(trial)?.share ?? []));
    if (share === null || share <= clientTimeWarningShare) return [];
    return [
      `${name}: ${percent(share)} of each transaction's turn passed outside the measured latency (clients / TPS minus latency average; above ${percent(clientTimeWarningShare)}). The driver, or stragglers at the end, are part of this result.`,
    ];
  });
}
