import { wrongElapsed } from './elapsed.ts';
import { decimalsOf, type Figures, lastPlaceOf } from './figures.ts';
import type { SummaryLines } from './summary-lines.ts';

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
    (areSharesRight(run, [run.ended]) && isLateShareRight(run) ? null : 'its shares') ??
    (scripts.every(({ figures }) => isScriptRight(figures, run)) ? null : 'the figures of its scripts');
  return wrong === null ? null : `its summary contradicts itself about ${wrong}`;
}

export function wrongCount(run: Figures): string | null {
  const asked = run.text('processed', 1);
  const isLimited = asked !== undefined;
  const perClient = run.number('transactionsOfClient');
  if (
    (run.has('processed') && (isLimited ? run.has('duration') : run.has('transactionsOfClient'))) ||
    (run.has('duration') && run.has('transactionsOfClient')) ||
    (isLimited && Math.abs(perClient * run.number('clients') - Number(asked)) > 0) ||
    run.ended > Number(asked)
  ) {
    return 'the number of requested transactions';
  }
  const kinds = ['serializationFailures', 'deadlockFailures', 'otherFailures'] as const;
  const failures = kinds.reduce((sum, kind) => sum + run.count(kind), 0);
  if (run.has('serializationFailures') && run.has('failed') && failures !== run.count('failed'))
    return 'its failed transactions';
  if (run.has('retries') && run.count('retried') > Math.min(run.count('retries'), run.ended)) return 'its retries';
  return run.number('threads') > run.number('clients') ? 'its threads' : null;
}

/** Latency and speed: together they say how many clients were at work. */
function wrongLatency(run: Figures): string | null {
  const includingFailures = run.text('latencyAverage', 1);
  const isMeasured = run.has('latencyStddev');
  // Only a mean that is measured transaction by transaction leaves out failed ones; then there is also a deviation.
  if (run.has('latencyAverage') && (!isMeasured && run.count('failed') > 0) !== (includingFailures !== undefined)) {
    return 'what its latency includes';
  }
  const reconnected = run.text('tps', 1);
  if (run.has('tps') && (reconnected === undefined ? run.has('averageConnection') : run.has('initialConnection')))
    return 'how it connected';
  if (run.number('tpsExcluding') < run.number('tpsIncluding')) return 'its speed';
  const [tpsText, latencyText] = [run.speed, run.text('latencyAverage')];
  const [tps, latency] = [Number(tpsText ?? NaN), run.number('latencyAverage')];
  const transactions = run.count('processed');
  // This assumes that each client was always in a transaction. With a schedule, a client is at times in none, and its
  // transactions also wait in line.
  const busy = (1000 * run.number('clients')) / tps;
  const wrong = `its latency (${latencyText} ms) and speed (${busy.toFixed(3)} ms, by its clients and tps)`;
  if (isMeasured) {
    const isTooLong = latency > 1.01 * busy + lastPlaceOf(latencyText);
    return !run.has('lag') && (isTooLong || isMostlyIdle(run)) ? wrong : null;
  }
  const expected = (busy * transactions) / run.ended;
  // Up to 9.6, pgbench computes the latency from the requested duration, which is 0 without -T.
  const asked = (1000 * run.number('clients') * run.count('duration')) / transactions;
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
  const reconnected = run.has('averageConnection') || run.number('tpsIncluding') < 0.9 * run.number('tpsExcluding');
  if (reconnected || !run.has('duration') || run.ended > run.count('processed')) return false;
  const transactions = run.count('processed');
  // At the end, some clients may have waited long for the others.
  const seconds = Math.min(run.number('duration'), transactions / Number(run.speed ?? NaN));
  const busySeconds = (transactions * run.atMost('latencyAverage')) / 1000;
  return busySeconds < minBusy * run.number('clients') * (seconds - run.count('initialConnection') / 1000);
}

/** The lag is a part of each latency. Up to 13, it may be that of skipped transactions, too. */
function wrongLag(run: Figures): string | null {
  const [average, longest, latency] = [run.text('lag'), run.text('lag', 1), run.text('latencyAverage')];
  if (average === undefined || latency === undefined || run.ended > run.count('processed')) return null;
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
  const sum = scripts.reduce((all, { figures }) => all + figures.count('transactions'), 0);
  const processed = run.count('processed');
  const min = run.number('threads') === 1 ? processed : (1 - maxLost) * processed;
  return sum < min || sum > run.ended
    ? `the transactions of its scripts (${sum} in sum) and of all (${processed})`
    : null;
}

function isLateShareRight(run: Figures): boolean {
  const [late, of] = [run.number('aboveLimit', 1), run.text('aboveLimit', 2)];
  const transactions = run.count('processed');
  const isOfAll = of === undefined || Number(of) === transactions;
  if (late > transactions) return false;
  return isOfAll && isShareOf(run.text('aboveLimit', 3), late, [transactions, transactions + run.count('skipped')]);
}

function isScriptRight(script: Figures, run: Figures): boolean {
  const [transactions, tps] = script.carriedOut;
  const counted = script.count('transactions');
  const tpsOfRun = Number(run.speed ?? NaN);
  const expected = (Number(transactions) / run.count('processed')) * tpsOfRun;
  const within = lastPlaceOf(tps) + expected * (lastPlaceOf(run.speed) / tpsOfRun + 1e-8);
  return (
    // A script that never ran may have no speed, but not a speed that is no number.
    (tps === undefined || Math.abs(Number(tps) - expected) <= within) &&
    isShareOf(script.text('transactions', 1), counted, [run.count('processed'), run.ended]) &&
    // Up to 14, the number of transactions includes the skipped ones, and from 18 on also the failed ones.
    areSharesRight(script, [counted, counted + script.count('failed') + script.count('skipped')])
  );
}

const outcomes = ['failed', 'serializationFailures', 'deadlockFailures', 'otherFailures', 'retried', 'skipped'];

function areSharesRight(figures: Figures, wholes: readonly number[]): boolean {
  return outcomes.every((name) => isShareOf(figures.text(name, 1), figures.count(name), wholes));
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
  const timeDecimals = decimalsIn(all.flatMap((figures) => times.flatMap((name) => figures.text(name) ?? [])));
  const speedDecimals = decimalsIn([
    ...speeds.flatMap((name) => run.text(name) ?? []),
    ...scripts.flatMap(({ figures }) => figures.carriedOut[1] ?? []),
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
  const { speed } = run;
  // A figure of one digit agrees with too much.
  if ([speed, run.text('latencyAverage')].some((text) => lastPlaceOf(text) > 0.1 * Number(text))) return false;
  if (run.has('latencyAverage') && !run.has('latencyStddev')) return true;
  const seconds = run.number('processed') / Number(speed) + run.count('initialConnection') / 1000;
  return Math.abs(seconds - run.number('duration')) <= 0.02 * run.number('duration');
}

function decimalsIn(texts: readonly string[]): Set<number> {
  return new Set(texts.filter((text) => /^\d/.test(text)).map(decimalsOf));
}
