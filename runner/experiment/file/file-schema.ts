import * as z from 'zod';
import { experimentSchema } from '../schema.ts';

interface JsonSchema {
  [key: string]: unknown;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  type?: string | string[];
  required?: string[];
}

/**
 * JSON Schema of an experiment FILE, for editors. A file may say less than an experiment: variants take what `common`
 * says, and a profile overrides any part, so nothing is required inside those.
 */
export function experimentFileJsonSchema(): JsonSchema {
  const experiment = z.toJSONSchema(experimentSchema, {
    io: 'input',
    target: 'draft-7',
    reused: 'inline',
  }) as JsonSchema;
  const variants = loosen(experiment.properties?.['variants'] ?? {});
  const common = {
    ...(variants.additionalProperties as JsonSchema),
    description: 'What every variant has, unless the variant overrides it.',
  };
  const matrix = {
    type: 'object',
    description:
      'Multiplies the variants. For each axis, it says what each value changes in every variant, such as class: { large: {...}, xlarge: {...} }. Variants are compared within their group: those with the same values.',
    additionalProperties: { type: 'object', additionalProperties: variants.additionalProperties as JsonSchema },
  };
  const properties = { ...experiment.properties, variants, common, matrix };
  const profile = removable(loosen({ type: 'object', properties, additionalProperties: false }));
  return {
    ...experiment,
    title: 'pgduet experiment',
    properties: {
      ...properties,
      profiles: {
        type: 'object',
        description:
          'Named sets of overrides, so that one experiment can run at several sizes. `full` is the file without overrides.',
        additionalProperties: profile,
      },
    },
  };
}

/**
 * The same schema with nothing required, at any depth. A choice between kinds stays a choice, but its tag may be left
 * out.
 */
function loosen(schema: JsonSchema): JsonSchema {
  const rest = { ...schema };
  delete rest.required;
  const each = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(each);
    return typeof value === 'object' && value !== null ? loosen(value as JsonSchema) : value;
  };
  const loosened = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, each(value)])) as JsonSchema;
  if (loosened.oneOf) {
    // Without its tag, a value may fit several kinds.
    const { oneOf, ...others } = loosened;
    return { ...others, anyOf: oneOf };
  }
  return loosened;
}

/** The same schema, but every key may be null, at any depth: null removes what the file says. */
function removable(schema: JsonSchema): JsonSchema {
  const orNull = (one: JsonSchema): JsonSchema => nullable(removable(one));
  const { properties, additionalProperties, anyOf } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, orNull(value)])),
    }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: orNull(additionalProperties) }),
    ...(anyOf && { anyOf: anyOf.map(removable) }),
  };
}

/** The same schema, but null is allowed as well. */
function nullable({ type, const: only, ...schema }: JsonSchema): JsonSchema {
  if (schema.anyOf) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] };
  // Without a type, everything fits already.
  if (typeof type !== 'string') return schema;
  const options = only === undefined ? schema.enum : [only];
  return { type: [type, 'null'], ...schema, ...(options && { enum: [...options, null] }) };
}

/**
 * Keys that the file may have at this place of the merged experiment, for every kind of thing that is allowed there.
 */
export function keysAt(path: readonly PropertyKey[]): string[] {
  return [...new Set(schemasAt(path).flatMap((schema) => Object.keys(schema.properties ?? {})))];
}

/**
 * Maps of the file that have a key, such as `protocol` or `common.engine`, without those that repeat them, such as
 * profiles. The file itself is the empty string.
 */
export function mapsWith(key: string): string[] {
  const within = (schema: JsonSchema, path: readonly string[]): string[] =>
    alternatives(schema).flatMap(({ properties = {} }) => [
      ...(Object.hasOwn(properties, key) ? [path.join('.')] : []),
      ...Object.entries(properties).flatMap(([name, inner]) =>
        path.length === 0 && repeating.includes(name) ? [] : within(inner, [...path, name]),
      ),
    ]);
  return [...new Set(within(knownSchema(), []))];
}

/** Keys whose maps have what is elsewhere in the file, too. */
const repeating: readonly string[] = ['matrix', 'profiles', 'variants'];

/**
 * Required keys of the one kind of thing, among those allowed at this place, that has all these keys. Empty if no kind
 * has them, or if several do.
 */
export function requiredBeside(path: readonly PropertyKey[], keys: readonly string[]): string[] {
  const kinds = schemasAt(path).filter(({ properties = {} }) => keys.every((key) => key in properties));
  return kinds.length === 1 ? (kinds[0]?.required ?? []) : [];
}

/** The words allowed at this place; empty if it is not a choice between words. */
export function optionsAt(path: readonly PropertyKey[]): string[] {
  return schemasAt(path).flatMap((schema) =>
    [...(schema.enum ?? []), ...('const' in schema ? [schema.const] : [])].filter((one) => one !== null).map(String),
  );
}

let made: JsonSchema | undefined;

/** Made once: a file with many mistakes asks it about each. */
function knownSchema(): JsonSchema {
  return (made ??= experimentFileJsonSchema());
}

function schemasAt(path: readonly PropertyKey[]): JsonSchema[] {
  let current = alternatives(knownSchema());
  for (const key of path) {
    current = current.flatMap((schema) => {
      const next =
        typeof key === 'number' ? schema.items : (schema.properties?.[String(key)] ?? schema.additionalProperties);
      return typeof next === 'object' ? alternatives(next) : [];
    });
  }
  return current;
}

function alternatives(schema: JsonSchema): JsonSchema[] {
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return choices.length > 0 ? choices.flatMap(alternatives) : [schema];
}
