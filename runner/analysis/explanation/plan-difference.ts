import type { Trial } from '../../contract/trial.ts';
import { mean } from '../../statistics/summaries.ts';
import type { BlockPair } from '../counted-trials.ts';
import { agreement } from './judge-link.ts';

/** What the statements take that the two sides carry out by different plans. */
export interface PlanDifference {
  /** Seconds of execution per transaction, means over the trials that know them. */
  baseline: number;
  candidate: number;
}

/**
 * null if no statement has another plan on one side than on the other. With other constants, a statement may have another plan on
 * the same side, as in another partition: then chance decides which of them are seen on which side.
 */
export function planDifference(counted: readonly BlockPair[]): PlanDifference | null {
  const [baseline, candidate] = (['baseline', 'candidate'] as const).map((side) =>
    byStatement(counted.map((pair) => pair[side])),
  );
  const sums = { baseline: 0, candidate: 0 };
  let differing = 0;
  for (const [statement, one] of baseline ?? []) {
    const other = candidate?.get(statement);
    if (!other || !isSettled(one, counted.length) || !isSettled(other, counted.length)) continue;
    if (one.plans.some((plan) => other.plans.includes(plan))) continue;
    differing += 1;
    sums.baseline += mean(one.seconds);
    sums.candidate += mean(other.seconds);
  }
  return differing > 0 ? sums : null;
}

/** Of each trial that knows them. */
interface Planned {
  plans: string[];
  /** Per transaction. */
  seconds: number[];
}

/** A plan that is seldom asked for is not known in every trial. */
const knownShare = 0.5;

/** Whether most trials of a side know how a statement was carried out, and so many of those by one plan. */
function isSettled({ plans }: Planned, trials: number): boolean {
  const times = [...new Set(plans)].map((plan) => plans.filter((one) => one === plan).length);
  return plans.length >= knownShare * trials && Math.max(0, ...times) >= agreement * plans.length;
}

function byStatement(trials: readonly Trial[]): Map<string, Planned> {
  const found = new Map<string, Planned>();
  for (const { facts, measures } of trials) {
    const { transactions = null } = measures;
    for (const { queryId, text, totalTime } of facts.statements ?? []) {
      const plan = facts.plans?.[queryId];
      if (plan === undefined || transactions === null || transactions <= 0) continue;
      const own = found.get(text) ?? { plans: [], seconds: [] };
      found.set(text, own);
      own.plans.push(plan);
      own.seconds.push(totalTime / transactions);
    }
  }
  return found;
}
