import type { RuleProblem } from '../contract/check.ts';
import type { Level } from '../contract/trial.ts';
import { nounFor } from '../contract/format.ts';

/** A workload in which every key that may hold a list holds a single value. */
export type Single<W, K extends keyof W> = Omit<W, K> & { [P in K]: Exclude<W[P], readonly unknown[]> };

/** Whatever values a key has: none, one, or those of a list. */
function valuesOf(value: unknown): (string | number)[] {
  return value === undefined ? [] : ([value].flat() as (string | number)[]);
}

/** The axes of an experiment: those of the keys that hold a list, with their values. */
export function axesOf(workload: object, keys: readonly string[]): Record<string, number[]> {
  return Object.fromEntries(
    Object.entries(workload).filter(([key, value]) => keys.includes(key) && Array.isArray(value)),
  );
}

/**
 * The workload with the value of this level for each key. A key that the level does not name has its first value, which
 * is enough to read whatever is the same at every level.
 */
export function single<W extends object, K extends keyof W & string>(
  workload: W,
  keys: readonly K[],
  level: Level = {},
): Single<W, K> {
  const chosen = keys.flatMap((key) => {
    const value = level[key] ?? valuesOf(workload[key])[0];
    return value === undefined ? [] : [[key, value]];
  });
  return { ...workload, ...(Object.fromEntries(chosen) as object) } as Single<W, K>;
}

/** A problem for each value that a list repeats. */
export function listedTwice(workload: object, keys: readonly string[]): RuleProblem[] {
  return Object.entries(workload).flatMap(([key, value]) => {
    const values = keys.includes(key) ? valuesOf(value) : [];
    return values.flatMap((value, index) =>
      values.indexOf(value) < index
        ? [{ rule: 'listed-twice', path: [key, index], message: `${value} is listed twice` }]
        : [],
    );
  });
}

/** Such as `1 client`, or `8, 16 and 32 clients`. */
export function listWords(values: number | readonly number[], noun: string): string {
  // `en-US` would put a comma before `and`.
  const list = new Intl.ListFormat('en-GB').format([values].flat().map((value) => value.toLocaleString('en-US')));
  return `${list} ${nounFor([values].flat().at(-1) ?? 0, noun)}`;
}
