import { type Span, worthOf } from '../../analysis/worth.ts';
import type { Comparison } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import { metricRank } from '../../metrics/catalogue.ts';
import { ratioFormat } from '../../contract/format-change.ts';
import { absent, inScale, rangeText } from '../../contract/format.ts';
import { labelWithUnit, metricWords, ratioWords, scaleOfCompared } from '../metric-words.ts';
import { changeWords, intervalWords, pairsIn } from '../answer/answers.ts';
import { left, right, type Row, type Table } from '../media/table.ts';
import { betterIn, chanceEach, worseIn, worstMeasured } from './worse.ts';
import type { Section } from './section.ts';

/**
 * The absolute values that convince, before and after: the declared metric, throughput and p99 latency, the price, and
 * whatever got worse beyond chance. Without rows if there are several candidates or levels: then the table of the
 * variants stands in its place.
 */
export function figuresTable({ comparisons, variants }: Pick<Result, 'comparisons' | 'variants'>): Table {
  const [own = [], ...others] = pairsIn(comparisons);
  const [first] = own;
  const chance = chanceEach(comparisons);
  const shown = first && others.length === 0 ? shownIn(own, chance) : [];
  const directions = directionsIn(own, chance);
  return {
    title: 'Before and after',
    columns: [
      left(''),
      right(first?.baseline.variant ?? '', 2),
      right(first?.candidate.variant ?? '', 2),
      right('change'),
      right('interval', 1),
      left(''),
    ],
    rows: [
      ...shown.map((one) => figureRow(one, directions.get(one) ?? '')),
      ...(shown.length > 0 ? priceRows(own, variants) : []),
    ],
    notes: [
      ...(shown.some((one) => !one.primary && directions.has(one)) ? [directionNote] : []),
      ...(shown.some(isNotMedian) ? ['Values: centres over the pairs, not medians.'] : []),
    ],
  };
}

const directionNote = 'Only the row in bold is a verdict; others describe.';

/** Whether a reader would see another value for the median of a side. */
function isNotMedian(comparison: Comparison): boolean {
  const scale = scaleOfCompared([comparison], metricWords(comparison).kind);
  return [comparison.baseline, comparison.candidate].some(
    ({ value, median }) => inScale(value, scale) !== inScale(median, scale),
  );
}

/** What changed for the worse or the better, of what was not declared; nothing if a check took the verdict away. */
function directionsIn(own: readonly Comparison[], chance: number): Map<Comparison, 'worse' | 'better'> {
  return new Map([
    ...worseIn(own, chance).map((one) => [one, 'worse'] as const),
    ...betterIn(own, chance).map((one) => [one, 'better'] as const),
  ]);
}

/** What the table shows, what decides first, and only what was measured. */
export function shownIn(own: readonly Comparison[], chance: number): Comparison[] {
  const named = own.filter(({ primary, metric }) => primary || metric === 'tps' || metric === 'latency.p99');
  return [...new Set([...named, ...worstMeasured(own, chance)])].toSorted(
    (a, b) => Number(b.primary) - Number(a.primary) || metricRank(a.metric) - metricRank(b.metric),
  );
}

function figureRow(comparison: Comparison, direction: string): Row {
  const { baseline, candidate, change, primary, verdict, withheld } = comparison;
  const words = metricWords(comparison);
  const scale = scaleOfCompared([comparison], words.kind);
  return {
    cells: [
      labelWithUnit(words, scale),
      inScale(baseline.value, scale),
      inScale(candidate.value, scale),
      changeWords(comparison, change),
      intervalWords(comparison),
      primary ? (verdict ?? (withheld.length > 0 ? 'withheld' : 'no verdict')) : direction,
    ],
    emphasis: primary ? 'strong' : undefined,
    tone: tones[primary ? (verdict ?? '') : direction],
  };
}

const tones: Readonly<Record<string, Row['tone']>> = { better: 'good', worse: 'bad' };

function priceRows(own: readonly Comparison[], variants: Result['variants']): Row[] {
  const [worth] = worthOf(own, variants);
  if (!worth) return [];
  const { baseline, candidate } = worth.comparison;
  const price = (name: string): string => {
    const month = variants.find((variant) => variant.name === name)?.cost?.dollarsPerMonth;
    return month ? `$${rangeText(month, 0)}` : absent;
  };
  const range = ({ value, low, high }: Span): string =>
    low === null || high === null || low === high ? '' : ratioFormat(value).range(low, high);
  return [
    {
      cells: [
        'price a month',
        price(baseline.variant),
        price(candidate.variant),
        ratioWords(worth.cost.value),
        range(worth.cost),
        '',
      ],
    },
    { cells: ['TPS per dollar', '', '', ratioWords(worth.perDollar.value), range(worth.perDollar), ''] },
  ];
}

/** Before and after, on the first screen. */
export const figuresSection: Section = {
  id: 'figures',
  // Each row on one line, so that the answer with all that belongs to it fits the first screen.
  styles: `
@media screen and (min-width: 641px) {
  #figures tbody th { white-space: nowrap; }
  #figures tbody td.left { min-width: 0; }
}
@media screen and (max-width: 640px) {
  #figures tbody tr { position: relative; margin-bottom: 5px; padding: 5px 12px; }
  /* What the row means stands beside its name. */
  #figures tbody th { padding-right: 6em; }
  #figures tbody td.left { position: absolute; top: 5px; right: 12px; }
  #figures .notes { margin: 0; }
}
`,
  blocks: ({ result }) => [{ parts: [{ kind: 'table', table: figuresTable(result) }] }],
};
