import type { Verdict } from '../../runner/contract/comparison.ts';
import { blocksNeeded, type ComparisonDesign, type Goal } from '../../runner/analysis/blocks-needed.ts';
import { minPairs } from '../../runner/statistics/exact-interval.ts';
import { isCrossedOver } from '../../runner/contract/plan.ts';
import { median } from '../../runner/statistics/summaries.ts';
import { firstEvenLook } from '../../runner/statistics/sequential.ts';
import { type Spread, spreadWithin, upperSpread } from '../../runner/statistics/spread.ts';
import { drawDesign, simulateDesign, type Truth } from './designs.ts';
import { seededRandom } from './noise.ts';
import type { Count, Table } from './table.ts';

const decision = { level: 0.95, practicalThreshold: 0.05 };
const goal: Goal = { effect: Math.log(1.05), verdict: 'better', power: 0.8 };

const simple: ComparisonDesign = { decision, exchanges: 0, widest: null, comparisons: 1 };
const designs = {
  simple,
  'crossover, one exchange': { ...simple, exchanges: 1 },
  crossover: { ...simple, exchanges: 3 },
  'until: precision': { ...simple, widest: Math.log1p(decision.practicalThreshold) },
};

/** A pilot of so many blocks, of the same design as the experiment that it plans. */
export interface PlanningCase {
  design: keyof typeof designs;
  /** True standard deviation of the log-ratio of a block. */
  spread: number;
  pilot: number;
}

// prettier-ignore
export const planningCases: PlanningCase[] = [
  { design: 'simple', spread: 0.04, pilot: 6 },
  { design: 'simple', spread: 0.04, pilot: 8 },
  { design: 'simple', spread: 0.04, pilot: 12 },
  { design: 'simple', spread: 0.06, pilot: 6 },
  { design: 'simple', spread: 0.06, pilot: 8 },
  { design: 'simple', spread: 0.06, pilot: 12 },
  { design: 'crossover, one exchange', spread: 0.04, pilot: 6 },
  { design: 'crossover, one exchange', spread: 0.04, pilot: 8 },
  { design: 'crossover, one exchange', spread: 0.04, pilot: 12 },
  { design: 'crossover, one exchange', spread: 0.06, pilot: 6 },
  { design: 'crossover, one exchange', spread: 0.06, pilot: 8 },
  { design: 'crossover, one exchange', spread: 0.06, pilot: 12 },
  { design: 'crossover', spread: 0.04, pilot: 6 },
  { design: 'crossover', spread: 0.04, pilot: 12 },
  { design: 'crossover', spread: 0.06, pilot: 12 },
  { design: 'until: precision', spread: 0.04, pilot: 6 },
  { design: 'until: precision', spread: 0.04, pilot: 8 },
  { design: 'until: precision', spread: 0.04, pilot: 12 },
  { design: 'until: precision', spread: 0.06, pilot: 6 },
  { design: 'until: precision', spread: 0.06, pilot: 8 },
  { design: 'until: precision', spread: 0.06, pilot: 12 },
];

/** Turns a pilot into a number of blocks; null if no number is enough. */
export type Adviser = (pilot: { ratios: number[]; within: Spread }, design: ComparisonDesign) => number | null;

const advise: Adviser = ({ within }, design) => byRoundedSpread(upperSpread(within), design);

/** Simulates what planning by a pilot advises, and whether it is enough. */
export function benchPlanning(rate: (count: Count) => string, experiments = 10_000): Table[] {
  return [adviceTable(rate, experiments), withinThresholdTable(rate, experiments)];
}

function adviceTable(rate: (count: Count) => string, pilots: number): Table {
  return {
    title:
      '**Planning by a pilot: whether the advised number of blocks finds +5% with 80% power or more** (threshold 5%)',
    head: [
      'design',
      'spread of a block',
      'blocks of the pilot',
      'blocks needed',
      'advice is enough',
      'advised, median',
    ],
    rows: planningCases.map((of) => {
      const { needed, enough, advised } = adviceOf(of, pilots);
      return [
        of.design,
        `${(of.spread * 100).toFixed(0)}%`,
        String(of.pilot),
        String(needed),
        rate(enough),
        `${advised} (${(advised / needed).toFixed(1)} times)`,
      ];
    }),
  };
}

