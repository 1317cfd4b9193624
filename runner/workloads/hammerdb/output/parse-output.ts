import type { ToolRun } from '../../../contract/tool-output.ts';
import { type Line, withoutSurroundings } from '../../surroundings.ts';
import { unreported } from '../../unreported.ts';
import { jobReportsIn, queriesOfReport } from './job-report.ts';
import { isError, linesOf, linesOfJob, ownLine, type JobResult, resultOf, says } from './lines.ts';
import { readTiming, scriptsOf, type Timing } from './timing.ts';

/**
 * Reads every timed run in an output of HammerDB: from its command line or its log, against any database, or the report
 * of a job. A run is not complete if it was cut off, if any user failed, or if lines are missing. Then what can be read
 * of it is there.
 */
export function parseOutput(text: string): ToolRun[] {
  const reports = jobReportsIn(text);
  if (reports.length > 0) return reports;
  const { lines, takenOff } = linesIn(text);
  return startsIn(lines).map((start, index) => ({
    ...readRun(textsOf(start)),
    clientVersion: versionBefore(start, lines),
    place: { run: index + 1, fromLine: start[0]?.number ?? 1, toLine: start.at(-1)?.number ?? 1 },
    ...(takenOff.length > 0 && { notes: [`stripped from its lines: ${takenOff.join(', ')}`] }),
  }));
}

/** HammerDB says its version when it is started, which may be long before a run, or in another run's lines. */
function versionBefore(start: readonly Line[], lines: readonly Line[]): string | null {
  const begin = start.find(({ text }) => course.some((isThis) => isThis(text)))?.number ?? 0;
  const last = lines.findLast(({ number, text }) => number <= begin && says.version.test(text));
  const version = firstOf(last ? [last.text] : [], says.version);
  return version === null ? null : `HammerDB ${version}`;
}

/** What an output of HammerDB is if it has no run of TPROC-C; null if it is none. */
export function otherThanRun(text: string): string | null {
  const lines = textsOf(linesIn(text).lines);
  const has = (...patterns: RegExp[]): boolean => lines.some((line) => patterns.some((pattern) => pattern.test(line)));
  if (queriesOfReport(text) || has(says.queries))
    return `this is a run of HammerDB’s TPROC-H, which times queries; pgduet reads its TPROC-C. ${expected}`;
  if (has(says.counterLog))
    return `this is the log of HammerDB’s transaction counter, which has no result. ${expected}`;
  return has(says.version, says.logBegins, /^Vuser \d+( created|:)/)
    ? `this contains no timed HammerDB run: no virtual users after loadscript. ${expected}`
    : null;
}

const expected = 'Pass the output of a timed run of TPROC-C, from the line "Vuser 1 created MONITOR" on';

function linesIn(text: string): { lines: Line[]; takenOff: string[] } {
  const { lines, takenOff } = withoutSurroundings(text, ownLine);
  // Of a number at the end of a text that was cut off, digits may be missing.
  const whole = lines.filter(({ text, isUnended }) => !isUnended || !/\d$/.test(text));
  const apart = whole.flatMap(({ number, text }) => linesOf(text).map((line) => ({ number, text: line })));
  return { lines: apart, takenOff };
}

function textsOf(lines: readonly Line[]): string[] {
  return lines.map(({ text }) => text);
}

/** If there is only the result of a job, reads that. */
function startsIn(lines: readonly Line[]): Line[][] {
  const starts = splitStarts(lines);
  return starts.length > 0
    ? starts
    : splitStarts(lines.flatMap(({ number, text }) => linesOfJob([text]).map((line) => ({ number, text: line }))));
}

/** What the user who watches the others prints in the course of a run, in this order. */
const course: readonly ((line: string) => boolean)[] = [
  ...[says.logBegins, says.monitorCreated, says.running, says.rampUp, says.rampedUp, says.minutes, says.measured].map(
    (pattern) => (line: string) => pattern.test(line),
  ),
  (line) => says.configured.test(line),
  (line) => resultOf(line) !== null,
];
/** Builds of a schema have users, too. */
const onlyInRuns = new Set([1, 3, 4, 5, 6, 7, 8]);

/**
 * A run begins with its log or the line that creates its first user, or where a line cannot follow those before, since
 * it is of an earlier stage: the log of the graphical interface has neither, and somebody may have kept less.
 */
function splitStarts(lines: readonly Line[]): Line[][] {
  const starts: { lines: Line[]; isRun: boolean }[] = [{ lines: [], isRun: false }];
  let stage = -1;
  for (const line of lines) {
    const next = course.findIndex((isThis) => isThis(line.text));
    if (next >= 0 && next <= stage) starts.push({ lines: [], isRun: false });
    if (next >= 0) stage = next;
    const current = starts.at(-1);
    if (current) current.isRun ||= onlyInRuns.has(next);
    current?.lines.push(line);
  }
  return starts
    .filter(({ isRun, lines }) => isRun && !lines.some(({ text }) => says.queries.test(text)))
    .map(({ lines }) => lines);
}

function readRun(lines: readonly string[]): ToolRun {
  const created = countOf(lines, says.created);
  const users =
    created > 0
      ? created - 1
      : (numberOf(firstOf(lines, says.configured)) ?? (countOf(lines, says.processing) || null));
  const result = lines.map(resultOf).find((one) => one !== null) ?? null;
  const minutes = numberOf(firstOf(lines, says.minutes));
  const answers = answersIn(lines);
  const timing = readTiming(answers.get('timing'));
  const problems = problemsOf(lines, { users, result, timing: answers.has('timing') ? timing : null });
  return {
    ...unreported,
    tool: 'hammerdb',
    serverVersion: firstOf(lines, says.serverVersion),
    database: result?.database ?? null,
    clients: users,
    scale: numberOf(firstOf(lines, says.warehouses)),
    scripts: scriptsOf(timing),
    durationSeconds: minutes === null ? null : minutes * 60,
    measures: { nopm: result?.nopm ?? null, tpm: result?.tpm ?? null },
    complete: problems.length === 0,
    problems,
  };
}

/** How many different users print such a line. */
function countOf(lines: readonly string[], pattern: RegExp): number {
  return new Set(lines.flatMap((line) => pattern.exec(line)?.[1] ?? [])).size;
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

/** Every user may report the same error; the first few say enough. */
const maxErrors = 3;

/**
 * Why the lines are not the output of a complete run; none if they are. HammerDB exits with 0 on every failure, and
 * reports a plausible result even if all users but one were gone, so every one of these checks is necessary.
 *
 * @param users without the one that watches the others; null if the lines do not say
 * @param timing the answer to `jobs ID timing`; null if it was not asked
 */
export function problemsOf(
  lines: readonly string[],
  { users, result, timing }: { users: number | null; result: JobResult | null; timing: Timing | null },
): string[] {
  const has = (pattern: RegExp): boolean => lines.some((line) => pattern.test(line));
  const succeeded = countOf(lines, says.succeeded);
  return [
    ...lines.filter(isError).slice(0, maxErrors),
    ...(users === null
      ? ['the number of virtual users is missing']
      : succeeded === users + 1
        ? []
        : [`${succeeded} of ${users + 1} virtual users finished, including the one that watches the others`]),
    ...(has(says.allComplete) ? [] : ['some virtual users did not complete']),
    ...(result ? [] : ['it has no result']),
    ...(result && result.nopm <= 0 ? [`its result is ${result.nopm} NOPM`] : []),
    ...(timing !== null && Object.keys(timing).length === 0 ? ['no procedure times'] : []),
  ];
}
