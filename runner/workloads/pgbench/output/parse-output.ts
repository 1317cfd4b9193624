import { UserError } from '../../../contract/errors.ts';
import type { ToolRun } from '../../../contract/tool-output.ts';
import { isProgress } from './parse-progress.ts';
import { parseSummary, type Summary } from './parse-summary.ts';
import { isSpeed } from './summary-lines.ts';

/**
 * Reads saved output of pgbench: one run, or several one after another; stdout alone, or mixed with stderr; of any
 * version from 9.5 to 18. A run that was aborted or killed, or has missing lines, is `complete: false`, with the reason
 * in `problems`.
 *
 * @param source name of the text in messages
 * @throws {UserError} if the text is empty, not from pgbench, translated, or cut off or damaged within a summary
 */
export function* runsIn(output: string, source: string): Generator<ToolRun> {
  const text = output.replace(/^\ufeff/, '');
  const refuse = (why: string): never => {
    throw new UserError(`${source}: ${why}`);
  };
  if (text.trim() === '') refuse('the file is empty; expected the output of a pgbench run.');
  let count = 0;
  for (const lines of splitRuns(text)) {
    count += 1;
    yield readKept(lines, refuse);
  }
  if (count > 0) return;
  if (isTranslated(text)) refuse(translated);
  refuse('this is not the output of pgbench: it has no "transaction type:", no progress and no version.');
}

/** The same, all at once. */
export function parseOutput(output: string, source: string): ToolRun[] {
  return [...runsIn(output, source)];
}

function readKept(lines: readonly string[], refuse: (why: string) => never): ToolRun {
  const summary = parseSummary(lines, readVersions(lines));
  const aborted = abortProblems(lines);
  if (!lines.some(isOfSummary)) {
    if (isTranslated(lines.join('\n'))) refuse(translated);
    const why = aborted.length > 0 ? aborted : ['there is no summary: the run was killed, or is still under way'];
    return withProblems(summary, why);
  }
  if (summary.damage !== null && aborted.length === 0) {
    refuse(`truncated or damaged: ${summary.damage}. Give the whole output of pgbench.`);
  }
  return withProblems(summary, aborted);
}

/** Whether pgbench wrote this text, complete or not, even if it was translated later. */
export function isPgbenchOutput(text: string): boolean {
  return linesOf(text).some(isOfPgbench) || isTranslated(text);
}

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
        : [`pgbench ended with ${output.exitCode === null ? 'a signal' : `exit code ${output.exitCode}`}`]),
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
  const { run, requestedTransactions, damage, doubts, shortfall } = summary;
  const accounted = (run.transactions ?? 0) + (run.failedTransactions ?? 0) + (run.skippedTransactions ?? 0);
  const all = [
    ...problems,
    ...(problems.length > 0 ? [] : damage === null ? doubts : [damage]),
    ...(requestedTransactions !== null && accounted < requestedTransactions
      ? [`${accounted} of ${requestedTransactions} transactions were carried out`]
      : shortfall === null
        ? []
        : [shortfall]),
  ];
  return { ...run, complete: all.length === 0, problems: all };
}

/**
 * Splits the lines by runs. A run begins with the version (14 and newer). Without that, it begins with what pgbench
 * prints during a run, such as progress, or otherwise with its summary. Any other line after a summary belongs to the
 * same run.
 */
function* splitRuns(text: string): Generator<string[]> {
  let current: string[] = [];
  let hasVersion = false;
  let hasSummary = false;
  let isPgbench = false;
  for (const line of linesOf(text)) {
    const isVersion = versionLine.test(line);
    const isSummary = line.startsWith('transaction type: ');
    const begins = isVersion ? hasVersion || hasSummary : hasSummary && (isSummary || isOnTheWay(line));
    if (begins) {
      if (isPgbench) yield current;
      current = [];
      hasVersion = false;
      hasSummary = false;
      isPgbench = false;
    }
    hasVersion ||= isVersion;
    hasSummary ||= isSummary;
    isPgbench ||= isOfPgbench(line);
    // There may be hundreds of thousands of these, and none of them is part of the result of a run.
    if (!isProgress(line)) current.push(line);
  }
  if (isPgbench) yield current;
}

function linesOf(text: string): readonly string[] {
  return withoutMargin(text.split('\n').map((raw) => raw.trimEnd()));
}

/** Whether it is a line that only pgbench prints. */
function isOfPgbench(line: string): boolean {
  return versionLine.test(line) || isOfSummary(line) || isOnTheWay(line) || /^pgbench: (error|fatal): /.test(line);
}

/** Manual pages and documents indent what they quote. */
function withoutMargin(lines: readonly string[]): readonly string[] {
  const margin = lines.reduce(
    (least, line) => (line === '' ? least : Math.min(least, line.length - line.trimStart().length)),
    Infinity,
  );
  return margin > 0 && margin < Infinity ? lines.map((line) => line.slice(margin)) : lines;
}

/** Whether pgbench prints this line before its summary, and never after it. */
function isOnTheWay(line: string): boolean {
  return (
    isProgress(line) || /^starting vacuum\.\.\.|^(pgbench: error: )?client \d+ (script \d+ )?aborted in /.test(line)
  );
}

/** A version is short. Without a limit, the pattern would try a long line in as many ways as it has characters. */
const versionLine = /^pgbench \((\d[\w.]{0,30})(?: \([^)]*\))?(?:, server (\d[\w.]{0,30}).*)?\)/m;

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

/** Whether a summary begins with this line, or ends with it (somebody may have kept only the end). */
function isOfSummary(line: string): boolean {
  return line.startsWith('transaction type: ') || isSpeed(line);
}

/**
 * pgbench never translates what it prints: no version has a catalogue, or asks for the locale. So something else did,
 * such as a browser, and it may have changed figures, too. Names of scripts and "tps =" mostly stay.
 */
function isTranslated(text: string): boolean {
  return (
    !text.includes('transaction type: ') &&
    (/^[^\n\r\u2028\u2029:：]+[:：] ?<?builtin: /m.test(text) || /^tps = [\d.,]+ \(/m.test(text))
  );
}

const translated =
  'this is output of pgbench that was translated afterwards: pgbench prints English in every locale. Give the output as pgbench printed it.';
