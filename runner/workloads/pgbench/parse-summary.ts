import type { Run, RunScript } from '../run.ts';

/** What the lines of one run's summary say, and whether all of it is there. */
export interface Summary {
  run: Omit<Run, 'complete' | 'problems'>;
  /** The transactions that were asked for with -t, over all clients; null with -T. */
  requestedTransactions: number | null;
  /** In words what the summary lacks; null for a whole one. */
  missing: string | null;
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
  const latencyAverageSeconds = milliseconds(find(/^latency average(?: =|:) (\S+) ms/));
  const scripts = sections.map(readScript);
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
      durationSeconds: number(find(/^duration: (\d+) s$/)),
      tps: tps.value,
      latencyAverageSeconds,
      latencyStddevSeconds: milliseconds(find(/^latency stddev(?: =|:) (\S+) ms$/)),
    },
    requestedTransactions: number(requested ?? null),
    missing: whatIsMissing(type, transactions, tps, scripts),
  };
}

interface Tps {
  value: number | null;
  /** Up to 13 the speed is given twice, with and without the time to connect. */
  complete: boolean;
}

function readTps(lines: readonly string[]): Tps {
  const including = first(lines, /^tps = (\S+) \(including connections establishing\)$/);
  const excluding = first(lines, /^tps = (\S+) \(excluding connections establishing\)$/);
  const only = first(lines, /^tps = (\S+) \((?:without initial connection time|including reconnection times)\)$/);
  return { value: number(excluding ?? only ?? including), complete: excluding !== null || only !== null };
}

interface ScriptSection {
  script: RunScript;
  /** Percent of all transactions that the weight aims at; null where it is not said. */
  target: number | null;
}

function readScript(lines: readonly string[]): ScriptSection {
  const find = (pattern: RegExp): string | null => first(lines, pattern);
  const counted = find(/^ - (\d+) transactions \(/) ?? find(/^ - number of transactions actually processed: (\d+)/);
  return {
    script: {
      name: scriptName(find(/^SQL script \d+: (.+)$/) ?? ''),
      weight: number(find(/^ - weight: (\d+)/)),
      transactions: number(counted),
      tps: number(find(/tps = ([\d.]+)\)$/)),
      latencyAverageSeconds: milliseconds(find(/^ - latency average = (\S+) ms$/)),
    },
    target: number(find(/\(targets ([\d.]+)% of total\)/)),
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
  const targets = scripts.map(({ target }) => target ?? 0).reduce((sum, target) => sum + target, 0);
  const whole = Math.abs(targets - 100) < 0.1 * Math.max(1, scripts.length);
  const counted = scripts.every(({ script }) => script.transactions !== null);
  return whole && counted ? null : 'the sections of its scripts are cut off';
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
