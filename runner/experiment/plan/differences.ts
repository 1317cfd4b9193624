import { scriptsInWords, type Variant, type VariantScript } from '../../contract/experiment/variant.ts';
import type { Difference } from '../../contract/plan.ts';
import { textOf } from '../../postgres/parameters/judge.ts';
import { isSameValue } from '../../postgres/parameters/same-value.ts';

type Value = Difference['values'][number]['value'];

/**
 * The properties in which these variants differ, parameters of PostgreSQL by their bare names. Descriptions do not count,
 * nor does how a value is written: `1GB` is `1024MB`.
 */
export function differencesOf(variants: Readonly<Record<string, Partial<Variant>>>): Difference[] {
  const properties = Object.entries(variants).map(([name, { description: _, ...variant }]) => ({
    name,
    values: new Map(leavesOf(variant)),
  }));
  const all = new Set(properties.flatMap(({ values }) => [...values.keys()]));
  return [...all].flatMap((property) => {
    const values: Difference['values'] = [];
    for (const { name, values: own } of properties) {
      const value = own.get(property) ?? null;
      const same = values.find((one) => areSame(property, one.value, value));
      if (same) same.variants.push(name);
      else values.push({ value, variants: [name] });
    }
    return values.length > 1 ? [{ property, values }] : [];
  });
}

/** Whether two variants are the same but for their descriptions. */
export function areEqual(one: Partial<Variant>, other: Partial<Variant>): boolean {
  return differencesOf({ one, other }).length === 0;
}

function leavesOf(part: object, path: readonly string[] = []): [property: string, value: Value][] {
  return Object.entries(part).flatMap(([key, value]: [string, unknown]) => {
    const here = [...path, key];
    if (Array.isArray(value)) {
      return [[here.join('.'), key === 'scripts' ? scriptsInWords(value as VariantScript[]) : value.join('; ')]];
    }
    if (typeof value === 'object' && value !== null) return leavesOf(value, here);
    const property = here.join('.').replace(/^engine\.parameters\./, '');
    return value === undefined ? [] : [[property, value as Value] as [string, Value]];
  });
}

/** No other property has the name of a parameter: their values are the same only as texts. */
function areSame(property: string, one: Value, other: Value): boolean {
  return one === other || (one !== null && other !== null && isSameValue(property, textOf(one), textOf(other)));
}
