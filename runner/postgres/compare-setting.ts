import type { ParameterValue } from '../contract/experiment/variant.ts';
import { parseQuantity, unitRatio } from './setting-units.ts';

/** What pg_settings tells of one parameter. */
export interface ShownSetting {
  setting: string;
  /** Unit of `setting`, such as `8kB`; null without one. */
  unit: string | null;
  /** `bool`, `integer`, `real`, `enum` or `string`; null if pg_settings does not have the parameter, and only SHOW does. */
  type: string | null;
  /** Where the value comes from, such as `configuration file` or `default`. */
  source: string | null;
  /** What the server starts with if nobody sets anything. */
  bootValue: string | null;
}

/**
 * Whether the value that was asked for is the one that the server shows. Spelling and unit may differ: `on` is `1`, and
 * `128MB` is `16384` pages.
 *
 * @param asked with a unit, or without one in the parameter's own unit, as RDS takes it
 * @returns null if it cannot be told: RDS works out a formula such as `{DBInstanceClassMemory/32768}` by itself
 */
export function isInForce(name: string, asked: ParameterValue, shown: ShownSetting): boolean | null {
  const text = String(asked).trim();
  if (text.includes('{')) return null;
  return same(name, text, shown) || isWorkedOut(name, text, shown);
}

function same(name: string, asked: string, { setting, unit, type }: ShownSetting): boolean {
  switch (type) {
    case 'bool':
      return truth(asked) === truth(setting);
    case 'integer':
    case 'real':
      return sameNumber(asked, setting, { unit, whole: type === 'integer' });
    case 'enum':
      return canonical(name, asked) === canonical(name, setting);
    case 'string':
      return sameText(name, asked, setting);
    default:
      return (
        asked === setting ||
        (truth(asked) !== null && truth(asked) === truth(setting)) ||
        sameNumber(asked, setting, { unit: null, whole: false })
      );
  }
}

/**
 * Of some parameters, one value means that the server works out another one when it starts, such as -1 of wal_buffers. It is
 * the one that they have if nobody sets them. What the server then shows comes from itself, and not from a file.
 */
function isWorkedOut(name: string, asked: string, { bootValue, unit, type, source }: ShownSetting): boolean {
  if (bootValue === null || !['default', 'override'].includes(source ?? '')) return false;
  return same(name, asked, { setting: bootValue, unit, type, source, bootValue });
}

function sameNumber(asked: string, setting: string, { unit, whole }: { unit: string | null; whole: boolean }): boolean {
  const quantity = parseQuantity(asked);
  const found = parseQuantity(setting);
  if (!quantity || !found) return false;
  const ratio = quantity.unit === null ? 1 : unit === null ? null : unitRatio(quantity.unit, unit);
  if (ratio === null) return false;
  const wanted = quantity.number * ratio;
  // The server rounds to whole units, and shows six digits of other numbers.
  return whole
    ? Math.abs(wanted - found.number) <= 0.5
    : Number(wanted.toPrecision(6)) === Number(found.number.toPrecision(6));
}

/** Source: parse_bool of PostgreSQL, without the abbreviations that nobody writes. */
function truth(text: string): boolean | null {
  if (/^(on|true|yes|1|t|y)$/i.test(text)) return true;
  return /^(off|false|no|0|f|n)$/i.test(text) ? false : null;
}

/**
 * Words that the server takes, and shows as another one: `wal_compression = on` is shown as `pglz`. Source: guc_tables.c of
 * PostgreSQL 14 to 18.
 */
const synonyms: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  wal_compression: { on: 'pglz' },
  wal_level: { archive: 'replica', hot_standby: 'replica' },
  ...Object.fromEntries(
    ['client_min_messages', 'log_min_messages', 'log_min_error_statement'].map((name) => [name, { debug: 'debug2' }]),
  ),
};

function canonical(name: string, word: string): string {
  const meant = truth(word);
  const plain = meant === null ? word.toLowerCase() : meant ? 'on' : 'off';
  return synonyms[name]?.[plain] ?? plain;
}

function sameText(name: string, asked: string, setting: string): boolean {
  const [wanted, found] = [listed(asked), listed(setting)];
  // RDS adds libraries of its own.
  if (name === 'shared_preload_libraries') return wanted.every((library) => found.includes(library));
  return asked === setting || (wanted.length > 1 && wanted.join() === found.join());
}

function listed(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim().replace(/^"(.*)"$/, '$1'))
    .filter((part) => part !== '');
}
