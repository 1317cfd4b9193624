import type { Client } from './client.ts';
import { UserError } from '../contract/errors.ts';
import type { ParameterValue } from '../contract/experiment/variant.ts';
import type { ParameterFinding } from '../contract/server-facts.ts';
import { withConnection } from './connect.ts';
import type { Target } from './target.ts';
import { parseBoolean, parseNumber } from './parameters/judge.ts';
import { canonicalWord } from './parameters/same-value.ts';

/** What the experiment asks of a server. pgduet proves it before it measures anything on the server. */
export interface AskedOfServer {
  /** Values by name: with a unit, or without one in the parameter's own unit. */
  parameters: Readonly<Record<string, ParameterValue>>;
  /** Version as the server's operator reports it, such as `16.15`; null if any version is right. */
  version: string | null;
}

/** What a server says about itself. */
export interface InForce {
  /** Such as `16.15`. */
  version: string;
  /** Such as 16. */
  major: number;
  parameters: ParameterFinding[];
}

/**
 * Reads the server's version and the parameters that the experiment sets, in two short queries.
 *
 * @throws {UserError} with a line for everything that is not in force: its name, the value asked for and the value
 *   found
 */
export async function proveInForce(target: Target & { asked: AskedOfServer }, signal?: AbortSignal): Promise<InForce> {
  const found = await withConnection(target, (client) => readInForce(client, target.asked.parameters), signal);
  const problems = notInForce(found, target.asked);
  if (problems.length > 0) {
    const words = problems.map((problem) => `${target.server}: ${problem}.`);
    throw new UserError(words, { failure: 'server-changed' });
  }
  return found;
}

/** @throws {UserError} as `proveInForce` does, with the lines of all servers at once */
export async function proveAllInForce(
  targets: readonly (Target & { asked: AskedOfServer })[],
  signal: AbortSignal,
): Promise<void> {
  const outcomes = await Promise.allSettled(targets.map((target) => proveInForce(target, signal)));
  const lines: string[] = [];
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    if (!(outcome.reason instanceof UserError)) throw outcome.reason;
    lines.push(...outcome.reason.lines);
  }
  if (lines.length > 0) throw new UserError(lines);
}

/** Differences from what was asked for, as words that follow the server's name; empty if there are none. */
export function notInForce({ version, parameters }: InForce, asked: AskedOfServer): string[] {
  return [
    ...(asked.version === null || isVersion(version, asked.version)
      ? []
      : [`the server reports PostgreSQL ${version}, but it should be ${asked.version}`]),
    ...parameters.filter(({ inForce }) => inForce === false).map(parameterWords),
  ];
}

/** A sentence about the parameters that could not be proved; null if there are none. */
export function unprovedParameters(server: string, { parameters }: Pick<InForce, 'parameters'>): string | null {
  const unproved = parameters.filter(({ inForce }) => inForce === null);
  if (unproved.length === 0) return null;
  const words = unproved.map(({ name, asked, found }) =>
    found === null ? `${name} (${asked}; the server does not show it)` : `${name} (${asked}; the server has ${found})`,
  );
  return `pgduet could not confirm these parameters of ${server}: ${words.join(', ')}.`;
}

function parameterWords({ name, asked, found, pendingRestart }: ParameterFinding): string {
  if (found === null) return `parameter ${name} should be ${asked}, but the server has no such parameter`;
  return `parameter ${name} is ${found}, but should be ${asked}${pendingRestart ? '; a restart is pending' : ''}`;
}

/** RDS versions may have a suffix after the numbers, such as `11.22-rds.20240418`. */
function isVersion(found: string, wanted: string): boolean {
  const numbers = (version: string): string => /^[\d.]*/.exec(version)?.[0] ?? '';
  return numbers(found) === numbers(wanted);
}

interface Row extends Omit<ShownSetting, 'setting'> {
  name: string;
  setting: string | null;
  pending: boolean;
}

