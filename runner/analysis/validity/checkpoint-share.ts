import type { Trial } from '../../contract/trial.ts';

/** Share of the trial's time in which a checkpoint was under way; null if the server's log was out of reach. */
export function checkpointShare(trial: Trial): number | null {
  const { facts } = trial;
  const seconds = trialSeconds(trial);
  if (facts.checkpoints === undefined || !(seconds > 0)) return null;
  let covered = 0;
  let reached = 0;
  // In the order in which they began; those of a standby may overlap with those of its primary.
  for (const { startedAt: from, endedAt: to } of facts.checkpoints.filter(({ restartpoint }) => !restartpoint)) {
    const [start, end] = [Math.max(reached, from), Math.min(seconds, to ?? seconds)];
    if (end <= start) continue;
    covered += end - start;
    reached = end;
  }
  return Math.min(1, covered / seconds);
}

/** Length of the measured part. */
export function trialSeconds({ measures, startedAt, endedAt }: Trial): number {
  return measures['load.seconds'] ?? measures['runtime'] ?? (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
}
