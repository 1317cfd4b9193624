import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { once } from 'node:events';
import { PartError, UserError, withoutStop } from '../contract/errors.ts';
import { askProgram } from '../process/run-command.ts';
import type { Connection, Query } from './client.ts';
import { connectionString, type Service, type ServiceTarget } from './target.ts';

type Environment = ServiceTarget['environment'];

/** What psql prints for one statement, and how the statement ended. */
interface Printed {
  /** Values in the order of rows and columns. */
  values: (string | null)[];
  rowCount: number;
}

/**
 * Opens a session through psql. So libpq itself reads the service, the password file and the certificates, and
 * whatever it can connect to can be measured.
 *
 * @param application name of the session in the server's views
 * @throws {UserError} with what libpq says, if the server refuses the session; marked as passing if it accepts none now
 */
export async function psqlSession(target: ServiceTarget, application: string): Promise<Connection> {
  const { default: pg } = await import('pg');
  const token = randomBytes(16).toString('hex');
  const child = spawn(
    path.join(target.service.programs, 'psql'),
    [
      ...['--no-psqlrc', '--quiet', '--no-password', '--tuples-only', '--no-align'],
      // No value holds a zero byte.
      ...['--field-separator-zero', '--record-separator-zero', `--pset=null=${token}`],
      `--dbname=${connectionString(target, application)}`,
    ],
    // In a group of its own, so that Ctrl-C in the terminal reaches only us.
    {
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...target.environment, PGOPTIONS: undefined, LC_ALL: 'C' },
    },
  );
  const ended = once(child, 'close').catch((error: unknown) => error);
  // Once psql has ended, what is still to be written to it fails. The query that waits says so.
  child.stdin.on('error', () => undefined);
  let printed = '';
  let complaints = '';
  let waiting: { end: string; resolve: (text: string) => void; reject: (error: Error) => void } | null = null;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    const end = waiting ? printed.indexOf(waiting.end) : -1;
    if (!waiting || end === -1) return;
    const { resolve } = waiting;
    waiting = null;
    resolve(printed.slice(0, end));
    printed = '';
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-longestComplaint);
  });
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
    waiting?.reject(lost());
    waiting = null;
  });
  const lost = (): Error =>
    new PartError(
      `${target.server}: the connection was lost (${lastLine(complaints) || 'psql has ended'})`,
      'connection-lost',
    );

  /** What psql prints for these lines, up to the end that the last of them makes it print. */
  async function ask(lines: string): Promise<string> {
    if (hasEnded) throw lost();
    complaints = '';
    const answer = new Promise<string>((resolve, reject) => {
      waiting = { end: `${token}.\n`, resolve, reject };
    });
    child.stdin.write(`${lines}\n\\echo ${token}.\n`);
    return answer;
  }

  // Logging in reads the catalogue.
  let transactions = 1;
  async function carryOut(lines: string): Promise<Printed> {
    transactions += 1;
    const text = await ask(`${lines}\n\\echo ${token}: :ERROR :ROW_COUNT :SQLSTATE :LAST_ERROR_MESSAGE`);
    const at = text.lastIndexOf(`${token}: `);
    const [, failed, count, code, message = ''] =
      /^(\S+) (\S+) (\S+) ?([\s\S]*)$/.exec(text.slice(at + token.length + 2).trimEnd()) ?? [];
    if (failed === 'true') throw Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code });
    const values = text.slice(0, at).split('\0').slice(0, -1);
    return { values: values.map((value) => (value === token ? null : value)), rowCount: Number(count) };
  }

  const columns = new Map<string, { name: string; read: (value: string) => unknown }[]>();
  async function columnsOf(
    template: string,
    text: string,
  ): Promise<{ name: string; read: (value: string) => unknown }[]> {
    const known = columns.get(template);
    if (known) return known;
    const { values } = await carryOut(`${text}\n\\gdesc`);
    const made = Array.from({ length: values.length / 2 }, (_, index) => ({
      name: values[index * 2] ?? '',
      read: readerOf(values[index * 2 + 1] ?? ''),
    }));
    columns.set(template, made);
    return made;
  }
  // Its type does not know the ids of arrays.
  const parserOf = pg.types.getTypeParser as (oid: number, format: 'text') => (value: string) => unknown;
  const readerOf = (type: string): ((value: string) => unknown) => {
    const oid = typeIds[type];
    return oid === undefined ? (value) => value : parserOf(oid, 'text');
  };

  async function query(
    given: string | Query,
    among?: readonly unknown[],
  ): Promise<{ rows: unknown[]; rowCount: number }> {
    const {
      text: template,
      values = among ?? [],
      rowMode,
    }: Query = typeof given === 'string' ? { text: given } : given;
    const text = template.replace(/\$(\d+)/g, (_, number: string) => literal(values[Number(number) - 1]));
    if (!returnsRows(text)) {
      // psql would take several statements apart, and carry out what begins with a backslash. So it gets them as a value.
      if (!isPlain(text)) transactions += 1;
      const { rowCount } = await carryOut(isPlain(text) ? `${text}\n\\g` : `SELECT ${literal(text)} \\gexec`);
      return { rows: [], rowCount };
    }
    const described = await columnsOf(template, text);
    const answer = await carryOut(`${text}\n\\g`);
    // Not every statement with rows tells their number: SHOW does not.
    const rows = Array.from({ length: described.length && answer.values.length / described.length }, (_, row) => {
      const found = described.map(({ name, read }, column) => {
        const value = answer.values[row * described.length + column] ?? null;
        return [name, value === null ? null : read(value)] as const;
      });
      return rowMode === 'array' ? found.map(([, value]) => value) : Object.fromEntries(found);
    });
    return { rows, rowCount: rows.length };
  }
  const literal = (value: unknown): string =>
    value === null || value === undefined ? 'NULL' : pg.escapeLiteral(asText(value));

  let queue: Promise<unknown> = Promise.resolve();
  const client = {
    query(given: string | Query, values?: readonly unknown[]) {
      const answer = queue.then(() => query(given, values));
      queue = answer.catch(() => undefined);
      return answer;
    },
    async end() {
      // A query that still runs is given up: psql asks the server to cancel it.
      if (waiting) child.kill('SIGINT');
      child.stdin.end();
      await ended;
    },
    cutOff: () => void child.kill('SIGKILL'),
    transactions: () => transactions,
  };
  try {
    await ask('');
  } catch (error) {
    if (!(error instanceof PartError)) throw error;
    const words = withoutStop(lastLine(complaints));
    throw new UserError(`${target.server}: no connection by the service ${target.service.name} (${words}).`, {
      cause: error,
      isTransient: await isDown(target.service, target.environment),
    });
  }
  return client as Connection;
}

