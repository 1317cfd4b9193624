import type { FailureCode } from './failures.ts';

// What other programs and servers say, where only their words say what it is. Errors carry it as `printed`.

/** What a program that ended with an error was brought down by, by what it and its libraries print; null if it does not say. */
export function failureInOutput(printed: string): FailureCode | null {
  if (isDiskFull(printed)) return 'disk-full';
  if (isWithoutAccess(printed)) return 'no-access';
  return isLostConnection(printed) ? 'connection-lost' : null;
}

/** For an error about a program: what it printed, and what kind of failure that is. */
export function failureBy(printed: string, otherwise: FailureCode): { failure: FailureCode; printed: string } {
  return { failure: failureInOutput(printed) ?? otherwise, printed };
}

/**
 * Whether a client program of PostgreSQL says that its connection was lost, or that the server is shutting down or
 * starting. Not if a parameter of the server ends sessions: the next session would end in the same way.
 */
function isLostConnection(text: string): boolean {
  if (/terminating connection due to [a-z-]+ timeout/.test(text)) return false;
  return /connection to server|server closed the connection|PQputline failed|perhaps the backend died|terminating connection|connection .*(lost|refused|reset)|is (starting|shutting)/i.test(
    text,
  );
}

/** Whether a client program says that the server does not let a role in, or refuses it a right. */
function isWithoutAccess(text: string): boolean {
  return /authentication failed|no password supplied|is not permitted to log in|no pg_hba\.conf entry|permission denied (for|to) /i.test(
    text,
  );
}

/** Whether a program or a server says that a disk is full. */
function isDiskFull(text: string): boolean {
  return /No space left on device|disk full|could not extend file/i.test(text);
}

/** Whether work will never be done: a minute later, a server or Tcl would say the same again. */
export function isLasting(printed: string): boolean {
  return /permission denied|must be (superuser|owner)|syntax error|can't find package|couldn't load (file|library)|invalid command name/i.test(
    printed,
  );
}

/**
 * The same text for failures that differ only in numbers (such as process ids), in how far the work came, and in what a
 * server says about the place of the error.
 */
export function withoutPlace(printed: string): string {
  return printed
    .split(/[\r\n]+/)
    .filter((line) => !besides.test(line))
    .join('\n')
    .replace(/\d+/g, '0');
}

/** Progress and notices of a load, and the lines that follow an error of PostgreSQL. */
const besides =
  /^progress:|\b(elapsed|remaining) [\d.]+ s\b|^(pgbench: )?(CONTEXT|DETAIL|NOTICE|WARNING|STATEMENT|LINE \d+):/i;
