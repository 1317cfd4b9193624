import { commonCut, fewestMserSeconds } from '../../../statistics/steady-state.ts';
import { notAssessed, pass, warn } from '../findings.ts';
import type { PairCheck } from '../pair-check.ts';

/** Whether the warm-up was long enough, by the seconds that MSER-5 would cut, stalls aside. All trials of a block get the same cut. */
export const warmUp: PairCheck = ({ experiment }, { blocks }) => {
  const name = 'warm-up';
  const trials = blocks.flatMap(({ baseline, candidate }) => [baseline, candidate]);
  const lengths = trials.map(({ measures }) => measures['seconds.whole'] ?? 0);
  if (lengths.length === 0 || lengths.some((seconds) => seconds < fewestMserSeconds)) {
    return [notAssessed(name, `MSER-5 needs trials of ${fewestMserSeconds} s at least`)];
  }
  const cuts = blocks.map(({ baseline, candidate }) =>
    commonCut([baseline, candidate].map(({ measures }) => measures['seconds.startUp'] ?? null)),
  );
  const unsteady = cuts.filter((cut) => cut === null).length;
  if (unsteady > 0) {
    return [warn(name, `MSER-5 finds no steady part in ${unsteady} of ${cuts.length} blocks: warm up for longer`)];
  }
  const longest = Math.max(0, ...cuts.map((cut) => cut ?? 0));
  const leaves = experiment.definition.protocol.truncate === 'none' ? 'would leave out' : 'leaves out';
  return [
    longest > Math.min(...lengths) / 4
      ? warn(name, `MSER-5 ${leaves} up to ${longest} s of a trial: warm up for longer`)
      : pass(name, `MSER-5 ${leaves} ${longest} s of a trial at most`),
  ];
};
