import type { Outcome } from '../../runner/contract/start.ts';
import { atLevelOf, planStart } from '../../runner/experiment/plan/start.ts';
import { simulateBlocks } from './experiments.ts';
import { type Noise, normalNoise, type Random, seededRandom } from './noise.ts';
import { experimentOf } from './ruled-out.ts';
import { type Count, percent, rate, type Table } from './table.ts';
import { decideAlone, decision, type Pair } from './tool.ts';

/** What somebody does who starts anew until the favourite candidate is better, although nothing differs. */
export type Strategy = 'to the end' | 'cut at the first block against' | 'cut after three unless all are in favour';

const strategies: Strategy[] = [
  'to the end',
  'cut at the first block against',
  'cut after three unless all are in favour',
];
const budgets = [36, 72, 144, 288];
/** In noise that is small beside the threshold, a favourite is often called equivalent before it is called better. */
const spreads = [0.02, 0.3];

interface Started {
  blocks: number;
  level: number;
}

/** The starts of a question whose experiment asks for so many blocks, as they are planned one after another. */
export function startsPlanned(asked: number): Started[] {
  const experiment = experimentOf(asked, 'random');
  const planned: Started[] = [];
  const outcomes: Outcome[] = [];
  for (let spent = 0, all = 0; all < (budgets.at(-1) ?? 0);) {
    const next = planStart(experiment, { opened: outcomes.length, outcomes: [...outcomes], spent });
    if (!next) throw new Error('it has no verdicts');
    planned.push({
      blocks: next.experiment.protocol.blocks,
      level: atLevelOf(experiment, next.start).decision.level,
    });
    outcomes.push('cut-off');
    spent += next.start.share;
    all += 1;
  }
  return planned;
}

/** Blocks that a strategy has measured when the candidate is called better; Infinity if the budget does not suffice. */
function blocksUntilBetter(
  strategy: Strategy,
  starts: (index: number) => Started,
  { noise, random }: { noise: Noise; random: Random },
): number {
  const max = budgets.at(-1) ?? 0;
  for (let used = 0, index = 0; ; index++) {
    const { blocks, level } = starts(index);
    if (used + blocks > max) return Infinity;
    const pairs = simulateBlocks({ noise, blocks, effect: 0, random });
    const measured = measuredBefore(strategy, pairs);
    used += measured;
    if (measured === blocks && decideAlone(pairs, { ...decision, level }).verdict === 'better') return used;
  }
}

function measuredBefore(strategy: Strategy, pairs: readonly Pair[]): number {
  const against = pairs.findIndex(({ baseline, candidate }) => candidate <= baseline);
  if (strategy === 'to the end' || against < 0) return pairs.length;
  if (strategy === 'cut at the first block against') return against + 1;
  return against < 3 ? 3 : pairs.length;
}

/** How often the candidate is called better within each budget of blocks, before starts were counted and now. */
export function countStrategy(
  strategy: Strategy,
  { asked, spread }: { asked: number; spread: number },
  experiments: number,
): { before: Count[]; now: Count[] } {
  const noise = normalNoise(spread);
  const planned = startsPlanned(asked);
  const none = { blocks: Infinity, level: decision.level };
  const counts = (starts: (index: number) => Started): Count[] => {
    const random = seededRandom(asked);
    const found = Array.from({ length: experiments }, () => blocksUntilBetter(strategy, starts, { noise, random }));
    return budgets.map((budget) => ({ hits: found.filter((used) => used <= budget).length, experiments }));
  };
  return {
    before: counts(() => ({ blocks: asked, level: decision.level })),
    now: counts((index) => planned[index] ?? none),
  };
}

export function ledgerTable(experiments: number): Table {
  return {
    title:
      '**Started anew with six blocks until the candidate is called better, although nothing differs** (2.5% is as stated)',
    head: ['each start is measured', 'spread', 'blocks in all', 'every start at 95%, as before', 'starts counted'],
    rows: spreads.flatMap((spread) =>
      strategies.flatMap((strategy) => {
        const { before, now } = countStrategy(strategy, { asked: 6, spread }, experiments);
        return budgets.map((budget, index) => [
          strategy,
          percent(spread),
          String(budget),
          ...[before[index], now[index]].map((count) => (count ? rate(count) : '–')),
        ]);
      }),
    ),
  };
}
