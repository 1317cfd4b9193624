import type { Run, RunScript } from '../../../contract/tool-output.ts';

/** What the lines of one run's summary say, and whether all of it is there. */
export interface Summary {
  run: Omit<Run, 'complete' | 'problems'>;
  /** The transactions that were asked for with -t, over all clients; null with -T. */
  requestedTransactions: number | null;
  /** In words what the summary lacks; null for a whole one. */
  missing: string | null;
  /** In words why a whole summary is of no whole run; null where its numbers say nothing of the kind. */
  shortfall: string | null;
}

/** Reads the lines from `transaction type:` on; lines that are no part of a summary are passed over. */
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
  // 9.5 divides the duration, and so prints 0.000 for every run that was limited by transactions.
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
 * The stdout of a run whose clients all gave up looks whole, but its transactions took less time than was asked for. Clients
 * that wait for a rate stop early by right, when their next transaction would start too late.
 */
function earlyEnd(
  lines: readonly string[],
  run: { transactions: number | null; tps: Tps; durationSeconds: number | null },
): string | null {
  const { transactions, tps, durationSeconds } = run;
  const tpsOverall = tps.overall;
  if (transactions === null || durationSeconds === null || !tpsOverall) return null;
  if (lines.some((line) => line.startsWith('rate limit schedule lag: '))) return null;
  // From 14 on the clock of the tps starts when all clients are connected, that of the duration before.
  const connectingSeconds = milliseconds(first(lines, /^initial connection time = (\S+) ms$/)) ?? 0;
  const elapsedSeconds = transactions / tpsOverall + connectingSeconds;
  return elapsedSeconds < 0.9 * durationSeconds
    ? `the clients had stopped after ${elapsedSeconds.toFixed(1)} of ${durationSeconds} s`
    : null;
}

interface Tps {
  value: number | null;
  /** Over the whole time, where the tool tells both. */
  overall: number | null;
  /** Up to 13 the speed is given twice, with and without the time to connect. */
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
  /** Percent of all transactions that the weight aims at; null where it is not said. */
  target: number | null;
  /** Whether its last line is there; a script that never ran has no latency. */
  whole: boolean;
}

function readScript(lines: readonly string[]): ScriptSection {
  const find = (pattern: RegExp): string | null => first(lines, pattern);
  // From 18 on the "transactions" are also the failed and skipped ones, and those that were carried out have their own line.
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
  // A run that did nothing has no speed to tell.
  if (!tps.complete && transactions > 0) return 'the summary is cut off before its tps';
  if (type !== 'multiple scripts') return null;
  const weights = scripts.reduce((sum, { script }) => sum + (script.weight ?? 0), 0);
  // The printed shares only fit when the weights of all scripts are there. The transactions need not add up: threads count
  // those of a script without a lock.
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

/** `<builtin: TPC-B (sort of)>` without its brackets; files stand as they are. */
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

/** null for nothing, and for the NaN and inf that pgbench prints where it divides by zero. */
function number(text: string | null): number | null {
  if (text === null) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

function milliseconds(text: string | null): number | null {
  const value = number(text);
  return value === null ? null : value / 1000;
}
