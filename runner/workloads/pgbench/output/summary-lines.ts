import { Figures } from './figures.ts';

/**
 * A count, a time in milliseconds, and a share in percent, which is NaN if the whole is 0. pgbench prints times and
 * shares with three decimals, but whoever keeps an output may round them. Versions before 15 put a space before some
 * percent signs, and so do their manuals.
 */
const [count, time, share] = ['(\\d+)', '(\\d+(?:\\.\\d+)?) ms', '\\((\\d+(?:\\.\\d+)?|-?NaN|-?nan) ?%\\)'];
/** With six decimals, unless somebody has rounded it. After a division by zero, pgbench prints words. */
const speed = '(\\d+(?:\\.\\d+)?|-?NaN|-?nan|-?inf|Infinity)';
const shareOfTotal = '(\\d+(?:\\.\\d+)?|-?NaN|-?nan) ?% of total';

/**
 * Numbers that both the whole run and each of its scripts have, from some version on. These and those below are in the
 * order in which every version prints them.
 */
const outcomes = {
  failed: `number of failed transactions: ${count} ${share}`,
  serializationFailures: `number of serialization failures: ${count} ${share}`,
  deadlockFailures: `number of deadlock failures: ${count} ${share}`,
  otherFailures: `number of other failures: ${count} ${share}`,
  retried: `number of transactions retried: ${count} ${share}`,
  retries: `total number of retries: ${count}`,
  skipped: `number of transactions skipped: ${count} ${share}`,
  aboveLimit: `number of transactions above the ${time} latency limit: ${count}(?:/${count})? ${share}`,
  latencyAverage: `latency average(?: =|:) ${time}( \\(including failures\\))?`,
  latencyStddev: `latency stddev(?: =|:) ${time}`,
};

const runPatterns = patterns('', {
  type: 'transaction type: (.+)',
  // Postgres Pro Enterprise prints these two.
  isolation: 'default transaction isolation level: ([a-z ]+)',
  triesOfPostgresPro: `transaction maximum tries number: ${count}`,
  scale: `scaling factor: ${count}`,
  partitionMethod: 'partition method: (hash|range)',
  partitions: `partitions: ${count}`,
  mode: 'query mode: (simple|extended|prepared)',
  clients: `number of clients: ${count}`,
  threads: `number of threads: ${count}`,
  tries: `maximum number of tries: ${count}`,
  transactionsOfClient: `number of transactions per client: ${count}`,
  duration: `duration: ${count} s`,
  processed: `number of transactions actually processed: ${count}(?:/${count})?`,
  ...outcomes,
  lag: `rate limit schedule lag: avg ${time.replace(' ms', '')} \\(max ${time.replace(' ms', '')}\\) ms`,
  initialConnection: `initial connection time = ${time}`,
  averageConnection: `average connection time = ${time}`,
  tpsIncluding: `tps = ${speed} \\(including connections establishing\\)`,
  tpsExcluding: `tps = ${speed} \\(excluding connections establishing\\)`,
  tps: `tps = ${speed} \\((?:without initial connection time|(including reconnection times))\\)`,
});

const scriptPatterns = patterns(' - ', {
  weight: `weight: ${count}(?: \\(targets ${shareOfTotal}\\))?`,
  transactions: `${count} transactions \\(${shareOfTotal}(?:, tps = ${speed})?\\)`,
  processed: `number of transactions actually processed: ${count} \\(tps = ${speed}\\)`,
  ...outcomes,
});

