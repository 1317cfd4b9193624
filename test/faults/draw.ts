import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Random choices that are the same for the same seed and number. */
export interface Draw {
  /** From 0 to below 1. */
  share(): number;
  /** @throws if there is nothing to choose from */
  pick<T>(from: readonly T[]): T;
  shuffled<T>(list: readonly T[]): T[];
}

export function newDraw(seed: number, number: number): Draw {
  const random = xoroshiro128plus((seed + Math.imul(number, 0x9e3779b9)) | 0);
  const share = (): number => uniformFloat64(random);
  const below = (end: number): number => Math.floor(share() * end);
  return {
    share,
    pick<T>(from: readonly T[]): T {
      if (from.length === 0) throw new Error('nothing to choose from');
      return from[below(from.length)] as T;
    },
    shuffled<T>(list: readonly T[]): T[] {
      const left = [...list];
      return list.map(() => left.splice(below(left.length), 1)[0] as T);
    },
  };
}
