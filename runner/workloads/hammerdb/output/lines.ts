/**
 * The lines of HammerDB's output. It puts a carriage return before the next line, as for a terminal. A line without its end
 * is there, too.
 */
export function linesOf(text: string): string[] {
  return text.split(/[\r\n]+/).filter((line) => line !== '');
}

/** What each line of a run means. HammerDB exits with 0 whatever happened, so that its lines are all there is. */
export const says = {
  version: /^HammerDB CLI (v\d[\w.]*)/,
  /** The first line of a timed run; several may follow each other in one output. */
  runBegins: /^Vuser 1 created MONITOR/,
  created: /^Vuser (\d+) created/,
  serverVersion: /^Vuser 1:DBVersion:(.+)$/,
  warehouses: /^Vuser \d+:Assigned .*Warehouses = .* out of (\d+)$/,
  minutes: /^Vuser 1:Timing test period of (\d+) in minutes$/,
  rampedUp: /^Vuser 1:Rampup complete, Taking start Transaction Count\.$/,
  measured: /^Vuser 1:Test complete, Taking end Transaction Count\.$/,
  result: /^Vuser 1:TEST RESULT : System achieved (-?\d+) NOPM from (-?\d+) PostgreSQL TPM$/,
  counter: /^(\d+) PostgreSQL tpm$/,
  succeeded: /^Vuser (\d+):FINISHED SUCCESS$/,
  allComplete: /^ALL VIRTUAL USERS COMPLETE$/,
  destroyed: /^vudestroy success$/,
  schemaComplete: /^Vuser 1:.* SCHEMA COMPLETE$/,
  checked: /^Vuser 1:.* Schema has been checked successfully\.?$/,
} as const;

/** Lines after which nothing that a process still does counts. */
const errors = [
  /^Error in Virtual User \d+:/,
  /^Vuser \d+:FINISHED FAILED$/,
  /Procedure Error/,
  /^Vuser \d+:(ERROR|WARNING):.*Timing/i,
];

/** Lines of a process that we have started: its script was not carried out. In outputs of others they may be about anything. */
const ownErrors = [
  // What was built is not what the experiment asks for, and newer versions go on with what they find.
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

/** Whether a line tells how the run went, so that it must stay in a log that is cut short. */
export function isOfTheRun(line: string): boolean {
  const text = line.replaceAll('\r', '');
  return isErrorOfOurs(text) || Object.values(says).some((pattern) => pattern.test(text));
}