export async function readInForce(client: Client, asked: AskedOfServer['parameters']): Promise<InForce> {
  const server = await client.query<{ version: string; number: number }>(
    "SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number",
  );
  // reset_val, because our own session has other settings. A name with a dot may be shown although it is not in
  // pg_settings: it is a parameter of an extension that is not loaded.
  const { rows } = await client.query<Row>(
    `SELECT wanted.name, s.unit, s.vartype, s.source, s.boot_val,
            coalesce(s.reset_val, CASE WHEN wanted.name LIKE '%.%' THEN current_setting(wanted.name, true) END) AS setting,
            coalesce(s.pending_restart, false) AS pending
       FROM unnest($1::text[]) AS wanted (name)
       LEFT JOIN pg_settings s ON lower(s.name) = lower(wanted.name)
      ORDER BY wanted.name`,
    [Object.keys(asked)],
  );
  const [one] = server.rows;
  return {
    // Distributions append more to the version.
    version: one?.version.split(' ')[0] ?? '',
    major: Math.floor((one?.number ?? 0) / 10_000),
    parameters: rows.map((row) => finding(row, asked[row.name] ?? '')),
  };
}

function finding({ name, setting, pending, ...shown }: Row, asked: ParameterValue): ParameterFinding {
  const common = { name, asked: String(asked), pendingRestart: pending };
  // A name without a dot is PostgreSQL's own. A server that does not know it does not have what was asked for.
  if (setting === null) return { ...common, found: null, inForce: name.includes('.') ? null : false };
  return {
    ...common,
    found: `${setting}${shown.unit === null ? '' : ` (${shown.unit})`}`,
    inForce: isInForce(name, asked, { ...shown, setting }),
  };
}

/** What pg_settings says about one parameter, by the names of its columns. */
export interface ShownSetting {
  setting: string;
  /** Unit of `setting`, such as `8kB`; null without one. */
  unit: string | null;
  /** `bool`, `integer`, `real`, `enum` or `string`; null if pg_settings does not have the parameter, and only SHOW does. */
  vartype: string | null;
  /** Where the value comes from, such as `configuration file` or `default`. */
  source: string | null;
  /** The value that the server starts with if nobody sets one. */
  boot_val: string | null;
}

/**
 * Whether the server shows the value that was asked for. Spelling and unit may differ: `on` is `1`, and `128MB` is
 * `16384` pages.
 *
 * @param asked with a unit, or without one in the parameter's own unit, as RDS takes it
 * @returns null if that is unknown: RDS evaluates a formula such as `{DBInstanceClassMemory/32768}` by itself
 */
export function isInForce(name: string, asked: ParameterValue, shown: ShownSetting): boolean | null {
  const text = String(asked);
  if (text.includes('{')) return null;
  return same(name, text, shown) || isWorkedOut(name, text, shown);
}

function same(name: string, asked: string, { setting, unit, vartype }: ShownSetting): boolean {
  switch (vartype) {
    case 'bool':
      return parseBoolean(asked.trim()) === parseBoolean(setting);
    case 'integer':
    case 'real':
      return sameNumber(asked, setting, { vartype, unit });
    case 'enum':
      return canonicalWord(name, asked.trim()) === canonicalWord(name, setting);
    case 'string':
      return sameText(name, asked, setting);
    default:
      return (
        asked.trim() === setting ||
        (parseBoolean(asked) !== null && parseBoolean(asked) === parseBoolean(setting)) ||
        sameNumber(asked, setting, { vartype: 'real', unit: null })
      );
  }
}

/**
 * For some parameters, one value means that the server computes another one when it starts, such as -1 for wal_buffers.
 * This value is also the default. The source of what the server then shows is the server itself, not a file.
 */
function isWorkedOut(name: string, asked: string, shown: ShownSetting): boolean {
  if (shown.boot_val === null || !['default', 'override'].includes(shown.source ?? '')) return false;
  return same(name, asked, { ...shown, setting: shown.boot_val });
}

function sameNumber(
  asked: string,
  setting: string,
  { vartype, unit }: { vartype: 'integer' | 'real'; unit: string | null },
): boolean {
  const wanted = parseNumber(asked, { vartype, ...(unit !== null && { unit }) });
  const found = parseNumber(setting, { vartype });
  if (wanted === null || found === null) return false;
  // The server shows six digits of a number that need not be whole.
  return vartype === 'integer' ? wanted === found : Number(wanted.toPrecision(6)) === Number(found.toPrecision(6));
}

function sameText(name: string, asked: string, setting: string): boolean {
  const [wanted, found] = [listed(asked), listed(setting)];
  // RDS adds libraries of its own.
  if (name === 'shared_preload_libraries') return wanted.every((library) => found.includes(library));
  return [asked, asked.trim()].includes(setting) || (wanted.length > 1 && wanted.join() === found.join());
}

function listed(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim().replace(/^"(.*)"$/, '$1'))
    .filter((part) => part !== '');
}
