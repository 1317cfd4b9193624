import { estimatePaired } from '../../runner/analysis/estimate.ts';
import { support, totalsOf } from '../../runner/analysis/totals.ts';
import { judge } from '../../runner/analysis/verdict.ts';
import { excludesZero } from '../../runner/statistics/exact-interval.ts';
import { normalVariate } from '../../runner/statistics/distributions.ts';
import { type Random, seededRandom } from './noise.ts';
import { type Count, countOutcomes, percent, rate, type Table } from './table.ts';
import { decision, type Pair } from './tool.ts';

/** Trials of which some stall: throughput, or the share of transactions within a latency limit. */
interface StallCase {
  name: string;
  /** The change of a trial that does not stall: relative, or in points of the share. */
  typical: number;
  /** How often a trial of each side stalls, and what of its value it then loses. */
  stalls: { baseline: number; candidate: number; loss: number };
  compared: 'ratio' | 'difference';
  /** Deviation of a trial: of the logarithm, or of the share. */
  spread: number;
}

const tps = { compared: 'ratio', spread: 0.02 } as const;
const share = { compared: 'difference', spread: 0.0005 } as const;
const often = (baseline: number, candidate: number, loss: number): StallCase['stalls'] => ({
  baseline,
  candidate,
  loss,
});

export const stallCases: StallCase[] = [
  { name: 'nothing differs, nothing stalls', typical: 0, stalls: often(0, 0, 0), ...tps },
  {
    name: 'nothing differs, one trial in ten of either side loses 80%',
    typical: 0,
    stalls: often(0.1, 0.1, 0.8),
    ...tps,
  },
  { name: '+6%, nothing stalls', typical: 0.06, stalls: often(0, 0, 0), ...tps },
  { name: '+6%, one trial in ten of the candidate loses 80%', typical: 0.06, stalls: often(0, 0.1, 0.8), ...tps },
  { name: '+6%, one trial in 20 of the candidate loses 80%', typical: 0.06, stalls: often(0, 0.05, 0.8), ...tps },
  { name: '+6%, one trial in ten of either side loses 80%', typical: 0.06, stalls: often(0.1, 0.1, 0.8), ...tps },
  { name: '+20%, one trial in ten of either side loses 80%', typical: 0.2, stalls: often(0.1, 0.1, 0.8), ...tps },
  { name: 'share in time: the same, nothing stalls', typical: 0, stalls: often(0, 0, 0), ...share },
  {
    name: 'share in time: +0.3 points, one trial in ten of the candidate loses 10 points',
    typical: 0.003,
    stalls: often(0, 0.1, 0.1),
    ...share,
  },
];

export interface StallOutcomes {
  /** Verdicts by the interval alone. */
  before: Count;
  /** Verdicts that also need the totals on the same side. */
  now: Count;
  /** Of these, those whose headline is without a qualifier. */
  unqualified: Count;
}

/** The true change of the totals, of trials without other noise. */
function totalOf({ typical, stalls, compared }: StallCase): number {
  const kept = (often: number): number => 1 - often * stalls.loss;
  if (compared === 'difference') return typical - stalls.loss * (stalls.candidate - stalls.baseline);
  return ((1 + typical) * kept(stalls.candidate)) / kept(stalls.baseline) - 1;
}

/** Counts better and worse if nothing differs in total, otherwise better alone. */
export function countStalls(one: StallCase, blocks: number, experiments: number): StallOutcomes {
  const random = seededRandom(blocks);
  const { compared, typical } = one;
  const by = { ...decision, practicalThreshold: compared === 'difference' ? 0.001 : decision.practicalThreshold };
  const count = countOutcomes(experiments, () => {
    const pairs = Array.from({ length: blocks }, (): Pair => ({
      baseline: trialIn(one, 'baseline', random),
      candidate: trialIn(one, 'candidate', random),
    }));
    const estimate = estimatePaired(pairs, compared, { level: by.level });
    const { interval, change } = estimate;
    const judged = { estimate, differs: interval !== null && excludesZero(interval) };
    const totals = totalsOf(pairs, compared);
    const { verdict, undecided } = judge(judged, totals, { better: 'higher', compared }, by);
    const now = verdict === 'better' || (typical === 0 && verdict === 'worse');
    const isVetoed = undecided === 'typical-and-total-disagree' && (typical === 0 || (change ?? 0) > 0);
    return {
      before: now || isVetoed,
      now,
      unqualified: now && support(totals, change ?? 0, by.practicalThreshold, compared),
    };
  });
  return { before: count('before'), now: count('now'), unqualified: count('unqualified') };
}

function trialIn({ typical, stalls, compared, spread }: StallCase, side: 'baseline' | 'candidate', random: Random) {
  const noise = spread * normalVariate(random);
  const isStalled = random() < stalls[side];
  const own = side === 'candidate' ? typical : 0;
  if (compared === 'difference') return Math.min(1, 0.99 + own + noise - (isStalled ? stalls.loss : 0));
  return 1000 * (1 + own) * Math.exp(noise) * (isStalled ? 1 - stalls.loss : 1);
}

export function totalsTable(experiments: number): Table {
  return {
    title:
      '**Totals: how often a candidate whose trials stall is called better, if nothing differs better or worse** (a trial varies by 2%, a share by 0.05 points)',
    head: [
      'typical change and stalls',
      'change of the totals',
      'blocks',
      'by the interval alone',
      'now',
      'without a qualifier',
    ],
    rows: stallCases.flatMap((one) =>
      [6, 12, 20, 30].map((blocks) => {
        const { before, now, unqualified } = countStalls(one, blocks, experiments);
        const total = totalOf(one);
        const size = one.compared === 'difference' ? `${(total * 100).toFixed(1)} points` : percent(total);
        return [one.name, size, String(blocks), rate(before), rate(now), rate(unqualified)];
      }),
    ),
  };
}
