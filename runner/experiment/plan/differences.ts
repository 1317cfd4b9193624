import type { ParameterValue, Variant } from '../../contract/experiment/variant.ts';
import type { Difference } from '../../contract/plan.ts';
import { textOf } from '../../postgres/parameters/judge.ts';
import { isSameValue } from '../../postgres/parameters/same-value.ts';

type Value = Difference['values'][number]['value'];
/** `parameter` says that it is one of PostgreSQL, named without what stands before it in the file. */
interface Property {
  name: string;
  parameter: boolean;
  value: Value;
}

/**
 * The properties in which these variants differ, parameters of PostgreSQL by their bare names. Descriptions do not count,
 * nor does how a value is written: `1GB` is `1024MB`.
 */
export function differencesOf(variants: Readonly<Record<string, Partial<Variant>>>): Difference[] {
  const properties = Object.entries(variants).map(([name, variant]) => ({ name, own: propertiesOf(variant) }));
  const all = new Map(properties.flatMap(({ own }) => own.map((property) => [property.name, property])));
  return [...all.values()].flatMap(({ name: property, parameter }) => {
    const values: Difference['values'] = [];
    for (const { name, own } of properties) {
      const value = own.find((one) => one.name === property)?.value ?? null;
      const same = values.find((one) => (parameter ? areSame(property, one.value, value) : one.value === value));
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

function propertiesOf({ description: _, engine, ...variant }: Partial<Variant>): Property[] {
  const { parameters = {}, ...server } = engine ?? {};
  return [
    ...leavesOf({ ...variant, engine: server }).map(([name, value]) => ({ name, parameter: false, value })),
    ...Object.entries(parameters).map(([name, value]) => ({ name, parameter: true, value })),
  ];
}

function leavesOf(part: object, path: readonly string[] = []): [name: string, value: Value][] {
  return Object.entries(part).flatMap(([key, value]: [string, unknown]): [name: string, value: Value][] => {
    const here = [...path, key];
    if (typeof value === 'object' && value !== null) return leavesOf(value, here);
    return value === undefined ? [] : [[here.join('.'), value as ParameterValue]];
  });
}

function areSame(parameter: string, one: Value, other: Value): boolean {
  return one === other || (one !== null && other !== null && isSameValue(parameter, textOf(one), textOf(other)));
}
