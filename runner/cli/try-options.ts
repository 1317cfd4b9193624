import { InvalidArgumentError, Option } from 'commander';
import type { QuietMachine } from '../contract/quiet-machine.ts';
import type { FailOnOptions } from './options.ts';

export interface TryOptions extends FailOnOptions {
  set: Setting[];
  script?: string;
  scale?: number;
  clients?: number;
  seconds?: number;
  keepFile?: string;
  out: string;
  seed?: number;
  quietMachine?: QuietMachine;
  pgBindir?: string[];
  live?: true;
  dryRun?: true;
  json?: true;
}

/** A parameter with the values to compare; with one value, it is the same for all. */
export interface Setting {
  name: string;
  values: string[];
}

/** `--set NAME=VALUE,VALUE`, which may be repeated. */
export function setOption(): Option {
  return new Option(
    '--set <parameter=values>',
    'a PostgreSQL parameter with its values, the present one first; repeat it to compare every combination. One value is the same for all. Put a value with a comma, or an empty one, into single quotes: --set "search_path=\'a,b\',c".',
  ).argParser(collectSetting);
}

function collectSetting(text: string, before: Setting[] = []): Setting[] {
  const [, name = '', list = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(text) ?? [];
  // PostgreSQL takes names in any case; everything here knows them in lower case.
  const setting = { name: name.toLowerCase(), values: valuesIn(list) };
  if (name === '' || setting.values.length === 0) {
    throw new InvalidArgumentError('expected a parameter and its values, such as work_mem=4MB,64MB');
  }
  if (before.some((one) => one.name === setting.name)) {
    throw new InvalidArgumentError(`${setting.name} is set twice; give all of its values at once`);
  }
  return [...before, setting];
}

/**
 * The values between the commas. One that begins with a single quote ends with the next, as in PostgreSQL: two of them
 * stand for one that belongs to the value.
 *
 * @returns none if one of them is missing
 */
function valuesIn(list: string): string[] {
  const next = /\s*(?:'((?:[^']|'')*)'|([^'\s,][^,]*?))\s*(,|$)/y;
  const values: string[] = [];
  for (let separator: string | undefined = ','; separator === ',';) {
    const rest = list.slice(next.lastIndex).trimStart();
    const match = next.exec(list);
    if (!match && rest.startsWith("'")) {
      throw new InvalidArgumentError(
        `${rest} has no second quote before a comma or the end. Write 'a,b' for a value with a comma, and '' within it for a quote`,
      );
    }
    if (!match) return [];
    const [, quoted, plain = ''] = match;
    values.push(quoted?.replaceAll("''", "'") ?? plain);
    separator = match[3];
  }
  return values;
}

/** What to say about words that are settings, but not after `--set`. */
export function hintOfSet(words: readonly string[]): string {
  const settings = words.filter((word) => /^[\w.]+=./.test(word));
  return settings.length === 0 ? '' : `Did you mean ${settings.map((word) => `--set ${word}`).join(' ')}?\n`;
}

/** A value as `--set` takes it. */
export function writtenValue(value: string): string {
  return /^[^',][^,]*$/.test(value) && value.trim() === value ? value : `'${value.replaceAll("'", "''")}'`;
}

/** A setting as the words after `--set` have it. */
export function writtenSetting({ name, values }: Setting): string {
  return `${name}=${values.map(writtenValue).join()}`;
}
