import { movableIn } from '../../analysis/movable.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { valuesOf } from '../../metrics/value.ts';
import { median } from '../../statistics/summaries.ts';
import { isClaim } from '../answer/claims.ts';
import { cellsOf } from '../media/table.ts';
import type { Reported } from '../reported.ts';

/** What a transaction of a load that only reads takes from memory and files: medians of the valid trials of both sides. */
export interface Read {
  metric: string;
  /** In words, below a heading that says that it is per transaction. */
  what: string;
  before: number;
  after: number;
}

/** What such a load can move besides its speed. */
const moved = [
  { metric: 'database.temporaryBytesPerTransaction', what: 'temporary files' },
  { metric: 'database.blocksReadPerTransaction', what: 'blocks read from files' },
  { metric: 'database.blocksTouchedPerTransaction', what: 'blocks touched' },
];

/** Nothing if the load may write, without a verdict, and of several comparisons: those have the details. Zeros on both sides are left out. */
export function readsIn({ result, counted, judged }: Pick<Reported, 'result' | 'counted' | 'judged'>): Read[] {
  const [one, ...others] = judged;
  if (!one || others.length > 0 || !isClaim(one.of.verdict) || movableIn(result).writes) return [];
  const cells = cellsOf(result, counted);
  const medianOf = (variant: string, name: string): number | null => {
    const metric = metricNamed(name);
    const trials = cells.find(({ conditions }) => conditions.variant === variant)?.trials ?? [];
    return metric ? median(valuesOf(metric, trials)) : null;
  };
  return moved.flatMap(({ metric, what }) => {
    const before = medianOf(one.of.baseline.variant, metric);
    const after = medianOf(one.of.candidate.variant, metric);
    if (before === null || after === null || (before === 0 && after === 0)) return [];
    return [{ metric, what, before, after }];
  });
}
