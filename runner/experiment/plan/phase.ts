import type { Protocol } from '../../contract/experiment/schema.ts';
import { fewestPairs } from '../../statistics/exact-interval.ts';
import { drawOrder, drawShare } from './coin.ts';

/**
 * Seconds by which the warm-up of each block is longer (`protocol.phaseSeconds`), for every block of a plan. A reset starts the
 * checkpoint cycle anew, so that trials with warm-ups of one length would all hold the same phase of it.
 *
 * Each length is uniform from 0 to `phaseSeconds`, which is not reached. Of every six blocks, the fewest of a verdict, each has
 * its own sixth of that range, in an order of chance (a stratified draw: Cochran, "Sampling Techniques", 1977, 5.1). So even
 * the shortest run covers the cycle. They are whole seconds, as pgbench knows no others.
 */
export function drawPhases({
  blocks,
  phaseSeconds,
  seed,
}: Pick<Protocol, 'blocks' | 'phaseSeconds' | 'seed'>): number[] {
  return Array.from({ length: blocks }, (_, index) => {
    const group = Math.floor(index / fewestPairs);
    const size = Math.min(fewestPairs, blocks - group * fewestPairs);
    const strata = drawOrder([...Array(size).keys()], seed, { of: 'phase-strata', group });
    const stratum = strata[index % fewestPairs] ?? 0;
    const share = (stratum + drawShare(seed, { of: 'phase', block: index + 1 })) / size;
    return Math.floor(share * phaseSeconds);
  });
}
