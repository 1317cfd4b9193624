import pg from 'pg';
import { failureOf, isServerTrouble, PartError, printedBy, UserError } from '../contract/errors.ts';
import { isLasting, withoutPlace } from '../contract/printed.ts';
import { memoryExhausted, watchMemory } from '../machine/memory-kills.ts';
import { placeNamed } from '../places/registry.ts';
import type { PlacedTarget } from '../places/place.ts';
import type { ActiveRun } from './run-shape.ts';

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
    const printed = printedBy(error) ?? '';
    if (words === undefined || printed.includes(words)) throw error;
    const hint = isHint.exec(since[at + 1] ?? '')?.[1];
    const logged = hint === undefined ? words : `${words} (${hint})`;
    throw new PartError(`${error.message}\nBefore that, the server logged: ${logged}`, {
      printed: `${printed}\n${logged}`,
      cause: error,
    });
  }
}

function isTrouble(error: unknown): error is Error {
  return error instanceof PartError || (error instanceof pg.DatabaseError && isServerTrouble(error.code ?? ''));
}

const isError = /(ERROR|FATAL|PANIC): /;
const isHint = /HINT: +(.*)$/;

/**
 * Does work until it succeeds.
 *
 * @param onFailure receives each error and the number of tries so far. It returns when it is time for the next try, or
 *   throws to give up
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
 * Tries until it succeeds: again after a minute, then after longer pauses of up to five minutes. A bug of ours is
 * thrown at once.
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
    warn(`${error.message} pgduet keeps retrying.`);
    // Only the signal ends a pause early. What to report is then the error that was the reason to try again.
    await pause(Math.min(firstPauseSeconds * 2 ** (tries - 1), longestPauseSeconds), signal).catch(() => {
      throw error;
    });
  });
}

/** A lost connection or a failover passes. */
const maxTries = 3;
/** Work that fails twice in the same way would not succeed the third time. */
const maxTriesAlike = 2;
/** Long enough for the end of a failover. */
const secondsToNextTry = 60;

/**
 * Does work on one server. If it fails, warns and tries again. It does not try again if the run was interrupted, if
 * only the user can correct the cause, if disk or memory ran out, if the work is not allowed or not understood, or if it failed in the same way before, unless a
 * connection was lost. The error also says how the first try failed.
 *
 * @param what names the work in the warning, such as `Loading with-dlv`
 */
export async function withTries(
  { place, pause, report }: ActiveRun,
  what: string,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const memoryRanOut = watchMemory();
  await retry(work, async (error, tries) => {
    if (signal.aborted || error instanceof UserError) throw error;
    const killed = memoryRanOut();
    if (killed !== null) throw memoryExhausted(`${what} failed. ${killed}`, error);
    const why = messageOf(error);
    failures.push(error);
    const failure = failureOf(error);
    if (failure === 'disk-full') {
      const remedy = placeNamed(place.kind).isFound
        ? 'Free up space on the server’s disk, or load less.'
        : place.volumesKind === 'folders'
          ? 'Servers in plain folders use the disk of TMPDIR. Set TMPDIR to a folder on another disk, or load less.'
          : 'Give the variant a larger volume (storage.sizeGib), or load less.';
      throw new UserError(`${what} failed: ${why}\n${remedy}`, { cause: error, failure: 'disk-full' });
    }
    const alike = failures.filter((before) => signatureOf(before) === signatureOf(error)).length;
    if (failure === 'no-access' || isLasting(printedBy(error) ?? '')) throw withFirst(failures, error);
    if (tries === maxTries || (alike === maxTriesAlike && failure !== 'connection-lost'))
      throw withFirst(failures, error);
    report({ kind: 'warning', text: `${what} failed. Retrying (${tries + 1} of ${maxTries}): ${why}` });
    await pause(secondsToNextTry, signal);
    await place.activateOnly([], signal);
  });
}

/** Equal for failures of one kind. */
function signatureOf(error: unknown): string {
  const printed = printedBy(error);
  return printed === null ? failureOf(error) : withoutPlace(printed);
}

/** The last failure may be only a consequence of the first. */
function withFirst([first]: readonly unknown[], last: unknown): unknown {
  if (signatureOf(first) === signatureOf(last) || !(last instanceof PartError)) return last;
  return new PartError(`${last.message}\nThe first attempt failed differently: ${messageOf(first)}`, { cause: last });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
