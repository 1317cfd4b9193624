import { problemOf, UserError } from '../contract/errors.ts';

/** What went wrong, by the name of the server. */
export type ServerFailures = ReadonlyMap<string, Error>;

/** Something failed for some servers, but not for the others. */
class ServersFailed extends Error {
  override name = 'ServersFailed';
  readonly failures: ServerFailures;

  constructor(failures: ServerFailures) {
    const lines = [...failures].map(([server, { message }]) => `${server}: ${message}`);
    super(lines.join('\n'), { cause: [...failures.values()][0] });
    this.failures = failures;
  }
}

/**
 * Does the same work for one server after another. If it fails for one, the others are still done.
 *
 * @throws an error with the failures of all servers, which `failuresByServer` returns; the signal's reason if it
 * aborted
 */
export async function forEachServer(
  servers: Iterable<string>,
  signal: AbortSignal,
  work: (server: string) => Promise<void>,
): Promise<void> {
  const failures = new Map<string, Error>();
  for (const server of servers) {
    try {
      await work(server);
    } catch (error) {
      signal.throwIfAborted();
      failures.set(server, error instanceof Error ? error : new Error(String(error)));
    }
  }
  if (failures.size > 0) throw errorOf(failures);
}

/** Does several such pieces of work, all of them even if one fails. */
export async function allOf(...works: readonly (() => Promise<void>)[]): Promise<void> {
  const failures = new Map<string, Error>();
  for (const work of works) {
    try {
      await work();
    } catch (error) {
      const found = failuresByServer(error);
      if (found === null) throw error;
      for (const [server, failure] of found) if (!failures.has(server)) failures.set(server, failure);
    }
  }
  if (failures.size > 0) throw errorOf(failures);
}

/** The failures that the error consists of; null if it is not about single servers. */
export function failuresByServer(error: unknown): ServerFailures | null {
  const failed = error instanceof UserError ? error.cause : error;
  return failed instanceof ServersFailed ? failed.failures : null;
}

/** A UserError if all failures are UserErrors or passing problems; marked as passing if all of them may pass. */
function errorOf(failures: ServerFailures): Error {
  const failed = new ServersFailed(failures);
  const problems = [...failures.values()].map(problemOf);
  return problems.every((one) => one !== null)
    ? new UserError(failed.message, { isTransient: problems.every(({ isTransient }) => isTransient), cause: failed })
    : failed;
}
