import type { Run } from '../contract/tool-output.ts';

/**
 * The part of a transaction's turn that no measured latency holds: with C clients always busy, one turn takes C / TPS; what
 * exceeds the latency average was spent in the client, or waiting for stragglers.
 */
export interface ClientTime {
  seconds: number;
  /** Of the whole turn, 0 to 1. */
  share: number;
}

/** null where the run does not tell. Only for closed loops: at a given rate clients also wait for their schedule. */
export function clientTime({ run }: { run: Run }): ClientTime | null {
  if (run.clients === null || run.tps === null || run.tps <= 0 || run.latencyAverageSeconds === null) return null;
  const turnSeconds = run.clients / run.tps;
  const seconds = turnSeconds - run.latencyAverageSeconds;
  return { seconds, share: seconds / turnSeconds };
}
