import { trialsOfPair } from '../../../contract/comparison.ts';
import { type PairCheck, pass, warn } from '../check.ts';

/** How many of the planned blocks the comparison uses. */
export const blocks: PairCheck = {
  id: 'blocks',
  name: 'blocks',
  remedy: 'Find what the lost blocks have in common and remove it, then rerun.',
  judge: ({ experiment, stoppedAfterBlock }, { comparison }) => {
    const planned = stoppedAfterBlock ?? experiment.definition.protocol.blocks;
    const counted = new Set(comparison.pairs.flatMap(trialsOfPair).map(({ block }) => block)).size;
    return counted < planned
      ? warn(`${counted} of ${planned} planned blocks are valid`)
      : pass(`all ${planned} planned blocks are valid`);
  },
};
