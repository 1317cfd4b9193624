import { disagreement, doubtAboutRounding, lastPlaceOf } from './disagreement.ts';
import { carriedOut, type Figures, labelOf, readSummaryLines, type SummaryLines } from './summary-lines.ts';
import type { RunScript, ToolRun } from '../../../contract/tool-output.ts';

/**
 * Why a summary is cut off or damaged, in words; null if it is neither: it has its end and no foreign line, and its
 * figures do not contradict each other.
 */
function damageOf(found: SummaryLines): string | null {
  const { run, scripts, unreadable } = found;
  // A run without transactions has no speed.
  const isEmpty = run.has('type') && run.get('processed')?.[0] === '0';
  if (!isEmpty && !hasSpeed(run)) {
    return run.has('processed') ? 'the summary is cut off before its tps' : 'the summary is cut off';
  }
  if (run.get('type')?.[0] === 'multiple scripts' ? !areWhole(scripts, run) : scripts.length > 0) {
    return 'the sections of its scripts are cut off, or are from another run';
  }
  const [first] = unreadable;
  if (first !== undefined) return `its summary has a line that pgbench does not print there: "${first.slice(0, 200)}"`;
  if (run.has('tpsIncluding') && sinceOneSpeed.some((name) => run.has(name))) {
    return 'its summary has lines from several versions of pgbench';
  }
  return disagreement(found);
}

/**
 * Why a summary that is not damaged cannot be counted as a whole one, each in words.
 *
 * @param clientVersion null before 14, and if the first line was not kept
 */
function doubtsAbout(found: SummaryLines, clientVersion: string | null): string[] {
  const { run } = found;
  const absent = requiredLines(run, Number.parseInt(clientVersion ?? '')).filter((name) => !run.has(name));
  const names = absent.map((name) => `"${labelOf(name)}"`).join(', ');
  const rounding = doubtAboutRounding(found);
  return [
    ...(absent.length > 0 ? [`lines that pgbench prints are missing: ${names}`] : []),
    ...(rounding === null ? [] : [rounding]),
  ];
}

/** Up to 13, pgbench prints the speed twice, with and without the time to connect. The last one ends the summary. */
function hasSpeed(run: Figures): boolean {
  const printed = [run.get('tpsIncluding'), run.get('tpsExcluding') ?? run.get('tps')];
  return (
    printed[1] !== undefined &&
    printed.every((captured) => captured === undefined || Number.isFinite(Number(captured[0] ?? NaN)))
  );
}

/** Groups of lines: pgbench prints all lines of a group, or none. */
const together = [
  ['partitionMethod', 'partitions'],
  ['tpsIncluding', 'tpsExcluding'],
  ['serializationFailures', 'deadlockFailures'],
  ['retried', 'retries'],
];

/** Names of lines that must be there, given the others. */
function requiredLines(run: Figures, majorVersion: number): string[] {
  const has = (...names: string[]): boolean => names.some((name) => run.has(name));
  const whenCarriedOut = (...names: string[]): string[] => (run.get('processed')?.[0] === '0' ? [] : names);
  return [
    'type',
    'processed',
    'scale',
    'mode',
    'clients',
    'threads',
    has('duration') ? 'duration' : 'transactionsOfClient',
    ...together.filter((names) => has(...names)).flat(),
    ...whenCarriedOut('latencyAverage'),
    ...(majorVersion >= 14 || has('tps')
      ? whenCarriedOut(has('averageConnection') ? 'averageConnection' : 'initialConnection')
      : []),
    // Versions differ in whether they print the failures of a run without transactions.
    ...(majorVersion >= 15 || has('tries', 'failed') ? whenCarriedOut('failed') : []),
    // With --max-tries=0, which takes a duration or a latency limit, there is no such number: only the line of retries
    // shows it.
    ...((majorVersion >= 15 || has('tries', 'failed')) && !(has('retries') && has('duration', 'aboveLimit'))
      ? ['tries']
      : []),
    ...(has('tries') && run.get('tries')?.[0] !== '1' ? whenCarriedOut('retried', 'retries') : []),
    // Transactions are skipped only with a rate and a limit.
    ...(has('skipped') || (has('lag') && has('aboveLimit')) ? ['skipped', 'aboveLimit', 'lag'] : []),
    ...(has('lag', 'aboveLimit') ? whenCarriedOut('latencyStddev') : []),
  ];
}

/** Lines that no version prints together with the two speeds. */
const sinceOneSpeed = ['tps', 'initialConnection', 'averageConnection', 'tries', 'failed'];

/** If pgbench prints these for the whole run, it also prints them for each script. */
const ofEachScript = ['failed', 'serializationFailures', 'deadlockFailures', 'otherFailures', 'retried', 'retries'];

