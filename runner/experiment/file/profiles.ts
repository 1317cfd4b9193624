import { tools } from '../../workloads/registry.ts';
import type { Alternatives } from '../../workloads/extras.ts';
import type { Group } from '../../contract/experiment/schema.ts';
import { type RuleProblem, problemUnless } from '../../contract/check.ts';

/** Plain data, as parsed from a YAML file. */
export type Plain = null | boolean | number | string | Plain[] | { [key: string]: Plain };
type PlainMap = Record<string, Plain>;

export function isMap(value: Plain | undefined): value is PlainMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function profileNames(file: Plain): string[] {
  const profiles = isMap(file) ? file['profiles'] : undefined;
  return isMap(profiles) ? Object.keys(profiles) : [];
}

/** The profiles that `control,smoke` means, in the order in which they are applied. */
export function combinedProfiles(profile: string): string[] {
  return profile.split(',');
}

/**
 * The file with the overrides of a profile applied, and `profiles` removed. Of several profiles, later ones override
 * earlier ones. A profile that does not exist overrides nothing.
 */
export function applyProfile(file: Plain, profile: string): Plain {
  if (!isMap(file)) return file;
  const { profiles, ...base } = file;
  const overrides = combinedProfiles(profile).map((name) => (isMap(profiles) ? (profiles[name] ?? {}) : {}));
  const own = toolIn(base);
  return overrides.reduce<Plain>((below, above) => merge(below, limitedToTool(below, above, own)), base);
}

/**
 * A profile whose workload names no tool was written for the file's own. Where an earlier profile takes another tool, it
 * says only what that tool has, too: the sizes of a smoke test, but not its number of virtual users.
 */
function limitedToTool(below: Plain, above: Plain, own: Plain | undefined): Plain {
  const tool = toolIn(below);
  if (tool === own || toolIn(above) !== undefined || !isMap(above) || !isMap(above['workload'])) return above;
  const [ownKeys, otherKeys] = [keysOf(own), keysOf(tool)];
  const workload = Object.entries(above['workload']).filter(([key]) => !ownKeys.has(key) || otherKeys.has(key));
  return { ...above, workload: Object.fromEntries(workload) };
}

function toolIn(file: Plain): Plain | undefined {
  return isMap(file) && isMap(file['workload']) ? file['workload']['tool'] : undefined;
}

function keysOf(tool: Plain | undefined): ReadonlySet<string> {
  return new Set(Object.keys(tools.find(({ name }) => name === tool)?.schema.shape ?? {}));
}

/** Applies `common` to every variant, unless the variant says otherwise, and removes `common`. */
export function foldCommon(experiment: Plain): Plain {
  if (!isMap(experiment) || !isMap(experiment['common']) || !isMap(experiment['variants'])) return experiment;
  const { common, variants, ...rest } = experiment;
  const folded = Object.entries(variants).map(([name, variant]) => [
    name,
    variant === null ? (common as Plain) : merge(common as Plain, variant),
  ]);
  return { ...rest, variants: Object.fromEntries(folded) as Plain };
}

/**
 * Merges maps key by key, and replaces anything else. It also replaces a map by one of another kind (`type`, `mode`,
 * `kind` or `tool`): the keys of one kind mean nothing to another. A workload's tool says which other keys exclude each
 * other. `null` removes the value below it.
 */
export function merge(below: Plain, above: Plain): Plain {
  return mergeWithin([], below, above);
}

