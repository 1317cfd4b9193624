import { earlyEnd, overrunNote } from './elapsed.ts';
import type { Figures } from './figures.ts';
import { doubtsAbout } from './summary-damage.ts';
import { readSummaryLines, severalScripts, type SummaryLines } from './summary-lines.ts';
import type { RunScript, ToolRun } from '../../../contract/tool-output.ts';

/** What one run's summary says, and whether it is complete. */
export interface Summary {
  run: Omit<ToolRun, 'complete' | 'problems'>;
  /** Number of transactions that -t asked for, over all clients; null with -T. */
  requestedTransactions: number | null;
  /** Why it cannot count as a whole one, each in words. */
  doubts: string[];
  /** Why the run is not complete although its summary is, in words; null if its numbers show nothing like that. */
  shortfall: string | null;
  /** What else readers of its figures should know. */
  notes: string[];
  /** What may help if nothing else explains the shortfall; null if there is nothing to say. */
  advice: string | null;
}

/** Reads the lines from `transaction type:` on. Lines that are not part of a summary are skipped. */
export function parseSummary(
  lines: readonly string[],
  versions: { client: string | null; server: string | null },
  numberOf: (line: string) => number | null = () => null,
): Summary {
  const found = readSummaryLines(lines);
  const value = found.run.finite.bind(found.run);
  const type = found.run.text('type') ?? null;
  const transactions = value('processed');
  const tps = value('tpsExcluding') ?? value('tps') ?? value('tpsIncluding');
  const isNothing = transactions === 0 && tps === null;
  // 9.5 divides the duration by the transactions, so it prints 0.000 for every run that was limited by transactions.
  const latencyAverageSeconds = milliseconds(value('latencyAverage')) || null;
  return {
    run: {
      tool: 'pgbench',
      clientVersion: versions.client,
      serverVersion: versions.server,
      clients: value('clients'),
      threads: value('threads'),
      scale: value('scale'),
      queryMode: found.run.text('mode') ?? null,
      maxTries: value('tries'),
      scripts:
        found.scripts.length > 0 || type === null || type === severalScripts
          ? found.scripts.map(readScript)
          : [{ name: scriptName(type), weight: null, transactions, tps, latencyAverageSeconds }],
      transactions,
      failedTransactions: value('failed'),
      skippedTransactions: value('skipped'),
      retriedTransactions: value('retried'),
      durationSeconds: value('duration'),
      tps,
      latencyAverageSeconds,
      latencyStddevSeconds: milliseconds(value('latencyStddev')),
      latencyLimitSeconds: milliseconds(value('aboveLimit')),
      lateTransactions: value('aboveLimit', 1),
      retries: value('retries'),
      failures: found.run.has('serializationFailures')
        ? {
            serialization: value('serializationFailures'),
            deadlock: value('deadlockFailures'),
            // pgbench prints these only if there may be some.
            other: value('otherFailures'),
          }
        : null,
      connectionAverageSeconds: milliseconds(value('averageConnection')),
      initialConnectionSeconds: milliseconds(value('initialConnection')),
      lagAverageSeconds: milliseconds(value('lag')),
      lagMaxSeconds: milliseconds(value('lag', 1)),
    },
    requestedTransactions: value('processed', 1),
    doubts: doubtsAbout(found, versions.client, numberOf),
    shortfall: isNothing ? 'no transaction completed' : earlyEnd(found.run),
    advice: isNothing ? adviceOnNothing(found.run) : null,
    notes: notesOn(found),
  };
}

/** With -T, the time to connect is part of the duration. pgbench does not print it if no transaction came to an end. */
function adviceOnNothing(figures: Figures): string | null {
  const seconds = figures.count('duration');
  if (figures.count('failed') + figures.count('skipped') > 0 || seconds === 0) return null;
  return `connecting, or the first transactions, took all of the ${seconds} s: use fewer clients, or longer trials`;
}

function notesOn({ run, percentiles }: SummaryLines): string[] {
  const overrun = overrunNote(run);
  return [
    ...(percentiles.length > 0 ? [`its percentiles, which only forks of pgbench print, are ignored`] : []),
    ...(run.has('tpsIncluding') && !run.has('tpsExcluding') ? ['its tps includes connection time'] : []),
    ...(overrun === null ? [] : [overrun]),
  ];
}

function readScript({ name, figures }: SummaryLines['scripts'][number]): RunScript {
  const [transactions = null, tps = null] = figures.carriedOut.map((text) =>
    Number.isFinite(Number(text ?? NaN)) ? Number(text) : null,
  );
  return {
    name: scriptName(name),
    weight: figures.finite('weight'),
    transactions,
    tps,
    latencyAverageSeconds: milliseconds(figures.finite('latencyAverage')),
    ...(figures.has('failed') && { failedTransactions: figures.finite('failed') }),
    ...(figures.has('skipped') && { skippedTransactions: figures.finite('skipped') }),
  };
}

/** `<builtin: TPC-B (sort of)>` without its brackets; names of files stay as they are. */
function scriptName(printed: string): string {
  return printed.replace(/^<(.+)>$/, '$1');
}

function milliseconds(value: number | null): number | null {
  return value === null ? null : value / 1000;
}
