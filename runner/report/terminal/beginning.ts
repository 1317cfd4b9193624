import { decidingMetric, type Experiment } from '../../contract/experiment/schema.ts';
import { dollarsText, durationText, withNoun } from '../../contract/format.ts';
import type { Plan } from '../../contract/plan.ts';
import { reasonsInWords } from '../../contract/withheld.ts';
import { changesOf, metricNamed } from '../../metrics/catalogue.ts';
import type { CostEstimate } from '../../rds/prices/estimate.ts';
import { wordsOfLoad } from '../../workloads/of-variants.ts';
import { scopeWords } from '../answer/change-words.ts';
import { plannedStartWords } from '../answer/start-words.ts';
import { cutTo, hanging } from '../media/wrap.ts';
import { durationWords } from './plan-text.ts';

/** Lines of a beginning, so that a screen of 24 lines has room for what follows. */
const maxLines = 12;

/**
 * What a reader sees of a run that begins, in at most twelve lines: what it compares, how, how long that takes, what it
 * costs, and what its answer will hold for.
 *
 * @param costs null if nobody is billed
 * @param more the last line: where the rest of the plan is; empty for none
 */
export function renderBeginning(
  { plan, experiment, costs }: { plan: Plan; experiment: Experiment; costs: CostEstimate | null },
  more: string,
  { columns }: { columns: number },
): string {
  const name = `(${plan.experiment})`;
  const width = Math.min(columns, 80) - plan.question.length;
  const question = width > name.length + 1 ? plan.question + name.padStart(width) : plan.question;
  const rest: [label: string, words: string][] = [
    ['load', wordsOfLoad(experiment).summary],
    ['blocks', blocksText(plan)],
    ...startRow(plan),
    ['takes', durationWords(plan)],
    ...(costs ? [['costs', costText(costs)] satisfies [string, string]] : []),
    ['answers', answersText(plan)],
    ['decides', decidesText(experiment)],
  ];
  const variants = variantsText(plan, experiment, maxLines - rest.length - around);
  const marked = [
    ...variants.map(([who, text], index) => [`${labelled(index === 0 ? 'compares' : '')}${who}`, text] as const),
    ...rest.map(([label, text]) => [labelled(label), text] as const),
  ];
  const lines = withinLines(
    marked.map(([mark, text]) => hanging(mark, text, columns)),
    maxLines - around,
  );
  return [question, '', ...lines, ...(more === '' ? [] : ['', more])].map((line) => cutTo(line, columns)).join('\n');
}

const labelled = (label: string): string => `  ${label.padEnd(8)}  `;

/** The question, the last line, and an empty line at each. */
const around = 4;

/** The first line of each paragraph, and as many of their others as there is room for. */
function withinLines(paragraphs: readonly string[][], max: number): string[] {
  let spare = max - paragraphs.length;
  return paragraphs.flatMap(([first = '', ...others]) => {
    const shown = others.slice(0, Math.max(0, spare));
    spare -= shown.length;
    return shown.length === others.length ? [first, ...shown] : withMark([first, ...shown]);
  });
}

function withMark(lines: readonly string[]): string[] {
  return lines.map((line, index) => (index === lines.length - 1 ? `${line} …` : line));
}

/** Each variant, as the words before its text and its text. If there are more of them than lines, the first ones. */
function variantsText(
  { baseline, groups, ...plan }: Plan,
  { variants }: Experiment,
  max: number,
): [who: string, text: string][] {
  const names = [...new Set([baseline, ...Object.keys(variants)])];
  const shown = names.length <= max ? names : names.slice(0, max - 1);
  const width = Math.max(...shown.map(({ length }) => length));
  const lines = shown.map((name): [string, string] => {
    const is = name === baseline && !groups ? ['baseline'] : [];
    const about = [variants[name]?.description ?? differenceText(plan, name), ...is].filter((text) => text !== '');
    return [`${name.padEnd(width)}  `, about.join(', ')];
  });
  const left = names.slice(shown.length);
  return left.length === 0 ? lines : [...lines, ['', `and ${left.length} more: ${left.join(', ')}`]];
}

/** In what a variant differs from the others, such as `synchronous_commit off`. */
function differenceText({ differences }: Pick<Plan, 'differences'>, variant: string): string {
  return differences
    .flatMap(({ property, values }) => {
      const own = values.find(({ variants }) => variants.includes(variant))?.value ?? null;
      return own === null ? [] : [`${property} ${own}`];
    })
    .join(', ');
}

function blocksText({ blocks, until, order, seed }: Plan): string {
  const count = until === 'blocks' ? String(blocks) : `at most ${blocks}, as many as ${untilWords[until]} takes`;
  return `${count}; in each, ${orderWords[order](seed)}`;
}

const untilWords = { precision: 'the precision', verdict: 'a verdict' } as const;

const orderWords: Readonly<Record<Plan['order'], (seed: number) => string>> = {
  random: (seed) => `every variant once, in random order (seed ${seed})`,
  fixed: () => 'every variant once, in the order of the file',
  together: () => 'all variants at the same time',
};

function startRow(plan: Plan): [string, string][] {
  const words = plannedStartWords(plan);
  return words === null ? [] : [['run', words]];
}

function costText({ dollarsPerHour, run, atMost, notKnown }: CostEstimate): string {
  if (notKnown.length > 0 && dollarsPerHour.high === 0) return 'unknown: no known price';
  const known = notKnown.length === 0 ? '' : 'at least ';
  const hourly = `${dollarsText(dollarsPerHour)} an hour`;
  const whole =
    run === null
      ? `${known}${hourly}`
      : `${known}${dollarsText(run.dollars)} for ${durationText(run.hours * 3600)}, at ${hourly}`;
  return atMost === null ? whole : `${whole}; ${dollarsText(atMost.dollars)} at most`;
}

/** What a verdict will hold for, or why there will be none. */
function answersText({ claims, blocks, replicas }: Plan): string {
  const { scope, exchanges, obstacles, blocksForVerdict } = claims;
  if (obstacles.length > 0) return `no verdict: ${reasonsInWords(obstacles)}`;
  if (blocks < blocksForVerdict) return `no verdict: that needs ${withNoun(blocksForVerdict, 'block')}`;
  return `which is better ${scopeWords(scope, replicas, { hostsMayChange: exchanges > 1 }).on}`;
}

function decidesText({ decision }: Experiment): string {
  const metric = decidingMetric(decision);
  const { label = metric } = metricNamed(metric) ?? {};
  return `${label}; less than ${changesOf(metric).size(decision.practicalThreshold)} is too small to matter`;
}
