import { type Preparation, type TryOptions, writtenValue } from '../try-options.ts';

/** Something that a try varies. */
interface Axis {
  name: string;
  /** As part of the question. */
  words: string;
  /** The present one first. */
  values: readonly AxisValue[];
}

interface AxisValue {
  /** Parts of the name of a variant, and the same in fewer letters. */
  name: readonly string[];
  shortName: readonly string[];
  description: string;
  /** What it sets for a variant. */
  parameters?: Readonly<Record<string, string>>;
  version?: string;
  prepare?: readonly string[];
}

/** A value of each axis. */
export type Combination = readonly AxisValue[];

/** The name of the data without any preparation. */
export const asLoaded = 'as-loaded';

/** What these options vary: settings, the version, and what is run after loading. */
export function axesOf({
  set,
  version = [],
  ...options
}: Pick<TryOptions, 'set' | 'version' | 'prepare' | 'baseline'>): Axis[] {
  const prepared = preparedValues(options);
  return [
    ...set
      .filter(({ values }) => values.length > 1)
      .map(({ name, values }) => ({
        name,
        words: `${name} (${values.map(writtenValue).join(' or ')})`,
        values: values.map((value) => ({
          name: [name, value],
          shortName: [initialsOf(name), value],
          description: `${name} ${writtenValue(value)}`,
          parameters: { [name]: value },
        })),
      })),
    ...(version.length > 1
      ? [
          {
            name: 'version',
            words: `the version of PostgreSQL (${version.join(' or ')})`,
            values: version.map((one) => ({
              name: ['version', one],
              shortName: ['v', one],
              description: `PostgreSQL ${one}`,
              version: one,
            })),
          },
        ]
      : []),
    ...(prepared.length > 1
      ? [
          {
            name: options.prepare.map(({ name }) => name).join('-'),
            words: `the preparation of the data (${prepared.map(({ name }) => name.join('')).join(' or ')})`,
            values: prepared,
          },
        ]
      : []),
  ];
}

/** Ways to prepare the data. The first one is nothing, unless one of them is the baseline. */
function preparedValues({ prepare, baseline }: Pick<TryOptions, 'prepare' | 'baseline'>): AxisValue[] {
  const value = ({ name, sql }: Preparation): AxisValue => ({
    name: [name],
    shortName: [name],
    description: sql,
    prepare: [sql],
  });
  const unprepared = { name: [asLoaded], shortName: [asLoaded], description: 'as loaded' };
  const [first, others] = [true, false].map((is) =>
    prepare.filter(({ name }) => (name === baseline) === is).map(value),
  );
  return [...(baseline === undefined ? [unprepared] : (first ?? [])), ...(others ?? [])];
}

function initialsOf(name: string): string {
  return name
    .split('_')
    .map((word) => word.charAt(0))
    .join('');
}

/**
 * Every combination of the values, of which there may be far too many to hold: their number, and the first ones. The
 * very first has the first value of each, and the last axis changes fastest.
 */
export function combinationsOf(axes: readonly Axis[]): { count: number; first: (count: number) => Combination[] } {
  const at = (index: number): Combination => {
    let rest = index;
    const chosen = axes.toReversed().flatMap(({ values }) => {
      const value = values[rest % values.length];
      rest = Math.floor(rest / values.length);
      return value ?? [];
    });
    return chosen.reverse();
  };
  return {
    count: axes.reduce((count, { values }) => count * values.length, 1),
    first: (count) => Array.from({ length: count }, (_, index) => at(index)),
  };
}

/** A variant for each of the combinations. */
export function variantsOf(combinations: readonly Combination[]): Record<string, object> {
  const names = namesOf(combinations);
  return Object.fromEntries(combinations.map((values, index) => [names[index] ?? '', variantOf(values)]));
}

function variantOf(values: Combination): object {
  const parameters = Object.assign({}, ...values.map((value) => value.parameters)) as Record<string, string>;
  const engine = {
    ...Object.fromEntries(values.flatMap(({ version }) => (version === undefined ? [] : [['version', version]]))),
    ...(Object.keys(parameters).length > 0 && { parameters }),
  };
  const prepare = values.flatMap((value) => value.prepare ?? []);
  return {
    description: values.map(({ description }) => description).join(', '),
    ...(Object.keys(engine).length > 0 && { engine }),
    ...(prepare.length > 0 && { prepare }),
  };
}

const longestName = 40;

/** Names for the variants, as telling as is possible within the length that names may have. */
function namesOf(combinations: readonly Combination[]): string[] {
  const isUsable = (names: readonly string[]): boolean =>
    new Set(names).size === names.length && names.every((name) => name.length <= longestName);
  const made = (['name', 'shortName'] as const).map((scheme) =>
    combinations.map((values) => nameFrom(values.flatMap((value) => value[scheme]))),
  );
  return made.find(isUsable) ?? combinations.map((_, index) => `settings-${index + 1}`);
}

/** The name of the experiment, and so of the folder of its results. */
export function experimentName(axes: readonly Axis[]): string {
  const name = nameFrom(['try', ...axes.map((one) => one.name)]);
  return name.slice(0, longestName).replace(/-+$/, '');
}

function nameFrom(parts: readonly string[]): string {
  return parts
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
