import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Draws by chance; the same seed draws the same. */
export interface Random {
  /** A whole number from 0 up to and without `end`. */
  below(end: number): number;
  oneOf<Item>(items: readonly Item[]): Item;
}

export function randomOf(seed: number): Random {
  const generator = xoroshiro128plus(seed);
  const below = (end: number): number => uniformInt(generator, 0, Math.max(0, end - 1));
  return {
    below,
    oneOf: <Item>(items: readonly Item[]) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('There is nothing to draw from');
      return item;
    },
  };
}
