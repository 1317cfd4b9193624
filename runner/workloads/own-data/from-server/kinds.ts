/**
 * How values of a type become whole numbers, which are all that pgbench can draw, and how SQL makes values of them again.
 * SQL that does so is constant, so the server plans with the value.
 */
export interface Kind {
  /** null if the value has no such number, such as infinity. */
  numberOf: (value: string) => bigint | null;
  /** @param variable pgbench’s name of the number */
  sql: (variable: string) => string;
  /** Whether the number of a value makes the same value again. */
  isExact: boolean;
}

/**
 * The kind of a type; null if its values are not numbers in an order, so that they can only be listed.
 *
 * @param values all values that are known of the column: numbers get as many decimals as these have
 */
export function kindOfType(type: string, values: readonly string[]): Kind | null {
  switch (type) {
    case 'smallint':
    case 'integer':
    case 'bigint':
      return { numberOf: wholeNumber, sql: inBrackets, isExact: true };
    case 'numeric':
    case 'real':
    case 'double precision':
      return decimalKind(type, values);
    case 'date':
      return { numberOf: dayOf, sql: (variable) => `(date 'epoch' + ${variable}::integer)`, isExact: true };
    case 'timestamp without time zone':
      return {
        numberOf: microsecondOf,
        sql: (variable) => `(timestamp 'epoch' + ${variable} * interval '1 microsecond')`,
        isExact: true,
      };
    case 'timestamp with time zone':
      return { numberOf: microsecondOf, sql: (variable) => `to_timestamp(${variable} * 0.000001)`, isExact: true };
    default:
      return null;
  }
}

/** A minus sign after another one would begin a comment. */
const inBrackets = (variable: string): string => `(${variable})`;

function wholeNumber(value: string): bigint | null {
  return /^-?\d+$/.test(value) ? BigInt(value) : null;
}

/** More decimals than people give to numbers are those of measured ones, of which none comes a second time. */
const maxDecimals = 9;

function decimalKind(type: string, values: readonly string[]): Kind {
  const found = values.map((value) => /^-?\d+(?:\.(\d+))?$/.exec(value));
  const needed = Math.max(0, ...found.map((one) => one?.[1]?.length ?? 0));
  const isExact = needed <= maxDecimals && !found.includes(null);
  // Those of measured numbers: nine digits in all are enough for a range.
  const digits = Math.ceil(Math.log10(Math.max(1, ...values.map((value) => Math.abs(Number(value)) || 0))));
  const decimals = isExact ? needed : Math.max(0, maxDecimals - digits);
  const step = decimals === 0 ? '1' : `0.${'1'.padStart(decimals, '0')}`;
  return {
    numberOf(value) {
      if (!isExact) return Number.isFinite(Number(value)) ? BigInt(Math.round(Number(value) * 10 ** decimals)) : null;
      const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value) ?? [];
      return whole === '' ? null : BigInt(`${sign}${whole}${rest.padEnd(decimals, '0')}`);
    },
    sql: (variable) => (type === 'numeric' ? `(${variable} * ${step})` : `(${variable} * ${step})::${type}`),
    isExact,
  };
}

const millisecondsOfDay = 86_400_000;

function dayOf(value: string): bigint | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(value)) return null;
  return BigInt(Math.round(Date.parse(`${value}T00:00:00Z`) / millisecondsOfDay));
}

/** Of a time in our own sessions, which show UTC. */
function microsecondOf(value: string): bigint | null {
  const [, day = '', time = '', fraction = ''] =
    /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?(?:\+00)?$/.exec(value) ?? [];
  if (day === '') return null;
  return BigInt(Date.parse(`${day}T${time}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'));
}