function areWhole(scripts: SummaryLines['scripts'], run: Figures): boolean {
  const number = (text: string | undefined): number => Number(text ?? NaN);
  const weights = scripts.reduce((sum, { figures }) => sum + number(figures.get('weight')?.[0]), 0);
  // The printed shares are right only if the weights of all scripts are there. The transactions need not add up:
  // threads count them for each script without a lock.
  return (
    scripts.length > 1 &&
    scripts.every(({ figures }) => {
      const [weight, target] = figures.get('weight') ?? [];
      const [transactions, tps] = carriedOut(figures).map(number);
      const isShare = Math.abs((100 * number(weight)) / weights - number(target)) < 0.501 * lastPlaceOf(target);
      const isOfRun = ofEachScript.every((name) => run.has(name) || !figures.has(name));
      // A script that never ran has no latency.
      if (!isShare || !isOfRun || transactions === 0) return isShare && isOfRun;
      return (
        figures.has('transactions') &&
        Number.isFinite(tps) &&
        figures.has('latencyAverage') &&
        figures.has('latencyStddev') &&
        ofEachScript.every((name) => figures.has(name) === run.has(name))
      );
    })
  );
}

/** What one run's summary says, and whether it is complete. */
export interface Summary {
  run: Omit<ToolRun, 'complete' | 'problems'>;
  /** Number of transactions that -t asked for, over all clients; null with -T. */
  requestedTransactions: number | null;
  /** Why the summary is cut off or damaged, in words; null if it is neither. */
  damage: string | null;
  /** Why it cannot count although it is not damaged, each in words: missing lines, or figures that nothing confirms. */
  doubts: string[];
  /** Why the run is not complete although its summary is, in words; null if its numbers show nothing like that. */
  shortfall: string | null;
}

/** Reads the lines from `transaction type:` on. Lines that are not part of a summary are skipped. */
export function parseSummary(
  lines: readonly string[],
  versions: { client: string | null; server: string | null },
): Summary {
  const found = readSummaryLines(lines);
  const value = (name: string, capture = 0): number | null => number(found.run.get(name)?.[capture]);
  const type = found.run.get('type')?.[0] ?? null;
  const transactions = value('processed');
  const tps = value('tpsExcluding') ?? value('tps') ?? value('tpsIncluding');
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
      queryMode: found.run.get('mode')?.[0] ?? null,
      maxTries: value('tries'),
      scripts:
        found.scripts.length > 0 || type === null || type === 'multiple scripts'
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
      lateTransactions: value('aboveLimit'),
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
    damage: damageOf(found),
    doubts: doubtsAbout(found, versions.client),
    shortfall: transactions === 0 && tps === null ? nothingDone(found.run) : earlyEnd(found.run),
  };
}

/** With -T, the time to connect is part of the duration. pgbench does not print it if no transaction came to an end. */
function nothingDone(figures: Figures): string {
  const nothing = 'no transaction was carried out';
  const value = (name: string): number => number(figures.get(name)?.[0]) ?? 0;
  if (value('failed') + value('skipped') > 0 || value('duration') === 0) return nothing;
  return `${nothing} in ${value('duration')} s: connecting, or the first transactions, took all of that time; use fewer clients, or more time`;
}

/**
 * The longest possible time, with a rate, until a thread's next transaction, as a multiple of the mean: pgbench draws
 * it by the logarithm of 48 random bits. Source: getPoissonRand in src/bin/pgbench/pgbench.c.
 */
const longestPause = 48 * Math.log(2);

/**
 * Finds a run whose clients all gave up. Its stdout looks complete, but its transactions took less time than was asked
 * for. Threads with a rate may stop early: their next transaction would start too late.
 */
function earlyEnd(figures: Figures): string | null {
  const value = (name: string): number | null => number(figures.get(name)?.[0]);
  const [transactions, durationSeconds] = [value('processed'), value('duration')];
  const tpsOverall = value('tpsIncluding') ?? value('tps');
  if (transactions === null || durationSeconds === null || !tpsOverall) return null;
  // From 14 on, the tps is measured from the moment when all clients are connected. The duration starts before that.
  const connectingSeconds = milliseconds(value('initialConnection')) ?? 0;
  const elapsedSeconds = transactions / tpsOverall + connectingSeconds;
  const ended = transactions + (value('failed') ?? 0) + (value('skipped') ?? 0);
  const pauseSeconds = figures.has('lag') ? (longestPause * (value('threads') ?? 1) * elapsedSeconds) / ended : 0;
  return elapsedSeconds < 0.9 * durationSeconds - pauseSeconds
    ? `the clients had stopped after ${elapsedSeconds.toFixed(1)} of ${durationSeconds} s`
    : null;
}

function readScript({ name, figures }: SummaryLines['scripts'][number]): RunScript {
  const [transactions, tps] = carriedOut(figures);
  return {
    name: scriptName(name),
    weight: number(figures.get('weight')?.[0]),
    transactions: number(transactions),
    tps: number(tps),
    latencyAverageSeconds: milliseconds(number(figures.get('latencyAverage')?.[0])),
    ...(figures.has('failed') && { failedTransactions: number(figures.get('failed')?.[0]) }),
    ...(figures.has('skipped') && { skippedTransactions: number(figures.get('skipped')?.[0]) }),
  };
}

/** `<builtin: TPC-B (sort of)>` without its brackets; names of files stay as they are. */
function scriptName(printed: string): string {
  return printed.replace(/^<(.+)>$/, '$1');
}

/** The number; null if there is none, and for NaN and inf, which pgbench prints after a division by zero. */
function number(text: string | undefined): number | null {
  const value = Number(text ?? NaN);
  return Number.isFinite(value) ? value : null;
}

function milliseconds(value: number | null): number | null {
  return value === null ? null : value / 1000;
}
