import type { Trial } from '../../../contract/trial.ts';
import {
  type CycleLength,
  cycleLength,
  cycleRemedy,
  cyclesOf,
  enoughCycles,
  isPhaseDrawn,
  isPhaseEven,
} from '../cycles.ts';
import { notAssessed, fail, pass, warn } from '../findings.ts';
import type { Pair, PairCheck } from '../pair-check.ts';

const name = 'checkpoint cycles';
/** Share of the blocks whose starts differ with one sign from which the sides are not compared. */
const oneSided = 0.75;

/**
 * Whether the trials of both sides hold the same part of the checkpoint cycle, by the logged starts alone. A trial of less than a
 * cycle measures one phase of it, which a reset makes the same in all blocks. A checkpoint that begins on one side only is then a
 * cost that the other side was spared.
 *
 * A side that is faster writes more WAL, and so begins more checkpoints: an honest cost. With three whole cycles a side it counts
 * as such. With fewer it cannot be told from a phase, and the verdict is withheld, unless the phases were drawn: then every phase
 * is as likely, and starts are as frequent as they are in the long run.
 */
export const checkpointCycles: PairCheck = ({ experiment }, pair) => {
  const sides = [sideOf(pair, 'baseline'), sideOf(pair, 'candidate')] as const;
  const trials = sides.flatMap((side) => side.trials);
  if (trials.length === 0 || trials.some(({ facts }) => facts.checkpoints === undefined)) {
    return [notAssessed(name, 'the server’s log does not tell when checkpoints began')];
  }
  const going = sides.filter(({ length }) => length !== null);
  const longest = longestOf(going.flatMap(({ length }) => length ?? []));
  if (longest === null) return [pass(name, 'no checkpoint was under way in any trial')];

  const lengths = sides
    .map(({ label, length }) => `${length === null ? 'none was under way' : lengthWords(length)} on ${label}`)
    .join(', ');
  const { protocol } = experiment.definition;
  const holdsWhole = going.every(({ whole }) => whole >= 1);
  if (isPhaseDrawn(protocol, longest)) {
    if (holdsWhole || isPhaseEven(protocol, longest)) {
      return [pass(name, `the phase was drawn for each block; a cycle takes ${lengths}`)];
    }
    const words = `the phase was drawn over ${protocol.phaseSeconds} s, in which some parts of a cycle are more likely than others`;
    return [warn(name, `${words}; a cycle takes ${lengths}: ${cycleRemedy(longest)}`)];
  }
  const fewest = Math.min(...sides.map(({ whole }) => whole));
  const sign = uneven(pair);
  if (sign !== null && fewest < enoughCycles)
    return [fail(name, `${sign}; a cycle takes ${lengths}: ${cycleRemedy(longest)}`)];
  if (!holdsWhole) {
    return [
      warn(
        name,
        `not every trial holds a whole one, and all may hold the same phase; a cycle takes ${lengths}: ${cycleRemedy(longest)}`,
      ),
    ];
  }
  return [pass(name, `trials hold ${fewest} whole ones or more; a cycle takes ${lengths}`)];
};

interface CycleSide {
  label: string;
  trials: readonly Trial[];
  /** Whole cycles of the trial that holds the fewest. */
  whole: number;
  /** null if no checkpoint was under way. */
  length: CycleLength | null;
}

function sideOf(pair: Pair, side: 'baseline' | 'candidate'): CycleSide {
  const { label, servers } = pair[side];
  const trials = pair.blocks.map((block) => block[side]);
  const cycles = trials.flatMap((trial) => cyclesOf(trial) ?? []);
  const whole = trials.map((trial) => cyclesOf(trial)?.whole ?? 0);
  return {
    ...{ label, trials },
    whole: Math.min(...whole),
    length: cycles.length === 0 ? null : cycleLength(cycles, servers[0]?.settings ?? {}),
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
function uneven({ blocks, baseline, candidate }: Pair): string | null {
  const more = blocks.map(
    (block) => (cyclesOf(block.candidate)?.starts ?? 0) - (cyclesOf(block.baseline)?.starts ?? 0),
  );
  for (const [sign, one, other] of [
    [1, candidate, baseline],
    [-1, baseline, candidate],
  ] as const) {
    const count = more.filter((difference) => Math.sign(difference) === sign).length;
    if (count < oneSided * blocks.length) continue;
    return `more checkpoints began in the trials of ${one.label} than in those of ${other.label} in ${count} of ${blocks.length} blocks`;
  }
  return null;
}
