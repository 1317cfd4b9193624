import type { Metric } from '../contract/metric.ts';
import { comparedLevel, type Level, levelKey, levelOf, type Trial, troubleOf } from '../contract/trial.ts';
import { comparedValue } from '../metrics/value.ts';
import type { WorkloadShape } from '../workloads/tool.ts';
import { isNumber } from '../metrics/value.ts';
import { type BlockPair, blockPair, isLost, isValidTrial, replicaOf, type UnknownPair } from './counted-trials.ts';

/** The metric that decides, and how it is compared. */
export interface Declared {
  metric: Metric;
  limit: WorkloadShape['limit'];
}

/** All in the order of time. */
export interface CountedBlocks {
  counted: BlockPair[];
  unknown: UnknownPair[];
  /** All blocks with both sides, whether they count or are unknown: if nothing counts, what was seen is described. */
  blocks: BlockPair[];
  /** Says in words why other blocks do not count. */
  warnings: string[];
}

/**
 * The blocks in which both variants were measured to the end at a level.
 *
 * A block may have several attempts: the first in which both sides are sound counts. Later attempts were made for other
 * variants, and must not replace figures that somebody has seen. If none is sound, the last complete one counts, and
 * its failed checks withhold the verdict.
 *
 * A block is unknown if a side lost a trial of it. It is also unknown if it was cut off when somebody could have seen
 * its figures, and was then measured again: whoever saw them, or the server itself, could have decided that. The same
 * is true if a finished trial has no value of the declared metric. If no block has such a value, there is no answer,
 * and no block is unknown.
 *
 * @param declared undefined if it does not matter what was measured in the blocks
 */
export function countedBlocks(
  trials: readonly Trial[],
  {
    baseline,
    candidate,
    level,
    declared,
  }: { baseline: string; candidate: string; level: Level; declared?: Declared | undefined },
): CountedBlocks {
  const found: CountedBlocks = { counted: [], unknown: [], blocks: [], warnings: [] };
  const key = levelKey(comparedLevel(level));
  const atLevel = trials.filter(({ conditions }) => levelKey(comparedLevel(levelOf(conditions))) === key);
  for (const block of distinct(atLevel.map((trial) => trial.block))) {
    const inBlock = atLevel.filter((trial) => trial.block === block);
    for (const replica of new Set(inBlock.map(replicaOf))) {
      const own = inBlock.filter((trial) => replicaOf(trial) === replica);
      const attempts = distinct(own.map(({ attempt }) => attempt)).map((attempt) =>
        own.filter((trial) => trial.attempt === attempt),
      );
      const { pair, lost, cutOff } = readAttempts(attempts, [baseline, candidate]);
      const at = { block, ...(replica !== undefined && { replica }) };
      const { period = 1 } = own[0] ?? {};
      const [because] = lost.length > 0 ? lost : cutOff;
      if (because) {
        const reason = lost.length > 0 ? 'lost' : 'cut-off';
        const ids = (lost.length > 0 ? lost : cutOff).map(({ id }) => id);
        found.unknown.push({ ...at, period, reason, trials: ids, why: troubleOf(because) });
      } else if (!pair) {
        const why = [baseline, candidate].flatMap((variant) => problemOf(attempts.at(-1) ?? [], variant) ?? []);
        const where = replica === undefined ? '' : ` on replica ${replica}`;
        found.warnings.push(`Block ${block}${where} is excluded for ${candidate} vs ${baseline}: ${why.join('; ')}.`);
      }
      if (!pair) continue;
      found.blocks.push(pair);
      if (!because) found.counted.push(pair);
    }
  }
  return declared ? withoutValueUnknown(found, declared) : found;
}

