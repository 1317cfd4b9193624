import pg from 'pg';
import { isServerTrouble, PartError, UserError } from '../contract/errors.ts';
import type { PlacedTarget } from '../places/place.ts';

/**
 * Does work on a server. If a program or the server fails, the error also has the first error in the server's log since
 * the work began, with its hint. A client often knows only the consequence, such as a failed checkpoint.
 */
export async function withCauseInLog<T>(target: Pick<PlacedTarget, 'serverLog'>, work: () => Promise<T>): Promise<T> {
  const log = await target.serverLog?.().catch(() => null);
  const errors = async (): Promise<string[]> =>
    (await log?.lines((line) => isError.test(line) || isHint.test(line)).catch(() => [])) ?? [];
  const before = await errors();
  try {
    return await work();
  } catch (error) {
    if (!isTrouble(error)) throw error;
    const since = (await errors()).slice(before.length);
    const at = since.findIndex((line) => isError.test(line));
    const first = since[at];
    const words = first?.slice(first.search(isError));
    if (words === undefined || error.message.includes(words)) throw error;
    const hint = isHint.exec(since[at + 1] ?? '')?.[1];
    const said = hint === undefined ? words : `${words} (${hint})`;
    throw new PartError(`${error.message}\nBefore that, the server logged: ${said}`, { cause: error });
  }
}

function isTrouble(error: unknown): error is Error {
  return error instanceof PartError || (error instanceof pg.DatabaseError && isServerTrouble(error.code ?? ''));
}

const isError = /(ERROR|FATAL|PANIC): /;
const isHint = /HINT: +(.*)$/;

type Asked = Pick<PlacedTarget, 'asked'>;

/**
 * Does work on a server. If it fails because of a parameter of the variant, the error names the parameter, and only the
 * user can correct it: another try would fail in the same way.
 */
export async function withCauseInParameter(target: Asked, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof UserError || error instanceof PartError)) throw error;
    const words = namingParameter(error.message, target);
    throw words === error.message ? error : new UserError(words, { cause: error });
  }
}

/** The message of a program or a server, followed by the variant's parameters that it is about and what to do. */
export function namingParameter(message: string, { asked: { parameters } }: Asked): string {
  const named = Object.entries(parameters).filter(([name]) => isAbout(message, name));
  const remedies = named.map(
    ([name, value]) => `The variant has the parameter ${name}: ${value}. Set it to another value, or leave it out.`,
  );
  return [message, ...remedies].join('\n');
}

/** PostgreSQL's messages that are about a parameter but do not name it. */
const unnamed: Readonly<Record<string, RegExp>> = {
  statement_timeout: /due to statement timeout/,
  lock_timeout: /due to lock timeout/,
  idle_in_transaction_session_timeout: /due to idle-in-transaction timeout/,
  idle_session_timeout: /due to idle-session timeout/,
  transaction_timeout: /due to transaction timeout/,
  default_transaction_read_only: /in a read-only transaction/,
  // Tables of a load are in the schema public.
  search_path: /relation "[^"]*" does not exist/,
  max_connections: /too many clients already|remaining connection slots/,
};

/** A name without an underscore, such as `jit`, may mean something else in a message. */
function isAbout(message: string, name: string): boolean {
  return unnamed[name]?.test(message) === true || (/^\w+_\w+$/.test(name) && new RegExp(`\\b${name}\\b`).test(message));
}
