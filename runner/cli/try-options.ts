import { InvalidArgumentError, Option } from 'commander';
import { ownCommand } from '../contract/own-command.ts';
import type { QuietMachine } from '../contract/quiet-machine.ts';
import type { FailOnOptions, Loudness } from './options.ts';
import { shellWord } from '../report/sections/repeat.ts';

export interface TryOptions extends FailOnOptions, Loudness {
  set: Setting[];
  version?: string[];
  prepare: Preparation[];
  /** The preparation that the others are compared with, in place of none. */
  baseline?: string;
  /** Service of the server that is there already; absent for servers on this machine. */
  server?: string;
  allowActivity?: true;
  dump?: string;
  script?: string;
  scale?: number;
  clients?: number;
  seconds?: number;
  keepFile?: string;
  out: string;
  seed?: number;
  quietMachine?: QuietMachine;
  pgBindir?: string[];
  trust?: string;
  live?: true;
  dryRun?: true;
  json?: true;
}

/** A parameter with the values to compare; with one value, it is the same for all. */
export interface Setting {
  name: string;
  values: string[];
}

/** What is run on a variant after loading, and what the variant is called. */
export interface Preparation {
  name: string;
  sql: string;
}

/** `--prepare 'NAME: SQL'`, which may be repeated. */
export function prepareOption(): Option {
  return new Option(
    '--prepare <name: sql>',
    'compare the data as loaded with the data after this SQL, such as "index: CREATE INDEX ON purchase (customer)"; repeat to compare several',
  )
    .default([], 'none')
    .argParser((text: string, before: Preparation[]) => {
      const [, name, sql] = /^\s*([a-z][a-z0-9-]*)\s*:\s*(\S.*)$/s.exec(text) ?? [];
      if (name === undefined || sql === undefined) {
        throw new InvalidArgumentError(
          'expected a name in lower case and SQL, such as "index: CREATE INDEX ON purchase (customer)"',
        );
      }
      return [...before, { name, sql: sql.trim() }];
    });
}

/** `--baseline NAME` */
export function baselineOption(): Option {
  return new Option('--baseline <name>', 'name of the --prepare to use as the baseline, instead of the data as loaded');
}

/** `--server NAME` */
export function serverOption(): Option {
  return new Option(
    '--server <service>',
    'existing server, by its service in pg_service.conf, instead of servers on this machine: settings apply to pgduet’s sessions only',
  );
}

/** `--version 15,17` */
export function versionsOption(): Option {
  return new Option('--version <versions>', 'installed PostgreSQL versions, current one first: 15,17').argParser(
    (text) => {
      const versions = text.split(',').map((version) => version.trim());
      if (versions.some((version) => !/^\d+(\.\d+)?$/.test(version))) {
        throw new InvalidArgumentError('expected PostgreSQL versions, such as 15,17');
      }
      return versions;
    },
  );
}

/** `--set NAME=VALUE,VALUE`, which may be repeated. */
export function setOption(): Option {
  return new Option(
    '--set <parameter=values>',
    'PostgreSQL parameter and values, current value first. Repeat to compare every combination; a single value applies to all variants. Single-quote values that are empty or contain commas: --set "search_path=\'a,b\',c".',
  )
    .default([], 'none')
    .argParser(collectSetting);
}

function collectSetting(text: string, before: Setting[] = []): Setting[] {
  const [, name = '', list = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(text) ?? [];
  // PostgreSQL takes names in any case; everything here knows them in lower case.
  const setting = { name: name.toLowerCase(), values: valuesIn(list) };
  if (name === '' || setting.values.length === 0) {
    throw new InvalidArgumentError('expected a parameter and its values, such as work_mem=4MB,64MB');
  }
  if (before.some((one) => one.name === setting.name)) {
    throw new InvalidArgumentError(`${setting.name} is set twice; put all its values in one --set`);
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
        `${rest} has no closing quote. Quote a value with a comma as 'a,b’, and write '' for a quote inside it`,
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

/** The command without what changes neither the experiment nor its servers, in one line for a shell. */
export function commandOf({
  set,
  version,
  prepare,
  baseline,
  server,
  allowActivity,
  dump,
  script,
  scale,
  clients,
  seconds,
  quietMachine,
  pgBindir = [],
}: TryOptions): string {
  const passed: [option: string, value: string | number | undefined][] = [
    ...set.map((setting): [string, string] => ['set', writtenSetting(setting)]),
    ['version', version?.join()],
    ...prepare.map(({ name, sql }): [string, string] => ['prepare', `${name}: ${sql}`]),
    ...Object.entries({ baseline, server, dump, script, scale, clients, seconds, 'quiet-machine': quietMachine }),
    ...pgBindir.map((folder): [string, string] => ['pg-bindir', folder]),
  ];
  const words = passed.flatMap(([option, value]) =>
    value === undefined ? [] : `--${option} ${shellWord(String(value).replaceAll(/\s+/g, ' '))}`,
  );
  return [`${ownCommand} try`, ...words, ...(allowActivity ? ['--allow-activity'] : [])].join(' ');
}
