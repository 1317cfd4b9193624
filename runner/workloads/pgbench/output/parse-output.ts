import type { ToolRun } from '../../../contract/tool-output.ts';
import { withoutSurroundings } from '../../surroundings.ts';
import { contradictsProgress } from './progress-sum.ts';
import { parseSummary, type Summary } from './parse-summary.ts';
import { ownLine, versionLine } from './line-kinds.ts';
import { type StartedRun, startsIn } from './starts.ts';

/**
 * Reads saved output of pgbench: one run, or several one after another; stdout alone, or mixed with stderr; of any
 * version from 9.5 on; also within a document, or behind what other programs put before each line. Every start of
 * pgbench becomes a run. One that failed, was aborted or killed, or whose summary is damaged, is `complete: false`, with
 * the reason in `problems`; what can be read of it is there.
 */
export function* runsIn(text: string): Generator<ToolRun> {
  const { lines, takenOff } = withoutSurroundings(text, ownLine);
  const notes = takenOff.length > 0 ? [`stripped from its lines: ${takenOff.join(', ')}`] : [];
  let run = 0;
  for (const [before, start, next] of withNeighbours(startsIn(lines))) {
    run += 1;
    const read = withoutStrangers(readStart(start), before, next);
    const all = [...notes, ...(read.notes ?? [])];
    yield { ...read, place: { run, ...start.place }, ...(all.length > 0 && { notes: all }) };
  }
}

function* withNeighbours(starts: Iterable<StartedRun>): Generator<[StartedRun | null, StartedRun, StartedRun | null]> {
  let [before, current]: [StartedRun | null, StartedRun | null] = [null, null];
  for (const next of starts) {
    if (current) yield [before, current, next];
    [before, current] = [current, next];
  }
  if (current) yield [before, current, null];
}

/**
 * If two starts printed into one text at the same time, the end of one may follow the head of the other, and nothing in
 * them need contradict that. The head and the end that are left over stand before and after it.
 */
function withoutStrangers(run: ToolRun, before: StartedRun | null, next: StartedRun | null): ToolRun {
  if (!run.complete || before?.isWithoutEnd !== true || next?.isWithoutHead !== true) return run;
  return { ...run, complete: false, problems: [mixed] };
}

const mixed =
  'an unfinished summary comes before it, and one without its beginning after it: the lines may be of two runs that printed at the same time';

function readStart(start: StartedRun): ToolRun {
  const lines = start.lines.map(({ text }) => text);
  const numberOf = (text: string): number | null => start.lines.find((line) => line.text === text)?.number ?? null;
  const summary = parseSummary(lines, readVersions(lines), numberOf);
  const aborted = abortProblems(lines);
  const read = { ...summary, advice: start.hasProgress ? summary.advice : withoutStderr(summary.advice) };
  if (start.hasReport || aborted.length > 0) return withDoubtsOf(start, withProblems(read, aborted));
  return withProblems(summary, [
    start.isTranslated ? withoutType : 'no summary: the run was killed, or is still running',
  ]);
}

/** The advice on a run whose errors, if there were any, were printed to another file. */
function withoutStderr(advice: string | null): string | null {
  return advice && `errors of its clients are on stderr, which is missing here; without any, ${advice}`;
}

/** What other lines than those of its summary show about a run that has one. */
function withDoubtsOf({ unended, progress }: StartedRun, run: ToolRun): ToolRun {
  const contradiction = progress && contradictsProgress(progress, run);
  const problems = [
    ...(unended === null ? [] : [`its last line may be truncated, and is not read: "${unended}"`]),
    ...(contradiction === null ? [] : [contradiction]),
  ];
  return problems.length === 0 ? run : { ...run, complete: false, problems: [...run.problems, ...problems] };
}

/** It may have been translated, wrapped into another format, or numbered. */
const withoutType =
  'it has no "transaction type:" line, which pgbench prints in every locale. Pass the output as pgbench printed it';

/**
 * Reads a run of our own, about which we know more than its output says. It never throws: `problems` says what is
 * wrong.
 */
export function readRun(output: {
  stdout: string;
  stderr: string;
  exitCode: number | null;
  /** Transactions of all clients together; null if the run was not limited by transactions. */
  requestedTransactions: number | null;
}): ToolRun {
  const lines = withSummaryApart(output.stdout.split('\n').map((line) => line.trimEnd()));
  const errors = output.stderr.split('\n').map((line) => line.trimEnd());
  const summary = parseSummary(lines, readVersions(lines));
  return withProblems(
    { ...summary, requestedTransactions: output.requestedTransactions ?? summary.requestedTransactions },
    [
      ...(output.exitCode === 0
        ? []
        : [`pgbench exited with ${output.exitCode === null ? 'a signal' : `exit code ${output.exitCode}`}`]),
      ...abortProblems([...lines, ...errors]),
    ],
  );
}

/**
 * Puts the first line of the summary on a line of its own. The load may have printed something before it, without a
 * newline.
 */
function withSummaryApart(lines: readonly string[]): readonly string[] {
  if (lines.some((line) => line.startsWith(summaryStart))) return lines;
  const index = lines.findIndex((line) => line.includes(summaryStart));
  const line = lines[index];
  if (line === undefined) return lines;
  const at = line.lastIndexOf(summaryStart);
  return [...lines.slice(0, index), line.slice(0, at), line.slice(at), ...lines.slice(index + 1)];
}

const summaryStart = 'transaction type: ';

function withProblems(summary: Summary, problems: readonly string[]): ToolRun {
  const { run, requestedTransactions, doubts, shortfall, advice, notes } = summary;
  const accounted = (run.transactions ?? 0) + (run.failedTransactions ?? 0) + (run.skippedTransactions ?? 0);
  const all = [
    ...problems,
    ...(problems.length > 0 ? [] : doubts),
    ...(requestedTransactions !== null && accounted < requestedTransactions
      ? [`${accounted} of ${requestedTransactions} transactions were completed`]
      : shortfall === null
        ? []
        : [shortfall]),
    // An error explains it better.
    ...(problems.length > 0 || advice === null ? [] : [advice]),
  ];
  return { ...run, ...(notes.length > 0 && { notes }), complete: all.length === 0, problems: all };
}

function readVersions(lines: readonly string[]): { client: string | null; server: string | null } {
  const match = lines.map((line) => versionLine.exec(line)).find((found) => found !== null);
  const client = match?.[1] ?? null;
  // The server's version is printed only if it differs from the client's.
  return { client, server: match?.[2] ?? client };
}

/** Lines about clients that gave up, and about the run as a whole. Progress lines say nothing about this. */
function abortProblems(lines: readonly string[]): string[] {
  const aborted = lines.filter(isAbort);
  const shown = aborted.slice(0, 5).map((line) => line.trim());
  return aborted.length > shown.length ? [...shown, `and ${aborted.length - shown.length} more such lines`] : shown;
}

export function isAbort(line: string): boolean {
  return /client \d+ (aborted|script \d+ aborted)|[Rr]un was aborted|^(pgbench: )?(fatal|FATAL):|^pgbench:? ?(error|fatal):/.test(
    line,
  );
}