/** @param around alternatives of the workload that holds the maps; none outside a workload */
function mergeWithin(around: readonly Alternatives[], below: Plain, above: Plain): Plain {
  if (!isMap(below) || !isMap(above)) return above;
  const otherKind = ['type', 'mode', 'kind', 'tool'].some(
    (key) => key in above && key in below && above[key] !== below[key],
  );
  const tool = above['tool'] ?? below['tool'];
  const alternatives = tool === undefined ? around : (tools.find(({ name }) => name === tool)?.alternatives ?? []);
  const takenBack = alternatives
    .filter(({ keys }) => keys.some((key) => key in above))
    .map(({ keys, takeBack }) => ({ takeBack, keys: keys.filter((key) => key in below && !(key in above)) }))
    .filter(({ keys }) => keys.length > 0);
  if (otherKind || takenBack.some(({ takeBack }) => takeBack === 'all')) return above;
  const removed = takenBack.flatMap(({ keys }) => keys);
  const kept = Object.entries(below).filter(([key]) => above[key] !== null && !removed.includes(key));
  const merged: PlainMap = Object.fromEntries(kept);
  for (const [key, value] of Object.entries(above)) {
    const old = below[key];
    if (old === undefined || value !== null) {
      merged[key] = old === undefined ? value : mergeWithin(alternatives, old, value);
    }
  }
  return merged;
}

/** Where a variant made by a matrix comes from. */
export interface Origin {
  /** The variant of the file. */
  variant: string;
  /** Name of the value, by axis. */
  values: Record<string, string>;
}

export interface Expanded {
  /** The experiment with a variant for each combination, and without `matrix`. */
  experiment: Plain;
  /** Absent without a matrix. */
  groups?: Group[];
  /** By name of the variants that were made. */
  origins: ReadonlyMap<string, Origin>;
  problems: RuleProblem[];
}

/** Far more than anyone measures: each is a server of its own. */
const maxVariants = 500;
/** Names that the conditions of trials already use. */
const takenAxes = ['variant', 'replica', 'group'];
const axisName = /^[a-z][a-zA-Z0-9]*$/;
const valueName = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * Multiplies the variants by the values of `matrix`, such as two variants by two instance classes. The name of the
 * result is that of the variant followed by those of the values, such as `with-dlv-xlarge`. A value overrides what the
 * variant says. Variants are compared with the baseline of their own group: those with the same values.
 *
 * @param folded an experiment with its profile applied, and `common` folded into its variants
 */
export function expandMatrix(folded: Plain): Expanded {
  if (!isMap(folded) || !('matrix' in folded)) return { experiment: folded, origins: new Map(), problems: [] };
  const { matrix, ...rest } = folded;
  const written = isMap(rest['variants']) ? rest['variants'] : {};
  const { problems, tooMany } = matrixProblems(matrix, Object.keys(written), rest);
  if (tooMany || !isMap(matrix) || Object.keys(matrix).length === 0) {
    return { experiment: rest, origins: new Map(), problems };
  }

  const origins = new Map<string, Origin>();
  const variants: Record<string, Plain> = {};
  // The matrix reports names that are unknown to it.
  const isKnown = (name: Plain | undefined): boolean => textOf(name) in written;
  const baseline = isKnown(rest['baseline']) ? textOf(rest['baseline']) : (Object.keys(written)[0] ?? '');
  const groups = combinations(matrix).map(({ values, declared }): Group => {
    const name = Object.values(values).map(nameInVariant).join('-');
    const nameOf = (variant: string): string => `${variant}-${name}`;
    for (const [variant, definition] of Object.entries(written)) {
      // The schema refuses a variant that is not a map.
      variants[nameOf(variant)] =
        isMap(definition) || definition === null ? declared.reduce(merge, definition) : definition;
      origins.set(nameOf(variant), { variant, values });
    }
    return { name, values, baseline: nameOf(baseline), variants: Object.keys(written).map(nameOf) };
  });
  const contrasts = (Array.isArray(rest['contrasts']) ? rest['contrasts'] : []).filter(
    (one) => !isMap(one) || ['candidate', 'baseline'].every((side) => !(side in one) || isKnown(one[side])),
  );
  return {
    experiment: {
      ...rest,
      variants,
      baseline: groups[0]?.baseline ?? '',
      ...(contrasts.length > 0 && {
        contrasts: groups.flatMap(({ name }) => contrasts.map((one) => within(one, name))),
      }),
    },
    groups,
    origins,
    problems,
  };
}

