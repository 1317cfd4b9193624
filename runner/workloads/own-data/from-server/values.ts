import type { Column } from './columns.ts';
import { drawing, type Segment, segmentsBetween } from './draw.ts';
import { type Kind, kindOfType } from './kinds.ts';

/** Commands of pgbench that draw a value, and the SQL that is the value. */
export interface Drawn {
  commands: string[];
  sql: string;
  /**
   * The same in parts of a long list, each up to a value of a variable of pgbench: the server would read the whole list in each
   * call. Absent if the list is short, or if there is none.
   */
  cases?: Case[];
  /** How many values are drawn from, if the column has more; null if all are. */
  listed: number | null;
}

/** SQL for the values of pgbench’s variable up to one of them; the last one is for all others. */
export interface Case {
  variable: string;
  until: number;
  sql: string;
}

/**
 * What a value is for. One that is compared should be there, or most lookups would find nothing. One that is stored may be
 * NULL, and must not be there if it is unique.
 */
export type Purpose = 'equal' | 'range' | 'stored';

/** Why values of a column cannot be drawn. */
export type Undrawable = 'no-statistics' | 'unordered-range' | 'unique-value';

/** More would fill the script. */
const maxListed = 100;

/**
 * Draws values as they are spread in a column, by its statistics.
 *
 * @param name of pgbench’s variable
 */
export function drawValue(column: Column, name: string, purpose: Purpose): Drawn | Undrawable {
  if (purpose === 'stored' && column.isUnique) return newValue(column, name);
  const source = numbersOf(column, purpose) ?? (purpose === 'range' ? null : listOf(column));
  if (source === null) return hasStatistics(column) ? 'unordered-range' : 'no-statistics';
  const { segments, further = () => [], sql, casesOf, listed } = source;
  const value = {
    commands: [...drawing(name, segments), ...further(name)],
    ...{ sql: sql(`:${name}`), listed },
    ...(casesOf && { cases: casesOf(`:${name}`) }),
  };
  return purpose === 'stored' && column.nullShare >= minNullShare ? orNull(column, name, value) : value;
}

/** The numbers of a column from its least to its greatest, and how SQL makes values of them; null for other types. */
export function spanOf(column: Column): { span: bigint; kind: Kind } | null {
  const kind = kindOfType(column.type, valuesOf(column));
  const numbers = kind && inNumbers(valuesOf(column), kind);
  if (!kind || !numbers || numbers.length === 0) return null;
  return { span: greatest(numbers) - min(numbers), kind };
}

function hasStatistics({ common, bounds }: Column): boolean {
  return common.length + bounds.length > 0;
}

interface Source {
  segments: Segment[];
  /** Commands that follow the drawing. */
  further?: (name: string) => string[];
  sql: (variable: string) => string;
  casesOf?: (variable: string) => Case[];
  listed: number | null;
}

/** Of so few values between two, that one drawn from between would rarely be there, only those that are known are drawn. */
const minDensity = 0.8;

function numbersOf(column: Column, purpose: Purpose): Source | null {
  const kind = kindOfType(column.type, valuesOf(column));
  const common =
    kind &&
    inNumbers(
      column.common.map(({ value }) => value),
      kind,
    );
  const bounds = kind && inNumbers(column.bounds, kind);
  if (!kind || !common || !bounds || common.length + bounds.length === 0) return null;
  if (purpose !== 'range' && !kind.isExact) return null;
  const all = [...common, ...bounds];
  const step = stepOf(all);
  const span = Number(greatest(all) - min(all)) / Number(step) + 1;
  const isSparse = column.distinct < minDensity * span;
  const mustBeThere = (purpose === 'equal' && isSparse) || (purpose === 'stored' && column.isReference);
  const rest = restOf(column);
  const points = common.map((at, index) => ({ at, share: column.common[index]?.share ?? 0 }));
  const [low, high] = [bounds[0] ?? 0n, bounds.at(-1) ?? 0n];
  // What a sample takes for common is often as common as all else. Then it is part of the histogram again.
  const isOrdinary = ({ at, share }: (typeof points)[number]): boolean =>
    !mustBeThere && bounds.length > 1 && at >= low && at <= high && share * column.distinct < uncommon;
  const ordinary = points.filter(isOrdinary);
  const others = mustBeThere
    ? bounds.map((at) => ({ from: at, to: at, share: rest / bounds.length }))
    : segmentsBetween(bounds, rest, ordinary);
  const base = all[0] ?? 0n;
  const isStepped = purpose !== 'range' && !mustBeThere && step > 1n;
  const segments = [
    ...points.filter((one) => !isOrdinary(one)).map(({ at, share }) => ({ from: at, to: at, share })),
    ...others,
  ];
  return {
    segments: isStepped ? segments.map((one) => inSteps(one, base, step)) : segments,
    further: (name) => (isStepped ? [`\\set ${name} :${name} * ${step} + ${base}`] : []),
    sql: kind.sql,
    listed: mustBeThere && bounds.length > 0 && all.length < column.distinct ? all.length : null,
  };
}

/** A value that is less than so many times as common as the mean one is nothing special. */
const uncommon = 2;

