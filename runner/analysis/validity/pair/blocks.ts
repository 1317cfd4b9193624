import { trialsOfPair } from '../../../contract/comparison.ts';
import { type PairCheck, pass, warn } from '../check.ts';

/** How many of the planned blocks the comparison uses. */
export const blocks: PairCheck = ({ experiment, stoppedAfterBlock }, { comparison }) => {
  const planned = stoppedAfterBlock ?? experiment.definition.protocol.blocks;
  const counted = new Set(comparison.pairs.flatMap(trialsOfPair).map(({ block }) => block)).size;
  return [
    counted < planned
      ? warn('blocks', `${counted} of ${planned} planned blocks count`)
      : pass('blocks', `all ${planned} planned blocks count`),
  ];
};
