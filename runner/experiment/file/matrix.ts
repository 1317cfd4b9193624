import * as z from 'zod';
import type { Group } from '../../contract/experiment/schema.ts';
import type { RuleProblem } from '../../contract/check.ts';
import { schemaProblems } from './problems.ts';
import { isMap, merge, type Plain, type PlainMap } from './profiles.ts';

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
const valueName = /^[a-z0-9]+(-[a-z0-9]+)*$/;

const matrixSchema = z
  .record(
    z.string().refine((axis) => /^[a-z][a-zA-Z0-9]*$/.test(axis) && !takenAxes.includes(axis), {
      error: `letters and digits, and none of ${takenAxes.join(', ')}`,
    }),
    z
      .record(
        z
          .string()
          .regex(valueName, 'lower-case letters, digits and single hyphens, because names of variants end with it'),
        z.record(z.string(), z.unknown()).nullable(),
      )
      .refine((values) => Object.keys(values).length > 0, 'values by name, such as large: { class: db.m7g.large }'),
  )
  .refine(
    (axes) => Object.keys(axes).length > 0,
    'axes with their values, such as class: { large: {...}, xlarge: {...} }',
  );

/**
 * Multiplies the variants by the values of `matrix`, such as two variants by two instance classes. The name of the
 * result is that of the variant followed by those of the values, such as `with-dlv-xlarge`. A value overrides what the
 * variant says. Variants are compared with the baseline of their own group: those with the same values.
 *
 * @param folded an experiment with its profile applied, and `common` folded into its variants
 */
export function expandMatrix(folded: Plain): Expanded {
  const named = nameProblems(folded);
  if (!isMap(folded) || !('matrix' in folded)) return { experiment: folded, origins: new Map(), problems: named };
  const { matrix, ...rest } = folded;
  const written = isMap(rest['variants']) ? rest['variants'] : {};
  const parsed = matrixSchema.safeParse(matrix, { reportInput: true });
  const issues = parsed.error?.issues.map((issue) => ({ ...issue, path: ['matrix', ...issue.path] })) ?? [];
  const tooMany = sizeProblems(matrix, Object.keys(written).length);
  const problems = [...named, ...schemaProblems(issues, null), ...tooMany];
  const isMultiplied = isMap(matrix) && Object.keys(matrix).length > 0 && Object.keys(written).length > 0;
  const combined = isMultiplied && tooMany.length === 0 ? combinations(matrix) : [];
  if (combined.length === 0) return { experiment: rest, origins: new Map(), problems };

  const origins = new Map<string, Origin>();
  const variants: PlainMap = {};
  const isKnown = (name: Plain | undefined): boolean => textOf(name) in written;
  const baseline = isKnown(rest['baseline']) ? textOf(rest['baseline']) : (Object.keys(written)[0] ?? '');
  const groups = combined.map(({ values, declared }): Group => {
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
  const contrasts = contrastsIn(rest).filter(
    (one) => !isMap(one) || sides.every((side) => !(side in one) || isKnown(one[side])),
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

const sides = ['candidate', 'baseline'];

function contrastsIn({ contrasts }: PlainMap): Plain[] {
  return Array.isArray(contrasts) ? contrasts : [];
}

/** Names of variants, as the file has them: a matrix adds the names of its values. */
function nameProblems(folded: Plain): RuleProblem[] {
  if (!isMap(folded) || !isMap(folded['variants'])) return [];
  const allowed = Object.keys(folded['variants']);
  const pairs = contrastsIn(folded).map((one) => (isMap(one) ? one : {}));
  const names = [
    { path: ['baseline'], name: folded['baseline'] },
    ...pairs.flatMap((pair, index) =>
      sides.map((side) => ({ path: ['contrasts', String(index), side], name: pair[side] })),
    ),
  ];
  const message = `no such variant; expected one of ${allowed.join(', ')}`;
  return [
    ...names.flatMap(({ path, name }) =>
      typeof name === 'string' && allowed.length > 0 && !allowed.includes(name)
        ? [{ rule: 'variant-name' as const, path, message, allowed }]
        : [],
    ),
    ...pairs.flatMap(({ candidate, baseline }, index) =>
      typeof candidate === 'string' && candidate === baseline
        ? [
            {
              rule: 'same-variant' as const,
              path: ['contrasts', String(index)],
              message: 'compares a variant with itself; expected two different variants',
            },
          ]
        : [],
    ),
  ];
}

function sizeProblems(matrix: Plain | undefined, variants: number): RuleProblem[] {
  const counts = Object.values(isMap(matrix) ? matrix : {}).map((values) =>
    isMap(values) ? Object.keys(values).length : 1,
  );
  const made = counts.reduce((product, count) => product * count, variants);
  if (made <= maxVariants) return [];
  const message = `${variants} variants × ${counts.join(' × ')} values make ${made.toLocaleString('en')} variants, more than the maximum of ${maxVariants}; omit axes or values`;
  return [{ rule: 'matrix-size', code: 'wrong-part', path: ['matrix'], message }];
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

interface Combination {
  values: Record<string, string>;
  declared: Plain[];
}

/** Each combination of the values of the axes; the first axis changes slowest. */
function combinations(matrix: PlainMap): Combination[] {
  return Object.entries(matrix).reduce<Combination[]>(
    (found, [axis, members]) =>
      found.flatMap(({ values, declared }) =>
        Object.entries(isMap(members) ? members : {}).map(([value, more]) => ({
          values: { ...values, [axis]: value },
          declared: isMap(more) ? [...declared, more] : declared,
        })),
      ),
    [{ values: {}, declared: [] }],
  );
}
