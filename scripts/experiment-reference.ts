import { format, resolveConfig } from 'prettier';
import { experimentFileJsonSchema } from '../runner/experiment/file/file-schema.ts';

/** docs/experiment-reference.md: every key of an experiment file, from the schema that pgduet checks files by. */

type Schema = ReturnType<typeof experimentFileJsonSchema>;

const introduction = `# Reference: every key of an experiment file

<!-- Made by npm run generate from the schema's own descriptions. Edit those. -->

This page lists every key, for looking up. [Your own experiment](your-own-experiment.md) explains them in context. A key
that an experiment does not need can be left out. "Default" is what pgduet then takes; a dash means that there is none.
Your editor shows the same texts as you type, from \`experiments/experiment.schema.json\`.`;

/** Shown in a section of their own, or described in words because they hold the keys of others again. */
const inWords: Record<string, string> = {
  common: 'The same keys as each of the `variants`. A variant overrides them.',
  matrix: 'For each axis, the names of its values, and what each changes in every variant.',
  profiles: 'For each name, any keys of this page. They override those of the file; `null` removes one.',
};

export async function experimentReference(): Promise<string> {
  const { properties = {}, required = [] } = experimentFileJsonSchema();
  const entries = Object.entries(properties);
  const isSection = ([key, schema]: [string, Schema]): boolean => !(key in inWords) && tablesOf(schema) !== null;
  const plain = entries
    .filter((entry) => !isSection(entry))
    .map(([key, schema]) => rowOf(key, schema, required.includes(key)));
  const sections = entries.filter(isSection).map(([key, schema]) => section(key, schema, required));
  const text = [introduction, '## The file itself', table(plain), ...sections].join('\n\n');
  return format(text, { ...(await resolveConfig('docs/results.md')), parser: 'markdown' });
}

function section(key: string, schema: Schema, required: readonly string[]): string {
  const { description } = schema;
  const facts = [
    typeof description === 'string' ? description : '',
    required.includes(key) ? 'Required.' : '',
    defaultSentence(schema),
  ];
  const tables = tablesOf(schema) ?? [];
  return [
    `## ${key}`,
    facts.filter((fact) => fact !== '').join(' '),
    ...tables.flatMap(({ title, text, rows }) => [title === '' ? '' : `### ${key}: ${title}`, text, table(rows)]),
  ].join('\n\n');
}

function defaultSentence({ default: value }: Schema): string {
  return value === undefined || JSON.stringify(value) === '{}' ? '' : `Default: ${shown(value)}.`;
}

interface KeyTable {
  title: string;
  text: string;
  rows: string[];
}

/** One table for each kind of value; null for a value without keys of its own. */
function tablesOf(schema: Schema): KeyTable[] | null {
  const choices = (schema.oneOf ?? schema.anyOf ?? []).filter(({ properties }) => properties);
  if (choices.length > 1) {
    return choices.map((choice) => ({ title: titleOf(choice), text: textOf(choice), rows: rowsOf(choice, '') }));
  }
  const named = schema.additionalProperties;
  if (typeof named === 'object' && named.properties) return [{ title: '', text: '', rows: rowsOf(named, 'NAME.') }];
  return schema.properties ? [{ title: '', text: '', rows: rowsOf(schema, '') }] : null;
}

function textOf({ description }: Schema): string {
  return typeof description === 'string' ? description : '';
}

/** A kind is named by its tag, such as `tool: pgbench`; otherwise by the keys that it needs. */
function titleOf(kind: Schema): string {
  const { properties = {}, required = [] } = kind;
  const tag = tagOf([kind]);
  const words = tag === undefined ? '' : wordsOf(properties[tag] ?? {}).join(', ');
  return `\`${tag === undefined ? required.join(', ') : `${tag}: ${words}`}\``;
}

/** The key whose words tell the kinds apart. */
function tagOf(kinds: readonly Schema[]): string | undefined {
  const [first, ...others] = kinds.map(({ properties = {} }) =>
    Object.keys(properties).filter((key) => ['tool', 'mode', 'kind', 'type'].includes(key)),
  );
  return first?.find((key) => others.every((keys) => keys.includes(key)));
}

function wordsOf({ const: only, enum: words = [] }: Schema): string[] {
  return only === undefined ? words.map(String) : [JSON.stringify(only).replaceAll('"', '')];
}

function rowsOf({ properties = {}, required = [] }: Schema, prefix: string, kind = ''): string[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const path = `${prefix}${key}`;
    return [rowOf(path, schema, required.includes(key), kind), ...rowsBelow(path, schema)];
  });
}

function rowsBelow(path: string, schema: Schema): string[] {
  const { items } = schema;
  if (items) return rowsBelow(`${path}[]`, items);
  const kinds = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].filter(({ properties }) => properties);
  if (kinds.length < 2) return [schema, ...kinds].flatMap((one) => rowsOf(one, `${path}.`));
  const tag = tagOf(kinds);
  if (tag === undefined) return [...new Set(kinds.flatMap((kind) => rowsOf(kind, `${path}.`)))];
  const tags = kinds.map(({ properties = {} }) => wordsOf(properties[tag] ?? {}));
  return [
    rowOf(`${path}.${tag}`, { enum: tags.flat() }, true),
    ...kinds.flatMap(({ properties = {}, required = [] }, index) => {
      const { [tag]: _, ...others } = properties;
      return rowsOf(
        { properties: others, required },
        `${path}.`,
        `With ${(tags[index] ?? []).map(shown).join(', ')}. `,
      );
    }),
  ];
}

function rowOf(path: string, schema: Schema, isRequired: boolean, kind = ''): string {
  const words = `${kind}${inWords[path] ?? textOf(schema)}`;
  const { default: value } = schema;
  const fallback = isRequired
    ? '**required**'
    : value === undefined || JSON.stringify(value) === '{}'
      ? '–'
      : shown(value);
  return `| \`${path}\` | ${valuesOf(schema)} | ${fallback} | ${words.replaceAll('|', '\\|').replaceAll('\n', ' ').trim()} |`;
}

function table(rows: readonly string[]): string {
  return ['| key | value | default | |', '| :-- | :-- | :-- | :-- |', ...rows].join('\n');
}

/** What may stand behind the key, in words. */
function valuesOf(schema: Schema): string {
  const choices = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  if (choices.length > 0) {
    const kinds = choices.map(valuesOf);
    return [...new Set(kinds)].join(' or ');
  }
  if (schema.enum) return schema.enum.map(shown).join(', ');
  if (schema.const !== undefined) return shown(schema.const);
  switch (schema.type) {
    case 'array':
      return schema.items ? `list of ${valuesOf(schema.items)}` : 'list';
    case 'object':
      return schema.properties ? 'keys' : 'names with their values';
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `whole number${rangeOf(schema)}`;
    case 'number':
      return `number${rangeOf(schema)}`;
    case 'string':
      return 'text';
    default:
      return Array.isArray(schema.type)
        ? schema.type.map((type) => (type === 'string' ? 'text' : type)).join(' or ')
        : '';
  }
}

function rangeOf({ minimum, maximum, exclusiveMinimum }: Schema): string {
  const low = typeof minimum === 'number' && minimum > -Number.MAX_SAFE_INTEGER ? `from ${minimum}` : '';
  const above = typeof exclusiveMinimum === 'number' ? `above ${exclusiveMinimum}` : '';
  const high = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER ? `up to ${maximum}` : '';
  const words = [low, above, high].filter((one) => one !== '').join(' ');
  return words === '' ? '' : `, ${words}`;
}

function shown(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
