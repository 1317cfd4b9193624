import type { Run, RunScript } from '../../../contract/tool-output.ts';

/** What one run's summary says, and whether it is complete. */
export interface Summary {
  run: Omit<Run, 'complete' | 'problems'>;
  /** Number of transactions that -t asked for, over all clients; null with -T. */
  requestedTransactions: number | null;
  /** What the summary lacks, in words; null if it is complete. */
  missing: string | null;
  /** Why the run is not complete although its summary is, in words; null if its numbers show nothing like that. */
  shortfall: string | null;
}

/** Reads the lines from `transaction type:` on. Lines that are not part of a summary are skipped. */
export function parseSummary(
  lines: readonly string[],
  versions: { client: string | null; server: string | null },
): Summary {
  const firstScript = lines.findIndex((line) => /^SQL script \d+: /.test(line));
  const head = firstScript < 0 ? lines : lines.slice(0, firstScript);
  const find = (pattern: RegExp): string | null => first(head, pattern);

  const type = find(/^transaction type: (.+)$/);
  const [processed, requested] = (find(/^number of transactions actually processed: (\d+(?:\/\d+)?)$/) ?? '').split(
    '/',
  );
  const tps = readTps(head);
  const sections = firstScript < 0 ? [] : splitSections(lines.slice(firstScript));
  const transactions = number(processed || null);
  // 9.5 divides the duration by the transactions, so it prints 0.000 for every run that was limited by transactions.
  const latencyAverageSeconds = milliseconds(find(/^latency average(?: =|:) (\S+) ms/)) || null;
  const scripts = sections.map(readScript);
  const durationSeconds = number(find(/^duration: (\d+) s$/));
  return {
    run: {
      tool: 'pgbench',
      clientVersion: versions.client,
      serverVersion: versions.server,
      clients: number(find(/^number of clients: (\d+)$/)),
      threads: number(find(/^number of threads: (\d+)$/)),
      scale: number(find(/^scaling factor: (\d+)$/)),
      scripts:
        scripts.length > 0 || type === null || type === 'multiple scripts'
          ? scripts.map(({ script }) => script)
          : [{ name: scriptName(type), weight: null, transactions, tps: tps.value, latencyAverageSeconds }],
      transactions,
      failedTransactions: number(find(/^number of failed transactions: (\d+)/)),
      skippedTransactions: number(find(/^number of transactions skipped: (\d+)/)),
      retriedTransactions: number(find(/^number of transactions retried: (\d+)/)),
      durationSeconds,
      tps: tps.value,
      latencyAverageSeconds,
      latencyStddevSeconds: milliseconds(find(/^latency stddev(?: =|:) (\S+) ms$/)),
    },
    requestedTransactions: number(requested ?? null),
    missing: whatIsMissing(type, transactions, tps, scripts),
    shortfall:
      transactions === 0 && tps.value === null
        ? 'no transaction was carried out'
        : earlyEnd(head, { transactions, tps, durationSeconds }),
  };
}

/**
 * Finds a run whose clients all gave up. Its stdout looks complete, but its transactions took less time than was asked for.
 * Clients with a rate may stop early: their next transaction would start too late.
 */
function earlyEnd(
  lines: readonly string[],
  run: { transactions: number | null; tps: Tps; durationSeconds: number | null },
): string | null {
  const { transactions, tps, durationSeconds } = run;
  const tpsOverall = tps.overall;
  if (transactions === null || durationSeconds === null || !tpsOverall) return null;
  if (lines.some((line) => line.startsWith('rate limit schedule lag: '))) return null;
  // From 14 on, the tps is measured from the moment when all clients are connected. The duration starts before that.
  const connectingSeconds = milliseconds(first(lines, /^initial connection time = (\S+) ms$/)) ?? 0;
  const elapsedSeconds = transactions / tpsOverall + connectingSeconds;
  return elapsedSeconds < 0.9 * durationSeconds
    ? `the clients had stopped after ${elapsedSeconds.toFixed(1)} of ${durationSeconds} s`
    : null;
}