/** The greatest number that all distances are multiples of; 1 if there are too few to go by. */
function stepOf(numbers: readonly bigint[]): bigint {
  const [first = 0n, ...others] = numbers;
  if (others.length < enoughDistances) return 1n;
  return others.map((one) => one - first).reduce(commonDivisor, 0n) || 1n;
}

const enoughDistances = 20;

function commonDivisor(one: bigint, other: bigint): bigint {
  return other === 0n ? one : commonDivisor(other, one % other);
}

/** The same in steps from a base, of which the ends are a whole number away, or one less. */
function inSteps({ from, to, share }: Segment, base: bigint, step: bigint): Segment {
  const last = (to - base) / step;
  // A segment that begins after the end of the one before begins with the next step.
  const rest = (from - base) % step;
  const first = (from - base - rest) / step + (rest > 0n ? 1n : 0n);
  return { from: first < last ? first : last, to: last, share };
}

/** Values that SQL lists. The drawn number is a place in the list. */
function listOf(column: Column): Source | null {
  const common = column.common.slice(0, maxListed);
  const others = spread(column.bounds, maxListed - common.length);
  const values = [...common.map(({ value }) => value), ...others];
  if (values.length === 0) return null;
  const rest = column.bounds.length === 0 ? 0 : restOf(column);
  const first = common.length + 1;
  return {
    segments: [
      ...common.map(({ share }, index) => ({ from: BigInt(index + 1), to: BigInt(index + 1), share })),
      ...(others.length > 0 ? [{ from: BigInt(first), to: BigInt(values.length), share: rest }] : []),
    ],
    sql: (variable) => `(${arrayText(values)}::${column.type}[])[${variable}]`,
    ...(values.length > shortList && {
      casesOf: (variable) =>
        Array.from({ length: Math.ceil(values.length / shortList) }, (_, index) => {
          const before = index * shortList;
          const some = arrayText(values.slice(before, before + shortList));
          const sql = `(${some}::${column.type}[])[${variable} - ${before}]`;
          return { variable, until: before + shortList, sql };
        }),
    }),
    listed: values.length < column.distinct ? values.length : null,
  };
}

/** A list of 100 values takes the server 40 microseconds in each call, and one of ten takes four. */
const shortList = 10;

/** At most so many of them, at equal distances. */
function spread(values: readonly string[], max: number): string[] {
  if (values.length <= max) return [...values];
  return Array.from({ length: max }, (_, index) => values[Math.floor((index * values.length) / max)] ?? '');
}

/** The share of rows whose value is neither NULL nor common. */
function restOf({ nullShare, common }: Column): number {
  return Math.max(0, 1 - nullShare - common.reduce((sum, { share }) => sum + share, 0));
}

/** Rarer NULLs are not worth a command. */
const minNullShare = 0.01;

function orNull({ nullShare, type }: Column, name: string, { commands, sql, listed }: Drawn): Drawn {
  const parts = 10_000;
  return {
    commands: [...commands, `\\set ${name}_null random(1, ${parts})`],
    sql: `CASE WHEN :${name}_null > ${Math.round(nullShare * parts)} THEN ${sql}::${type} END`,
    listed,
  };
}

const largest: Readonly<Record<string, bigint>> = {
  smallint: 2n ** 15n - 1n,
  integer: 2n ** 31n - 1n,
  bigint: 2n ** 63n - 1n,
};

/** A value that is hardly there yet. */
function newValue(column: Column, name: string): Drawn | Undrawable {
  const max = largest[column.type];
  const numbers = (max !== undefined && inNumbers(valuesOf(column), kindOfType(column.type, []))) || [];
  if (max !== undefined && numbers.length > 0) {
    return { commands: [`\\set ${name} random(${greatest(numbers) + 1n}, ${max})`], sql: `(:${name})`, listed: null };
  }
  if (column.type === 'uuid') return { commands: [], sql: 'gen_random_uuid()', listed: null };
  return hasStatistics(column) ? 'unique-value' : 'no-statistics';
}

function valuesOf({ common, bounds }: Column): string[] {
  return [...common.map(({ value }) => value), ...bounds];
}

/** null if one of them has no number. */
function inNumbers(values: readonly string[], kind: Kind | null): bigint[] | null {
  const numbers = values.flatMap((value) => kind?.numberOf(value) ?? []);
  return numbers.length === values.length ? numbers : null;
}

const greatest = (numbers: readonly bigint[]): bigint => numbers.reduce((one, other) => (one > other ? one : other));
const min = (numbers: readonly bigint[]): bigint => numbers.reduce((one, other) => (one < other ? one : other));

/** A list of values as a string constant of SQL. */
function arrayText(values: readonly string[]): string {
  const elements = values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`);
  return stringConstant(`{${elements.join(',')}}`);
}

/**
 * A string constant of SQL, in which nothing but letters and digits stands for itself that pgbench could take for something
 * else: a colon would begin a variable.
 */
export function stringConstant(text: string): string {
  return `E'${text.replaceAll(/[^\w {}",.@/+=-]/gu, escaped)}'`;
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