/** Makes blocks unknown in which a side has no value of the declared metric, if other blocks have both values. */
function withoutValueUnknown(found: CountedBlocks, { metric, limit }: Declared): CountedBlocks {
  const withoutValue = ({ baseline, candidate }: BlockPair): Trial[] =>
    [baseline, candidate].filter((trial) => !isNumber(comparedValue(metric, trial, limit)));
  const counted = found.counted.filter((pair) => withoutValue(pair).length === 0);
  if (counted.length === 0) return found;
  const unknown = found.counted.flatMap((pair): UnknownPair[] => {
    const trials = withoutValue(pair);
    if (trials.length === 0) return [];
    const { block, replica, period } = pair;
    const at = { block, ...(replica !== undefined && { replica }), period };
    const why = `${trials.map(({ conditions }) => conditions.variant).join(' and ')} measured no ${metric.name}`;
    return [{ ...at, reason: 'no-value', trials: trials.map(({ id }) => id), why }];
  });
  return { ...found, counted, unknown: [...found.unknown, ...unknown].sort((one, other) => one.block - other.block) };
}

/**
 * Reads the attempts at a block, in order, for two variants: which pair counts, and which trials make the block
 * unknown.
 */
function readAttempts(
  attempts: readonly (readonly Trial[])[],
  [baseline, candidate]: readonly [string, string],
): { pair: BlockPair | null; lost: Trial[]; cutOff: Trial[] } {
  let fallback: BlockPair | null = null;
  const lost: Trial[] = [];
  const observed: Trial[] = [];
  for (const [index, all] of attempts.entries()) {
    const attempt = all.filter(({ conditions: { variant } }) => variant === baseline || variant === candidate);
    lost.push(...attempt.filter(isLost));
    const cut = attempt.filter(wasSeenAndCutOff);
    observed.push(...cut);
    const pair = pairOf(attempt, baseline, candidate);
    if (pair && [pair.baseline, pair.candidate].every(isValidTrial)) return { pair, lost, cutOff: observed };
    if (pair) fallback = pair;
    else if (index < attempts.length - 1 && cut.length === 0)
      observed.push(...abandoned(attempt, [baseline, candidate]));
  }
  // Nothing replaced the last attempt of the run. Whether the run ended early is judged for the whole run.
  const ended = (attempts.at(-1) ?? []).filter(({ state }) => state !== 'interrupted');
  const goneOnWith = [baseline, candidate].every((name) => ended.some(({ conditions }) => conditions.variant === name));
  const earlier = observed.some((trial) => !attempts.at(-1)?.includes(trial));
  return { pair: fallback, lost, cutOff: goneOnWith || earlier ? observed : [] };
}

/**
 * From the warm-up on, the throughput is on the screen. A blind run is no exception: it hides figures from users who do
 * not want to choose. But they are in the files of the trial and in the counters of the server, and nothing proves that
 * nobody looked.
 */
function wasSeenAndCutOff({ state, failure }: Trial): boolean {
  return state === 'interrupted' && failure?.stage !== 'reset';
}

/** Finished trials of an attempt that was given up before the other side ended: their figures were seen. */
function abandoned(attempt: readonly Trial[], variants: readonly string[]): Trial[] {
  const ended = attempt.filter(({ state }) => state !== 'interrupted');
  if (variants.every((variant) => ended.some(({ conditions }) => conditions.variant === variant))) return [];
  return ended.filter(({ state }) => state === 'finished');
}

function distinct(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function pairOf(attempt: readonly Trial[], ...sides: [baseline: string, candidate: string]): BlockPair | null {
  const [before, after] = sides.map((variant) => finishedTrial(attempt, variant));
  return before && after ? blockPair(before, after) : null;
}

function finishedTrial(attempt: readonly Trial[], variant: string): Trial | undefined {
  return attempt.find(({ conditions, state }) => conditions.variant === variant && state === 'finished');
}

function problemOf(attempt: readonly Trial[], variant: string): string | null {
  if (finishedTrial(attempt, variant)) return null;
  const last = attempt.find(({ conditions }) => conditions.variant === variant);
  if (!last) return `${variant} was not measured in it`;
  return `${last.id} ${last.state === 'failed' ? 'failed' : 'was interrupted'}`;
}