/** The words with which a line of a run begins; of one of two speeds, also those with which it ends. */
export function labelOf(line: string): string {
  if (line === 'tpsIncluding') return 'tps (including connections establishing)';
  if (line === 'tpsExcluding') return 'tps (excluding connections establishing)';
  const pattern = runPatterns.find(([name]) => name === line)?.[1].source ?? line;
  return (
    pattern
      .replace(/^\^/, '')
      .split(/[:=(\\]/)[0]
      ?.trim() ?? line
  );
}

/** One run's summary: its figures, those of each script, and the lines that pgbench does not print there. */
export interface SummaryLines {
  run: Figures;
  scripts: { name: string; figures: Figures }[];
  unreadable: string[];
  /** Percentiles, which pgbench prints in forks of PostgreSQL only. */
  percentiles: string[];
}

/**
 * Reads the lines from `transaction type:`, or from the first that was kept, to the last speed, and those of each
 * script to its last figure. Whatever is before, between and after (statements, errors, notes of whoever kept the
 * output) is skipped.
 */
export function readSummaryLines(printed: readonly string[]): SummaryLines {
  const percentiles = printed.filter((line) => percentile.test(line));
  const lines = percentiles.length === 0 ? printed : printed.filter((line) => !percentile.test(line));
  const named = lines.findIndex((line) => line.startsWith(typeOfRun));
  // Somebody may have kept less than the whole.
  const begin = named >= 0 ? named : lines.findIndex((line) => lineOf(line, runPatterns) !== null);
  const unreadable: string[] = [];
  if (begin < 0) return { run: new Figures(), scripts: [], unreadable, percentiles: [] };
  const summary = lines.slice(begin);
  const firstScript = summary.findIndex((line) => scriptTitle.test(line));
  const head = firstScript < 0 ? summary : summary.slice(0, firstScript);
  // Behind the last whole speed, another one that is damaged is not of this run.
  const whole = head.findLastIndex((line) => line.startsWith(anySpeed) && lineOf(line, runPatterns) !== null);
  const speeds = whole >= 0 ? whole : head.findLastIndex((line) => line.startsWith(anySpeed));
  // A run without transactions has no speed; its summary ends with the first other line.
  const foreign = head.findIndex((line) => line !== '' && !lineOf(line, runPatterns));
  const end = speeds >= 0 ? speeds + 1 : foreign >= 0 ? foreign : head.length;
  unreadable.push(
    ...summary.filter((line) => line.length > longestName && (line.startsWith(typeOfRun) || scriptTitle.test(line))),
  );
  const run = readFigures(head.slice(0, end), runPatterns, unreadable);
  const scripts = firstScript < 0 ? [] : readScripts(summary.slice(firstScript), unreadable);
  // A line that is missing from the summary was moved here. Whoever kept the output may repeat others.
  const behind = summary.slice(end).flatMap((line) => lineOf(line, runPatterns) ?? []);
  unreadable.push(...behind.filter(({ name }) => !run.has(name)).map(({ line }) => line));
  return { run, scripts, unreadable, percentiles };
}

const typeOfRun = 'transaction type: ';
const anySpeed = 'tps = ';

/** Whether the summary of the run ends with the line of this name. */
export function isFinalSpeed(name: string): boolean {
  return name === 'tps' || name === 'tpsExcluding';
}

const percentile =
  /^latency (?:percentile )?p?\d{1,2}(?:\.\d{1,3})?(?:th|%)?(?: percentile)?(?: =|:) \d+(?:\.\d+)? ms$/;
/** The type of a run with sections for its scripts. */
export const severalScripts = 'multiple scripts';

/** A line of a summary: of the run, the title of a script, or of a script, with its place among those of its kind. */
export type SummaryLine =
  { of: 'run' | 'script'; name: string; place: number; captured: string[] } | { of: 'title'; place: number };

/** What a line is if it is one of a summary; otherwise null. */
export function summaryLine(line: string): SummaryLine | null {
  const [, number] = /^SQL script (\d+): ./.exec(line) ?? [];
  if (number !== undefined) return { of: 'title', place: Number(number) };
  const of = line.startsWith(' - ') ? 'script' : 'run';
  const found = lineOf(line, of === 'run' ? runPatterns : scriptPatterns);
  return found && { of, ...found };
}

/** The name may be anything: if a section without transactions were not recognised, nothing else would show that. */
const scriptTitle = /^SQL script \d+: ([^]+)$/;
const statements = ' - statement latencies in ';
/** Longer than any line with the name of a script: a path has 4,096 bytes at most. */
const longestName = 4_200;

function readScripts(lines: readonly string[], unreadable: string[]): SummaryLines['scripts'] {
  const sections: { name: string; lines: string[] }[] = [];
  for (const line of lines) {
    const name = scriptTitle.exec(line)?.[1];
    if (name !== undefined) sections.push({ name, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ name, lines }) => {
    // A paste may have a blank line behind each.
    const end = lines.findIndex((line) => line !== '' && (!line.startsWith(' - ') || line.startsWith(statements)));
    const figures = readFigures(end < 0 ? lines : lines.slice(0, end), scriptPatterns, unreadable);
    return { name, figures };
  });
}

/** `unreadable` gets lines that have another form, are repeated, or are not in pgbench's order. */
function readFigures(lines: readonly string[], known: Patterns, unreadable: string[]): Figures {
  const figures = new Figures();
  let last = -1;
  for (const line of lines) {
    if (line === '') continue;
    const found = lineOf(line, known);
    if (!found || found.place <= last || !found.captured.every(isExact)) unreadable.push(line);
    else figures.add(found.name, found.captured);
    last = Math.max(last, found?.place ?? last);
  }
  return figures;
}

/** Which line of a summary it is, and what it says; null if it is none. */
function lineOf(
  line: string,
  known: Patterns,
): { name: string; place: number; line: string; captured: string[] } | null {
  for (const [place, [name, pattern]] of known.entries()) {
    const match = pattern.exec(line);
    if (match) return { name, place, line, captured: match.slice(1) };
  }
  return null;
}

/** Whether it is not a number, or is one that can be distinguished from its neighbours. */
function isExact(text: string | undefined): boolean {
  return text === undefined || !/^[\d.]+$/.test(text) || Number(text) <= Number.MAX_SAFE_INTEGER;
}

type Patterns = readonly (readonly [name: string, pattern: RegExp])[];

function patterns(prefix: string, of: Record<string, string>): Patterns {
  return Object.entries(of).map(([name, pattern]) => [name, new RegExp(`^${prefix}${pattern}$`)]);
}
