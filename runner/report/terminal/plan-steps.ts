import type { Plan, Step } from '../../contract/plan.ts';
import { conditionsWords } from '../../contract/trial.ts';
import { noBreakSpace } from '../media/wrap.ts';
import { durationText, withNoun } from '../../contract/format.ts';
import { left, right, type Table } from '../media/table.ts';

/** Steps that are listed; the blocks after them are alike. */
const maxListedSteps = 8;

export function stepsTable({ steps }: Plan): Table {
  let at: number | null = 0;
  const listed = firstSteps(steps);
  const rows = listed.map((step) => {
    const startsAt = at;
    at = at === null || step.expectedSeconds === null ? null : at + step.expectedSeconds;
    const start = startsAt === null ? '' : durationText(startsAt);
    return {
      cells: [
        stepName(step),
        variantsOf(step),
        step.expectedSeconds === null ? atLeast([step]) : durationText(step.expectedSeconds),
        start,
      ],
    };
  });
  return {
    title: 'Steps',
    columns: [left('step'), left('variant'), right('duration', 2), right('starts at', 1)],
    rows,
    notes: [],
  };
}

/** The first steps, as far as their blocks are whole; of a larger block, its first trials. */
function firstSteps(steps: readonly Step[]): readonly Step[] {
  const blockOf = (step: Step | undefined): number | null => (step?.kind === 'measure' ? step.block : null);
  const cut = blockOf(steps[maxListedSteps]);
  if (steps.length <= maxListedSteps || cut === null || cut === 1) return steps.slice(0, maxListedSteps);
  return steps.slice(
    0,
    steps.findIndex((step) => blockOf(step) === cut),
  );
}

/** How many steps follow those that are listed. */
export function moreSteps({ steps, blocks }: Plan): string[] {
  const more = steps.length - firstSteps(steps).length;
  if (more === 0) return [];
  return [
    `${withNoun(more, 'more step follows', 'more steps follow')}, up to block ${blocks} (all: plan --json, or --dry-run --json).`,
  ];
}

function stepName(step: Step): string {
  switch (step.kind) {
    case 'create':
    case 'load':
    case 'touch':
    case 'settle':
    case 'snapshot':
    case 'cross-over':
      return step.kind;
    case 'measure':
      return `block ${step.block}, position ${step.position}`.replaceAll(' ', noBreakSpace);
  }
}

function variantsOf(step: Step): string {
  switch (step.kind) {
    case 'create':
    case 'load':
    case 'touch':
    case 'snapshot':
    case 'cross-over':
      return step.variants.join(', ');
    case 'settle':
      return '';
    case 'measure':
      return step.trials.map(({ conditions }) => conditionsWords(conditions)).join(' and ');
  }
}

/** What is known of the length of steps, without what depends on data of unknown size. */
export function atLeast(steps: readonly Step[]): string {
  const known = steps.reduce((total, step) => {
    const measuredSeconds = step.kind === 'measure' ? step.warmUpSeconds + (step.trialSeconds ?? 0) : 0;
    return total + (step.expectedSeconds ?? measuredSeconds);
  }, 0);
  return known === 0 ? 'unknown' : `more than ${durationText(known)}`;
}
