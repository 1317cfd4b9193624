import { excludesZero, minPairs } from '../../../statistics/exact-interval.ts';
import { areLong } from '../../../metrics/whole-seconds.ts';
import { hodgesLehmann, signedRankInterval } from '../../../statistics/signed-rank.ts';
import { commonCut, minMserSeconds } from '../../../statistics/steady-state.ts';
import { startRemedy } from '../cycles.ts';
import {
  type Finding,
  minLevelChange,
  notAssessed,
  type Pair,
  type PairCheck,
  pass,
  type ValidityFacts,
  warn,
} from '../check.ts';
import { ratioFormat } from '../../../contract/format-change.ts';
import { wholePercent } from '../../../contract/format.ts';

const level = 0.95;

/**
 * Whether the warm-up was long enough. Long trials are judged by the seconds that MSER-5 would cut, stalls aside; all
 * trials of a block get the same cut. A short trial says too little by itself. So the short trials of a side are judged
 * together: by whether their first quarter differs from the rest. Both read throughput by the second, which begins when the
 * first transactions end.
 */
export const warmUp: PairCheck = {
  id: 'warm-up',
  name: 'warm-up',
  remedy: 'Warm up for longer (protocol.warmUpSeconds), then rerun.',
  judge: (facts, pair) => {
    const { experiment } = facts;
    const { blocks } = pair;
    const trials = blocks.flatMap(({ baseline, candidate }) => [baseline, candidate]);
    if (experiment.definition.protocol.truncate === 'none' && trials.some(({ measures }) => areLong(measures))) {
      return notAssessed('a transaction takes longer than a second, so no series can show a start-up phase');
    }
    const lengths = trials.map(({ measures }) => measures['seconds.whole'] ?? 0);
    if (lengths.length === 0 || lengths.some((seconds) => seconds < minMserSeconds)) {
      return shortTrials(facts, pair);
    }
    const cuts = blocks.map(({ baseline, candidate }) =>
      commonCut([baseline, candidate].map(({ measures }) => measures['seconds.startUp'] ?? null)),
    );
    const unsteady = cuts.filter((cut) => cut === null).length;
    if (unsteady > 0) {
      return warn(`MSER-5 finds no steady part in ${unsteady} of ${cuts.length} blocks: ${startRemedy(trials)}`);
    }
    const longest = Math.max(0, ...cuts.map((cut) => cut ?? 0));
    const leaves = experiment.definition.protocol.truncate === 'none' ? 'would drop' : 'drops';
    return longest > Math.min(...lengths) / 4
      ? warn(`MSER-5 ${leaves} up to ${longest} s of a trial: ${startRemedy(trials)}`)
      : pass(`MSER-5 ${leaves} ${longest} s of a trial at most`);
  },
};

function shortTrials({ experiment }: ValidityFacts, { baseline, candidate }: Pair): Finding {
  const threshold = minLevelChange(experiment.definition.decision);
  const sides = [baseline, candidate].map(({ label, measured: trials }) => {
    const ratios = trials.flatMap(({ measures }) => measures['seconds.startRatio'] || []);
    const logs = ratios.map(Math.log);
    const interval = ratios.length === trials.length ? signedRankInterval(logs, level) : null;
    return { label, trials, interval, change: Math.expm1(hodgesLehmann(logs) ?? 0) };
  });
  if (sides.some(({ interval }) => interval === null)) {
    return notAssessed(
      `a start-up phase shows only in trials of ${minMserSeconds} s, or in trials of 10 s over ${minPairs} blocks`,
    );
  }
  const differing = sides.filter(
    ({ interval, change }) => interval !== null && excludesZero(interval) && Math.abs(change) > threshold,
  );
  if (differing.length === 0) return pass('the first quarter of each trial matches the rest');
  const words = differing.map(({ label, change }) => {
    const { isMultiple, size } = ratioFormat(change);
    const than = `${wholePercent(Math.abs(change))} ${change < 0 ? 'slower' : 'faster'} than`;
    return `${label} was ${isMultiple ? `${size(change)} as fast as` : than} in the rest`;
  });
  return warn(
    `in the first quarter of each trial, ${words.join(', ')}: ${startRemedy(differing.flatMap((side) => side.trials))}`,
  );
}
