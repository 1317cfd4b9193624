import { levelAt } from '../../runner/analysis/stopping.ts';
import { isSettled } from '../../runner/contract/comparison.ts';
import { mean } from '../../runner/statistics/summaries.ts';
import { type LookPlan, planLooks } from '../../runner/statistics/sequential.ts';
import { simulateFamily } from './experiments.ts';
import { countStallingBaseline, stallingLoss, stallingShare } from './decisions.ts';
import { fewNoises, stalling, independent, type Noise, normalNoise, type Random, seededRandom } from './noise.ts';
import { type Count, percent, rate, type Table } from './table.ts';
import { decide, decideAlone, decision, type Decided, type Pair, stopsForPrecision } from './tool.ts';

export interface StoppingCase {
  name: string;
  noise: Noise;
  candidates: number;
  /** Whether one block of the first candidate is lost. */
  losesBlock: boolean;
}

const cap = 30;

const alone = [...fewNoises, stalling].map((noise) => ({ name: noise.name, noise, candidates: 1, losesBlock: false }));
const two = { noise: independent, candidates: 2 };

export const stoppingCases: StoppingCase[] = [
  ...alone,
  { name: 'two candidates, independent, normal (2%)', ...two, losesBlock: false },
  { name: 'the same, and one of them loses one of its first eight blocks', ...two, losesBlock: true },
];

export interface Stopping {
  /** Any interval at the stop that excludes zero although nothing differs. Intervals miss another true change as often. */
  excludesZero: Count;
  /** Experiments that continued to the last look. */
  toTheCap: Count;
  /** Experiments that stopped before the last look, at which a candidate is neither better, worse nor equivalent. */
  unsettled: Count;
  meanBlocks: number;
}

/** Simulates `until: precision`: it stops at intervals no wider than the practical threshold. */
export function simulateStopping({ noise, candidates, losesBlock }: Omit<StoppingCase, 'name'>, experiments: number) {
  const looks = planLooks(cap, decision.level, { comparisons: candidates });
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

/** Simulates what many people do: look at the 95% interval after every block from the sixth, and stop when it excludes zero. */
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
  const counts = { excludesZero: 0, toTheCap: 0, unsettled: 0 };
  const looks = planLooks(cap, decision.level, { comparisons: candidates });
  const stoppedAt: number[] = [];
  for (let experiment = 0; experiment < experiments; experiment++) {
    const family = simulateFamily({ noise, blocks: cap, effects, random });
    const rule = ruleFor(family, random);
    for (let blocks = 1; blocks <= cap; blocks++) {
      const intervals = rule(blocks);
      if (!intervals && blocks < cap) continue;
      if (intervals?.some(excludesZero)) counts.excludesZero++;
      if (blocks === cap) counts.toTheCap++;
      else if (
        decide(
          family.map((pairs) => pairs.slice(0, blocks)),
          { ...decision, level: levelAt(looks, blocks, decision.level) },
        ).some(({ verdict }) => !isSettled(verdict))
      )
        counts.unsettled++;
      stoppedAt.push(blocks);
      break;
    }
  }
  return {
    excludesZero: { hits: counts.excludesZero, experiments },
    toTheCap: { hits: counts.toTheCap, experiments },
    unsettled: { hits: counts.unsettled, experiments },
    meanBlocks: mean(stoppedAt),
  };
}

export interface Settling {
  /** Experiments with any verdict of better or worse. */
  differs: Count;
  /** Experiments with any verdict of equivalent. */
  equivalent: Count;
  /** Experiments in which a candidate has no verdict even after the last look. */
  unsettled: Count;
  meanBlocks: number;
}

/**
 * Simulates `until: verdict`: it stops at the first look at which every candidate is better, worse or equivalent.
 *
 * @param effect true log-ratio of every candidate to the baseline
 * @param options.max blocks at the last look
 * @param options.stalls whether the baseline stalls in one trial of five, as `countStallingBaseline` has it
 */
export function simulateUntilVerdict(
  { noise, candidates, losesBlock }: Omit<StoppingCase, 'name'>,
  effect: number,
  experiments: number,
  { max = cap, stalls = false, plan = 'early' }: { max?: number; stalls?: boolean; plan?: LookPlan } = {},
): Settling {
  const random = seededRandom(max);
  const looks = planLooks(max, decision.level, { comparisons: candidates, plan });
  const effects = Array.from({ length: candidates }, () => effect);
  const counts = { differs: 0, equivalent: 0, unsettled: 0 };
  const stoppedAt: number[] = [];
  for (let experiment = 0; experiment < experiments; experiment++) {
    const lost = losesBlock ? Math.floor(random() * 8) : null;
    const drawn = simulateFamily({ noise, blocks: max, effects, random });
    const family = stalls ? withStalls(drawn, random) : drawn;
    for (const { blocks, level } of looks) {
      const known = family.map((of, which) => of.slice(0, blocks).filter((_, block) => which > 0 || block !== lost));
      const verdicts = decide(known, { ...decision, level: level - 1e-12 }).map(({ verdict }) => verdict);
      const isSettled = !verdicts.some((verdict) => verdict === 'inconclusive' || verdict === 'descriptive');
      if (!isSettled && blocks < max) continue;
      if (!isSettled) counts.unsettled++;
      if (verdicts.some((verdict) => verdict === 'better' || verdict === 'worse')) counts.differs++;
      if (verdicts.includes('equivalent')) counts.equivalent++;
      stoppedAt.push(blocks);
      break;
    }
  }
  return {
    differs: { hits: counts.differs, experiments },
    equivalent: { hits: counts.equivalent, experiments },
    unsettled: { hits: counts.unsettled, experiments },
    meanBlocks: mean(stoppedAt),
  };
}

