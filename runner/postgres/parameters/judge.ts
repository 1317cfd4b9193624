import type { RuleProblem } from '../../contract/check.ts';
import type { ParameterValue } from '../../contract/experiment/variant.ts';
import { readNumber, unitRatio, unitsLike } from '../setting-units.ts';
import type { ParameterForm } from '../versions/form.ts';
import { isKnown, type KnownMajor, knownMajors, supportedMajors, supportedWords } from '../versions/known.ts';

/** What is wrong, and what would be right. */
type ParameterProblem = Pick<RuleProblem, 'code' | 'message' | 'allowed'>;

/**
 * What a server has against a parameter. It judges names, types, units, ranges and words as PostgreSQL does. What depends
 * on the machine, on other parameters, or on the meaning of a text, only a server can say.
 *
 * @param value null if only the name is to be judged
 * @param major null if any of the known versions may be meant. Then the parameter must be right for one of them
 * @returns null if the server takes it, or if that is unknown: a library may bring parameters of its own, whose names
 *   have a dot
 */
export function parameterProblem(
  name: string,
  value: ParameterValue | null,
  major: number | null,
): ParameterProblem | null {
  const forms = formsOf(name, major);
  const form = forms.at(-1);
  if (!form) {
    const having = knownMajors.filter(({ parameters }) => parameters.has(name));
    if (having.length === 0) return unknownName(name, major);
    return major === null || isKnown(major) ? otherVersion(having, major) : null;
  }
  if (forms.every(({ context }) => context === 'internal')) {
    return { message: 'this parameter is read-only; remove it' };
  }
  if (value === null) return null;
  const text = textOf(value);
  return forms.some((one) => accepts(one, text)) ? null : valueProblem(form, text);
}

/** The forms that a parameter has in a version, oldest first; in all known versions if it is null or not one of them. */
export function formsOf(name: string, major: number | null): readonly ParameterForm[] {
  const all = knownMajors.flatMap((one) => {
    const form = one.parameters.get(name);
    return form ? [{ form, major: one.major }] : [];
  });
  const own = all.filter((one) => major === null || !isKnown(major) || one.major === major);
  // The servers that were asked did not have every library.
  return (own.length === 0 && name.includes('.') ? all : own).map(({ form }) => form);
}

/** A value as a settings file has it. */
export function textOf(value: ParameterValue): string {
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
}

function otherVersion(having: readonly KnownMajor[], major: number | null): ParameterProblem {
  const [first, last] = [having[0]?.major ?? 0, having.at(-1)?.major ?? 0];
  const when = (major ?? 0) < first ? `only ${first} and newer do` : `the last one that did was ${last}`;
  return { message: `PostgreSQL ${major} does not have it; ${when}. Remove it` };
}

function unknownName(name: string, major: number | null): ParameterProblem | null {
  const names = [...new Set(knownMajors.flatMap(({ parameters }) => [...parameters.keys()]))];
  const library = `${name.split('.')[0]}.`;
  if (name.includes('.')) {
    // A settings file with such a name is one that the server does not read. Source: guc-file.l.
    if (!/^[a-z_][\w$]*\.[a-z_][\w$]*$/i.test(name)) {
      return { message: 'no settings file may contain this name; expected LIBRARY.PARAMETER' };
    }
    const allowed = names.filter((one) => one.startsWith(library));
    if (allowed.length === 0) return null;
    return { code: 'unknown-parameter', message: `${library.slice(0, -1)} has no such parameter`, allowed };
  }
  // A newer version may have it.
  if (major !== null && major > supportedMajors.last) return null;
  const allowed = names.filter((one) => formsOf(one, major).some(({ context }) => context !== 'internal'));
  const who = major !== null && isKnown(major) ? `PostgreSQL ${major}` : supportedWords;
  return { code: 'unknown-parameter', message: `${who} has no such parameter`, allowed };
}

/**
 * Whether a session may set a parameter for itself, if its role may. One that is not PostgreSQL's own, only a server
 * knows.
 *
 * @param major null if any of the known versions may be meant
 */
export function isOfSessions(name: string, major: number | null): boolean {
  const forms = formsOf(name, major);
  return forms.length === 0 || forms.some(({ context }) => !['internal', 'postmaster', 'sighup'].includes(context));
}

/** Whether a server whose parameter has this form takes the value. */
export function accepts(form: ParameterForm, text: string): boolean {
  switch (form.vartype) {
    case 'bool':
      return parseBoolean(text) !== null;
    case 'enum':
      return (form.enumvals ?? []).some((word) => word.toLowerCase() === text.toLowerCase());
    case 'integer':
    case 'real': {
      const number = parseNumber(text, form);
      return number !== null && number >= (form.min_val ?? -Infinity) && number <= (form.max_val ?? Infinity);
    }
    case 'string':
      return true;
  }
}

