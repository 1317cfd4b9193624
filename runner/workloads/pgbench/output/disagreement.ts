import { wrongElapsed } from './elapsed.ts';
import {
  carriedOut,
  countOf,
  decimalsOf,
  ended,
  type Figures,
  lastPlaceOf,
  numberOf as number,
  speedOf,
  type SummaryLines,
} from './summary-lines.ts';

/**
 * Which figures of a whole summary contradict each other, in words; null if none do. pgbench computes many of its
 * figures from others that it also prints, so a changed digit shows. A rounded figure is as exact as its last place.
 * Formulas: printResults in src/bin/pgbench/pgbench.c, 9.5 to 19.
 */
export function disagreement({ run, scripts }: SummaryLines): string | null {
  const wrong =
    wrongCount(run) ??
    wrongLatency(run) ??
    wrongLag(run) ??
    wrongElapsed(run) ??
    wrongSum(run, scripts) ??
    (areSharesRight(run, [ended(run)]) && isLateShareRight(run) ? null : 'its shares') ??
    (scripts.every(({ figures }) => isScriptRight(figures, run)) ? null : 'the figures of its scripts');
  return wrong === null ? null : `its summary contradicts itself about ${wrong}`;
}

export function wrongCount(run: Figures): string | null {
  const [, asked] = run.get('processed') ?? [];
  const isLimited = asked !== undefined;
  const perClient = number(run, 'transactionsOfClient');
  if (
    (run.has('processed') && (isLimited ? run.has('duration') : run.has('transactionsOfClient'))) ||
    (run.has('duration') && run.has('transactionsOfClient')) ||
    (isLimited && Math.abs(perClient * number(run, 'clients') - Number(asked)) > 0) ||
    ended(run) > Number(asked)
  ) {
    return 'the number of transactions that were asked for';
  }
  const kinds = ['serializationFailures', 'deadlockFailures', 'otherFailures'] as const;
  const failures = kinds.reduce((sum, kind) => sum + countOf(run, kind), 0);
  if (run.has('serializationFailures') && run.has('failed') && failures !== countOf(run, 'failed'))
    return 'its failed transactions';
  if (run.has('retries') && countOf(run, 'retried') > Math.min(countOf(run, 'retries'), ended(run)))
    return 'its retries';
  return number(run, 'threads') > number(run, 'clients') ? 'its threads' : null;
}

/** Latency and speed: together they say how many clients were at work. */
function wrongLatency(run: Figures): string | null {
  const [, includingFailures] = run.get('latencyAverage') ?? [];
  const isMeasured = run.has('latencyStddev');
  // Only a mean that is measured transaction by transaction leaves out failed ones; then there is also a deviation.
  if (run.has('latencyAverage') && (!isMeasured && countOf(run, 'failed') > 0) !== (includingFailures !== undefined)) {
    return 'what its latency includes';
  }
  const [, reconnected] = run.get('tps') ?? [];
  if (run.has('tps') && (reconnected === undefined ? run.has('averageConnection') : run.has('initialConnection')))
    return 'how it connected';
  if (number(run, 'tpsExcluding') < number(run, 'tpsIncluding')) return 'its speed';
  const [tpsText, latencyText] = [speedOf(run), run.get('latencyAverage')?.[0]];
  const [tps, latency] = [Number(tpsText ?? NaN), Number(latencyText ?? NaN)];
  const transactions = countOf(run, 'processed');
  // This assumes that each client was always in a transaction. With a schedule, a client is at times in none, and its
  // transactions also wait in line.
  const busy = (1000 * number(run, 'clients')) / tps;
  const wrong = `its latency (${latencyText} ms) and speed (${busy.toFixed(3)} ms, by its clients and tps)`;
  if (isMeasured) {
    const isTooLong = latency > 1.01 * busy + lastPlaceOf(latencyText);
    return !run.has('lag') && (isTooLong || isMostlyIdle(run)) ? wrong : null;
  }
  const expected = (busy * transactions) / ended(run);
  // Up to 9.6, pgbench computes the latency from the requested duration, which is 0 without -T.
  const asked = (1000 * number(run, 'clients') * countOf(run, 'duration')) / transactions;
  const possible = run.has('tpsIncluding') ? [expected, asked] : [expected];
  const isPossible = possible.some(
    (value) => !(Math.abs(latency - value) > lastPlaceOf(latencyText) + value * (lastPlaceOf(tpsText) / tps + 1e-6)),
  );
  return isPossible ? null : wrong;
}

/**
 * A thread that is always busy looks at its other clients between two transactions of one, and again before it sees an
 * answer: so this may be half of the time.
 */
const minBusy = 0.2;

/**
 * Whether the clients were in a transaction for too small a part of the time, if they never had to wait. Up to 13, only
 * the two speeds show that they connected for each transaction.
 */
function isMostlyIdle(run: Figures): boolean {
  const reconnected = run.has('averageConnection') || number(run, 'tpsIncluding') < 0.9 * number(run, 'tpsExcluding');
  if (reconnected || !run.has('duration') || ended(run) > countOf(run, 'processed')) return false;
  const [transactions, latencyText] = [countOf(run, 'processed'), run.get('latencyAverage')?.[0]];
  // At the end, some clients may have waited long for the others.
  const seconds = Math.min(number(run, 'duration'), transactions / Number(speedOf(run) ?? NaN));
  const busySeconds = (transactions * (Number(latencyText ?? NaN) + lastPlaceOf(latencyText))) / 1000;
  return busySeconds < minBusy * number(run, 'clients') * (seconds - countOf(run, 'initialConnection') / 1000);
}

