import type { Protocol } from '../../contract/experiment/schema.ts';
import { withNoun } from '../../contract/format.ts';
import type { LoggedCheckpoint } from '../../contract/server-facts.ts';
import type { Trial } from '../../contract/trial.ts';
import { hardlyWrites } from '../../metrics/value.ts';
import { settingNumber } from '../../postgres/setting-units.ts';
import type { BlockPair } from '../counted-trials.ts';

/** With this many whole cycles, the phase at which a trial begins hardly matters. */
export const enoughCycles = 3;

/** The checkpoint cycles in a trial. A cycle lasts from the start of one checkpoint to the start of the next. */
export interface CyclesOfTrial {
  /** Checkpoints that began in the trial. */
  starts: number;
  /** Cycles that began and ended in the trial. */
  whole: number;
  /** Mean length, including cycles that began before the trial; null if no cycle was seen from start to start. */
  cycleSeconds: number | null;
  /** The least that a cycle can take, from the gaps that were seen. */
  atLeastSeconds: number;
}

/** null if the server's log was out of reach, or if it shows that no checkpoint was under way in the trial. */
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
 * A trial's cycles from the counters of the server, for a trial without its log; null if no checkpoint was counted. N
 * starts leave N + 1 gaps, and the longest gap is at least as long as their mean.
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

/** Length of the cycles of some trials: what is known about it, and its upper bound. */
export interface CycleLength {
  seconds: number;
  /**
   * True if fewer than half of the trials show a cycle from start to start: then a cycle takes longer than `seconds`.
   */
  isBound: boolean;
  /** The longest that a cycle can take; the same as `seconds` unless that is a bound. */
  atMostSeconds: number;
}

/** @param settings in force: checkpoint_timeout ends a cycle at the latest */
export function cycleLength(cycles: readonly CyclesOfTrial[], settings: Readonly<Record<string, string>>): CycleLength {
  const known = cycles.flatMap(({ cycleSeconds }) => cycleSeconds ?? []).sort((one, other) => one - other);
  if (known.length > 0 && 2 * known.length >= cycles.length) {
    const seconds = known[Math.floor(known.length / 2)] ?? 0;
    return { seconds, isBound: false, atMostSeconds: seconds };
  }
  const seconds = Math.max(...cycles.map(({ atLeastSeconds }) => atLeastSeconds), 0);
  const timeout = settingNumber(settings['checkpoint_timeout']);
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
 * Whether every part of the cycle is equally likely to be drawn, to within a tenth. A range of 1.5 cycles, for example,
 * has half of a cycle twice. If trials hold no whole cycle, such a range makes verdicts false too often from 20 blocks
 * on (bench/statistics/phases.ts).
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
 * What to do if a trial holds too few cycles. Wherever a trial of four cycles begins, three of them are whole.
 *
 * @param longest of the sides
 */
export function cycleRemedy({ phaseSeconds }: Pick<Protocol, 'phaseSeconds'>, { atMostSeconds }: CycleLength): string {
  const [trial, phase] = [Math.ceil((enoughCycles + 1) * atMostSeconds), Math.ceil(atMostSeconds)];
  const draw =
    phaseSeconds === 0
      ? `let pgduet draw the phase (protocol.phaseSeconds: ${phase})`
      : `draw the phase from whole cycles (protocol.phaseSeconds: ${phase} instead of ${phaseSeconds})`;
  return `measure trials of ${trial} s, which contain ${enoughCycles} whole cycles, or ${draw}`;
}

/**
 * What to do if the start of trials differs. With too few whole cycles, it may be one phase of them, which no warm-up
 * ends.
 */
export function startRemedy(trials: readonly Trial[]): string {
  const cycles = trials.flatMap((trial) => cyclesOf(trial) ?? []);
  const min = Math.min(...cycles.map(({ whole }) => whole));
  if (cycles.length === 0 || min >= enoughCycles) return 'use a longer warm-up';
  return `it may be a phase of the checkpoint cycle (the trial contains ${min === 0 ? 'no whole cycle' : `only ${withNoun(min, 'whole cycle')}`}): use trials long enough for whole cycles`;
}

/** Whether no trial of these blocks writes enough for checkpoints to matter. */
export function hardlyWriteAll(blocks: readonly Pick<BlockPair, 'baseline' | 'candidate'>[]): boolean {
  return blocks.every((block) => hardlyWrites(block.baseline.measures) && hardlyWrites(block.candidate.measures));
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
