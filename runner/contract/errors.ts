/**
 * An error that the user can correct. Its message says what failed, the wrong value, and what to change. The command
 * line prints only the message and exits with 2. Any other error is a bug in pgduet, and its stack is shown.
 */
export class UserError extends Error {
  override name = 'UserError';
  /**
   * Whether it is an outside problem that may pass: then the command line exits with 3, and another start may succeed.
   */
  readonly passing: boolean;

  constructor(message: string, { passing = false, ...options }: ErrorOptions & { passing?: boolean } = {}) {
    super(message, options);
    this.passing = passing;
  }
}

/** null where something that the user can correct keeps an answer away. @throws any other error */
export function unlessUserError(error: unknown): null {
  if (error instanceof UserError) return null;
  throw error;
}

/** Ends a run before its first trial, so that another one with trials that fit its transactions takes its place. */
export class UnfitTrials extends Error {
  readonly transactionSeconds: number;

  constructor(transactionSeconds: number) {
    super(`the trials do not fit transactions of ${transactionSeconds} s`);
    this.transactionSeconds = transactionSeconds;
  }
}

/** A file of the workload was changed while something that reads it was running. */
export class ChangedInput extends UserError {}

/**
 * Something that a run needs and that is not our code has failed: a server, a volume, a program. It is not a bug in
 * pgduet, and another start may succeed.
 */
export class PartError extends Error {
  override name = 'PartError';
}

/**
 * SQLSTATEs of a server that shuts down, starts, is out of space or memory, or has an internal error; and a broken
 * volume.
 */
const serverCodes = /^(EIO|08\w{3}|53\w{3}|57P\w{2}|58\w{3}|XX\w{3})$/;
/** Whether a SQLSTATE means that the server is in trouble, and not that the request was wrong. */
export function isServerTrouble(code: string): boolean {
  return serverCodes.test(code);
}

/**
 * Whether a client program of PostgreSQL says that its connection was lost, or that the server is shutting down or
 * starting. Not if a parameter of the server ends sessions: the next session would end in the same way.
 */
export function isLostConnection(text: string): boolean {
  if (/terminating connection due to [a-z-]+ timeout/.test(text)) return false;
  return /connection to server|server closed the connection|terminating connection|connection .*(lost|refused|reset)|is (starting|shutting)/i.test(
    text,
  );
}

/** Whether a program or a server says that a disk is full. */
export function isDiskFull(text: string): boolean {
  return /No space left on device|disk full|could not extend file/i.test(text);
}

/** What PostgreSQL's client says, without a code. */
const brokenConnection = /^(Connection terminated|Client has encountered a connection error)/;

/** The outside problem that an error stands for; null if it is another error. */
export function passingProblem(error: unknown): UserError | null {
  if (!(error instanceof Error)) return null;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (error instanceof PartError) return new UserError(error.message, { cause: error, passing: true });
  if (!isUnreachable(error) && !isServerTrouble(code) && !brokenConnection.test(error.message)) return null;
  return new UserError(`The connection to a server broke, or the server has a fault (${error.message}).`, {
    cause: error,
    passing: true,
  });
}

/** Whether the network is the trouble: the other side could not be found or reached, or went away. */
export function isUnreachable(error: Error): boolean {
  const { code } = error as { code?: unknown };
  const name = typeof code === 'string' ? code : error.name;
  return /^(ENOTFOUND|ECONN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|EPIPE|TimeoutError)/.test(name);
}

/** What a system error means to a user, by its code; errors with other codes are bugs in pgduet. */
const systemRemedies: Record<string, string> = {
  EACCES: 'cannot be accessed by this user. Choose another folder, or change its permissions.',
  EDQUOT: 'is on a disk where this user’s quota is used up. Make room there, or choose another folder.',
  EISDIR: 'is a folder. Name a file.',
  EMFILE: 'could not be opened, because too many files are open. Raise the limit with `ulimit -n`.',
  ENOSPC: 'is on a full disk. Make room there, or choose another folder (--out, TMPDIR).',
  ENOTDIR: 'goes through something that is not a folder. Correct the path.',
  EPERM: 'cannot be changed by this user. Choose another folder, or change its permissions.',
  EROFS: 'is on a read-only disk. Choose another folder (--out, TMPDIR).',
};

/** Why a file or folder cannot be read, by the code of the system's error. */
const readingWords: Record<string, string> = {
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
  ELOOP: 'its path goes through too many symbolic links',
  ENOENT: 'it does not exist',
  ENOTDIR: 'its path goes through something that is not a folder',
  EPERM: 'this user may not read it',
};

/** The same in words that follow a colon. */
export function whyUnread(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return readingWords[code] ?? (error instanceof Error ? error.message : String(error));
}

/** The error about a file that cannot be read; one that already says what is wrong stays as it is. */
export function unreadable(file: string, error: unknown): UserError {
  return error instanceof UserError ? error : new UserError(`${file} cannot be read: ${whyUnread(error)}.`);
}

/** If a copy fails, errors with these codes are about the file that it makes. */
const ofWriting = new Set(['EDQUOT', 'ENOSPC', 'EROFS']);

/** Whether this is an error with one of these codes, such as those of the system: ENOENT, or of PostgreSQL: 42501. */
export function hasCode(error: unknown, ...codes: readonly string[]): error is Error {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Adds the name of the file to the system's error of a write to it, which has none. */
export function nameFile(error: unknown, file: string): unknown {
  if (error instanceof Error && 'code' in error) (error as NodeJS.ErrnoException).path ??= file;
  return error;
}

/**
 * The system's error in words that say what to do, if it is about a file and the user can correct it; otherwise null.
 */
export function systemProblem(error: unknown): UserError | null {
  if (!(error instanceof Error)) return null;
  const { code = '', path: named, dest } = error as NodeJS.ErrnoException & { dest?: string };
  const remedy = systemRemedies[code];
  if (remedy === undefined) return null;
  const path = ofWriting.has(code) ? (dest ?? named) : named;
  // An error of a write to an open file names no path, unless the writer has added it.
  return new UserError(path === undefined ? `A file ${remedy} (${error.message})` : `${path} ${remedy}`, {
    cause: error,
  });
}
