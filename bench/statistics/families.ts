import { simulateFamily } from './experiments.ts';
import { everything, type Noise, normalNoise, seededRandom } from './noise.ts';
import { type Count, countOutcomes, rate, type Table } from './table.ts';
import { decide } from './tool.ts';

export interface FamilyCase {
  noise: Noise;
  candidates: number;
  /** True relative change of every second candidate; the others do not differ. */
  effect: number;
}

const blocks = 10;
const noisy = normalNoise(0.05);

export const familyCases: FamilyCase[] = [
  ...[1, 2, 3, 4, 5, 6, 7].map((candidates) => ({ noise: noisy, candidates, effect: 0 })),
  ...[2, 4, 7].map((candidates) => ({ noise: everything, candidates, effect: 0 })),
  ...[2, 4, 7].map((candidates) => ({ noise: noisy, candidates, effect: 0.2 })),
];

export interface FamilyCounts {
  /** Any verdict of better or worse on a candidate that does not differ. */
  anyFalse: Count;
  /** Any interval of such a candidate excludes zero. */
  anyExcludes: Count;
  /** All intervals hold their true change at once. */
  allHold: Count;
}

/** Several candidates against one baseline, judged together. */
export function countFamily({ noise, candidates, effect }: FamilyCase, experiments: number): FamilyCounts {
  const random = seededRandom(candidates);
  const changes = Array.from({ length: candidates }, (_, index) => (index % 2 === 1 ? effect : 0));
  const count = countOutcomes(experiments, () => {
    const decided = decide(simulateFamily({ noise, blocks, effects: changes.map(Math.log1p), random }));
    const equal = decided.filter((_, index) => changes[index] === 0);
    return {
      anyFalse: equal.some(({ verdict }) => verdict === 'better' || verdict === 'worse'),
      anyExcludes: equal.some(({ interval }) => interval !== null && (interval.low > 0 || interval.high < 0)),
      allHold: decided.every(({ interval }, index) => {
        const change = changes[index] ?? 0;
        return interval !== null && interval.low <= change && change <= interval.high;
      }),
    };
  });
  return { anyFalse: count('anyFalse'), anyExcludes: count('anyExcludes'), allHold: count('allHold') };
}

export function familiesTable(experiments: number): Table {
  return {
    title: `**Several candidates, ${blocks} blocks: how often something is claimed about candidates that do not differ**`,
    head: [
      'noise',
      'candidates',
      'any verdict of better or worse',
      'any interval excludes zero',
      'all intervals hold at once',
    ],
    rows: familyCases.map((one) => {
      const { anyFalse, anyExcludes, allHold } = countFamily(one, experiments);
      const some = one.effect === 0 ? '' : `, ${Math.floor(one.candidates / 2)} of them +${one.effect * 100}%`;
      return [one.noise.name, `${one.candidates}${some}`, ...[anyFalse, anyExcludes, allHold].map(rate)];
    }),
  };
}
