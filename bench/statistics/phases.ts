import { compareRun } from '../../runner/analysis/compare-run.ts';
import { judgeValidity } from '../../runner/analysis/validity/judge-validity.ts';
import type { Comparison } from '../../runner/contract/comparison.ts';
import type { LoggedCheckpoint } from '../../runner/contract/server-facts.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { drawPhases } from '../../runner/experiment/plan/draws.ts';
import { normalVariate } from '../../runner/statistics/distributions.ts';
import { type Random, seededRandom } from './noise.ts';
import { parseSimulated } from './ruled-out.ts';
import { type Count, countOutcomes, percent, rate, type Table } from './table.ts';
import { decision, trialOf } from './tool.ts';

/**
 * Two sides with the same throughput in the long run. Their trials are shorter than a checkpoint cycle of either side.
 */
export interface PhaseCase {
  name: string;
  /** Seconds from one checkpoint to the next on each side: baseline, candidate. */
  cycles: readonly [number, number];
  /** The share of its cycle by which the candidate is ahead of the baseline when the warm-up begins. */
  ahead: number;
  /** Range of the warm-ups that are drawn, in seconds. @default the longer cycle */
  drawnOver?: number;
}

const trialSeconds = 10;
const spread = 0.02;
/** By how much single cycles differ in length. */
const jitter = 0.05;
/** Throughput rises from 1 - swing to 1 + swing in a cycle: the first change of a page after a checkpoint writes all of it. */
const swing = 0.3;

export const phaseCases: PhaseCase[] = [
  { name: 'both 30 s, half a cycle apart', cycles: [30, 30], ahead: 0.5 },
  { name: 'both 30 s, a sixth of a cycle apart', cycles: [30, 30], ahead: 1 / 6 },
  { name: '30 s and 15 s', cycles: [30, 15], ahead: 0 },
  { name: '30 s and 20 s', cycles: [30, 20], ahead: 0 },
  { name: '30 s and 25 s', cycles: [30, 25], ahead: 0 },
  { name: '30 s and 11 s', cycles: [30, 11], ahead: 0 },
  { name: '300 s and 200 s', cycles: [300, 200], ahead: 0 },
  { name: 'both 30 s, a sixth of a cycle apart, drawn over 24 s', cycles: [30, 30], ahead: 1 / 6, drawnOver: 24 },
  { name: 'both 30 s, a sixth of a cycle apart, drawn over 45 s', cycles: [30, 30], ahead: 1 / 6, drawnOver: 45 },
];

type Outcome = 'alone' | 'stands' | 'unwarned';

export interface PhaseCounts {
  /** After warm-ups of one length, chosen without knowledge of the cycle. */
  fixed: Record<Outcome, Count>;
  /** After warm-ups that are drawn. */
  drawn: Record<Outcome, Count>;
}

/**
 * How often one side is called better or worse: by the interval alone, with today's checks, and without a check that
 * warns.
 */
export function countPhases(
  { cycles, ahead, drawnOver = Math.max(...cycles) }: PhaseCase,
  blocks: number,
  experiments: number,
): PhaseCounts {
  const random = seededRandom(blocks);
  const judged = (warmUps: readonly number[], phaseSeconds: number): Record<Outcome, boolean> => {
    const trials = warmUps.flatMap((warmUp, index) => [
      trialAt({ variant: 'baseline', block: index + 1, cycle: cycles[0], into: warmUp }, random),
      trialAt({ variant: 'candidate', block: index + 1, cycle: cycles[1], into: warmUp + ahead * cycles[1] }, random),
    ]);
    return judgeRun(trials, { phaseSeconds, timeoutSeconds: Math.max(...cycles) });
  };
  const counted = (warmUpsOf: () => readonly number[], phaseSeconds: number): Record<Outcome, Count> => {
    const count = countOutcomes(experiments, () => judged(warmUpsOf(), phaseSeconds));
    return { alone: count('alone'), stands: count('stands'), unwarned: count('unwarned') };
  };
  return {
    fixed: counted(() => Array<number>(blocks).fill(random() * Math.max(...cycles)), 0),
    drawn: counted(
      () => drawPhases({ blocks, phaseSeconds: drawnOver, seed: Math.floor(random() * 2 ** 32) }),
      drawnOver,
    ),
  };
}

