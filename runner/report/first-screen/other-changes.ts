import type { Comparison } from '../../contract/comparison.ts';
import { inScale, inUnit } from '../../contract/format.ts';
import { metricNamed, metricRank } from '../../metrics/catalogue.ts';
import { changeWords, intervalWords, pairsIn } from '../answer/answers.ts';
import { nameOf } from '../answer/headline.ts';
import { judgedIn } from '../answer/short-answer.ts';
import { metricWords, scaleOfCompared } from '../metric-words.ts';
import type { Reported } from '../reported.ts';
import { betterIn, chanceEach, worseIn } from '../sections/worse.ts';

/** What else users notice that changed, beside the metric that decides. */
export interface OtherChanges {
  better: OtherChange[];
  worse: OtherChange[];
  /** How many more there are. */
  more: number;
}

export interface OtherChange {
  /** Which variant, at which level; empty if only one was compared. */
  who: string;
  metric: string;
  before: string;
  after: string;
  change: string;
  range: string;
}

/** Rows of both groups together. */
const maxRows = 4;
/** So many rows are for what got worse, if there are as many. */
const maxWorse = 3;

/** Nothing where no verdict stands: a reader would take it for one. */
export function otherChanges(of: Reported): OtherChanges {
  const { comparisons } = of.result;
  const { judged } = judgedIn(of);
  const chance = chanceEach(comparisons);
  const found = judged.flatMap(({ of: primary }) => {
    if (primary.verdict === null || primary.verdict === 'descriptive') return [];
    const own = pairsIn(comparisons).find((pair) => pair.includes(primary)) ?? [];
    const who = judged.length > 1 ? nameOf({ of: primary }) : '';
    return [
      ...worseIn(own, chance).map((one) => ({ side: 'worse', one, who })),
      ...betterIn(own, chance)
        .filter((one) => !saysTheSame(one, primary))
        .toSorted((a, b) => metricRank(a.metric) - metricRank(b.metric))
        .map((one) => ({ side: 'better', one, who })),
    ].filter(({ one }) => !one.primary);
  });
  const rows = (side: string): OtherChange[] => found.filter((one) => one.side === side).map(rowOf);
  const worse = rows('worse').slice(0, Math.max(maxWorse, maxRows - rows('better').length));
  // Of several comparisons, gains stand in the plot.
  const better = judged.length > 1 ? [] : rows('better').slice(0, maxRows - worse.length);
  return { better, worse, more: found.length - better.length - worse.length };
}

/** What follows from the metric that decides. */
function saysTheSame({ metric }: Comparison, primary: Comparison): boolean {
  return metricNamed(metric)?.kind === metricNamed(primary.metric)?.kind;
}

function rowOf({ one, who }: { one: Comparison; who: string }): OtherChange {
  const words = metricWords(one);
  const scale = scaleOfCompared([one], words.kind);
  return {
    who,
    metric: words.label,
    before: inScale(one.baseline.value, scale),
    after: `${inUnit(one.candidate.value, scale)}${words.per}`,
    change: changeWords(one, one.change),
    range: one.interval ? intervalWords(one) : '',
  };
}
