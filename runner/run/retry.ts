import { isLostConnection, isDiskFull, PartError, UserError } from '../contract/errors.ts';
import type { ActiveRun } from './execution.ts';

/**
 * Does work until it succeeds.
 *
 * @param onFailure receives each error, and how many tries there were. It returns when it is time for the next, or throws to
 *   give up
 */
async function retry<T>(
  work: () => Promise<T>,
  onFailure: (error: unknown, tries: number) => Promise<void>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      await onFailure(error, tries);
    }
  }
}

const firstPauseSeconds = 60;
const longestPauseSeconds = 300;

/**
 * Tries until it succeeds: after a minute, and then after longer pauses of up to five. A bug of ours is thrown at once.
 *
 * @param warn receives each reason to try again
 * @param signal when it aborts, the last error is thrown
 */
export async function keepTrying<T>(
  attempt: () => Promise<T>,
  {
    warn,
    pause,
    signal,
  }: {
    warn: (text: string) => void;
    pause: (seconds: number, signal: AbortSignal) => Promise<void>;
    signal: AbortSignal;
  },
): Promise<T> {
  return retry(attempt, async (error, tries) => {
    if (!(error instanceof UserError) || signal.aborted) throw error;
    warn(`${error.message} It is tried again until it succeeds.`);
    // Only the signal ends a pause; then the reason to try again is the news.
    await pause(Math.min(firstPauseSeconds * 2 ** (tries - 1), longestPauseSeconds), signal).catch(() => {
      throw error;
    });
  });
}

/** A lost connection or a failover passes. */
const mostTries = 3;
/** Of what fails twice in the same way, the third time is no better. */
const mostTriesAlike = 2;
/** Long enough for the end of a failover. */
const secondsToNextTry = 60;

/**
 * Does work on one server, and does it again if it fails, with a warning. It is not done again if the run was interrupted, if
 * it is the user who has to put it right, if the disk is full, or if it failed in the same way before, unless a connection was
 * lost. The error tells how it failed first.
 *
 * @param what names the work in the warning, such as `Loading with-dlv`
 */
export async function withTries(
  { place, pause, report }: ActiveRun,
  what: string,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  const failures: string[] = [];
  await retry(work, async (error, tries) => {
    if (signal.aborted || error instanceof UserError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    failures.push(why);
    if (isDiskFull(why)) {
      const remedy =
        place.volumesKind === 'folders'
          ? 'Servers in plain folders fill the disk of TMPDIR: set TMPDIR to another disk, or load less.'
          : 'Give the variant a larger volume (storage.sizeGib), or load less.';
      throw new UserError(`${what} failed: ${why}\n${remedy}`, { cause: error });
    }
    const alike = failures.filter((before) => kindOf(before) === kindOf(why)).length;
    if (tries === mostTries || (alike === mostTriesAlike && !isLostConnection(why))) throw withFirst(failures, error);
    report({ kind: 'warning', text: `${what} failed and is tried again (${tries + 1} of ${mostTries}): ${why}` });
    await pause(secondsToNextTry, signal);
    await place.activateOnly([], signal);
  });
}

/**
 * The same for failures that differ only in numbers, such as ids of processes, in how far they came, and in what a server says
 * about where.
 */
function kindOf(failure: string): string {
  return failure
    .replace(/^\S+ ended with \S+: /, '')
    .split(/[\r\n]+/)
    .filter((line) => !besides.test(line))
    .join('\n')
    .replace(/\d+/g, '0');
}

/** Progress and notices of a load, and what follows an error of PostgreSQL. */
const besides =
  /^progress:|\b(elapsed|remaining) [\d.]+ s\b|^(pgbench: )?(CONTEXT|DETAIL|NOTICE|WARNING|STATEMENT|LINE \d+):/i;

/** What failed last may only follow from what failed first. */
function withFirst(failures: readonly string[], error: unknown): unknown {
  const [first = '', last = ''] = [failures[0], failures.at(-1)];
  if (kindOf(first) === kindOf(last) || !(error instanceof PartError)) return error;
  return new PartError(`${last}\nThe first time, it failed otherwise: ${first}`, { cause: error });
}