export function phasesTable(experiments: number): Table {
  return {
    title: `**Phases of checkpoints: how often one side is called better or worse, although both have the same throughput over whole cycles** (trials of ${trialSeconds} s, in a cycle from ${percent(1 - swing)} to ${percent(1 + swing)} of the mean; a spread of ${percent(spread)})`,
    head: [
      'cycles',
      'blocks',
      'warm-ups of one length, without a check of cycles',
      'with it',
      '… without a warning',
      'warm-ups drawn',
      '… without a warning',
    ],
    rows: phaseCases.flatMap((one) =>
      [6, 20].map((blocks) => {
        const { fixed, drawn } = countPhases(one, blocks, experiments);
        const counts = [fixed.alone, fixed.stands, fixed.unwarned, drawn.stands, drawn.unwarned];
        return [one.name, String(blocks), ...counts.map(rate)];
      }),
    ),
  };
}

/** @param into seconds from the start of a cycle to the start of the trial */
function trialAt(
  { variant, block, cycle, into }: { variant: string; block: number; cycle: number; into: number },
  random: Random,
): Trial {
  const length = cycle * (1 + jitter * normalVariate(random));
  const begunBefore = into % length;
  const checkpoints: LoggedCheckpoint[] = [];
  for (let startedAt = -begunBefore; startedAt < trialSeconds; startedAt += length) {
    checkpoints.push({
      startedAt,
      endedAt: startedAt + 0.9 * length,
      reason: 'wal',
      restartpoint: false,
      buffers: 1,
      writeSeconds: 0.9 * length,
      syncSeconds: 0,
      distanceBytes: 2 ** 26,
    });
  }
  const share = (workTo(begunBefore + trialSeconds, length) - workTo(begunBefore, length)) / trialSeconds;
  const trial = trialOf(variant, block, 1000 * share * Math.exp(spread * normalVariate(random)));
  return { ...trial, measures: { ...trial.measures, runtime: trialSeconds }, facts: { checkpoints } };
}

/** Work that is done from the start of a cycle on, in seconds of mean throughput. */
function workTo(seconds: number, length: number): number {
  const phase = (seconds % length) / length;
  return seconds + swing * length * (phase ** 2 - phase);
}

/** @param design.timeoutSeconds checkpoint_timeout, which ends the longer cycle */
function judgeRun(
  trials: Trial[],
  { phaseSeconds, timeoutSeconds }: { phaseSeconds: number; timeoutSeconds: number },
): Record<Outcome, boolean> {
  const simulated = parseSimulated(trials.length / 2);
  const { name, question, baseline } = simulated;
  const definition = { ...simulated, protocol: { ...simulated.protocol, phaseSeconds } };
  const experiment = { name, question, profile: 'local', baseline, seed: 1, definition };
  const names = Object.keys(definition.variants);
  const { comparisons } = compareRun({ experiment, trials, steps: [] }, { decision });
  const [alone] = comparisons.filter(({ primary }) => primary);
  const settings = { checkpoint_timeout: `${timeoutSeconds} (s)` };
  const variants = names.map((own) => ({ name: own, description: null, serverVersion: null, settings }));
  const place = { kind: 'local' as const, description: 'simulated', caveats: [], volumes: [] };
  const [checked] = judgeValidity(alone ? [alone] : [], { experiment, place, variants, trials });
  if (!alone || !checked) throw new Error('nothing was compared');
  const warned = checked.checks.some((check) => check.name === 'checkpoint cycles' && check.state === 'warn');
  return { alone: differs(alone), stands: differs(checked), unwarned: differs(checked) && !warned };
}

function differs({ verdict }: Comparison): boolean {
  return verdict === 'better' || verdict === 'worse';
}