function withStalls(family: readonly Pair[][], random: Random): Pair[][] {
  const factors = (family[0] ?? []).map(() => (random() < stallingShare ? 1 - stallingLoss : 1));
  return family.map((pairs) =>
    pairs.map(({ baseline, candidate }, block) => ({ baseline: baseline * (factors[block] ?? 1), candidate })),
  );
}

function excludesZero(interval: Decided['interval']): boolean {
  return interval !== null && (interval.low > 0 || interval.high < 0);
}

export function stoppingTables(experiments: number): Table[] {
  return [
    precisionTable(experiments),
    verdictTable(experiments),
    firstLookTable(experiments),
    stallsTable(experiments),
  ];
}

function verdictTable(experiments: number): Table {
  return {
    title: '**Sequential: `until: verdict`, at most 30 blocks**',
    head: [
      'noise',
      'A/A: any verdict of better or worse',
      'A/A: no verdict after the last look',
      'blocks used',
      '+5%, the threshold: any called equivalent',
    ],
    rows: stoppingCases.map((one) => {
      const same = simulateUntilVerdict(one, 0, experiments);
      return [
        one.name,
        rate(same.differs),
        rate(same.unsettled),
        same.meanBlocks.toFixed(1),
        rate(simulateUntilVerdict(one, Math.log1p(decision.practicalThreshold), experiments).equivalent),
      ];
    }),
  };
}

/** The early first look beside looks that share the error evenly, from eight blocks on, as before. */
function firstLookTable(experiments: number): Table {
  return {
    title: '**Sequential: `until: verdict`, blocks used and runs without a verdict, by where the first look is**',
    head: [
      'spread of a trial',
      'candidates',
      'true change',
      'even looks from eight blocks, as before',
      'early first look, as now',
      'no verdict, before',
      'no verdict, now',
    ],
    rows: [0.02, 0.05].flatMap((spread) =>
      [1, 3].flatMap((candidates) =>
        [0, 0.05, 0.1, 0.2].map((effect) => {
          const one = { noise: normalNoise(spread), candidates, losesBlock: false };
          const [before, now] = (['even', 'early'] as const).map((plan) =>
            simulateUntilVerdict(one, Math.log1p(effect), experiments, { plan }),
          );
          return [
            percent(spread),
            String(candidates),
            `+${Math.round(100 * effect)}%`,
            before?.meanBlocks.toFixed(1) ?? '',
            now?.meanBlocks.toFixed(1) ?? '',
            before ? rate(before.unsettled) : '',
            now ? rate(now.unsettled) : '',
          ];
        }),
      ),
    ),
  };
}

/** The first look may come before the first stall, which no later block then shows. */
function stallsTable(experiments: number): Table {
  const one = { noise: normalNoise(0.01), candidates: 1, losesBlock: false };
  return {
    title: '**Sequential: `until: verdict`, and a baseline that loses 30% in one trial of five** (a spread of 1%)',
    head: ['blocks at most', 'called equivalent', 'with all of these blocks', 'blocks used'],
    rows: [20, 40].map((max) => {
      const { equivalent, meanBlocks } = simulateUntilVerdict(one, 0, experiments, { max, stalls: true });
      const all = countStallingBaseline(one.noise, max, experiments).equivalent;
      return [String(max), rate(equivalent), rate(all), meanBlocks.toFixed(1)];
    }),
  };
}

function precisionTable(experiments: number): Table {
  const looks = planLooks(cap, decision.level).map(({ blocks, level }) => `${blocks} (${percent(level)})`);
  return {
    title: `**Sequential: \`until: precision\`, at most ${cap} blocks, looks at ${looks.join(', ')}**`,
    head: [
      'noise',
      'A/A: any interval at the stop excludes zero',
      'continued to the last look',
      'stopped as precise without a verdict',
      'blocks used',
      'one candidate, peeking after every block',
    ],
    rows: stoppingCases.map((one) => {
      const rule = simulateStopping(one, experiments);
      return [
        one.name,
        rate(rule.excludesZero),
        rate(rule.toTheCap),
        rate(rule.unsettled),
        rule.meanBlocks.toFixed(1),
        one.candidates === 1 ? rate(simulatePeeking(one.noise, experiments).excludesZero) : '–',
      ];
    }),
  };
}
