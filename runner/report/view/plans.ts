import type { Result } from '../../contract/result.ts';
import type { Trial } from '../../contract/trial.ts';
import { cellsOf } from './table.ts';
import { nounFor } from '../../contract/format.ts';

/** A statement that is not carried out in the same way by all trials, whatever side they are on. */
export interface DifferingPlans {
  statement: string;
  /** Plans for any constants, which the server need not have carried out. */
  generic: boolean;
  /** How many more plans it has than are shown. */
  more: number;
  /** The plan of the most trials first. Each names its sides, and how many trials of a side have it if not all do. */
  plans: { sides: string[]; plan: string }[];
}

export interface Plans {
  differing: DifferingPlans[];
  /** How many statements have one plan in all trials of several sides. */
  same: number;
}

/** More plans of one statement would not be compared. */
const maxPlans = 6;
/** A run keeps fewer lines and shorter ones. Files of other programs may not. */
const [maxLines, maxCharacters] = [60, 300];

/** Plans of statements by side, from the trials that count. With one plan on one side, nothing is compared. */
export function plansOf(result: Result, counted: ReadonlySet<string>): Plans {
  const cells = cellsOf(result, counted);
  const statements = new Set(
    cells.flatMap(({ trials }) => trials.flatMap(({ facts }) => (facts.statements ?? []).map(({ text }) => text))),
  );
  const [carriedOut, generic] = (['plans', 'genericPlans'] as const).map((which) =>
    cells.map(({ label, trials }) => ({ label, plans: byStatement(trials, which) })),
  );
  const found: Plans = { differing: [], same: 0 };
  for (const statement of statements) {
    const those = (sides = carriedOut) =>
      (sides ?? []).map(({ label, plans }) => ({ label, plans: plans.get(statement) ?? [] }));
    const areOfSeveral = (own: ReturnType<typeof those>) => own.filter(({ plans }) => plans.length > 0).length > 1;
    const isKnown = areOfSeveral(those()) || !areOfSeveral(those(generic));
    const own = those(isKnown ? carriedOut : generic);
    const plans = new Set(own.flatMap((side) => side.plans));
    if (plans.size > 1) {
      const shown = bySides([...plans], own).slice(0, maxPlans);
      found.differing.push({ statement, generic: !isKnown, plans: shown, more: plans.size - shown.length });
    } else if (areOfSeveral(own)) found.same += 1;
  }
  return found;
}

function byStatement(trials: readonly Pick<Trial, 'facts'>[], which: 'plans' | 'genericPlans'): Map<string, string[]> {
  const plans = new Map<string, string[]>();
  for (const { facts } of trials) {
    for (const { queryId, text } of facts.statements ?? []) {
      const plan = facts[which]?.[queryId];
      if (plan !== undefined) plans.set(text, [...(plans.get(text) ?? []), plan]);
    }
  }
  return plans;
}

/** @param sides with the plan of each trial that reports one */
function bySides(
  plans: readonly string[],
  sides: readonly { label: string; plans: string[] }[],
): DifferingPlans['plans'] {
  return plans
    .map((plan) => {
      const having = sides.map(({ label, plans: all }) => ({
        label,
        of: all.length,
        trials: all.filter((one) => one === plan).length,
      }));
      return {
        plan,
        trials: having.reduce((sum, { trials }) => sum + trials, 0),
        sides: having
          .filter(({ trials }) => trials > 0)
          .map(({ label, trials, of }) => (trials === of ? label : `${label} (${trials} of ${of} trials)`)),
      };
    })
    .sort((a, b) => b.trials - a.trials)
    .map(({ plan, sides: by }) => ({ plan: beginningOf(plan), sides: by }));
}

function beginningOf(plan: string): string {
  const lines = plan.split('\n');
  const more = lines.length - maxLines;
  return [
    ...lines
      .slice(0, maxLines)
      .map((line) => (line.length > maxCharacters ? `${line.slice(0, maxCharacters - 1)}…` : line)),
    ...(more > 0 ? [`… ${more} more ${nounFor(more, 'line')}`] : []),
  ].join('\n');
}
