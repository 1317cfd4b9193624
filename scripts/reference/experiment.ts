import { experimentFileJsonSchema } from '../../runner/experiment/file/file-schema.ts';
import { entry, paragraph, type ReferencePage } from './page.ts';

type Schema = ReturnType<typeof experimentFileJsonSchema>;

/** Shown in a section of their own, or described in words because they hold the keys of others again. */
const inWords: Record<string, string> = {
  common: 'The same keys as each of the `variants`. A variant overrides them.',
  matrix: 'For each axis, the names of its values, and what each changes in every variant.',
  'NAME.pooler.mode':
    'rds-proxy: RDS Proxy, deployed only. session, transaction: pool_mode of PgBouncer, on this machine.',
  profiles: 'For each name, any keys of this page. They override those of the file; `null` removes one.',
};

/** Every key of an experiment file, from the schema that pgduet checks files by. */
export function experimentPage(): ReferencePage {
  const { properties = {}, required = [] } = experimentFileJsonSchema();
  const entries = Object.entries(properties);
  const isSection = ([key, schema]: [string, Schema]): boolean => !(key in inWords) && listsOf(schema) !== null;
  const plain = entries
    .filter((one) => !isSection(one))
    .flatMap(([key, schema]) => [
      entryOf(key, schema, required.includes(key)),
      ...(key in inWords ? [] : entriesBelow(key, schema)),
    ]);
  const sections = entries.filter(isSection).map(([key, schema]) => section(key, schema, required));
  return {
    file: 'docs/reference/experiment.md',
    title: 'Reference: every key of an experiment file',
    source: 'the descriptions in the schema, runner/experiment/schema.ts',
    introduction:
      'Look up any key of an experiment file here. [Your own experiment](../your-own-experiment.md) explains them in context.\n' +
      'Omit any key that your experiment does not need. Your editor shows the same texts as you type, from\n' +
      '`experiments/experiment.schema.json`. Not [every file](../workloads.md#which-files-an-experiment-may-name) may be named.',
    body: ['## The file itself', plain.join('\n'), ...sections].join('\n\n'),
  };
}

function section(key: string, schema: Schema, required: readonly string[]): string {
  const { description } = schema;
  const facts = [
    typeof description === 'string' ? description : '',
    required.includes(key) ? 'Required.' : '',
    defaultSentence(schema),
  ];
  const lists = listsOf(schema) ?? [];
  return [
    `## ${key}`,
    paragraph(facts.filter((fact) => fact !== '').join(' ')),
    ...lists.flatMap(({ title, text, entries }) => [
      title === '' ? '' : `### ${key}: ${title}`,
      paragraph(text),
      entries.join('\n'),
    ]),
  ].join('\n\n');
}

function defaultSentence({ default: value }: Schema): string {
  return value === undefined || JSON.stringify(value) === '{}' ? '' : `Default: ${shown(value)}.`;
}

interface KeyList {
  title: string;
  text: string;
  entries: string[];
}

/** One list for each kind of value; null for a value without keys of its own. */
function listsOf(schema: Schema): KeyList[] | null {
  const choices = (schema.oneOf ?? schema.anyOf ?? []).filter(({ properties }) => properties);
  if (choices.length > 1) {
    return choices.map((choice) => ({ title: titleOf(choice), text: textOf(choice), entries: entriesOf(choice, '') }));
  }
  const named = schema.additionalProperties;
  if (typeof named === 'object' && named.properties)
    return [{ title: '', text: '', entries: entriesOf(named, 'NAME.') }];
  return schema.properties ? [{ title: '', text: '', entries: entriesOf(schema, '') }] : null;
}

function textOf({ description }: Schema): string {
  return typeof description === 'string' ? description : '';
}

/** A kind is named by its tag, such as `tool: pgbench`; otherwise by the keys that it needs. */
function titleOf(kind: Schema): string {
  const { properties = {}, required = [] } = kind;
  const tag = tagOf([kind]);
  const words = tag === undefined ? '' : allowedWords(properties[tag] ?? {}).join(', ');
  return `\`${tag === undefined ? required.join(', ') : `${tag}: ${words}`}\``;
}

/** The key whose words tell the kinds apart. */
function tagOf(kinds: readonly Schema[]): string | undefined {
  const [first, ...others] = kinds.map(({ properties = {} }) =>
    Object.keys(properties).filter((key) => ['tool', 'mode', 'kind', 'type'].includes(key)),
  );
  return first?.find((key) => others.every((keys) => keys.includes(key)));
}

function allowedWords({ const: only, enum: words = [] }: Schema): string[] {
  return only === undefined ? words.map(String) : [JSON.stringify(only).replaceAll('"', '')];
}

function entriesOf({ properties = {}, required = [] }: Schema, prefix: string, kind = ''): string[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const path = `${prefix}${key}`;
    return [entryOf(path, schema, required.includes(key), kind), ...entriesBelow(path, schema)];
  });
}

function entriesBelow(path: string, schema: Schema): string[] {
  const { items } = schema;
  if (items) return entriesBelow(`${path}[]`, items);
  const kinds = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].filter(({ properties }) => properties);
  if (kinds.length < 2) return [schema, ...kinds].flatMap((one) => entriesOf(one, `${path}.`));
  const tag = tagOf(kinds);
  if (tag === undefined) return [...new Set(kinds.flatMap((kind) => entriesOf(kind, `${path}.`)))];
  const tags = kinds.map(({ properties = {} }) => allowedWords(properties[tag] ?? {}));
  return [
    entryOf(`${path}.${tag}`, { ...kinds[0]?.properties?.[tag], enum: tags.flat() }, true),
    ...kinds.flatMap(({ properties = {}, required = [] }, index) => {
      const { [tag]: _, ...others } = properties;
      return entriesOf(
        { properties: others, required },
        `${path}.`,
        `With ${(tags[index] ?? []).map(shown).join(', ')}. `,
      );
    }),
  ];
}

function entryOf(path: string, schema: Schema, isRequired: boolean, kind = ''): string {
  const { default: value } = schema;
  const isAll = schema.items?.enum !== undefined && JSON.stringify(value) === JSON.stringify(schema.items.enum);
  const isNothing = value === undefined || JSON.stringify(value) === '{}';
  const fallback = isNothing ? '' : isAll ? 'default: all of them' : `default ${shown(value)}`;
  return entry(
    path,
    [valuesOf(schema), isRequired ? '**required**' : fallback],
    [kind.trim(), (inWords[path] ?? textOf(schema)).replaceAll('\n', ' ').trim()],
  );
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