interface Tps {
  value: number | null;
  /** Speed over the whole time, if the tool prints both. */
  overall: number | null;
  /**
   * Up to 13 the speed is printed twice, with and without the time to connect. This is false if the last of them is
   * missing.
   */
  complete: boolean;
}

function readTps(lines: readonly string[]): Tps {
  const read = (suffix: string): number | null =>
    number(first(lines, new RegExp(`^tps = (\\S+) \\((?:${suffix})\\)$`)));
  const including = read('including connections establishing');
  const excluding = read('excluding connections establishing');
  const only = read('without initial connection time|including reconnection times');
  return {
    value: excluding ?? only ?? including,
    overall: including ?? only,
    complete: excluding !== null || only !== null,
  };
}

interface ScriptSection {
  script: RunScript;
  /** Percent of all transactions that the weight aims at; null if it is not printed. */
  target: number | null;
  /** Whether the last line of the section is there. A script that never ran has no latency. */
  whole: boolean;
}

function readScript(lines: readonly string[]): ScriptSection {
  const find = (pattern: RegExp): string | null => first(lines, pattern);
  // From 18 on, "transactions" includes the failed and the skipped ones. A separate line counts those that were carried
  // out.
  const processed = find(/^ - number of transactions actually processed: (\d+) \(/);
  const transactions = number(processed ?? find(/^ - (\d+) transactions \(.*\)$/));
  return {
    script: {
      name: scriptName(find(/^SQL script \d+: (.+)$/) ?? ''),
      weight: number(find(/^ - weight: (\d+)/)),
      transactions,
      tps: number(find(/tps = ([\d.]+)\)$/)),
      latencyAverageSeconds: milliseconds(find(/^ - latency average = (\S+) ms$/)),
    },
    target: number(find(/\(targets ([\d.]+)% of total\)/)),
    whole: transactions === 0 || (transactions !== null && find(/^ - latency stddev(?: =|:) (\S+) ms$/) !== null),
  };
}

function whatIsMissing(
  type: string | null,
  transactions: number | null,
  tps: Tps,
  scripts: readonly ScriptSection[],
): string | null {
  if (type === null || transactions === null) return 'the summary is cut off';
  // A run without transactions has no speed.
  if (!tps.complete && transactions > 0) return 'the summary is cut off before its tps';
  if (type !== 'multiple scripts') return null;
  const weights = scripts.reduce((sum, { script }) => sum + (script.weight ?? 0), 0);
  // The printed shares are right only if the weights of all scripts are there. The transactions need not add up: threads
  // count them for each script without a lock.
  const allThere = scripts.every(
    ({ script, target }) =>
      script.weight === null || (target !== null && Math.abs((100 * script.weight) / weights - target) < 0.0501),
  );
  return scripts.length > 1 && allThere && scripts.every(({ whole }) => whole)
    ? null
    : 'the sections of its scripts are cut off';
}

function splitSections(lines: readonly string[]): string[][] {
  const sections: string[][] = [];
  for (const line of lines) {
    if (/^SQL script \d+: /.test(line)) sections.push([]);
    sections.at(-1)?.push(line);
  }
  return sections;
}

/** `<builtin: TPC-B (sort of)>` without its brackets; names of files stay as they are. */
function scriptName(printed: string): string {
  return printed.replace(/^<(.+)>$/, '$1');
}

function first(lines: readonly string[], pattern: RegExp): string | null {
  for (const line of lines) {
    const found = pattern.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  return null;
}

/** The number; null if there is none, and for NaN and inf, which pgbench prints after a division by zero. */
function number(text: string | null): number | null {
  if (text === null) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

function milliseconds(text: string | null): number | null {
  const value = number(text);
  return value === null ? null : value / 1000;
}