const longestComplaint = 4096;

/** Comments and what is quoted, in the order in which PostgreSQL finds them. */
const quoted =
  /--[^\n]*|\/\*[\s\S]*?\*\/|\be'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$/gi;

/** Whether psql would send the text as it is: one statement, without commands and variables of psql. */
function isPlain(text: string): boolean {
  return !/[;\\]|(?<!:):(?=[\w'"{])/.test(text.replace(quoted, "''"));
}

function returnsRows(text: string): boolean {
  return /^\s*(SELECT|WITH|VALUES|SHOW|EXPLAIN|TABLE)\b/i.test(text) && isPlain(text);
}

/** Ids of the types that become more than text, by the names that psql shows. From pg_type.dat. */
const typeIds: Readonly<Record<string, number>> = {
  boolean: 16,
  bytea: 17,
  bigint: 20,
  smallint: 21,
  integer: 23,
  oid: 26,
  json: 114,
  jsonb: 3802,
  real: 700,
  'double precision': 701,
  date: 1082,
  'timestamp without time zone': 1114,
  'timestamp with time zone': 1184,
  interval: 1186,
  'boolean[]': 1000,
  'smallint[]': 1005,
  'integer[]': 1007,
  'text[]': 1009,
  'name[]': 1009,
  'bigint[]': 1016,
  'oid[]': 1028,
  'double precision[]': 1022,
  'json[]': 199,
  'jsonb[]': 3807,
};

/** A value as PostgreSQL reads it. Arrays hold no arrays. */
function asText(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) {
    return `{${value.map((one) => (one === null ? 'NULL' : `"${asText(one).replace(/[\\"]/g, '\\$&')}"`)).join(',')}}`;
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function lastLine(text: string): string {
  return (
    text
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^psql: error: /, '') ?? ''
  );
}

/**
 * Whether the server of a service is down or accepts no connections at the moment. If not, what libpq says is about this
 * user, database or service.
 */
export async function isDown({ name, programs }: Pick<Service, 'name' | 'programs'>, environment: Environment) {
  // With whatever TLS there is: without the one that was asked for, pg_isready would say that nothing answers.
  const command = [path.join(programs, 'pg_isready'), '--quiet', `--dbname=service=${name} sslmode=prefer`];
  const { signal } = new AbortController();
  const { exitCode } = await askProgram(command, { environment: { ...process.env, ...environment }, signal });
  return exitCode === 1 || exitCode === 2;
}
