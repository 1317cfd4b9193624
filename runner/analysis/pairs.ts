import { failures } from '../contract/check.ts';
import type { FinishedTrial, Trial } from '../contract/result.ts';

type Pair = readonly [FinishedTrial, FinishedTrial];

/**
 * The blocks in which both variants were measured to the end, and in words why the others do not count. A block that was
 * repeated counts with the last attempt that no check failed, or else with the last whole one: both sides of a pair always
 * come from the same attempt.
 */
export function completeBlocks(
  trials: readonly Trial[],
  baseline: string,
  candidate: string,
): { blocks: Pair[]; warnings: string[] } {
  const blocks: Pair[] = [];
  const warnings: string[] = [];
  for (const number of distinct(trials.map(({ block }) => block))) {
    const own = trials.filter(({ block }) => block === number);
    const attempts = distinct(own.map(attemptOf))
      .reverse()
      .map((attempt) => own.filter((trial) => attemptOf(trial) === attempt));
    const pairs = attempts.flatMap((attempt) => pairOf(attempt, baseline, candidate) ?? []);
    const pair = pairs.find((each) => each.every(({ checks }) => failures(checks).length === 0)) ?? pairs[0];
    if (pair) blocks.push(pair);
    else {
      const why = [baseline, candidate].flatMap((variant) => problemOf(attempts[0] ?? [], variant) ?? []);
      warnings.push(`Block ${number} does not count for ${candidate} against ${baseline}: ${why.join('; ')}.`);
    }
  }
  return { blocks, warnings };
}

function distinct(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function attemptOf({ attempt = 1 }: Trial): number {
  return attempt;
}

function pairOf(attempt: readonly Trial[], baseline: string, candidate: string): [Pair] | null {
  const [before, after] = [measuredTrial(attempt, baseline), measuredTrial(attempt, candidate)];
  return before && after ? [[before, after]] : null;
}

/** A trial that was resumed stands there twice: its last end is the one that counts. */
function measuredTrial(attempt: readonly Trial[], variant: string): FinishedTrial | undefined {
  return attempt.findLast(
    (trial): trial is FinishedTrial => trial.variant === variant && trial.state === 'finished' && trial.run.complete,
  );
}

function problemOf(attempt: readonly Trial[], variant: string): string | null {
  if (measuredTrial(attempt, variant)) return null;
  const last = attempt.findLast((trial) => trial.variant === variant);
  if (!last) return `${variant} was not measured in it`;
  if (last.state === 'finished') return `the run of ${last.id} is not complete`;
  return `${last.id} ${last.state === 'failed' ? 'failed' : 'was interrupted'}`;
}
