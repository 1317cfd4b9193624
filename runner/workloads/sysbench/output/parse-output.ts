import type { Measures } from '../../../contract/metric.ts';
import type { ToolRun } from '../../../contract/tool-output.ts';
import { type Line, withoutSurroundings } from '../../surroundings.ts';
import { unreported } from '../../unreported.ts';
import { countOf, type Histogram, percentileOf } from './histogram.ts';
import { inSeconds, intervalIn, others, ownLine, says } from './lines.ts';

/**
 * Reads every run of sysbench's tests of databases in an output, from version 1.0 on. A run is not complete if it was cut
 * off, lost a connection, or contradicts itself. Then what can be read of it is there.
 */
export function parseOutput(text: string): ToolRun[] {
  const { lines, takenOff } = linesIn(text);
  return startsIn(lines).map((start, index) => ({
    ...readRun(textsOf(start)),
    place: { run: index + 1, fromLine: start[0]?.number ?? 1, toLine: start.at(-1)?.number ?? 1 },
    ...(takenOff.length > 0 && { notes: [`stripped from its lines: ${takenOff.join(', ')}`] }),
  }));
}

/** What an output of sysbench is if it has no run of a test of databases; null if it is none. */
export function otherThanRun(text: string): string | null {
  const lines = textsOf(linesIn(text).lines);
  const found = others.find(({ sign }) => lines.some((line) => sign.test(line)));
  if (found) return `this is ${found.what}. ${expected}`;
  return lines.some((line) => says.version.test(line) || says.general.test(line))
    ? `this contains no run of a sysbench database test. ${expected}`
    : null;
}

const expected =
  'Pass the output of "sysbench oltp_read_write run" or another of its database tests, version 1.0 or newer';

function linesIn(text: string): { lines: Line[]; takenOff: string[] } {
  const { lines, takenOff } = withoutSurroundings(text, ownLine);
  // Of a number at the end of a text that was cut off, digits may be missing.
  return { lines: lines.filter(({ text: line, isUnended }) => !isUnended || !/[\d.]$/.test(line)), takenOff };
}

function textsOf(lines: readonly Line[]): string[] {
  return lines.map(({ text }) => text);
}

/** What a run prints, in this order. */
const course = [
  says.version,
  says.options,
  says.started,
  says.interval,
  says.histogram,
  says.statistics,
  says.latencies,
];
/** Reports come once a second. */
const repeats = course.indexOf(says.interval);
/** sysbench prints the others of these lines for every test. */
const databaseSigns = [says.interval, says.statistics];

/** A run begins where a line cannot follow those before, since it is of an earlier stage. */
function startsIn(lines: readonly Line[]): Line[][] {
  const starts: Line[][] = [[]];
  let stage = -1;
  for (const line of lines) {
    const next = course.findIndex((pattern) => pattern.test(line.text));
    if (next >= 0 && (next < stage || (next === stage && next !== repeats))) starts.push([]);
    if (next >= 0) stage = next;
    starts.at(-1)?.push(line);
  }
  return starts.filter(isRun);
}

function isRun(lines: readonly Line[]): boolean {
  const has = (pattern: RegExp): boolean => lines.some(({ text }) => pattern.test(text));
  if (databaseSigns.some(has)) return true;
  // It ended before its first report: nothing says that it was a test of anything else.
  return has(says.options) && !has(says.general) && !others.some(({ sign }) => has(sign));
}

/** @param lines of one run */
export function readRun(lines: readonly string[]): ToolRun {
  const numbersOf = (pattern: RegExp): (number | null)[] => {
    const found = lines.map((line) => pattern.exec(line)).find((match) => match !== null);
    return (found ?? []).slice(1).map(Number);
  };
  const numberOf = (pattern: RegExp): number | null => numbersOf(pattern)[0] ?? null;
  const [transactions = null, tps = null] = numbersOf(says.transactions);
  const [percentile = null, percentileMilliseconds = null] = numbersOf(says.percentile);
  const summary: Summary = {
    transactions,
    tps,
    events: numberOf(says.events),
    seconds: numberOf(says.seconds),
    averageMilliseconds: numberOf(says.average),
    reconnects: numberOf(says.reconnects),
    percentile,
    percentileMilliseconds,
    histogram: lines.flatMap((line) => {
      const [, milliseconds, count] = says.class.exec(line) ?? [];
      return milliseconds === undefined ? [] : [{ milliseconds: Number(milliseconds), transactions: Number(count) }];
    }),
  };
  const version = lines.map((line) => says.version.exec(line)?.[1]).find((found) => found !== undefined);
  const clients = numberOf(says.threads);
  const problems = problemsOf(lines, summary);
  return {
    ...unreported,
    tool: 'sysbench',
    clientVersion: version === undefined ? null : `sysbench ${version}`,
    clients,
    threads: clients,
    transactions,
    // It tries again until a transaction succeeds, or ends with an error.
    failedTransactions: transactions === null ? null : 0,
    retries: numberOf(says.ignored),
    durationSeconds: summary.seconds,
    tps,
    latencyAverageSeconds: inSeconds(summary.averageMilliseconds),
    measures: {
      qps: numberOf(says.queries),
      ...percentilesOf(summary),
      'latency.max': inSeconds(numberOf(says.max)),
    },
    complete: problems.length === 0,
    problems,
  };
}

