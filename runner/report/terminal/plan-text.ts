import type { MeasureStep, Plan } from '../../contract/plan.ts';
import { levelWords } from '../../contract/trial.ts';
import type { CostEstimate } from '../../rds/prices/estimate.ts';
import { costFacts, costTable } from './cost-text.ts';
import { atLeast, moreSteps, stepsTable } from './plan-steps.ts';
import { renderTable } from '../media/terminal-table.ts';
import { hanging } from '../media/wrap.ts';
import { durationText, inDigits, withNoun } from '../../contract/format.ts';
import { reasonsInWords } from '../../contract/withheld.ts';
import type { Table } from '../media/table.ts';
import { scopeWords } from '../answer/change-words.ts';
import { plannedStartWords } from '../answer/start-words.ts';

/**
 * A plan for the terminal: the question, the work of a trial, the order of the trials, how long it takes and what it costs.
 *
 * @param costs null if it runs on this machine
 * @param options.now from which the age of the prices counts. @default now
 */
export function renderPlan(
  plan: Plan,
  costs: CostEstimate | null,
  { columns, now = new Date() }: { columns: number; now?: Date },
): string {
  const table = (of: Table): string => renderTable(of, { columns, colour: false });
  const measureSteps = plan.steps.filter((step): step is MeasureStep => step.kind === 'measure');
  const [first] = measureSteps;
  const facts: [string, string][] = [
    ['question', plan.question],
    ['profile', plan.profile],
    ...variantsFacts(plan),
    ...servicesFact(plan),
    ...differencesFact(plan),
    ...preparationFact(plan),
    ...(plan.replicas > 1 ? [['replicas', replicasText(plan)] satisfies [string, string]] : []),
    ...levelsFact(plan),
    ...plan.workload,
    ['trial length', first ? trialText(plan, first) : ''],
    ['before each trial', first ? preparationText(plan, measureSteps) : ''],
    ['order', `${orderText(plan)}${climbText(plan)}`],
    [
      'trials',
      `${untilWords[plan.until]}${withNoun(plan.blocks, 'block')}, ${withNoun(measureSteps.flatMap(({ trials }) => trials).length, 'trial')}`,
    ],
    ...startFact(plan),
    ['can show', claimText(plan)],
    ['duration', `${durationWords(plan)}; assuming ${plan.assumptions.join('; ')}`],
    ...(costs ? costFacts(costs, now) : []),
  ];
  const width = Math.max(...facts.map(([label]) => label.length));
  return [
    `${plan.experiment}\n`,
    ...facts.flatMap(([label, text]) => hanging(`  ${label.padEnd(width)}  `, text, columns)),
    '',
    table(stepsTable(plan)),
    ...moreSteps(plan).flatMap((words) => hanging('', words, columns)),
    ...(costs ? ['', table(costTable(costs))] : []),
    ...(plan.warnings.length > 0 ? [''] : []),
    ...plan.warnings.flatMap(({ message }) => hanging('  warning: ', message, columns)),
    '',
  ].join('\n');
}

function startFact(plan: Plan): [string, string][] {
  const words = plannedStartWords(plan);
  return words === null ? [] : [['run', words]];
}

/**
 * How long it takes and, if the run may stop before, until the first look at which it can. A busy machine takes longer, so
 * nothing says at most.
 */
export function durationWords({ until, blocks, claims, steps, expectedSeconds }: Plan): string {
  const inAll = expectedSeconds === null ? atLeast(steps) : `${durationText(expectedSeconds)} in total`;
  if (until === 'blocks') return inAll;
  const first = claims.obstacles.length > 0 ? blocks : claims.earliestStop;
  const secondsToFirst = steps
    .filter((step) => step.kind !== 'measure' || step.block <= first)
    .reduce<number | null>((total, step) => addKnown(total, step.expectedSeconds), 0);
  return first < blocks
    ? `${expected(secondsToFirst)} if ${first} blocks are enough, otherwise up to about ${inAll}`
    : inAll;
}

const untilWords = {
  blocks: '',
  precision: 'until precise enough, at most ',
  verdict: 'until there is a verdict, at most ',
} as const;

function trialText({ transactionsPerTrial }: Plan, { trialSeconds }: MeasureStep): string {
  return transactionsPerTrial === null
    ? expected(trialSeconds)
    : `${inDigits(transactionsPerTrial)} transactions per variant and trial, ${expected(trialSeconds)}`;
}

/** What a verdict of this plan will hold for, or why there will be none. */
function claimText({ claims, blocks, replicas, variants, baseline, groups }: Plan): string {
  const { scope, exchanges, obstacles, blocksForVerdict } = claims;
  const { on, remains } = scopeWords(scope, replicas, { hostsMayChange: exchanges > 1 });
  if (obstacles.length > 0) return `no verdict: ${reasonsInWords(obstacles)}`;
  if (blocks < blocksForVerdict) return `no verdict: that needs ${blocksForVerdict} blocks`;
  const candidatesPhrase =
    variants.length > 2 ? `of each candidate and ${groups ? 'the baseline of its group' : baseline}, ` : '';
  return `${candidatesPhrase}which is better ${on}. ${remains}`;
}

