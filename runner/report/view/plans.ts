import type { Result } from '../../contract/result.ts';
import type { Trial } from '../../contract/trial.ts';
import { cellsOf } from './table.ts';

/** A statement that the sides do not carry out in the same way. */
export interface DifferingPlans {
  statement: string;
  plans: { sides: string[]; plan: string }[];
}

export interface Plans {
  differing: DifferingPlans[];
  /** How many statements were planned on more than one side in the same way. */
  same: number;
}

/** Plans of statements by side, from the trials that count. A statement that only one side reports is left out. */
export function plansOf(result: Result, counted: ReadonlySet<string>): Plans {
  const sides = cellsOf(result, counted).map(({ label, trials }) => ({ label, plans: byStatement(trials) }));
  const statements = new Set(sides.flatMap(({ plans }) => [...plans.keys()]));
  const found: Plans = { differing: [], same: 0 };
  for (const statement of statements) {
    const own = sides.filter(({ plans }) => plans.has(statement));
    if (own.length < 2) continue;
    const byPlan = new Map<string, string[]>();
    for (const { label, plans } of own) {
      const { plan, remark } = mostCommon(plans.get(statement) ?? []);
      byPlan.set(plan, [...(byPlan.get(plan) ?? []), `${label}${remark}`]);
    }
    if (byPlan.size > 1)
      found.differing.push({ statement, plans: [...byPlan].map(([plan, by]) => ({ plan, sides: by })) });
    else found.same += 1;
  }
  return found;
}

function byStatement(trials: readonly Pick<Trial, 'facts'>[]): Map<string, string[]> {
  const plans = new Map<string, string[]>();
  for (const { facts } of trials) {
    for (const { queryId, text } of facts.statements ?? []) {
      const plan = facts.plans?.[queryId];
      if (plan !== undefined) plans.set(text, [...(plans.get(text) ?? []), plan]);
    }
  }
  return plans;
}

/** The plan of the most trials, and how many trials have it if not all do. */
function mostCommon(plans: readonly string[]): { plan: string; remark: string } {
  const counts = new Map<string, number>();
  for (const plan of plans) counts.set(plan, (counts.get(plan) ?? 0) + 1);
  const [plan = '', trials = 0] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
  return { plan, remark: trials === plans.length ? '' : ` (${trials} of ${plans.length} trials)` };
}
