import { failureOf, PartError, UserError } from '../contract/errors.ts';
import type { PlacedTarget } from './place.ts';

type Asked = { asked: Pick<PlacedTarget['asked'], 'parameters'> };

/**
 * Does work on a server. If it fails because of a parameter of the variant, the error names the parameter, and only the
 * user can correct it: another try would fail in the same way.
 */
export async function withCauseInParameter(target: Asked, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof UserError || error instanceof PartError || isOfServer(error))) throw error;
    const words = namingParameter(error.message, target, error);
    throw words === error.message ? error : new UserError(words, { cause: error });
  }
}

/** Whether a server sent it, such as one that refuses every session with these parameters. */
function isOfServer(error: unknown): error is Error {
  return error instanceof Error && 'severity' in error;
}

/**
 * The message of a program or a server, followed by the variant's parameters that it is about and what to do.
 *
 * @param error that the message is of, if there is one
 */
export function namingParameter(message: string, { asked: { parameters } }: Asked, error?: unknown): string {
  const isLate = ['no-connection', 'no-transactions'].includes(failureOf(error));
  const named = Object.entries(parameters).filter(
    ([name]) => isAbout(message, name) || (isLate && delaysOfSessions.includes(name)),
  );
  const remedies = named.map(
    ([name, value]) => `The variant has the parameter ${name}: ${value}. Set it to another value, or leave it out.`,
  );
  return [message, ...remedies].join('\n');
}

/** What a server says that cannot load a library for a session, or when it starts. */
const noLibrary =
  /could not (access file|load library)|incompatible library|librar(y|ies) .* (is|are) not allowed|access to library/;

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
  session_preload_libraries: noLibrary,
  local_preload_libraries: noLibrary,
  shared_preload_libraries: noLibrary,
  db_user_namespace: /password authentication failed/,
  password_encryption: /password authentication failed|does not have a valid SCRAM secret/,
  max_connections: /too many clients already|remaining connection slots/,
};

/** With these, a server answers nobody in time, or so late that a short load ends before its first transaction. */
const delaysOfSessions = ['pre_auth_delay', 'post_auth_delay'];

/** A name without an underscore, such as `jit`, may mean something else in a message. */
function isAbout(printed: string, name: string): boolean {
  return unnamed[name]?.test(printed) === true || (/^\w+_\w+$/.test(name) && new RegExp(`\\b${name}\\b`).test(printed));
}
