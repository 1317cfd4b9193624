import type { ParameterValue } from '../../contract/experiment/variant.ts';
import { formsOf, parseBoolean, parseNumber, textOf } from '../../postgres/parameters/judge.ts';
import { parseQuantity, unitRatio } from '../../postgres/setting-units.ts';

/** Set in every parameter group unless the experiment says otherwise. A comparison must not depend on a default. */
function pinned(major: number): Record<string, ParameterValue> {
  return {
    checkpoint_completion_target: 0.9,
    checkpoint_timeout: 300,
    // The defaults of RDS: 2 GB up to 15, 6 GB from 16. The smaller one would make two majors differ in their
    // checkpoints.
    max_wal_size: major >= 16 ? '6GB' : '2GB',
    'rds.force_ssl': true,
    track_io_timing: true,
    ...(major >= 14 ? { track_wal_io_timing: true } : {}),
  };
}

export interface RdsParameters {
  /** As RDS wants them, sorted by name. */
  values: Record<string, string>;
  problems: { parameter: string; value: ParameterValue; message: string }[];
}

/**
 * The parameter group of one variant: the pinned parameters and those of the experiment, in the form that RDS expects.
 */
export function rdsParameters(own: Record<string, ParameterValue>, major: number): RdsParameters {
  const result: RdsParameters = { values: {}, problems: [] };
  const wanted = Object.entries({ ...pinned(major), ...own });
  for (const [parameter, value] of wanted.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const converted = rdsParameter(parameter, value, major);
    if (typeof converted === 'string') result.values[parameter] = converted;
    else result.problems.push({ parameter, value, message: converted.problem });
  }
  return result;
}

/**
 * A value as RDS expects it: 1 or 0 for a truth value, and a number in the parameter's own unit, which PostgreSQL lets
 * people write with another unit. A parameter that takes other words besides on and off keeps these words.
 *
 * @param major null for any version
 */
export function rdsParameter(
  parameter: string,
  value: ParameterValue,
  major: number | null,
): string | { problem: string } {
  const form = formsOf(parameter, major).at(-1);
  const text = textOf(value);
  const isOnOff = /^(on|off)$/i.test(text);
  if (form?.vartype === 'enum') return isOnOff ? text.toLowerCase() : text;
  if (form?.vartype === 'string') return text;
  const truth = form?.vartype === 'bool' || isOnOff ? parseBoolean(text) : null;
  if (truth !== null) return truth ? '1' : '0';
  // As the server reads it: 010 is eight, and 1e3 a thousand. RDS takes neither. A formula of RDS is no number.
  const number = form?.vartype === 'integer' || form?.vartype === 'real' ? parseNumber(text, form) : null;
  const quantity = parseQuantity(text);
  if (!quantity || quantity.unit === null) return number === null ? text : String(number);
  const { vartype, unit: base } = form ?? {};
  if (base === undefined) return { problem: 'RDS accepts a plain number here, in the parameter’s own unit' };
  const ratio = unitRatio(quantity.unit, base);
  if (ratio === null) return { problem: `not a unit of this parameter, which counts in ${base}` };
  const scaled = quantity.number * ratio;
  return vartype !== 'integer' || Number.isInteger(scaled)
    ? String(number ?? scaled)
    : { problem: `not a whole number of ${base}` };
}
