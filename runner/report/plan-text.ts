import Table from 'cli-table3';
import type { MeasureStep, Plan, Step } from '../experiment/plan.ts';
import { durationText } from './duration-text.ts';
import { wrap } from './wrap.ts';

/** A plan for the terminal: the question, the work of a trial, the order of the trials and how long it takes. */
export function renderPlan(plan: Plan, { columns }: { columns: number }): string {
  const measureSteps = plan.steps.filter((step): step is MeasureStep => step.kind === 'measure');
  const [first] = measureSteps;
  const facts: [string, string][] = [
    ['question', plan.question],
    ['profile', plan.profile],
    ['variants', plan.variants.map((name) => (name === plan.baseline ? `${name} (baseline)` : name)).join(', ')],
    ['scripts', plan.mix],
    ['a trial', first ? trialText(plan, first) : ''],
    ['before it', first ? [...first.reset, ...warmUpText(first)].join(', ') || 'nothing' : ''],
    ['order', orderText(plan)],
    [
      'trials',
      `${plan.blocks} ${plan.blocks === 1 ? 'block' : 'blocks'}, ${measureSteps.flatMap(({ trials }) => trials).length} trials`,
    ],
    ['expected', `${expected(plan.expectedSeconds)} in all; assumed: ${plan.assumptions.join('; ')}`],
  ];
  const width = Math.max(...facts.map(([label]) => label.length));
  return [
    `${plan.experiment}\n`,
    ...facts.map(([label, text]) => labelled(`  ${label.padEnd(width)}  `, text, columns)),
    '',
    stepsTable(plan),
    ...plan.warnings.map((warning) => labelled('  warning: ', warning, columns)),
    '',
  ].join('\n');
}

function trialText({ transactionsPerTrial }: Plan, { trialSeconds }: MeasureStep): string {
  return transactionsPerTrial === null
    ? expected(trialSeconds)
    : `${transactionsPerTrial.toLocaleString('en')} transactions per variant and trial, ${expected(trialSeconds)}`;
}

function warmUpText({ warmUpSeconds }: MeasureStep): string[] {
  return warmUpSeconds === 0 ? [] : [`${durationText(warmUpSeconds)} of warm-up`];
}

function orderText({ order, seed }: Plan): string {
  switch (order) {
    case 'random':
      return `one variant at a time, in random order within each block (seed ${seed})`;
    case 'fixed':
      return 'one variant at a time, in the order of the file';
    case 'together':
      return 'all variants at the same time, from one driver';
  }
}

function stepsTable({ steps }: Plan): string {
  const table = new Table({
    head: ['step', 'variant', 'expected', 'at'],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'left', 'right', 'right'],
  });
  let at: number | null = 0;
  for (const step of steps) {
    table.push([stepName(step), variantsOf(step), expected(step.expectedSeconds), at === null ? '' : durationText(at)]);
    at = at === null || step.expectedSeconds === null ? null : at + step.expectedSeconds;
  }
  return table.toString();
}

function stepName(step: Step): string {
  switch (step.kind) {
    case 'create':
    case 'load':
    case 'settle':
      return step.kind;
    case 'measure':
      return `block ${step.block}, position ${step.position}`;
  }
}

function variantsOf(step: Step): string {
  switch (step.kind) {
    case 'create':
    case 'load':
      return step.variants.join(', ');
    case 'settle':
      return '';
    case 'measure':
      return step.trials.map(({ variant }) => variant).join(' and ');
  }
}

function expected(seconds: number | null): string {
  return seconds === null ? 'unknown' : durationText(seconds);
}

/** A labelled paragraph, its lines aligned behind the label. */
function labelled(label: string, text: string, columns: number): string {
  return wrap(text, Math.max(20, columns - label.length))
    .map((line, index) => `${index === 0 ? label : ' '.repeat(label.length)}${line}`)
    .join('\n');
}
