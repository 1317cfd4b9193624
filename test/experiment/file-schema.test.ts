import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { experimentFileJsonSchema, keysAt, optionsAt } from '../../runner/experiment/file/file-schema.ts';

const file = new URL('../../experiments/experiment.schema.json', import.meta.url);
const kept = JSON.parse(readFileSync(file, 'utf8')) as { definitions: Record<string, unknown> };

/** The kept schema with each definition at the places that refer to it. */
function expanded(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) return expanded(kept.definitions[String(value.$ref).replace('#/definitions/', '')]);
  if (Array.isArray(value)) return value.map(expanded);
  return Object.fromEntries(Object.entries(value).map(([key, below]) => [key, expanded(below)]));
}

interface Described {
  [key: string]: unknown;
  description?: string;
  properties?: Record<string, Described>;
}

test('the schema beside the experiments is the one that the code checks by (npm run generate)', () => {
  const { definitions: _, ...schema } = kept;
  expect(expanded(schema)).toEqual(JSON.parse(JSON.stringify(experimentFileJsonSchema())));
});

test('in the schema beside the experiments, no large part stands twice', () => {
  const times = new Map<string, number>();
  const see = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const text = JSON.stringify(value);
    // What `properties` holds is no schema itself.
    if (('type' in value || 'anyOf' in value) && text.length >= 300) times.set(text, (times.get(text) ?? 0) + 1);
    Object.values(value).forEach(see);
  };
  see(kept);
  expect([...times].filter(([, count]) => count > 1)).toEqual([]);
});

test('what a profile may change, it may also remove', () => {
  expect(optionsAt(['profiles', 'any', 'variants', 'any', 'storage', 'type'])).toContain('gp3');
  expect(optionsAt(['profiles', 'any', 'variants', 'any', 'storage', 'type'])).not.toContain('null');
  const { profiles } = experimentFileJsonSchema().properties ?? {};
  const { properties = {} } = profiles?.additionalProperties as { properties?: Record<string, { type?: unknown }> };
  expect(properties['question']?.type).toEqual(['string', 'null']);
});

test('every key of an experiment file has a description, which editors and the reference show', () => {
  const bare: string[] = [];
  const see = (schema: Described, place: string): void => {
    for (const [key, below] of Object.entries(schema.properties ?? {})) {
      if (below.description === undefined) bare.push(`${place}${key}`);
    }
    for (const [key, below] of Object.entries(schema)) {
      if (typeof below === 'object' && below !== null)
        see(below as Described, /^(properties|items|\w+Of)$/.test(key) ? place : `${place}${key}.`);
    }
  };
  see(experimentFileJsonSchema(), '');
  expect(bare).toEqual([]);
});

test('knows the keys and the choices at a place', () => {
  expect(keysAt(['variants', 'any', 'storage'])).toContain('logVolumeIops');
  expect(keysAt(['protocol'])).toContain('warmUpSeconds');
  expect(optionsAt(['variants', 'any', 'storage', 'type'])).toEqual(['io1', 'io2', 'gp3', 'local', 'existing']);
});
