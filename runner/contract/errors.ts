import type { FailureCode } from './failures.ts';
import { describeFailure, isOfNetwork, type SystemFailure } from './system-failure.ts';

/**
 * An error that the user can correct. Its message says what failed, the wrong value, and what to change. The command
 * line prints only the message and exits with 2. Any other error is a bug in pgduet, and its stack is shown.
 */
export class UserError extends Error {
  override name = 'UserError';
  /** The lines of the message, such as one for each of several problems. */
  readonly lines: readonly string[];
  /**
   * Whether it is an outside problem that may pass: then the command line exits with 3, and another start may succeed.
   */
  readonly isTransient: boolean;
  /** What kind of failure it is; null if its cause says so, or if it is only something to correct. */
  readonly failure: FailureCode | null;
  /** What another program printed, if that is why; null if its cause says so. */
  readonly printed: string | null;

  /** @param message or its lines */
  constructor(
    message: string | readonly string[],
    {
      isTransient = false,
      failure = null,
      printed = null,
      ...options
    }: ErrorOptions & { isTransient?: boolean; failure?: FailureCode | null; printed?: string | null } = {},
  ) {
    const lines = typeof message === 'string' ? [message] : message;
    super(lines.join('\n'), options);
    this.lines = lines;
    this.isTransient = isTransient;
    this.failure = failure;
    this.printed = printed;
  }
}

/** A sentence as a part of another one. */
export function withoutStop(text: string): string {
  return text.replace(/\.$/, '');
}

/** null where something that the user can correct keeps an answer away. @throws any other error */
export function unlessUserError(error: unknown): null {
  if (error instanceof UserError) return null;
  throw error;
}

/** What can be found; nothing where a file is damaged, is named wrongly, or may not be read. @throws any other error */
export function orEmpty<T>(find: () => T[]): T[] {
  try {
    return find();
  } catch (error) {
    if (problemOf(error)) return [];
    throw error;
  }
}

/** Ends a run before its first trial, so that another one with trials that fit its transactions takes its place. */
export class UnfitTrials extends Error {
  readonly transactionSeconds: number;

  constructor(transactionSeconds: number) {
    super(`the trials do not fit transactions of ${transactionSeconds} s`);
    this.transactionSeconds = transactionSeconds;
  }
}

/** A key of the experiment file could mend it. */
export class KeyError extends UserError {}

/**
 * Something that a run needs and that is not our code has failed: a server, a volume, a program. It is not a bug in
 * pgduet, and another start may succeed.
 */
export class PartError extends Error {
  override name = 'PartError';
  /** What kind of failure it is; null if its cause says so. */
  readonly failure: FailureCode | null;
  /** What another program printed, if that is why; null if its cause says so. */
  readonly printed: string | null;

  /** @param why what kind of failure it is, with what a program printed, or at least the error that says so */
  constructor(
    message: string,
    why:
      | FailureCode
      | { failure: FailureCode; printed: string }
      | { failure?: FailureCode; printed?: string; cause: unknown },
  ) {
    const { failure, printed, ...options }: ErrorOptions & { failure?: FailureCode; printed?: string } =
      typeof why === 'string' ? { failure: why } : why;
    super(message, options);
    this.failure = failure ?? null;
    this.printed = printed ?? null;
  }
}

/** What another program or a server said that made something fail; null if none did. */
export function printedBy(error: unknown): string | null {
  for (let one = error; one instanceof Error; one = one.cause) {
    const said =
      one instanceof UserError || one instanceof PartError ? one.printed : isOfServer(one) ? one.message : null;
    if (said !== null) return said;
  }
  return null;
}

/** Whether a server sent it, such as one that refuses every session with these parameters. */
export function isOfServer(error: unknown): error is Error {
  return error instanceof Error && 'severity' in error;
}

/** SQLSTATEs of a server that shuts down, starts, is out of space or memory, or has an internal error. */
const serverCodes = /^(08\w{3}|53\w{3}|57P\w{2}|58\w{3}|XX\w{3})$/;
/** Whether a SQLSTATE means that the server is in trouble, and not that the request was wrong. */
export function isServerTrouble(code: string): boolean {
  return serverCodes.test(code);
}

/** Whether a SQLSTATE means that the server does not let the role in, or refuses it a right. */
function isAccessDenied(code: string): boolean {
  return /^(28...|42501)$/.test(code);
}

/** What PostgreSQL's client says, without a code. */
const brokenConnection = /^(Connection terminated|Client has encountered a connection error)/;

