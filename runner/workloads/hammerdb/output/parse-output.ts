import * as z from 'zod';
import { UserError } from '../../../contract/errors.ts';
import type { ToolRun, RunScript } from '../../../contract/tool-output.ts';
import { isError, linesOf, linesOfJob, type Result, resultOf, says } from './lines.ts';

export function isHammerdbOutput(text: string): boolean {
  const signs = [says.version, /^Vuser \d+( created|:)/, says.counterLog];
  const lines = linesOf(text);
  return lines.some((line) => signs.some((sign) => sign.test(line))) || runsIn(lines).length > 0;
}

/**
 * Reads every timed run in an output of HammerDB: from its command line or its log, and against any database. A run is
 * not complete if it was cut off, if any user failed, or if lines are missing.
 *
 * @param source name of the text in messages
 * @throws {UserError} if there is no timed run
 */
export function parseOutput(text: string, source: string): ToolRun[] {
  const lines = linesOf(text);
  const runs = runsIn(lines);
  if (runs.length === 0) {
    throw new UserError(
      `${source} ${otherThanRun(lines)}. Give the output of a timed run of TPROC-C, from the line "Vuser 1 created MONITOR" on.`,
    );
  }
  const clientVersion = firstOf(lines, says.version);
  return runs.map((run) => ({
    ...readRun(run),
    clientVersion: clientVersion === null ? null : `HammerDB ${clientVersion}`,
  }));
}

/** If there is only the result of a job, reads that. */
function runsIn(lines: readonly string[]): string[][] {
  const runs = splitRuns(lines);
  return runs.length > 0 ? runs : splitRuns(linesOfJob(lines));
}

/**
 * A run begins with the line that creates its first user. The log of the graphical interface has no such line, and
 * somebody may have kept less. Then the next run begins where another result follows, or a line that only precedes one.
 */
function splitRuns(lines: readonly string[]): string[][] {
  const parts: string[][] = [[]];
  let hasResult = false;
  for (const line of lines) {
    const isResult = resultOf(line) !== null;
    if (says.runBegins.test(line) || (hasResult && (isResult || begins(line)))) {
      parts.push([]);
      hasResult = false;
    }
    hasResult ||= isResult;
    parts.at(-1)?.push(line);
  }
  return parts.filter(
    (part) =>
      !part.some((line) => says.queries.test(line)) && part.some((line) => says.runBegins.test(line) || resultOf(line)),
  );
}

/** Whether the line comes before a run's result, and never after it. */
function begins(line: string): boolean {
  return says.running.test(line) || says.configured.test(line);
}

/** What an output of HammerDB is if it has no run of TPROC-C. */
function otherThanRun(lines: readonly string[]): string {
  const has = (pattern: RegExp): boolean => lines.some((line) => pattern.test(line));
  if (has(says.queries)) return 'is a run of HammerDB’s TPROC-H, which times queries; pgduet reads its TPROC-C';
  if (has(says.counterLog)) return 'is the log of HammerDB’s transaction counter, which has no result';
  return 'holds no timed run of HammerDB: no virtual users were created after loadscript';
}

function readRun(lines: readonly string[]): ToolRun {
  const created = new Set(lines.flatMap((line) => says.created.exec(line)?.[1] ?? []));
  const users = created.size > 0 ? created.size - 1 : numberOf(firstOf(lines, says.configured));
  const result = lines.map(resultOf).find((one) => one !== null) ?? null;
  const minutes = numberOf(firstOf(lines, says.minutes));
  const answers = answersIn(lines);
  const timing = readTiming(answers.get('timing'));
  const problems = problemsOf(lines, { users, result, timing: answers.has('timing') ? timing : null });
  return {
    tool: 'hammerdb',
    clientVersion: null,
    serverVersion: firstOf(lines, says.serverVersion),
    database: result?.database ?? null,
    clients: users,
    threads: null,
    scale: numberOf(firstOf(lines, says.warehouses)),
    scripts: Object.entries(timing).map(asScript),
    transactions: null,
    failedTransactions: null,
    skippedTransactions: null,
    retriedTransactions: null,
    durationSeconds: minutes === null ? null : minutes * 60,
    tps: null,
    latencyAverageSeconds: null,
    latencyStddevSeconds: null,
    measures: { nopm: result?.nopm ?? null, tpm: result?.tpm ?? null },
    complete: problems.length === 0,
    problems,
  };
}

