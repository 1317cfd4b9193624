import { exactRank, minPairsFor, simultaneousLevel } from './exact-interval.ts';
import { signedRankDistribution } from './signed-rank.ts';

/** The starts of one question share an error: alpha spending (Lan & DeMets, Biometrika 70, 1983) by the union bound. */
export interface Allowance {
  /** The error that all starts share, such as 0.05. */
  error: number;
  /** The share of it that earlier starts have spent, from 0 to 1. */
  spent: number;
  /** Comparisons that are judged together. */
  comparisons: number;
  /** Whether the error of the start is shared among looks. */
  looks: boolean;
}

/** The first start leaves at least this part of the error to the others. */
const leftToOthers = 1 / 16;

/** A ledger whose starts have spent everything leaves this little, which no affordable number of blocks can reach. */
const vanishing = 2 ** -30;

/**
 * The error that the next start may spend. The first may spend what the fewest blocks with a verdict take, so that they
 * keep it; with looks, which share the error, all but a sixteenth. Every other start may spend half of what is left. So
 * the sum stays below the whole, however many starts there are.
 */
export function allowedError({ error, spent, comparisons, looks }: Allowance): number {
  if (spent > 0) return (error * Math.max(1 - spent, vanishing)) / 2;
  const max = error * (1 - leftToOthers);
  if (looks) return max;
  const min = minPairsFor(simultaneousLevel(1 - error, comparisons));
  return Math.min(max, comparisons * 2 ** (1 - min));
}

/** What this many blocks can spend of an error, since exact levels are discrete; null if they are too few for it. */
export function discreteError(blocks: number, allowed: number, comparisons: number): number | null {
  const found = exactRank(signedRankDistribution(blocks), simultaneousLevel(1 - allowed, comparisons));
  return found && comparisons * (1 - found.level);
}
