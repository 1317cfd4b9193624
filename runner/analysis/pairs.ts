import { failures } from '../contract/check.ts';
import { comparedLevel, type Level, levelKey, levelOf, type Trial } from '../contract/trial.ts';

/** Both sides of one block, from the same attempt. */
export interface BlockPair {
  block: number;
  attempt: number;
  /** The pair of servers, if each variant has several. */
  replica: number | undefined;
  /** In a crossover, 2 after the log volumes were exchanged between the instances; otherwise 1. */
  period: 1 | 2;
  baseline: Trial;
  candidate: Trial;
}

/**
 * The blocks in which both variants were measured to the end at a level. `warnings` says in words why other blocks do not
 * count. A block may have several attempts: the last one without a failed check counts, or else the last complete one.
 */
export function countedBlocks(
  trials: readonly Trial[],
  { baseline, candidate, level }: { baseline: string; candidate: string; level: Level },
): { blocks: BlockPair[]; warnings: string[] } {
  const blocks: BlockPair[] = [];
  const warnings: string[] = [];
  const key = levelKey(comparedLevel(level));
  const atLevel = trials.filter(({ conditions }) => levelKey(comparedLevel(levelOf(conditions))) === key);
  for (const block of distinct(atLevel.map((trial) => trial.block))) {
    const inBlock = atLevel.filter((trial) => trial.block === block);
    for (const replica of new Set(inBlock.map(replicaOf))) {
      const own = inBlock.filter((trial) => replicaOf(trial) === replica);
      const attempts = distinct(own.map(({ attempt }) => attempt))
        .reverse()
        .map((attempt) => own.filter((trial) => trial.attempt === attempt));
      const pairs = attempts.flatMap((attempt) => pairOf(attempt, baseline, candidate) ?? []);
      const pair = pairs.find(isSound) ?? pairs[0];
      if (pair) blocks.push({ ...pair, replica });
      else {
        const why = [baseline, candidate].flatMap((variant) => problemOf(attempts[0] ?? [], variant) ?? []);
        const where = replica === undefined ? '' : ` on replica ${replica}`;
        warnings.push(`Block ${block}${where} does not count for ${candidate} against ${baseline}: ${why.join('; ')}.`);
      }
    }
  }
  return { blocks, warnings };
}

function replicaOf({ conditions }: Trial): number | undefined {
  return typeof conditions['replica'] === 'number' ? conditions['replica'] : undefined;
}

function distinct(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function isSound({ baseline, candidate }: Pick<BlockPair, 'baseline' | 'candidate'>): boolean {
  return [baseline, candidate].every(({ checks }) => failures(checks).length === 0);
}

function pairOf(attempt: readonly Trial[], baseline: string, candidate: string): [Omit<BlockPair, 'replica'>] | null {
  const [before, after] = [finishedTrial(attempt, baseline), finishedTrial(attempt, candidate)];
  if (!before || !after) return null;
  const { block, attempt: number, period = 1 } = before;
  return [{ block, attempt: number, period, baseline: before, candidate: after }];
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
