import { type Plan, plannedTrials } from '../contract/plan.ts';
import { levelKey, levelOf, type Trial } from '../contract/trial.ts';

type Place = Pick<Trial, 'block' | 'conditions'>;

/** The trials of a plan that are not among these, be it in their block or in a repeat of the block. */
export function missingTrials(plan: Plan, trials: readonly Place[]): Place[] {
  const there = new Set(trials.map(key));
  return plannedTrials(plan).filter((planned) => !there.has(key(planned)));
}

function key({ block, conditions }: Place): string {
  return `${block} ${conditions.variant} ${levelKey(levelOf(conditions))}`;
}