function asScript([name, { calls, avg_ms, p50_ms, p95_ms, p99_ms }]: [string, Timing[string]]): RunScript {
  return {
    name: name.toLowerCase(),
    weight: null,
    transactions: calls,
    tps: null,
    latencyAverageSeconds: inSeconds(avg_ms),
    latencySeconds: { p50: inSeconds(p50_ms), p95: inSeconds(p95_ms), p99: inSeconds(p99_ms) },
  };
}

/** HammerDB has whole microseconds. */
function inSeconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1e6;
}

function firstMatch(lines: readonly string[], pattern: RegExp): RegExpExecArray | null {
  for (const line of lines) {
    const match = pattern.exec(line);
    if (match) return match;
  }
  return null;
}

function firstOf(lines: readonly string[], pattern: RegExp): string | null {
  return firstMatch(lines, pattern)?.[1] ?? null;
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}

const milliseconds = z.coerce.number().nonnegative();
/** Times of one procedure in HammerDB's answer to `jobs ID timing`: the numbers are texts, in milliseconds. */
const procedureSchema = z.object({
  calls: z.coerce.number().int().nonnegative(),
  avg_ms: milliseconds,
  p50_ms: milliseconds,
  p95_ms: milliseconds,
  p99_ms: milliseconds,
});
const timingSchema = z.record(z.string().regex(/^\w+$/), procedureSchema);

export type Timing = z.output<typeof timingSchema>;

/**
 * The answers in an output between JOBS-BEGIN and JOBS-END, by what was asked. An answer that is cut off is left out.
 */
function answersIn(lines: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  let begun: { asked: string; text: string[] } | null = null;
  for (const line of lines) {
    const [, asked] = /^JOBS-BEGIN (\w+)/.exec(line) ?? [];
    const [, ended] = /^JOBS-END (\w+)/.exec(line) ?? [];
    if (asked !== undefined) begun = { asked, text: [] };
    else if (ended === undefined) begun?.text.push(line);
    else {
      if (begun?.asked === ended) found.set(ended, begun.text.join('\n'));
      begun = null;
    }
  }
  return found;
}

/** The times of all procedures; empty if HammerDB has none, or has something else. */
function readTiming(answer: string | undefined): Timing {
  try {
    return timingSchema.parse(JSON.parse(answer ?? ''));
  } catch {
    return {};
  }
}

/** Every user may report the same error; the first few say enough. */
const mostErrors = 3;

/**
 * Why the lines are not the output of a complete run; none if they are. HammerDB exits with 0 on every failure, and
 * reports a plausible result even if all users but one were gone, so every one of these checks is necessary.
 *
 * @param users without the one that watches the others; null if the lines do not say
 * @param timing the answer to `jobs ID timing`; null if it was not asked
 */
export function problemsOf(
  lines: readonly string[],
  { users, result, timing }: { users: number | null; result: Result | null; timing: Timing | null },
): string[] {
  const has = (pattern: RegExp): boolean => lines.some((line) => pattern.test(line));
  const succeeded = new Set(lines.flatMap((line) => says.succeeded.exec(line)?.[1] ?? [])).size;
  return [
    ...lines.filter(isError).slice(0, mostErrors),
    ...(users === null
      ? ['it does not say how many virtual users there were']
      : succeeded === users + 1
        ? []
        : [`${succeeded} of ${users + 1} virtual users finished, including the one that watches the others`]),
    ...(has(says.allComplete) ? [] : ['not all virtual users are complete']),
    ...(has(says.destroyed) ? [] : ['its virtual users were not ended']),
    ...(result ? [] : ['it has no result']),
    ...(result && result.nopm <= 0 ? [`its result is ${result.nopm} NOPM`] : []),
    ...(timing !== null && Object.keys(timing).length === 0 ? ['there are no times of its procedures'] : []),
  ];
}