function valueProblem(form: ParameterForm, text: string): ParameterProblem {
  switch (form.vartype) {
    case 'bool':
      return { message: 'expected on or off', allowed: ['on', 'off'] };
    case 'enum': {
      // Other spellings of on and off would make the list long.
      const allowed = (form.enumvals ?? []).filter((word) => !/^(true|false|yes|no|1|0)$/.test(word));
      return { message: `expected one of ${allowed.join(', ')}`, allowed };
    }
    default: {
      const what = form.vartype === 'integer' ? 'a whole number' : 'a number';
      const range = rangeWords(form);
      if (parseNumber(text, form) !== null) return { message: `expected ${range}` };
      const units = form.unit === undefined ? [] : unitsLike(form.unit);
      const how =
        units.length > 0
          ? `${what} of ${form.unit}, or one with a unit: ${units.join(', ')}`
          : `${what} without a unit`;
      return { message: `expected ${how}${range === '' ? '' : `; ${range}`}` };
    }
  }
}

/** Such as `64 to 2,147,483,647 (kB)`. */
function rangeWords({ min_val: min = -Infinity, max_val: max = Infinity, unit }: ParameterForm): string {
  const shown = (one: number): string =>
    Math.abs(one) < 1e15 ? one.toLocaleString('en', { maximumFractionDigits: 15 }) : '';
  const [low, high] = [shown(min), shown(max)];
  const words =
    low === '' && high === ''
      ? ''
      : high === ''
        ? `at least ${low}`
        : low === ''
          ? `at most ${high}`
          : `${low} to ${high}`;
  return words === '' || unit === undefined ? words : `${words} (${unit})`;
}

/**
 * A truth value as PostgreSQL reads one: beginnings of its words are enough if they are unambiguous. Source: parse_bool in
 * src/backend/utils/adt/bool.c.
 *
 * @returns null if it is none
 */
export function parseBoolean(text: string): boolean | null {
  const word = text.toLowerCase();
  if (word === '' || word === 'o') return null;
  if (word === '1' || word === '0') return word === '1';
  if (['true', 'yes', 'on'].some((one) => one.startsWith(word))) return true;
  return ['false', 'no', 'off'].some((one) => one.startsWith(word)) ? false : null;
}

/** What strtol with base 0 reads: hexadecimal, octal or decimal digits. */
const wholePattern = /^[\t-\r ]*[-+]?(?:0x[0-9a-f]+|0[0-7]*|[1-9]\d*)/i;

/**
 * A number in the parameter's own unit, as PostgreSQL reads it. A value with a unit is rounded to whole units of the next
 * smaller one; an integer is rounded at last. Source: parse_int, parse_real and convert_to_base_unit in
 * src/backend/utils/misc/guc.c.
 *
 * @returns null if it is none
 */
export function parseNumber(text: string, { vartype, unit }: Pick<ParameterForm, 'vartype' | 'unit'>): number | null {
  const whole = vartype === 'integer' ? (wholePattern.exec(text)?.[0] ?? '') : '';
  const isWhole = whole !== '' && !/^[.e]/i.test(text.slice(whole.length));
  // What strtol does not read at all is read by strtod only if it begins with a point.
  if (vartype === 'integer' && whole === '' && !text.startsWith('.')) return null;
  const read = isWhole ? { number: wholeNumber(whole), rest: text.slice(whole.length) } : readNumber(text);
  if (!read) return null;
  const rest = read.rest.replace(/^[\t-\r ]+/, '');
  const scaled = rest === '' ? read.number : unit === undefined ? null : inBaseUnit(read.number, rest, unit);
  if (scaled === null) return null;
  return vartype === 'integer' ? roundHalfEven(scaled) : scaled;
}

/**
 * A size that a server takes as an integer parameter, in bytes.
 *
 * @param unit of the parameter, for a number without one, such as `8kB` for shared_buffers
 * @returns null if it is not a size, such as a formula of RDS
 */
export function bytesOf(value: ParameterValue, unit: string): number | null {
  const number = parseNumber(String(value), { vartype: 'integer', unit });
  const ratio = unitRatio(unit, 'B');
  return number === null || ratio === null ? null : number * ratio;
}

function wholeNumber(text: string): number {
  const [, sign = '', digits = ''] = /^\s*([-+]?)(.*)$/.exec(text) ?? [];
  const size = /^0[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number(digits);
  return sign === '-' ? -size : size;
}

function inBaseUnit(number: number, rest: string, base: string): number | null {
  const [, unit = ''] = /^([^\t-\r ]{1,3})[\t-\r ]*$/.exec(rest) ?? [];
  const units = unitsLike(base);
  const at = units.indexOf(unit);
  const ratio = at < 0 ? null : unitRatio(unit, base);
  if (ratio === null) return null;
  const smaller = units[at - 1];
  const step = smaller === undefined ? null : unitRatio(smaller, base);
  return step === null ? number * ratio : roundHalfEven((number * ratio) / step) * step;
}

/** As C's rint does it. */
function roundHalfEven(number: number): number {
  const rounded = Math.round(number);
  return Math.abs(number % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}
