import { html } from '../media/markup.ts';
import { codeBlock, escape } from '../media/markdown-text.ts';
import type { SectionBlock, Section } from './section.ts';
import { nounFor } from '../../contract/format.ts';
import type { Result } from '../../contract/result.ts';
import type { Trial } from '../../contract/trial.ts';
import { cellsOf } from '../media/table.ts';

/** More would not be read. Statements that no two sides carry out alike come first, and of those the costliest. */
const maxShown = 3;

/** Statements that some trials carry out differently: with another index, another join, or in parallel. */
export const plansSection: Section = {
  id: 'plans',
  styles: `
.plans { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); gap: 4px 24px; margin-bottom: 18px; }
.plans > p { grid-column: 1 / -1; margin: 0; font-size: 15px; overflow-wrap: anywhere; }
.plans figure { margin: 0; min-width: 0; }
.plans pre { margin: 4px 0 0; padding: 10px 12px; background: var(--panel); font-size: 13px; line-height: 1.45; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 22em; overflow-y: auto; }
@media print {
  .plans pre { max-height: none; }
}
`,
  blocks: ({ result, counted }) => {
    const { differing, same } = plansOf(result, counted);
    if (differing.length === 0) return [];
    return [
      {
        title: 'Plan differences',
        parts: [
          ...differing.slice(0, maxShown).map(sideBySide),
          { kind: 'paragraph', text: note(differing, same), isQuiet: true },
        ],
      },
    ];
  },
};

function note(differing: readonly DifferingPlans[], same: number): string {
  const more = differing.length - maxShown;
  return [
    'As EXPLAIN printed them after each valid trial.',
    ...(differing.slice(0, maxShown).some(({ generic }) => generic)
      ? ['With parameters, the server may use a plan other than the generic one.']
      : []),
    ...(more > 0 ? [`${more} more ${nounFor(more, 'statement')} ${more === 1 ? 'has' : 'have'} different plans.`] : []),
    ...(same > 0
      ? [`${same === 1 ? 'One other statement has' : `${same} other statements have`} the same plan in every trial.`]
      : []),
  ].join(' ');
}

function sideBySide({ statement, plans, generic, more }: DifferingPlans): SectionBlock['parts'][number] {
  const others = more > 0 ? [`${more} more ${nounFor(more, 'plan')} of this statement.`] : [];
  return {
    kind: 'own',
    terminal: () => [],
    markdown: () => [
      escape(statement),
      ...plans.flatMap(({ sides, plan }) => [`${escape(captionOf(sides, generic))}:`, codeBlock(plan)]),
      ...others,
    ],
    page: () =>
      html`<div class="plans">
        <p><code>${statement}</code></p>
        ${plans.map(
          ({ sides, plan }) =>
            html`<figure>
              <figcaption>${captionOf(sides, generic)}</figcaption>
              <pre tabindex="0">${plan}</pre>
            </figure>`,
        )}
        ${others.map((words) => html`<p class="notes">${words}</p>`)}
      </div>`,
  };
}

function captionOf(sides: readonly string[], generic: boolean): string {
  return `${sides.join(', ')}${generic ? ' (generic plan)' : ''}`;
}

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
  const apart: DifferingPlans[] = [];
  const mixed: DifferingPlans[] = [];
  let same = 0;
  for (const statement of statements) {
    const those = (sides = carriedOut) =>
      (sides ?? []).map(({ label, plans }) => ({ label, plans: plans.get(statement) ?? [] }));
    const areOfSeveral = (own: ReturnType<typeof those>) => own.filter(({ plans }) => plans.length > 0).length > 1;
    const isKnown = areOfSeveral(those()) || !areOfSeveral(those(generic));
    const own = those(isKnown ? carriedOut : generic);
    const plans = new Set(own.flatMap((side) => side.plans));
    if (plans.size > 1) {
      const shown = bySides([...plans], own).slice(0, maxPlans);
      const isApart = [...plans].every((plan) => own.filter((side) => side.plans.includes(plan)).length === 1);
      const differing = { statement, generic: !isKnown, plans: shown, more: plans.size - shown.length };
      (isApart ? apart : mixed).push(differing);
    } else if (areOfSeveral(own)) same += 1;
  }
  // A statement whose plans vary on one side by themselves, with its constants, says less.
  return { differing: [...apart, ...mixed], same };
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
