import type { Trial } from '../../contract/trial.ts';
import { mean } from '../../statistics/summaries.ts';
import type { BlockPair } from '../counted-trials.ts';

/** What the statements take that the two sides carry out by different plans. */
export interface PlanDifference {
  /** Seconds of execution per transaction, means over the trials that know them. */
  baseline: number;
  candidate: number;
}

/** null if no statement has plans on both sides that have none in common. */
export function planDifference(counted: readonly BlockPair[]): PlanDifference | null {
  const [baseline, candidate] = (['baseline', 'candidate'] as const).map((side) =>
    byStatement(counted.map((pair) => pair[side])),
  );
  const sums = { baseline: 0, candidate: 0 };
  let differing = 0;
  for (const [statement, one] of baseline ?? []) {
    const other = candidate?.get(statement);
    if (!other || [...one.plans].some((plan) => other.plans.has(plan))) continue;
    differing += 1;
    sums.baseline += mean(one.seconds);
    sums.candidate += mean(other.seconds);
  }
  return differing > 0 ? sums : null;
}

interface Planned {
  plans: Set<string>;
  /** Of each trial, per transaction. */
  seconds: number[];
}

function byStatement(trials: readonly Trial[]): Map<string, Planned> {
  const found = new Map<string, Planned>();
  for (const { facts, measures } of trials) {
    const { transactions = null } = measures;
    for (const { queryId, text, totalTime } of facts.statements ?? []) {
      const plan = facts.plans?.[queryId];
      if (plan === undefined || transactions === null || transactions <= 0) continue;
      const own = found.get(text) ?? { plans: new Set(), seconds: [] };
      found.set(text, own);
      own.plans.add(plan);
      own.seconds.push(totalTime / transactions);
    }
  }
  return found;
}