/** The time of each step before a trial, and of all such steps in the run. */
function preparationText({ resetSteps }: Plan, measureSteps: readonly MeasureStep[]): string {
  const warmUps = measureSteps.map(({ warmUpSeconds }) => warmUpSeconds);
  const [shortest, longest] = [Math.min(...warmUps), Math.max(...warmUps)];
  const warmUpText =
    shortest === longest
      ? stepText(longest)
      : `${stepText(shortest)} to ${stepText(longest)}, drawn per block so that trials start at different points of the checkpoint cycle`;
  const each = [
    ...resetSteps.map(({ step, expectedSeconds }) => `${step} ${stepText(expectedSeconds)}`),
    ...(longest === 0 ? [] : [`warm-up ${warmUpText}`]),
  ];
  if (each.length === 0) return 'nothing';
  const resetSeconds = resetSteps.reduce<number | null>((total, step) => addKnown(total, step.expectedSeconds), 0);
  if (resetSeconds === null) return each.join(', ');
  const inAll = warmUps.reduce((total, seconds) => total + seconds + resetSeconds, 0);
  return `${each.join(', ')}; ${durationText(inAll)} in total`;
}

function stepText(seconds: number | null): string {
  if (seconds === null) return 'of unknown length';
  return seconds < 1 ? 'under 1 s' : durationText(seconds);
}

function addKnown(total: number | null, part: number | null): number | null {
  return total === null || part === null ? null : total + part;
}

function replicasText({ replicas, variants }: Plan): string {
  const servers = replicas * variants.length;
  return variants.length === 2
    ? `${replicas} instance pairs (${servers} instances); every block measures each pair`
    : `${replicas} instances per variant (${servers} in total); every block measures all of them`;
}

/** The variants; for a matrix, those of each group. */
function variantsFacts({ variants, baseline, groups }: Plan): [string, string][] {
  const named = (names: readonly string[], of: string): string =>
    names.map((name) => (name === of ? `${name} (baseline)` : name)).join(', ');
  return groups
    ? groups.map((group) => [`variants of ${group.name}`, named(group.variants, group.baseline)])
    : [['variants', named(variants, baseline)]];
}

/** Such as `staging (as-it-is, cheap-reads)`: where servers that exist are found. */
function servicesFact({ services = [] }: Plan): [string, string][] {
  const words = services.map(({ service, variants }) => `${service} (${variants.join(', ')})`);
  return words.length > 0 ? [['services', words.join(', ')]] : [];
}

/** Such as `differences`, `synchronous_commit: on (waits), off (does-not-wait)`; a variant named after its value stands once. */
function differencesFact({ differences }: Plan): [string, string][] {
  const words = differences.map(({ property, values }) => {
    const each = values.map(({ value, variants }) => {
      const text = value === null ? 'unset' : String(value);
      const names = variants.join(', ');
      return text === names ? text : `${text} (${names})`;
    });
    return `${property}: ${each.join(', ')}`;
  });
  return words.length > 0 ? [['differences', words.join('; ')]] : [];
}

/** What is run on all variants once they are loaded. What only some have, they differ in. */
function preparationFact({ steps, variants, differences }: Plan): [string, string][] {
  const [first = ''] = variants;
  const sql = steps.flatMap((step) => ('prepare' in step ? (step.prepare?.[first] ?? []) : []));
  const isSame = differences.every(({ property }) => property !== 'prepare');
  return isSame && sql.length > 0 ? [['prepared by', sql.join('; ')]] : [];
}

/** The levels at which every variant is measured; nothing if there is only one. */
function levelsFact({ levels }: Plan): [string, string][] {
  const words = [...new Set(levels.map(({ replica: _, ...level }) => levelWords(level)))];
  return words.length > 1 ? [['load levels', words.join('; ')]] : [];
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

/** The order of the levels; nothing if there is only one. */
function climbText({ levels, ladder, order, groups }: Plan): string {
  if (levels.length < 2) return '';
  const { order: climbed, stopPastKneeAfter } = ladder;
  const hasOnlyGroups = levels.length === groups?.length;
  const drawn = [...(groups ? ['groups'] : []), ...(hasOnlyGroups ? [] : ['load levels'])].join(' and ');
  const how =
    climbed === 'rising' || order !== 'random'
      ? `${hasOnlyGroups ? 'groups in the order of the file' : 'load levels rising'} in each block`
      : `${drawn} also in random order`;
  const stop =
    stopPastKneeAfter === null
      ? ''
      : `; after block ${stopPastKneeAfter}, pgduet skips load levels past the knee, so the run is shorter than this`;
  return `; ${how}${stop}`;
}

function expected(seconds: number | null): string {
  return seconds === null ? 'unknown' : durationText(seconds);
}
