import * as z from 'zod';

// What files of earlier versions say in words, or call by another id. Only the schemas of such files use this.

/** One of these ids. An earlier file may have it in words, such as `not assessed` for `not-assessed`. */
export function idAmong<const Id extends string>(ids: readonly Id[]) {
  return z.preprocess((value) => (typeof value === 'string' ? value.replaceAll(' ', '-') : value), z.enum(ids));
}

/** Checks that another one has replaced. */
const replacedChecks: Readonly<Record<string, string>> = { asymmetry: 'totals' };

/** The id of a check of which an earlier file has only the name. Each id was made of the name of then. */
export function checkIdOf(name: string): string {
  const id = name.replaceAll('’', '').replaceAll(/[^a-z]+/g, '-');
  return replacedChecks[id] ?? id;
}

/** How an earlier file says how the load generator worked, with the id of now. */
const loadIds: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  begins: { 'as soon as a client is free': 'closed-loop', 'at a given rate': 'rate' },
  connects: { 'for each transaction': 'each' },
  limit: { 'a number of transactions': 'transactions', 'a time': 'time' },
};

/** A value of `facts.identity` as it is written now. Earlier files also say `builtin: select only` for `select only`. */
export function identityValue<Value extends string | number | null>(name: string, value: Value): Value | string {
  if (typeof value !== 'string') return value;
  if (name === 'scripts') return value.replaceAll(/(?<=^| \+ )builtin: /g, '');
  return loadIds[name]?.[value] ?? value;
}