/** A wrong name of a value would make every name of a variant wrong. */
function nameInVariant(value: string): string {
  return valueName.test(value) ? value : 'x';
}

/** A contrast of two variants, in a group. */
function within(contrast: Plain, group: string): Plain {
  if (!isMap(contrast)) return contrast;
  return Object.fromEntries(Object.entries(contrast).map(([side, name]) => [side, `${textOf(name)}-${group}`]));
}

/** A name of a variant; the schema reports anything that is not one. */
function textOf(name: Plain | undefined): string {
  return typeof name === 'string' ? name : '';
}

/** Each combination of the values of the axes; the first axis changes slowest. */
function combinations(matrix: Record<string, Plain>): { values: Record<string, string>; declared: Plain[] }[] {
  return Object.entries(matrix).reduce<{ values: Record<string, string>; declared: Plain[] }[]>(
    (found, [axis, of]) =>
      found.flatMap(({ values, declared }) =>
        Object.entries(isMap(of) ? of : {}).map(([value, more]) => ({
          values: { ...values, [axis]: value },
          declared: isMap(more) ? [...declared, more] : declared,
        })),
      ),
    [{ values: {}, declared: [] }],
  );
}

function matrixProblems(matrix: Plain | undefined, variants: readonly string[], { baseline, contrasts }: Named) {
  if (!isMap(matrix) || Object.keys(matrix).length === 0) {
    const words = 'expected axes with their values, such as class: { large: {...}, xlarge: {...} }';
    return { problems: problemUnless(false, ['matrix'], words), tooMany: false };
  }
  const axes = Object.entries(matrix).flatMap(([axis, values]): RuleProblem[] => [
    ...unlessNamed(
      axisName.test(axis) && !takenAxes.includes(axis),
      ['matrix', axis],
      `the name of an axis must be letters and digits, and must not be one of ${takenAxes.join(', ')}`,
    ),
    ...(isMap(values) && Object.keys(values).length > 0
      ? Object.entries(values).flatMap(([value, declared]) => [
          ...unlessNamed(
            valueName.test(value),
            ['matrix', axis, value],
            'the name must be lower-case letters, digits and single hyphens, because names of variants end with it',
          ),
          ...problemUnless(
            declared === null || isMap(declared),
            ['matrix', axis, value],
            'expected a map of what it changes in every variant',
          ),
        ])
      : problemUnless(false, ['matrix', axis], 'expected values by name, such as large: { class: db.m7g.large }')),
  ]);
  const names = [
    { path: ['baseline'], name: baseline },
    ...(Array.isArray(contrasts) ? contrasts : []).flatMap((contrast, index) =>
      isMap(contrast)
        ? ['candidate', 'baseline'].map((side) => ({ path: ['contrasts', String(index), side], name: contrast[side] }))
        : [],
    ),
  ];
  const counts = Object.values(matrix).map((values) => (isMap(values) ? Object.keys(values).length : 1));
  const made = counts.reduce((product, count) => product * count, variants.length);
  const tooMany = problemUnless(
    made <= maxVariants,
    ['matrix'],
    `${variants.length} variants × ${counts.join(' × ')} values make ${made.toLocaleString('en')} variants, which is more than ${maxVariants}; leave out axes or values`,
  ).map((problem) => ({ ...problem, showValue: false }));
  const known = names.flatMap(({ path, name }) =>
    problemUnless(
      typeof name !== 'string' || variants.length === 0 || variants.includes(name),
      path,
      `no such variant; expected one of ${variants.join(', ')} (the matrix adds the names of its values to these)`,
      { code: 'no-such-variant' },
    ),
  );
  return { problems: [...axes, ...tooMany, ...known], tooMany: tooMany.length > 0 };
}

/** A problem of a name, which its value does not explain. */
function unlessNamed(holds: boolean, at: string[], message: string): RuleProblem[] {
  return problemUnless(holds, at, message).map((problem) => ({ ...problem, showValue: false }));
}

interface Named {
  baseline?: Plain;
  contrasts?: Plain;
}
