import type { Comparison } from '../../contract/comparison.ts';
import { inUnit } from '../../contract/format.ts';
import { levelWords } from '../../contract/trial.ts';
import { pairsIn } from '../answer/answers.ts';
import { isClaim } from '../answer/claims.ts';
import { isDoubted, ranked } from '../answer/headline.ts';
import { metricScale, metricWords } from '../metric-words.ts';
import type { Reported } from '../reported.ts';
import { betterIn, chanceEach, worseIn } from '../sections/worse.ts';
import { orderOf, saysTheSame } from './other-changes.ts';

/** What else users notice of several variants at one level: a row for each, a column for each metric that changed for one of them. */
export interface TradeOffs {
  metrics: string[];
  /** The best first, and the baseline last. */
  rows: { who: string; cells: { value: string; side: 'better' | 'worse' | '' }[] }[];
  baseline: string;
  /** How many more metrics changed. */
  more: number;
}

/** As many as a reader takes in at a glance. */
const maxMetrics = 2;

/** null of one comparison, or of several levels; if nothing else changed; and if no verdict stands. */
export function tradeOffs({
  result,
  judged,
  controls,
}: Pick<Reported, 'result' | 'judged' | 'controls'>): TradeOffs | null {
  const deciding = ranked(judged.map(({ of }) => of).filter(({ verdict }) => isClaim(verdict)));
  const [first] = deciding;
  const levels = new Set(deciding.map(({ conditions }) => levelWords(conditions)));
  if (!first || deciding.length < 2 || levels.size > 1 || isDoubted({ controls })) return null;
  const chance = chanceEach(result.comparisons);
  const pairs = pairsIn(result.comparisons);
  const found = deciding.map((primary) => {
    const own = pairs.find((pair) => pair.includes(primary)) ?? [];
    const isElse = (one: Comparison): boolean => !one.primary && !saysTheSame(one, primary);
    return { own, worse: worseIn(own, chance).filter(isElse), better: betterIn(own, chance).filter(isElse) };
  });
  const changed = new Map(
    found.flatMap(({ worse, better }) => [...worse, ...better]).map((one) => [one.metric, one] as const),
  );
  const isWorse = (metric: string): boolean => found.some(({ worse }) => worse.some((one) => one.metric === metric));
  const metrics = [...changed.values()]
    .toSorted((a, b) => Number(isWorse(b.metric)) - Number(isWorse(a.metric)) || orderOf(a) - orderOf(b))
    .slice(0, maxMetrics);
  if (metrics.length === 0) return null;
  const columns = metrics.map((metric) => {
    const values = found.map(({ own }) => own.find((one) => one.metric === metric.metric));
    const { label, kind, per } = metricWords(metric);
    const scale = metricScale(
      metric.metric,
      kind,
      values.flatMap((one) => (one ? [one.baseline.value, one.candidate.value] : [])),
    );
    const text = (value: number | null | undefined): string =>
      typeof value === 'number' ? `${inUnit(value, scale)}${per}` : '';
    return { label, metric: metric.metric, values, text };
  });
  return {
    metrics: columns.map(({ label }) => label),
    rows: [
      ...deciding.map(({ candidate }, index) => ({
        who: candidate.variant,
        cells: columns.map(({ metric, values, text }) => ({
          value: text(values[index]?.candidate.value),
          side: sideOf(metric, found[index]),
        })),
      })),
      {
        who: first.baseline.variant,
        cells: columns.map(({ values, text }) => ({ value: text(values[0]?.baseline.value), side: '' as const })),
      },
    ],
    baseline: first.baseline.variant,
    more: changed.size - metrics.length,
  };
}

function sideOf(
  metric: string,
  found: { worse: readonly Comparison[]; better: readonly Comparison[] } | undefined,
): 'better' | 'worse' | '' {
  if (found?.worse.some((one) => one.metric === metric)) return 'worse';
  return found?.better.some((one) => one.metric === metric) ? 'better' : '';
}
