import { normalVariate } from '../../runner/statistics/distributions.ts';
import type { Random } from './noise.ts';

/** Shares that other programs take of the trials of one experiment, two for each block. */
export interface Disturbance {
  name: string;
  draw: (share: number, blocks: number, random: Random) => Record<'baseline' | 'candidate', number>[];
}

/** What of its throughput a trial of each side loses beside others that take a share. */
export interface Law {
  name: string;
  /** Whether it is the same for both sides. If not, a verdict that holds beside other programs may truly differ. */
  isCommon: boolean;
  lost: (share: number, side: 'baseline' | 'candidate') => number;
}

const largestShare = 0.95;

/** Each block draws its order, so which trial of a row is whose is chance. */
function inRandomOrder(shares: readonly number[], random: Random): Record<'baseline' | 'candidate', number>[] {
  return Array.from({ length: shares.length / 2 }, (_, index) => {
    const [first = 0, second = 0] = shares.slice(2 * index);
    return random() < 0.5 ? { baseline: first, candidate: second } : { baseline: second, candidate: first };
  });
}

export const disturbances: readonly Disturbance[] = [
  {
    name: 'even',
    draw: (share, blocks) => Array.from({ length: blocks }, () => ({ baseline: share, candidate: share })),
  },
  {
    name: 'scattered by 20%',
    draw: (share, blocks, random) =>
      inRandomOrder(
        Array.from({ length: 2 * blocks }, () => Math.min(largestShare, share * Math.exp(0.2 * normalVariate(random)))),
        random,
      ),
  },
  {
    name: 'bursts of a trial',
    draw(share, blocks, random) {
      const top = Math.min(largestShare, 2 * share);
      return inRandomOrder(
        Array.from({ length: 2 * blocks }, () => (random() < share / top ? top : 0)),
        random,
      );
    },
  },
  {
    name: 'bursts of about four trials',
    draw(share, blocks, random) {
      const top = Math.min(largestShare, 2 * share);
      let isOn = random() < share / top;
      const shares = Array.from({ length: 2 * blocks }, () => {
        if (random() < 0.25) isOn = random() < share / top;
        return isOn ? top : 0;
      });
      return inRandomOrder(shares, random);
    },
  },
  {
    name: 'beside the baseline alone',
    draw: (share, blocks) => Array.from({ length: blocks }, () => ({ baseline: share, candidate: 0 })),
  },
  {
    name: 'beside a third of the baseline’s trials',
    draw: (share, blocks, random) =>
      Array.from({ length: blocks }, () => ({ baseline: random() < 1 / 3 ? share : 0, candidate: 0 })),
  },
  {
    name: 'bursts beside the baseline, as much evenly beside the candidate',
    draw(share, blocks, random) {
      const top = Math.min(largestShare, 2 * share);
      return Array.from({ length: blocks }, () => ({
        baseline: random() < share / top ? top : 0,
        candidate: share,
      }));
    },
  },
  {
    name: 'a tenth more beside the baseline',
    draw: (share, blocks) => Array.from({ length: blocks }, () => ({ baseline: share, candidate: share / 1.1 })),
  },
  {
    name: 'beside the candidate alone',
    draw: (share, blocks) => Array.from({ length: blocks }, () => ({ baseline: 0, candidate: share })),
  },
];

const times =
  (factor: number) =>
  (share: number): number =>
    Math.min(0.97, factor * share);

export const laws: readonly Law[] = [
  { name: 'loses its share', isCommon: true, lost: times(1) },
  { name: 'loses 1.6 times its share', isCommon: true, lost: times(1.6) },
  { name: 'loses twice its share', isCommon: true, lost: times(2) },
  { name: 'loses twice its share beyond 25%', isCommon: true, lost: (share) => (share > 0.25 ? times(2)(share) : 0) },
  { name: 'loses nothing', isCommon: true, lost: () => 0 },
  { name: 'only the baseline loses', isCommon: false, lost: (share, side) => (side === 'baseline' ? share : 0) },
  { name: 'only the candidate loses', isCommon: false, lost: (share, side) => (side === 'candidate' ? share : 0) },
];

/** Which share of the processors a load has that needs all of them, of which `free` are left, and that does the part `done`. */
export interface Work {
  name: string;
  own: (done: number, free: number) => number;
  /**
   * What a thread of another program takes that could run throughout all trials, if nothing else does. Other programs
   * then take their share of what it leaves.
   */
  always?: Record<'baseline' | 'candidate', number>;
}

export const waits: Work = { name: 'waits', own: (done, free) => Math.max(0.001, Math.min(done, free)) };
/** A transaction takes at most 2.5 times the time of the processors. */
const worksLonger: Work = { name: 'works longer', own: (done, free) => Math.max(0.001, Math.min(2.5 * done, free)) };
/** One of two processors is taken; the candidate works in three processes, the baseline in one. */
export const moreProcesses: Work = {
  name: 'works in three times as many processes',
  own: worksLonger.own,
  always: { baseline: 1 / 2, candidate: 1 / 4 },
};
export const works: readonly Work[] = [waits, worksLonger, moreProcesses];
