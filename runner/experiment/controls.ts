import { isDeepStrictEqual } from 'node:util';
import type { Experiment } from '../contract/experiment/schema.ts';

/** A/A controls: the variants that are the baseline once more, under another name. */
export function controlsOf({ variants, baseline }: Pick<Experiment, 'variants' | 'baseline'>): string[] {
  const nameless = (name: string): unknown => ({ ...variants[name], description: undefined });
  return Object.keys(variants).filter(
    (name) => name !== baseline && isDeepStrictEqual(nameless(name), nameless(baseline)),
  );
}
