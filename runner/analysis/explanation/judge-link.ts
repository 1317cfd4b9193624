import type { ExplainedLink, LinkStanding } from '../../contract/explanation.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { valueOf } from '../../metrics/value.ts';
import { median } from '../../statistics/summaries.ts';
import type { ValuePair } from '../crossover.ts';
import { estimatePaired } from '../estimate.ts';
import { centresOf } from '../side-values.ts';
import type { CountedBlocks } from '../pairs.ts';
import { readAllPairs, type CombinedPairs, type PairCombination } from '../units.ts';
import type { Link } from './mechanism.ts';

/** The blocks of one comparison, known and unknown, and which side is the slower one. */
export interface ComparedBlocks extends PairCombination, Pick<CountedBlocks, 'counted' | 'unknown'> {
  slower: 'baseline' | 'candidate';
  /** Settings in force on each side, by name. */
  settings: Record<'baseline' | 'candidate', ReadonlyMap<string, string>>;
  /** Whether both were prepared by the same SQL, and run the same scripts. */
  sqlAlike: boolean;
  /** Level of the interval of each link by itself; null if no interval has a level. */
  level: number | null;
}

/**
 * Share of the pairs that must move as the mechanism says: blocks that disagree do not support it, whatever the
 * interval.
 */
export const agreement = 0.75;

/** Share of the pairs that must have values: the comparison does not rest on what only a minority of them shows. */
export const coverage = 0.75;

/** Looks at one link in the trials that count. */
export function judgeLink(link: Link, compared: ComparedBlocks): ExplainedLink {
  const { slower } = compared;
  const metric = metricNamed(link.metric) ?? { name: link.metric };
  const { pairs, unknown } = readAllPairs(compared, (trial) => valueOf(metric, trial), {
    ...compared,
    compared: link.by,
  });
  const { change, interval } = estimatePaired(pairs, link.by, { ...compared, unknown });
  const turned = slower === 'candidate' ? pairs : pairs.map(turnedRound);
  const agreeing = turned.filter((pair) => agrees(link, pair)).length;
  return {
    metric: link.metric,
    unit: metricNamed(link.metric)?.unit ?? '1',
    claim: link.claim,
    ...centresOf(pairs, change, link.by, metricNamed(link.metric)?.kind),
    // The claim is about a level, not about a change, so no change is shown.
    ...(link.slower === 'any' ? { change: null, interval: null } : { change, interval }),
    changedBy: link.by,
    agreeing,
    pairs: pairs.length,
    standing: standingOf(link, { turned, unknown, agreeing }, compared),
  };
}

/** @param observed pairs with the faster variant as the baseline; an unknown pair neither has values nor agrees */
function standingOf(
  link: Link,
  observed: { turned: readonly ValuePair[]; agreeing: number } & Pick<CombinedPairs, 'unknown'>,
  compared: ComparedBlocks,
): LinkStanding {
  const { turned, unknown, agreeing } = observed;
  const all = readAllPairs(compared, () => 1, { ...compared, compared: link.by });
  if (turned.length < coverage * (all.pairs.length + all.unknown.length)) return 'silent';
  const reached = median(turned.map(({ candidate }) => candidate));
  if (reached === null || reached < (link.atLeast ?? -Infinity)) return 'silent';
  const isAgreed = agreeing >= agreement * (turned.length + unknown.length);
  if (link.slower === 'any') return isAgreed ? 'holds' : 'open';
  const { change, interval } = estimatePaired(turned, link.by, { ...compared, unknown });
  const towards = sense(link) * (change ?? 0);
  const bounds = interval ? [sense(link) * interval.low, sense(link) * interval.high] : [NaN];
  if (Math.abs(towards) < (link.min ?? 0) || towards === 0) return 'silent';
  if (Math.max(...bounds) < 0) return 'contradicted';
  if (towards < 0) return 'silent';
  return Math.min(...bounds) > 0 && isAgreed ? 'holds' : 'open';
}

/** Whether the pair moves as the link says; if the link claims no change, whether the slower side reaches the level. */
function agrees(link: Link, { baseline, candidate }: ValuePair): boolean {
  if (link.slower === 'any') return candidate >= (link.atLeast ?? -Infinity);
  return sense(link) * (candidate - baseline) > 0;
}

function sense({ slower }: Link): 1 | -1 {
  return slower === 'less' ? -1 : 1;
}

function turnedRound({ means: _, ...pair }: ValuePair): ValuePair {
  return { ...pair, baseline: pair.candidate, candidate: pair.baseline };
}
