/**
 * The lines of HammerDB's output. HammerDB writes as for a terminal: it puts a carriage return before the next line,
 * and its prompt where somebody types. An incomplete last line is included.
 */
export function linesOf(text: string): string[] {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.replace(/^\s*(hammerdb>\s*)*(?=Vuser \d)/, '').trimEnd())
    .filter((line) => line !== '');
}

/**
 * The lines in a JSON answer of HammerDB's web service or `jobs ID result`: texts of the user that watches the others.
 */
export function linesOfJob(lines: readonly string[]): string[] {
  return lines.map((line) => line.replace(/^\s*"(?!Vuser)(.*)",?$/, 'Vuser 1:$1').replace(/^\s*"(Vuser.*)",?$/, '$1'));
}

/** Where in a line one of HammerDB's own lines begins. In an answer about a job, texts of users stand in quotes. */
export const ownLine =
  /(?<![\w"])(?:(?:hammerdb> *)*Vuser \d+[ :]|hammerdb>|HammerDB CLI v|Hammerdb Log @|\d+ \w[\w ]{0,30} tpm$|ALL VIRTUAL USERS COMPLETE|vudestroy success)/;

/** What each line of a run means. HammerDB exits with 0 whatever happens, so its lines are the only evidence. */
export const says = {
  version: /^HammerDB CLI (v\d[\w.]{0,30})/,
  /** The log of a run begins with it. */
  logBegins: /^Hammerdb Log @ /,
  /** The first user of a timed run, who watches the others. */
  monitorCreated: /^Vuser 1 created MONITOR/,
  created: /^Vuser (\d+) created/,
  serverVersion: /^Vuser 1:DBVersion:(.+)$/,
  warehouses: /^Vuser \d+:Assigned .*Warehouses = .* out of (\d+)$/,
  minutes: /^Vuser 1:Timing test period of (\d+) in minutes$/,
  rampUp: /^Vuser 1:Beginning rampup time of /,
  rampedUp: /^Vuser 1:Rampup complete, Taking start Transaction Count\.$/,
  measured: /^Vuser 1:Test complete, Taking end Transaction Count\.$/,
  /**
   * Versions 4.0 and newer print the two numbers in this order; a setting restores the older one. Both name the
   * database.
   */
  result: /^Vuser 1:TEST RESULT : System achieved (?<nopm>-?\d+) NOPM from (?<tpm>-?\d+) (?<database>\w[\w ]*) TPM$/,
  olderResult: /^Vuser 1:TEST RESULT : System achieved (?<tpm>-?\d+) (?<database>\w[\w ]*) TPM at (?<nopm>-?\d+) NOPM$/,
  running: /^Vuser 1:RUNNING$/,
  /** Printed by each user that works, and by no other. */
  processing: /^Vuser (\d+):Processing \d+ transactions /,
  configured: /^Vuser 1:(\d+) Active Virtual Users configured$/,
  counter: /^(\d+) PostgreSQL tpm$/,
  /** The log of the transaction counter, which is its own file. */
  counterLog: /^\d+ \w[\w ]* tpm @ /,
  /** TPROC-H times each query. */
  queries: /^Vuser \d+:(query \d+ completed in |Completed (\d+ )?query set|Executing Query )/,
  succeeded: /^Vuser (\d+):FINISHED SUCCESS$/,
  allComplete: /^ALL VIRTUAL USERS COMPLETE$/,
  destroyed: /^vudestroy success$/,
  schemaComplete: /^Vuser 1:.* SCHEMA COMPLETE$/,
  checked: /^Vuser 1:.* Schema has been checked successfully\.?$/,
} as const;

export interface JobResult {
  nopm: number;
  tpm: number;
  /** As HammerDB calls it, such as PostgreSQL, MySQL, MariaDB, Oracle, SQL Server or Db2. */
  database: string;
}

/** The result that a line reports; null if it is another line. */
export function resultOf(line: string): JobResult | null {
  const { nopm, tpm, database } = (says.result.exec(line) ?? says.olderResult.exec(line))?.groups ?? {};
  return database === undefined ? null : { nopm: Number(nopm), tpm: Number(tpm), database };
}

/** Errors: whatever a process does after such a line does not count. */
const errors = [
  /^Error in Virtual User \d+:/,
  /^Vuser \d+:FINISHED FAILED$/,
  /Procedure Error/,
  /^Vuser \d+:(ERROR|WARNING):.*Timing/i,
];

/** If we started the process, these lines mean that its script failed. In other outputs they may be about anything. */
const ownErrors = [
  // The schema is not what the experiment asks for, but newer versions continue with what they find.
  /Auto-switching pg_storedprocs|incomplete routine set detected/,
  /^Error: /,
  /^(Failed to |Error:script failed)/,
  /^Transaction Counter (Error|Failed)/,
  /^Usage: \w+ /,
  /^Dictionary ".*" .*(doesn't|does not exist)/,
  /^invalid command name /,
  /^ {4}(while executing|invoked from within)$/,
];

export function isError(line: string): boolean {
  return errors.some((pattern) => pattern.test(line));
}

export function isErrorOfOurs(line: string): boolean {
  return isError(line) || ownErrors.some((pattern) => pattern.test(line));
}

/** The line if it says how the run went, and so must stay in a shortened log; otherwise null. */
export function keptLine(line: string): string | null {
  const text = line.replaceAll('\r', '');
  return isErrorOfOurs(text) || Object.values(says).some((pattern) => pattern.test(text)) ? line : null;
}
