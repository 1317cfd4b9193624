import type { Client } from 'pg';
import { UserError } from '../contract/errors.ts';
import type { ParameterValue } from '../contract/experiment/variant.ts';
import type { ParameterFinding } from '../contract/parameter-finding.ts';
import { isInForce } from './compare-setting.ts';
import { withConnection } from './connect.ts';
import type { Target } from './target.ts';

/** What was asked of a server, and is proved before anything is measured on it. */
export interface AskedOfServer {
  /** Values by name: with a unit, or without one in the parameter's own unit. */
  parameters: Readonly<Record<string, ParameterValue>>;
  /** Version as its operator tells it, such as `16.15`; null if any version is right. */
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
 * Asks the server for its version and for the parameters that were asked of it. Two short queries.
 *
 * @throws {UserError} with a line for everything that is not in force, by its name, with the value asked for and the one found
 */
export async function proveInForce(target: Target & { asked: AskedOfServer }, signal?: AbortSignal): Promise<InForce> {
  const found = await withConnection(target, (client) => readInForce(client, target.asked.parameters), signal);
  const problems = notInForce(found, target.asked);
  if (problems.length > 0) throw new UserError(problems.map((problem) => `${target.server}: ${problem}.`).join('\n'));
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
    lines.push(outcome.reason.message);
  }
  if (lines.length > 0) throw new UserError(lines.join('\n'));
}

/** What differs from what was asked, each in words that follow the server's name; empty if nothing does. */
export function notInForce({ version, parameters }: InForce, asked: AskedOfServer): string[] {
  return [
    ...(asked.version === null || isVersion(version, asked.version)
      ? []
      : [`the server says that it is PostgreSQL ${version}, but it should be ${asked.version}`]),
    ...parameters.filter(({ inForce }) => inForce === false).map(parameterWords),
  ];
}

/** What could not be proved about the parameters, in a sentence; null if there is nothing. */
export function unprovedParameters(server: string, { parameters }: Pick<InForce, 'parameters'>): string | null {
  const unproved = parameters.filter(({ inForce }) => inForce === null);
  if (unproved.length === 0) return null;
  const words = unproved.map(({ name, asked, found }) =>
    found === null ? `${name} (${asked}; the server does not show it)` : `${name} (${asked}; the server has ${found})`,
  );
  return `Whether these parameters of ${server} are in force could not be proved: ${words.join(', ')}.`;
}

function parameterWords({ name, asked, found, pendingRestart }: ParameterFinding): string {
  if (found === null) return `parameter ${name} should be ${asked}, but the server does not know it`;
  return `parameter ${name} is ${found}, but should be ${asked}${pendingRestart ? '; another value waits for a restart' : ''}`;
}

/** Versions of RDS may have more behind the numbers, such as `11.22-rds.20240418`. */
function isVersion(found: string, wanted: string): boolean {
  const numbers = (version: string): string => /^[\d.]*/.exec(version)?.[0] ?? '';
  return numbers(found) === numbers(wanted);
}

interface Row {
  name: string;
  setting: string | null;
  unit: string | null;
  type: string | null;
  source: string | null;
  boot: string | null;
  pending: boolean;
}

export async function readInForce(client: Client, asked: AskedOfServer['parameters']): Promise<InForce> {
  const server = await client.query<{ version: string; number: number }>(
    "SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number",
  );
  // What a session gets that changes nothing: ours has settings of its own. What is not in pg_settings may still be shown if its
  // name has a dot: a parameter of an extension that is not loaded.
  const { rows } = await client.query<Row>(
    `SELECT wanted.name, s.unit, s.vartype AS type, s.source, s.boot_val AS boot,
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

function finding({ name, setting, unit, type, source, boot, pending }: Row, asked: ParameterValue): ParameterFinding {
  const common = { name, asked: String(asked), pendingRestart: pending };
  // A name without a dot is PostgreSQL's own: a server that does not know it has not what was asked for.
  if (setting === null) return { ...common, found: null, inForce: name.includes('.') ? null : false };
  return {
    ...common,
    found: `${setting}${unit === null ? '' : ` (${unit})`}`,
    inForce: isInForce(name, asked, { setting, unit, type, source, bootValue: boot }),
  };
}
