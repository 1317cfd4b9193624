import { mean } from '../../runner/statistics/summaries.ts';
import { planLooks } from '../../runner/statistics/sequential.ts';
import { simulateFamily } from './experiments.ts';
import { fewNoises, independent, type Noise, type Random, seededRandom } from './noise.ts';
import { type Count, percent, rate, type Table } from './table.ts';
import { decideAlone, decision, type Decided, type Pair, stopsForPrecision } from './tool.ts';

export interface StoppingCase {
  name: string;
  noise: Noise;
  candidates: number;
  /** Whether one block of the first candidate is lost. */
  losesBlock: boolean;
}

const cap = 30;

const alone = fewNoises.map((noise) => ({ name: noise.name, noise, candidates: 1, losesBlock: false }));
const two = { noise: independent, candidates: 2 };

export const stoppingCases: StoppingCase[] = [
  ...alone,
  { name: 'two candidates, independent, normal (2 %)', ...two, losesBlock: false },
  { name: 'the same, and one of them loses one of its first eight blocks', ...two, losesBlock: true },
];

export interface Stopping {
  /** Any interval at the stop that excludes zero although nothing differs. Intervals miss another true change as often. */
  excludesZero: Count;
  /** Experiments that continued to the last look. */
  toTheCap: Count;
  meanBlocks: number;
}

/** Simulates `until: precision`: it stops at intervals no wider than the practical threshold. */
export function simulateStopping({ noise, candidates, losesBlock }: Omit<StoppingCase, 'name'>, experiments: number) {
  const looks = planLooks(cap, decision.level);
  return simulateStops({ noise, candidates, experiments }, (family, random) => {
    const lost = losesBlock ? Math.floor(random() * 8) : null;
    const ratios = family.map((pairs) => pairs.map(({ baseline, candidate }) => Math.log(candidate / baseline)));
    return (blocks) =>
      stopsForPrecision(
        ratios.map((of, which) => of.slice(0, blocks).filter((_, block) => which > 0 || block !== lost)),
        blocks,
        looks,
      );
  });
}

/** Simulates what many people do: look at the 95 % interval after every block from the sixth, and stop when it excludes zero. */
export function simulatePeeking(noise: Noise, experiments: number): Stopping {
  return simulateStops({ noise, candidates: 1, experiments }, ([pairs = []]) => (blocks) => {
    if (blocks < 6) return null;
    const { interval } = decideAlone(pairs.slice(0, blocks));
    return blocks === cap || excludesZero(interval) ? [interval] : null;
  });
}

function simulateStops(
  { noise, candidates, experiments }: { noise: Noise; candidates: number; experiments: number },
  ruleFor: (family: Pair[][], random: Random) => (blocks: number) => Decided['interval'][] | null,
): Stopping {
  const random = seededRandom(cap);
  const effects = Array.from({ length: candidates }, () => 0);
  const counts = { excludesZero: 0, toTheCap: 0 };
  const stoppedAt: number[] = [];
  for (let experiment = 0; experiment < experiments; experiment++) {
    const rule = ruleFor(simulateFamily({ noise, blocks: cap, effects, random }), random);
    for (let blocks = 1; blocks <= cap; blocks++) {
      const intervals = rule(blocks);
      if (!intervals && blocks < cap) continue;
      if (intervals?.some(excludesZero)) counts.excludesZero++;
      if (blocks === cap) counts.toTheCap++;
      stoppedAt.push(blocks);
      break;
    }
  }
  return {
    excludesZero: { hits: counts.excludesZero, experiments },
    toTheCap: { hits: counts.toTheCap, experiments },
    meanBlocks: mean(stoppedAt),
  };
}

function excludesZero(interval: Decided['interval']): boolean {
  return interval !== null && (interval.low > 0 || interval.high < 0);
}

export function stoppingTable(experiments: number): Table {
  const looks = planLooks(cap, decision.level).map(({ blocks, level }) => `${blocks} (${percent(level)})`);
  return {
    title: `**Sequential: \`until: precision\`, at most ${cap} blocks, looks at ${looks.join(', ')}**`,
    head: [
      'noise',
      'A/A: any interval at the stop excludes zero',
      'continued to the last look',
      'blocks used',
      'one candidate, peeking after every block',
    ],
    rows: stoppingCases.map((one) => {
      const rule = simulateStopping(one, experiments);
      return [
        one.name,
        rate(rule.excludesZero),
        rate(rule.toTheCap),
        rule.meanBlocks.toFixed(1),
        one.candidates === 1 ? rate(simulatePeeking(one.noise, experiments).excludesZero) : '–',
      ];
    }),
  };
}
