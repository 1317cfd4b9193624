import { failureOf, isOfServer, PartError, printedBy, UserError } from '../contract/errors.ts';
import type { FailureCode } from '../contract/failures.ts';
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

/**
 * A message, followed by the variant's parameters that the failure is about and what to do.
 *
 * @param error that failed, if what a program or a server said is its cause
 */
export function namingParameter(message: string, { asked }: Asked, error: unknown): string {
  return [message, ...parameterRemedies(asked.parameters, printedBy(error) ?? '', failureOf(error))].join('\n');
}

/**
 * What to do about each parameter that a failure is about.
 *
 * @param printed by a program or a server
 */
export function parameterRemedies(
  parameters: PlacedTarget['asked']['parameters'],
  printed: string,
  failure: FailureCode,
): string[] {
  const isLate = failure === 'no-connection' || failure === 'no-transactions';
  return Object.entries(parameters)
    .filter(([name]) => isAbout(printed, name) || (isLate && delaysOfSessions.includes(name)))
    .map(([name, value]) => `The variant sets parameter ${name}: ${value}. Change the value, or remove it.`);
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
