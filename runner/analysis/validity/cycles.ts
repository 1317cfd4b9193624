import type { Protocol } from '../../contract/experiment/schema.ts';
import type { LoggedCheckpoint } from '../../contract/server.ts';
import type { Trial } from '../../contract/trial.ts';

/** With so many whole cycles, it hardly matters at which phase of one a trial begins. */
export const enoughCycles = 3;

/** What a trial holds of the cycles of checkpoints. A cycle lasts from the start of one checkpoint to the start of the next. */
export interface CyclesOfTrial {
  /** Checkpoints that began in the trial. */
  starts: number;
  /** Cycles that began and ended in the trial. */
  whole: number;
  /** Mean length, with cycles that began before the trial; null if no cycle was seen from start to start. */
  cycleSeconds: number | null;
  /** What a cycle takes at least, by the gaps that were seen. */
  atLeastSeconds: number;
}

/** null if the server's log was out of reach, or tells of no checkpoint: then none goes on. */
export function cyclesOf(trial: Trial): CyclesOfTrial | null {
  const seconds = trialSeconds(trial);
  if ((checkpointShare(trial) ?? 0) === 0) return null;
  const all = ownCheckpoints(trial).map(({ startedAt }) => startedAt);
  const starts = all.filter((at) => at >= 0 && at <= seconds).length;
  const [first = 0, last = 0] = [all[0], all.at(-1)];
  return {
    starts,
    whole: Math.max(0, starts - 1),
    cycleSeconds: all.length < 2 ? null : (last - first) / (all.length - 1),
    atLeastSeconds: Math.max(seconds - last, first),
  };
}

/**
 * What the counters of the server tell of a trial's cycles, where its log does not; null if no checkpoint was counted. So many
 * starts leave one gap more, of which the longest is at least their mean.
 */
export function countedCyclesOf(trial: Trial): CyclesOfTrial | null {
  const starts = trial.measures['checkpoints.count'] ?? 0;
  const seconds = trialSeconds(trial);
  if (starts === 0) return null;
  return {
    starts,
    whole: starts - 1,
    cycleSeconds: starts < 2 ? null : seconds / starts,
    atLeastSeconds: seconds / (starts + 1),
  };
}

/** Checkpoints of the measured server, in the order in which they began; those of a standby are left out. */
export function ownCheckpoints({ facts }: Trial): LoggedCheckpoint[] {
  return (facts.checkpoints ?? [])
    .filter(({ restartpoint }) => !restartpoint)
    .sort((one, other) => one.startedAt - other.startedAt);
}

/** Length of the cycles of some trials: what is known of it, and what it is at most. */
export interface CycleLength {
  seconds: number;
  /** Fewer than half of the trials show a cycle from start to start, so that it is longer than this. */
  isBound: boolean;
  /** Longest that a cycle may be; without a bound the same as `seconds`. */
  atMostSeconds: number;
}

/** @param settings in force, whose checkpoint_timeout ends a cycle at the latest */
export function cycleLength(cycles: readonly CyclesOfTrial[], settings: Readonly<Record<string, string>>): CycleLength {
  const known = cycles.flatMap(({ cycleSeconds }) => cycleSeconds ?? []).sort((one, other) => one - other);
  if (known.length > 0 && 2 * known.length >= cycles.length) {
    const seconds = known[Math.floor(known.length / 2)] ?? 0;
    return { seconds, isBound: false, atMostSeconds: seconds };
  }
  const seconds = Math.max(...cycles.map(({ atLeastSeconds }) => atLeastSeconds), 0);
  const timeout = settingSeconds(settings['checkpoint_timeout']);
  return { seconds, isBound: true, atMostSeconds: Math.max(seconds, timeout ?? 0) };
}

/** Whether the blocks begin at phases that cover the cycle. Cycles vary, so a fifth may be missing. */
export function isPhaseDrawn(
  { phaseSeconds }: Pick<Protocol, 'phaseSeconds'>,
  { atMostSeconds }: CycleLength,
): boolean {
  return phaseSeconds > 0 && phaseSeconds >= 0.8 * atMostSeconds;
}

/**
 * Whether every part of the cycle is as likely to be drawn, but for a tenth: a range of 1.5 cycles has half of one twice. In trials
 * that hold no whole cycle, verdicts are then false too often, from 20 blocks on (bench/statistics/phases.ts).
 */
export function isPhaseEven(
  { phaseSeconds }: Pick<Protocol, 'phaseSeconds'>,
  { seconds, atMostSeconds }: CycleLength,
): boolean {
  return [seconds, atMostSeconds].some((length) => {
    const [drawn, whole] = [phaseSeconds / length, Math.round(phaseSeconds / length)];
    return Math.abs(drawn - whole) <= 0.1 * whole;
  });
}

/**
 * What to do where a trial holds too few cycles. Wherever a trial of four cycles begins, three of them are whole.
 *
 * @param longest of the sides
 */
export function cycleRemedy({ atMostSeconds }: CycleLength): string {
  const [trial, phase] = [Math.ceil((enoughCycles + 1) * atMostSeconds), Math.ceil(atMostSeconds)];
  return `measure trials of ${trial} s, which hold ${enoughCycles} whole cycles, or draw the phase (protocol.phaseSeconds: ${phase})`;
}

/** What to do about a start that differs. Fewer whole cycles may show one phase of them, which no warm-up ends. */
export function startRemedy(trials: readonly Trial[]): string {
  const cycles = trials.flatMap((trial) => cyclesOf(trial) ?? []);
  const fewest = Math.min(...cycles.map(({ whole }) => whole));
  if (cycles.length === 0 || fewest >= enoughCycles) return 'warm up for longer';
  return `it may be a phase of the checkpoint cycle, of which ${fewest === 0 ? 'no whole one is' : `only ${fewest} whole ${fewest === 1 ? 'one is' : 'ones are'}`} in the trial: measure whole cycles`;
}

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

/** Bytes of a setting that pg_settings gives with its unit, such as `96 (MB)` or `16384 (8kB)`; null if it is no size. */
export function settingBytes(setting: string | undefined): number | null {
  const [, value, count, unit] = /^(\d+) \((\d*)(B|kB|MB|GB)\)$/.exec(setting ?? '') ?? [];
  if (value === undefined || unit === undefined) return null;
  return (
    Number(value) * Number(count === '' ? 1 : count) * { B: 1, kB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 }[unit as 'B']
  );
}

/** Seconds of a setting that pg_settings gives with its unit, such as `300 (s)`; null if the setting is no duration. */
export function settingSeconds(setting: string | undefined): number | null {
  const [, value, unit] = /^(-?\d+(?:\.\d+)?) \((ms|s|min|h|d)\)$/.exec(setting ?? '') ?? [];
  if (value === undefined || unit === undefined) return null;
  return Number(value) * { ms: 0.001, s: 1, min: 60, h: 3600, d: 86_400 }[unit as 'ms'];
}
