import type { Protocol } from '../../../contract/experiment/schema.ts';
import type { Trial } from '../../../contract/trial.ts';
import {
  countedCyclesOf,
  type CycleLength,
  cycleLength,
  cycleRemedy,
  cyclesOf,
  type CyclesOfTrial,
  enoughCycles,
  hardlyWriteAll,
  isPhaseDrawn,
  isPhaseEven,
} from '../cycles.ts';
import { fail, type Finding, notAssessed, type Pair, type PairCheck, pass, warn } from '../check.ts';

/** If starts differ with one sign in this share of the blocks, the sides are not compared. */
const oneSided = 0.75;

/**
 * Whether the trials of both sides hold the same part of the checkpoint cycle, by the logged starts. A trial that is
 * shorter than a cycle measures one phase of it, and a reset makes this phase the same in all blocks. A checkpoint that
 * begins on one side only is then a cost that the other side does not pay.
 *
 * A faster side writes more WAL, and so begins more checkpoints: an honest cost. It counts as one if each trial holds
 * three whole cycles. With fewer, it cannot be distinguished from a phase, and the verdict is withheld. This does not
 * apply if the phases were drawn: then every phase is equally likely, and checkpoints begin as often as in the long
 * run.
 *
 * Blocks without a log are left out, and the finding says how many. If they are more than half, the server's counters
 * show at least whether checkpoints began on one side only.
 */
export const checkpointCycles: PairCheck = {
  id: 'checkpoint-cycles',
  name: 'checkpoint cycles',
  isOfWrites: true,
  remedy:
    'Measure longer trials, or draw their phase from whole cycles (protocol.phaseSeconds, docs/your-own-experiment.md).',
  needsEdit: true,
  judge: ({ experiment }, pair) => {
    const { protocol } = experiment.definition;
    const known = (isKnown: (trial: Trial) => boolean): Pair => ({
      ...pair,
      blocks: pair.blocks.filter(({ baseline, candidate }) => isKnown(baseline) && isKnown(candidate)),
    });
    const isEnough = ({ blocks }: Pair): boolean => blocks.length > 0 && 2 * blocks.length >= pair.blocks.length;
    const logged = known(({ facts }) => facts.checkpoints !== undefined);
    const missing = `the server’s log is missing in ${pair.blocks.length - logged.blocks.length} of ${pair.blocks.length} blocks`;
    if (isEnough(logged)) {
      const varied = checkpointDifferences(pair);
      if (varied.length === 0 && hardlyWriteAll(pair.blocks))
        return pass('neither side writes enough for them to matter');
      const check = judgeLogged(protocol, readCycles(logged, cyclesOf), varied);
      const isWhole = logged.blocks.length === pair.blocks.length;
      return isWhole ? check : { ...check, finding: `${check.finding}; ${missing}` };
    }
    const counted = known(({ measures }) => typeof measures['checkpoints.count'] === 'number');
    const found = isEnough(counted) ? oneSidedness(protocol, readCycles(counted, countedCyclesOf)) : null;
    return found
      ? fail(`${found}; this is from the server’s counters, since ${missing}`)
      : notAssessed('the server’s log does not show when checkpoints began');
  },
};

/** What these parameters do shows only from one checkpoint to the next. */
const actThroughCheckpoints = [
  'checkpoint_timeout',
  'checkpoint_completion_target',
  'checkpoint_flush_after',
  'max_wal_size',
  'min_wal_size',
];

/** Those of them in which the sides differ, if they differ in no other declared way. */
function checkpointDifferences({ baseline, candidate }: Pair): string[] {
  const names = new Set([...baseline.declared.keys(), ...candidate.declared.keys()]);
  const varied = [...names].filter((one) => baseline.declared.get(one) !== candidate.declared.get(one));
  return varied.every((one) => actThroughCheckpoints.includes(one)) ? varied : [];
}

