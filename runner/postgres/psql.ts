import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { once } from 'node:events';
import { PartError, UserError, withoutStop } from '../contract/errors.ts';
import { failureInOutput } from '../contract/printed.ts';
import { askProgram } from '../process/run-command.ts';
import { connectionString, connectSeconds, type Service, type ServiceTarget } from './target.ts';

type Environment = ServiceTarget['environment'];

/** What psql prints for one statement. */
interface Printed {
  /** Values in the order of rows and columns. */
  values: (string | null)[];
  rowCount: number;
}

/** A running psql that is connected. */
export interface Psql {
  /**
   * Lets psql carry out one statement, with a command such as `\g` at its end.
   *
   * @throws {DatabaseError} with the SQLSTATE, if the server refuses the statement
   * @throws {PartError} if the connection is lost
   */
  carryOut: (lines: string) => Promise<Printed>;
  /** Ends it. It asks the server to cancel what still runs. */
  end: () => Promise<void>;
  /** Ends it without telling the server. */
  cutOff: () => void;
}

/**
 * Starts psql and waits until it is connected. So libpq itself reads the service, the password file and the
 * certificates, and whatever it can connect to can be measured.
 *
 * @param application name of the session in the server's views
 * @throws {UserError} with what libpq says, if the server refuses the session; marked as passing if it accepts none now
 */
export async function startPsql(target: ServiceTarget, application: string): Promise<Psql> {
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
      env: { ...ownEnvironment(target.environment), PGOPTIONS: target.service.options },
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
      `${target.server}: the connection was lost (${complaints.trim().split('\n').at(-1) || 'psql has ended'})`,
      { failure: 'connection-lost', printed: complaints },
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

  async function carryOut(lines: string): Promise<Printed> {
    const text = await ask(`${lines}\n\\echo ${token}: :ERROR :ROW_COUNT :SQLSTATE :LAST_ERROR_MESSAGE`);
    const at = text.lastIndexOf(`${token}: `);
    const [, failed, count, code, message = ''] =
      /^(\S+) (\S+) (\S+) ?([\s\S]*)$/.exec(text.slice(at + token.length + 2).trimEnd()) ?? [];
    if (failed === 'true') throw Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code });
    const values = text.slice(0, at).split('\0').slice(0, -1);
    return { values: values.map((value) => (value === token ? null : value)), rowCount: Number(count) };
  }

  try {
    await ask('');
  } catch (error) {
    if (!(error instanceof PartError)) throw error;
    const words = withoutStop(complaintOf(complaints));
    throw new UserError(`${target.server}: no connection by the service ${target.service.name} (${words}).`, {
      cause: error,
      failure: failureInOutput(words),
      isTransient: await isDown(target.service, target.environment),
    });
  }
  return {
    carryOut,
    async end() {
      if (waiting) child.kill('SIGINT');
      child.stdin.end();
      await ended;
    },
    cutOff: () => void child.kill('SIGKILL'),
  };
}

const longestComplaint = 4096;

/** Why psql could not connect, by what it prints: in one line. */
export function complaintOf(stderr: string): string {
  return stderr
    .trim()
    .replace(/^psql: error: /, '')
    .replaceAll(/\s+/g, ' ');
}

/**
 * The environment of our own sessions by a service: in English, and with a bound for connecting, unless the user or the
 * service sets another.
 */
export function ownEnvironment(environment: Environment): NodeJS.ProcessEnv {
  return { PGCONNECT_TIMEOUT: String(connectSeconds), ...process.env, ...environment, LC_ALL: 'C' };
}

/**
 * Whether the server of a service is down or accepts no connections at the moment. If not, what libpq says is about this
 * user, database or service.
 */
export async function isDown({ name, programs }: Pick<Service, 'name' | 'programs'>, environment: Environment) {
  // With whatever TLS there is: without the one that was asked for, pg_isready would say that nothing answers.
  const command = [path.join(programs, 'pg_isready'), '--quiet', `--dbname=service=${name} sslmode=prefer`];
  const { signal } = new AbortController();
  const { exitCode } = await askProgram(command, { environment: ownEnvironment(environment), signal });
  return exitCode === 1 || exitCode === 2;
}
