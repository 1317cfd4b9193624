import fc from 'fast-check';
import { hostile } from '../sinks/hostile.ts';

/** Values that a file of ours never holds at most of its places. */
const strange = fc.oneof(
  fc.constantFrom(
    ...[null, '', hostile, '__proto__', 'constructor', 'toString', true, [], {}],
    ...[-1, 0, 0.5, 1e308, -1e308, 1e-300, 2 ** 53, 1e21],
    ...['2026-99-99', '0000-00-00T00:00:00Z', '\ud800', '\0', '../../owned', 'x'.repeat(100_000)],
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Which place of a value is replaced, and by what; or removed, where it is undefined. */
export const change = fc.record({ at: fc.nat(), to: fc.option(strange, { nil: undefined }) });

export type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

/** Replaces something at any depth. */
export function damaged(value: unknown, changes: readonly Change[]): unknown {
  const copy = structuredClone(value);
  for (const { at, to } of changes) {
    const places = placesIn(copy);
    const [holder, key] = places[at % Math.max(1, places.length)] ?? [];
    if (holder && key !== undefined) holder[key] = structuredClone(to);
  }
  return copy;
}

function placesIn(value: unknown): [Record<string, unknown>, string][] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [[holder, key] as [typeof holder, string], ...placesIn(holder[key])]);
}
