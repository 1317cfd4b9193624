import type { Scale } from '../../contract/format.ts';
import { inDigits } from '../../contract/format.ts';
import type { Result } from '../../contract/result.ts';
import { metricScale, metricWords } from '../metric-words.ts';

/** The metric that decides over a load that grows, for two variants. */
export interface LoadLines {
  /** What grows, such as `clients`. */
  axis: string;
  /** Name of the metric. */
  metric: string;
  scale: Scale;
  sides: { before: string; after: string };
  /** The smallest load first. Values in base units. */
  loads: { name: string; before: number; after: number }[];
}

/** More loads than these have no room for their names on a phone. */
const maxLoads = 7;
/** Two points are the table already. */
const minLoads = 3;

/** null unless one candidate was compared over one load. */
export function loadLines({ comparisons }: Result): LoadLines | null {
  const compared = comparisons.filter(({ primary }) => primary);
  const [first] = compared;
  const [axis, ...axes] = Object.keys(first?.conditions ?? {});
  const pairs = new Set(
    compared.map(({ baseline, candidate }) => JSON.stringify([baseline.variant, candidate.variant])),
  );
  if (!first || axis === undefined || axes.length > 0 || pairs.size > 1) return null;
  const loads = compared.flatMap(({ conditions, baseline, candidate }) => {
    const load = conditions[axis];
    const [before, after] = [baseline.value, candidate.value];
    return typeof load !== 'number' || before === null || after === null ? [] : [{ load, before, after }];
  });
  if (loads.length < minLoads || loads.length > maxLoads || loads.length < compared.length) return null;
  const words = metricWords(first);
  return {
    axis,
    metric: words.label,
    scale: metricScale(
      first.metric,
      words.kind,
      loads.flatMap(({ before, after }) => [before, after]),
    ),
    sides: { before: first.baseline.variant, after: first.candidate.variant },
    loads: loads
      .toSorted((a, b) => a.load - b.load)
      .map(({ load, before, after }) => ({ name: inDigits(load), before, after })),
  };
}