/** @param varied the parameters that differ, if all of them act through checkpoints */
function judgeLogged(protocol: Protocol, cycles: Cycles, varied: readonly string[]): Finding {
  const { sides, longest, lengths, minCycles } = cycles;
  if (longest === null) {
    const none = 'no trial overlapped a checkpoint';
    return varied.length === 0
      ? pass(none)
      : fail(
          `${none}, and the effect of ${varied.join(' and ')} shows only over whole checkpoint cycles; use longer trials`,
        );
  }
  const holdsWhole = sides.every(({ length, whole }) => length === null || whole >= 1);
  if (isPhaseDrawn(protocol, longest)) {
    if (holdsWhole || isPhaseEven(protocol, longest)) {
      return pass(`random phase in each block; cycle length: ${lengths}`);
    }
    const words = `the phase range of ${protocol.phaseSeconds} s makes some parts of the cycle more likely than others`;
    return warn(`${words}; cycle length: ${lengths}; ${cycleRemedy(protocol, longest)}`);
  }
  const found = oneSidedness(protocol, cycles);
  if (found !== null) return fail(found);
  if (!holdsWhole) {
    return warn(
      `some trials contain no whole checkpoint cycle, and all may cover the same phase; cycle length: ${lengths}; ${cycleRemedy(protocol, longest)}`,
    );
  }
  return pass(`every trial contains at least ${minCycles} whole cycles; cycle length: ${lengths}`);
}

/**
 * Says that checkpoints began on one side only, and what to do; null if they did not, or if that can be an honest cost.
 */
function oneSidedness(protocol: Protocol, { longest, lengths, minCycles, uneven }: Cycles): string | null {
  if (uneven === null || longest === null || minCycles >= enoughCycles || isPhaseDrawn(protocol, longest)) return null;
  return `${uneven}; cycle length: ${lengths}; ${cycleRemedy(protocol, longest)}`;
}

type ReadCycles = (trial: Trial) => CyclesOfTrial | null;

interface Cycles {
  sides: readonly CycleSide[];
  /** null if no checkpoint was seen. */
  longest: CycleLength | null;
  /** Of both sides, in words. */
  lengths: string;
  /** Whole cycles of the trial that holds the fewest. */
  minCycles: number;
  /** In how many blocks one side began more checkpoints, in words; null if that is balanced. */
  uneven: string | null;
}

function readCycles(pair: Pair, read: ReadCycles): Cycles {
  const sides = [sideOf(pair, 'baseline', read), sideOf(pair, 'candidate', read)];
  return {
    sides,
    longest: longestOf(sides.flatMap(({ length }) => length ?? [])),
    lengths: sides
      .map(({ label, length }) => `${length === null ? 'no checkpoint' : lengthWords(length)} on ${label}`)
      .join(', '),
    minCycles: Math.min(...sides.map(({ whole }) => whole)),
    uneven: unevenWords(pair, read),
  };
}

interface CycleSide {
  label: string;
  /** Whole cycles of the trial that holds the fewest. */
  whole: number;
  /** null if no checkpoint was under way. */
  length: CycleLength | null;
}

function sideOf(pair: Pair, side: 'baseline' | 'candidate', read: ReadCycles): CycleSide {
  const { label, servers } = pair[side];
  const cycles = pair.blocks.map((block) => read(block[side]));
  const observed = cycles.flatMap((one) => one ?? []);
  return {
    label,
    whole: Math.min(...cycles.map((one) => one?.whole ?? 0)),
    length: observed.length === 0 ? null : cycleLength(observed, servers[0]?.settings ?? {}),
  };
}

function longestOf(lengths: readonly CycleLength[]): CycleLength | null {
  return lengths.reduce<CycleLength | null>(
    (longest, one) => (longest === null || one.atMostSeconds > longest.atMostSeconds ? one : longest),
    null,
  );
}

function lengthWords({ seconds, isBound, atMostSeconds }: CycleLength): string {
  const upTo = isBound && atMostSeconds > seconds ? ` (up to ${round(atMostSeconds)} s by checkpoint_timeout)` : '';
  return `${isBound ? 'over ' : ''}${round(seconds)} s${upTo}`;
}

function round(seconds: number): string {
  return String(seconds < 10 ? Number(seconds.toFixed(1)) : Math.round(seconds));
}

/** In how many blocks more checkpoints began on the one side than on the other, in words; null if that is balanced. */
function unevenWords({ blocks, baseline, candidate }: Pair, read: ReadCycles): string | null {
  const more = blocks.map((block) => (read(block.candidate)?.starts ?? 0) - (read(block.baseline)?.starts ?? 0));
  for (const [sign, one, other] of [
    [1, candidate, baseline],
    [-1, baseline, candidate],
  ] as const) {
    const count = more.filter((difference) => Math.sign(difference) === sign).length;
    if (count < oneSided * blocks.length) continue;
    return `${one.label} had more checkpoint starts than ${other.label} in ${count} of ${blocks.length} blocks`;
  }
  return null;
}