/** The lag is a part of each latency. Up to 13, it may be that of skipped transactions, too. */
function wrongLag(run: Figures): string | null {
  const [[average, longest] = [], [latency] = []] = [run.get('lag'), run.get('latencyAverage')];
  if (average === undefined || latency === undefined || ended(run) > countOf(run, 'processed')) return null;
  if (Number(average) > Number(longest) + lastPlaceOf(longest)) return `its lag (avg ${average}, max ${longest} ms)`;
  const isPart = Number(average) <= 1.01 * Number(latency) + lastPlaceOf(latency);
  return isPart ? null : `its lag (${average} ms) and latency (${latency} ms), of which the lag is a part`;
}

/**
 * The transactions of all scripts are those of the run. Threads count them without a lock, so that some get lost, but
 * never so many.
 */
const maxLost = 0.5;

function wrongSum(run: Figures, scripts: SummaryLines['scripts']): string | null {
  if (scripts.length === 0) return null;
  const sum = scripts.reduce((all, { figures }) => all + countOf(figures, 'transactions'), 0);
  const processed = countOf(run, 'processed');
  const min = number(run, 'threads') === 1 ? processed : (1 - maxLost) * processed;
  return sum < min || sum > ended(run)
    ? `the transactions of its scripts (${sum} in sum) and of all (${processed})`
    : null;
}

function isLateShareRight(run: Figures): boolean {
  const [, late, of, share] = run.get('aboveLimit') ?? [];
  const transactions = countOf(run, 'processed');
  const isOfAll = of === undefined || Number(of) === transactions;
  if (Number(late) > transactions) return false;
  return isOfAll && isShareOf(share, Number(late), [transactions, transactions + countOf(run, 'skipped')]);
}

function isScriptRight(script: Figures, run: Figures): boolean {
  const [transactions, tps] = carriedOut(script);
  const [, share] = script.get('transactions') ?? [];
  const counted = countOf(script, 'transactions');
  const tpsOfRun = Number(speedOf(run) ?? NaN);
  const expected = (Number(transactions) / countOf(run, 'processed')) * tpsOfRun;
  const within = lastPlaceOf(tps) + expected * (lastPlaceOf(speedOf(run)) / tpsOfRun + 1e-8);
  return (
    // A script that never ran may have no speed, but not a speed that is no number.
    (tps === undefined || Math.abs(Number(tps) - expected) <= within) &&
    isShareOf(share, counted, [countOf(run, 'processed'), ended(run)]) &&
    // Up to 14, the number of transactions includes the skipped ones, and from 18 on also the failed ones.
    areSharesRight(script, [counted, counted + countOf(script, 'failed') + countOf(script, 'skipped')])
  );
}

const outcomes = ['failed', 'serializationFailures', 'deadlockFailures', 'otherFailures', 'retried', 'skipped'];

function areSharesRight(figures: Figures, wholes: readonly number[]): boolean {
  return outcomes.every((name) => isShareOf(figures.get(name)?.[1], countOf(figures, name), wholes));
}

/**
 * Whether this is the share, in percent, of a part in one of the wholes. If a whole is 0, the share may be anything.
 */
function isShareOf(share: string | undefined, part: number, wholes: readonly number[]): boolean {
  if (share === undefined) return true;
  const rounding = 0.51 * lastPlaceOf(share);
  return wholes.some((whole) => whole === 0 || Math.abs((100 * part) / whole - Number(share)) <= rounding);
}

/**
 * Why figures with more or fewer decimals than pgbench prints cannot count, in words; null if they can. Whoever rounds
 * figures rounds all times alike, and all speeds. A figure that has lost digits by damage differs from the others, or
 * nothing else confirms it.
 */
export function doubtAboutRounding({ run, scripts }: SummaryLines): string | null {
  const all = [run, ...scripts.map(({ figures }) => figures)];
  const timeDecimals = decimalsIn(all.flatMap((figures) => times.flatMap((name) => figures.get(name)?.[0] ?? [])));
  const speedDecimals = decimalsIn([
    ...speeds.flatMap((name) => run.get(name)?.[0] ?? []),
    ...scripts.flatMap(({ figures }) => carriedOut(figures)[1] ?? []),
  ]);
  if (timeDecimals.size > 1) return 'its times have different numbers of decimals';
  if (speedDecimals.size > 1) return 'its speeds have different numbers of decimals';
  const isRounded =
    [...timeDecimals].some((decimals) => decimals !== 3) || [...speedDecimals].some((decimals) => decimals !== 6);
  return isRounded && !isConfirmed(run)
    ? 'its figures have more or fewer decimals than pgbench prints, and no other figure confirms them'
    : null;
}

const times = ['latencyAverage', 'latencyStddev', 'lag', 'initialConnection', 'averageConnection'];
const speeds = ['tpsIncluding', 'tpsExcluding', 'tps'];

/**
 * If latencies were not measured one by one, they follow from the speed. Otherwise, the speed follows from the
 * duration.
 */
function isConfirmed(run: Figures): boolean {
  const number = (name: string): number => Number(run.get(name)?.[0] ?? NaN);
  const [speed] = run.get('tpsIncluding') ?? run.get('tps') ?? [];
  // A figure of one digit agrees with too much.
  if ([speed, run.get('latencyAverage')?.[0]].some((text) => lastPlaceOf(text) > 0.1 * Number(text))) return false;
  if (run.has('latencyAverage') && !run.has('latencyStddev')) return true;
  const connecting = (run.has('initialConnection') ? number('initialConnection') : 0) / 1000;
  return Math.abs(number('processed') / Number(speed) + connecting - number('duration')) <= 0.02 * number('duration');
}

function decimalsIn(texts: readonly string[]): Set<number> {
  return new Set(texts.filter((text) => /^\d/.test(text)).map(decimalsOf));
}
