/** Where in a line one of sysbench's own lines begins. */
export const ownLine =
  /(?<![\w"])(?:sysbench \d+\.\d|Running the test with following options:|Threads started!|\[ *\d+s *\] (?:thds|threads): \d|FATAL: |(?:SQL|General) statistics:|Latency \((?:ms|histogram)|Threads fairness:)/;

/** What the lines of a run mean, from sysbench 1.0 on. Sources: sysbench.c, db_driver.c and sb_histogram.c. */
export const says = {
  version: /^sysbench (\d+\.\d[\w.-]{0,40})/,
  options: /^Running the test with following options:$/,
  threads: /^Number of threads: (\d+)$/,
  started: /^Threads started!$/,
  interval:
    /^\[ *(\d+)s *\] thds: \d+ tps: (\d+\.\d+) qps: (\d+\.\d+) \(r\/w\/o: [\d.]+\/[\d.]+\/[\d.]+\) lat \(ms,(\d+)%\): (\d+\.\d+) err\/s:? (\d+\.\d+) reconn\/s: \d+\.\d+$/,
  histogram: /^Latency histogram \(values are in milliseconds\)$/,
  class: /^ *(\d+\.\d{3}) \|\** +(\d+)$/,
  statistics: /^SQL statistics:$/,
  transactions: /^ +transactions: +(\d+) +\((\d+\.\d+) per sec\.\)$/,
  queries: /^ +queries: +\d+ +\((\d+\.\d+) per sec\.\)$/,
  ignored: /^ +ignored errors: +(\d+) +\(/,
  reconnects: /^ +reconnects: +(\d+) +\(/,
  general: /^General statistics:$|^Throughput:$/,
  /** From 1.1 on, `time elapsed`. */
  seconds: /^ +(?:total time|time elapsed): +(\d+\.\d+)s$/,
  events: /^ +total number of events: +(\d+)$/,
  latencies: /^Latency \(ms\):$/,
  min: /^ +min: +(\d+\.\d+)$/,
  average: /^ +avg: +(\d+\.\d+)$/,
  max: /^ +max: +(\d+\.\d+)$/,
  percentile: /^ +(\d+)th percentile: +(\d+\.\d+)$/,
  fatal: /^FATAL: (.+)$/,
} as const;

/** What only the other tests of sysbench, its other commands, and its older versions print. */
export const others: readonly { what: string; sign: RegExp }[] = [
  { what: 'sysbench’s test of the CPU', sign: /^(CPU speed:|Prime numbers limit: \d+)$/ },
  { what: 'sysbench’s test of memory', sign: /^Running memory speed test with the following options:$/ },
  { what: 'sysbench’s test of files', sign: /^(File operations:|Extra file open flags: .*)$/ },
  { what: 'the output of sysbench 0.4 or 0.5', sign: /^(OLTP test statistics:|\[ *\d+s *\] threads: \d.*)$/ },
  { what: 'what sysbench prints while it fills its tables', sign: /^Creating table 'sbtest\d+'\.\.\.$/ },
  { what: 'what sysbench prints while it drops its tables', sign: /^Dropping table 'sbtest\d+'\.\.\.$/ },
];

/** Seconds of milliseconds that sysbench printed, which have at most three decimals. */
export function inSeconds<T extends number | null>(milliseconds: T): T {
  return (milliseconds === null ? null : Math.round(milliseconds * 1000) / 1e6) as T;
}

/** One report of a run in progress. */
export interface Interval {
  /** Since the start, in whole seconds. */
  elapsedSeconds: number;
  tps: number;
  qps: number;
  percentile: number;
  /** Of the transactions that ended since the report before. */
  latencySeconds: number;
  /** Transactions per second that were begun again. */
  errors: number;
}

/** @returns null for any other line */
export function intervalIn(line: string): Interval | null {
  const [, elapsedSeconds, tps, qps, percentile, milliseconds, errors] = (says.interval.exec(line) ?? []).map(Number);
  if (elapsedSeconds === undefined || tps === undefined || qps === undefined || percentile === undefined) return null;
  return {
    elapsedSeconds,
    tps,
    qps,
    percentile,
    latencySeconds: inSeconds(milliseconds ?? NaN),
    errors: errors ?? NaN,
  };
}