interface Summary {
  transactions: number | null;
  tps: number | null;
  events: number | null;
  seconds: number | null;
  averageMilliseconds: number | null;
  reconnects: number | null;
  /** Which one the summary has, such as 95. */
  percentile: number | null;
  percentileMilliseconds: number | null;
  histogram: Histogram;
}

const percentiles = { p50: 50, p90: 90, p95: 95, p99: 99, p999: 99.9 } as const;

/** All of them from a histogram; otherwise the one of the summary. */
function percentilesOf({ histogram, percentile, percentileMilliseconds }: Summary): Measures {
  const known = Object.entries(percentiles).filter(([, one]) => histogram.length > 0 || one === percentile);
  return Object.fromEntries(
    known.map(([name, one]) => [
      `latency.${name}`,
      histogram.length > 0 ? percentileOf(histogram, one) : inSeconds(percentileMilliseconds),
    ]),
  );
}

/** It rounds latencies to hundredths of a millisecond. */
const roundedMilliseconds = 0.0051;
/** The time by which it divides for its throughput ends a little later than the time that it prints. */
const [countingSeconds, countingShare] = [0.5, 0.01];

/** Why the lines are not the output of a complete run; none if they are. */
function problemsOf(lines: readonly string[], summary: Summary): string[] {
  const { transactions, tps, events, seconds, reconnects, histogram, percentile, percentileMilliseconds } = summary;
  const fatal = fatalIn(lines);
  if (transactions === null || tps === null || seconds === null || summary.averageMilliseconds === null)
    return [...fatal, 'it has no result: it was cut off, killed, or lost a connection'];
  const counted = countOf(histogram);
  const fromHistogram = percentile === null ? null : percentileOf(histogram, percentile);
  const difference = Math.abs((fromHistogram ?? 0) * 1000 - (percentileMilliseconds ?? 0));
  return [
    ...fatal,
    ...(transactions > 0 ? [] : ['no transaction ended']),
    ...((reconnects ?? 0) === 0 ? [] : [`clients lost their connection and connected again (${reconnects} times)`]),
    ...(events === null || events === transactions
      ? []
      : [`it says ${transactions} transactions and ${events} events`]),
    ...(Math.abs(tps * seconds - transactions) <= 1 + tps * (countingSeconds + countingShare * seconds)
      ? []
      : [`its ${transactions} transactions in ${seconds} s contradict its ${tps} per second`]),
    ...(counted === 0 || counted === transactions
      ? []
      : [`its histogram has ${counted} transactions, its summary ${transactions}`]),
    ...(fromHistogram === null || difference <= roundedMilliseconds
      ? []
      : [`by its histogram, the ${percentile}th percentile is not the ${percentileMilliseconds} ms that it says`]),
  ];
}

/** Every client may report the same error; the first few say enough. */
const maxErrors = 3;

/** Why a run or a load failed, in sysbench's words; empty if it did not say. */
export function fatalIn(lines: readonly string[]): string[] {
  return [...new Set(lines.flatMap((line) => says.fatal.exec(line)?.[1] ?? []))].slice(0, maxErrors);
}

/** Throughput, statements and the 95th percentile of each second. */
export function seriesOf(lines: readonly string[]): { second: number; name: string; value: number }[] {
  return lines.flatMap((line) => {
    const interval = intervalIn(line);
    if (!interval) return [];
    // A report covers the second before it.
    const second = interval.elapsedSeconds - 1;
    return [
      { second, name: 'tps', value: interval.tps },
      { second, name: 'qps', value: interval.qps },
      { second, name: 'transactions.retries', value: interval.errors },
      // Without a transaction, it is no latency.
      ...(interval.tps > 0
        ? [{ second, name: `latency.p${interval.percentile}`, value: interval.latencySeconds }]
        : []),
    ];
  });
}