/** Changes within the threshold, and the blocks that a usual calculation of power advises for them. */
const smallChanges = [
  { change: 0.02, spread: 0.02, advised: 11 },
  { change: 0.02, spread: 0.04, advised: 35 },
  { change: 0.03, spread: 0.03, advised: 11 },
  { change: 0.03, spread: 0.06, advised: 36 },
];

function withinThresholdTable(rate: (count: Count) => string, experiments: number): Table {
  return {
    title:
      '**Planning for a change within the threshold of 5%, which pgduet refuses: verdicts after the number of blocks that a usual calculation advises for 80% power**',
    head: ['true change', 'spread of a block', 'blocks advised', 'better', 'equivalent'],
    rows: smallChanges.map(({ change, spread, advised: blocks }) => {
      const truth = { effect: Math.log1p(change), spread };
      const count = countVerdictsOf(simple, blocks, truth, experiments);
      const cells = (['better', 'equivalent'] as const).map((verdict) => rate({ hits: count(verdict), experiments }));
      return [`+${change * 100}%`, `${spread * 100}%`, String(blocks), ...cells];
    }),
  };
}

function countVerdictsOf(
  design: ComparisonDesign,
  blocks: number,
  truth: Truth,
  experiments: number,
): (verdict: Verdict) => number {
  const random = seededRandom(1);
  const verdicts = Array.from({ length: experiments }, () => simulateDesign(design, blocks, truth, random));
  return (wanted) => verdicts.filter((verdict) => verdict === wanted).length;
}

export function adviceOf(
  { design: name, spread, pilot }: PlanningCase,
  pilots: number,
  adviser: Adviser = advise,
): { needed: number; enough: Count; advised: number } {
  const design = designs[name];
  const random = seededRandom(pilot);
  const isEnough = sufficientBlocks(name, spread, pilots);
  const advice = Array.from({ length: pilots }, () => {
    const drawn = drawDesign(design, pilot, { effect: goal.effect, spread }, random);
    const groups = [false, true].map((exchanged) =>
      drawn
        .filter(({ period }) => isCrossedOver(period) === exchanged)
        .map(({ baseline, candidate }) => Math.log(candidate / baseline)),
    );
    const within = spreadWithin(groups);
    return (within && adviser({ ratios: groups.flat(), within }, design)) ?? Infinity;
  });
  return {
    needed: isEnough.needed,
    enough: { hits: advice.filter((blocks) => isEnough(blocks)).length, experiments: pilots },
    advised: median(advice) ?? NaN,
  };
}

const curves = new Map<string, ((blocks: number) => boolean) & { needed: number }>();

/**
 * Which numbers of blocks have the power, at the true spread. After five numbers in a row with three percentage points
 * more, all larger numbers have it.
 */
function sufficientBlocks(name: keyof typeof designs, spread: number, experiments: number) {
  const key = `${name} ${spread}`;
  const known = curves.get(key);
  if (known) return known;
  const design = designs[name];
  const step = Math.max(1, 2 * design.exchanges);
  const sufficient = new Set<number>();
  let clear = 0;
  let blocks =
    step * Math.ceil((typeof design.widest === 'number' ? firstEvenLook : minPairs) / Math.max(1, design.exchanges));
  for (; clear < 5; blocks += step) {
    const hits = countVerdictsOf(design, blocks, { effect: goal.effect, spread }, experiments)(goal.verdict);
    if (hits >= goal.power * experiments) sufficient.add(blocks);
    clear = hits >= (goal.power + 0.03) * experiments ? clear + 1 : 0;
  }
  const last = blocks;
  const found = Object.assign((asked: number) => asked >= last || sufficient.has(asked), {
    needed: Math.min(...sufficient),
  });
  curves.set(key, found);
  return found;
}

const advised = new Map<string, number | null>();

/** `blocksNeeded` for the nearest spread on a grid of 3%: to call it for every pilot would take too long. */
function byRoundedSpread(spread: number, design: ComparisonDesign): number | null {
  const step = Math.round(Math.log(spread) / 0.03);
  const key = JSON.stringify([step, design]);
  const known = advised.get(key);
  if (known !== undefined) return known;
  const blocks = blocksNeeded(Math.exp(step * 0.03), goal, design);
  advised.set(key, blocks);
  return blocks;
}