/** What kind of failure an error is, as whoever threw it, or what caused that, says. */
export function failureOf(error: unknown): FailureCode {
  let fallback: FailureCode = 'other';
  for (let one = error; one instanceof Error; one = one.cause) {
    const known = one instanceof UserError || one instanceof PartError ? one.failure : failureOfOthers(one);
    if (known !== null) return known;
    if (one instanceof UserError) fallback = 'rejected';
  }
  return fallback;
}

const sqlState = /^(?=.*\d)[0-9A-Z]{5}$/;

/** What an error of the system, of a server or of PostgreSQL's client is; null if it is none of these. */
function failureOfOthers(error: Error): FailureCode | null {
  const system = describeFailure(error);
  if (system) return failureOfSystem(system);
  if (brokenConnection.test(wordsOf(error)) || isUnreachable(error)) return 'connection-lost';
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string' || !sqlState.test(code)) return null;
  if (code === '53100') return 'disk-full';
  if (isAccessDenied(code)) return 'no-access';
  return /^(08|57P)/.test(code) ? 'connection-lost' : 'server-error';
}

function failureOfSystem({ kind, code }: SystemFailure): FailureCode {
  if (kind === 'network') return noNetwork.has(code) ? 'no-network' : 'connection-lost';
  if (kind === 'file') return ['ENOSPC', 'EDQUOT'].includes(code) ? 'disk-full' : 'file-error';
  return 'program-failed';
}

/** This machine itself had no network or no name service. If only a server is gone, connections are refused or reset. */
export const noNetwork: ReadonlySet<string> = new Set(['ENETUNREACH', 'ENETDOWN', 'EAI_AGAIN']);

/** What the user can correct, or what may pass outside; null if it is a bug in pgduet. */
export function problemOf(error: unknown): UserError | null {
  if (error instanceof UserError) return error;
  if (error instanceof PartError) return new UserError(error.message, { cause: error, isTransient: true });
  const failure = describeFailure(error);
  if (failure) {
    const { remedy, isTransient } = failure;
    return new UserError(`${wordsOf(error)}. ${remedy}`, { cause: error, isTransient });
  }
  if (!(error instanceof Error)) return null;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (isAccessDenied(code)) {
    return new UserError(
      `A server denies the role a right (${error.message}). Grant it to the role, or name another one.`,
      { cause: error },
    );
  }
  if (!isServerTrouble(code) && !brokenConnection.test(wordsOf(error)) && !isUnreachable(error)) return null;
  // Its words name the parameter, which limits the next try, too.
  if (code === '53400')
    return new UserError(`A server parameter blocks the operation (${error.message}). Set it to another value.`, {
      cause: error,
    });
  return new UserError(`A server connection broke, or the server failed (${error.message}).`, {
    cause: error,
    isTransient: true,
  });
}

/** What an error says, without the remedy if it is the system's. */
export function wordsOf(error: unknown): string {
  const failure = describeFailure(error);
  if (failure) return `Could not ${failure.what}: ${failure.why}${failure.plain ? '' : ` (${failure.code})`}`;
  return error instanceof Error ? error.message : String(error);
}

/** Whether the network is the trouble: the other side could not be found or reached, or went away. */
export function isUnreachable(error: Error): boolean {
  const { code } = error as { code?: unknown };
  return error.name === 'TimeoutError' || (typeof code === 'string' && isOfNetwork(code));
}

/** Why it failed, in words that follow a colon. */
export function whyFailed(error: unknown): string {
  return describeFailure(error)?.why ?? wordsOf(error);
}

/** The error about a file that cannot be read; one that already says what is wrong stays as it is. */
export function unreadable(file: string, error: unknown): UserError {
  if (error instanceof UserError) return error;
  const known = describeFailure(error, true);
  const message = `${file} cannot be read: ${whyFailed(error)}.`;
  return new UserError(known ? `${message} ${known.remedy}` : message, {
    cause: error,
    isTransient: known?.isTransient ?? false,
    failure: known && failureOfSystem(known),
  });
}

/** SQLSTATEs of a server that does not have what was asked for, does not support it, or keeps it from the role. */
const refusals = ['0A000', '42501', '42703', '42883', '42P01', '55000'] as const;

/** Whether a server works, but does not let have what was asked for, as a managed server does not have every view. */
export function isRefusal(error: unknown): boolean {
  return hasCode(error, ...refusals);
}

/** Whether this is an error with one of these codes, such as those of the system: ENOENT, or of PostgreSQL: 42501. */
export function hasCode(error: unknown, ...codes: readonly string[]): error is Error {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Adds the name of the file to the system's error about an open file, which has none. */
export function nameFile(error: unknown, file: string): unknown {
  if (error instanceof Error && 'code' in error) (error as NodeJS.ErrnoException).path ??= file;
  return error;
}
