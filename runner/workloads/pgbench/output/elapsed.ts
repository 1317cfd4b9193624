import { type Figures, lastPlaceOf } from './figures.ts';

/**
 * The time that a run took, by its transactions and tps; NaN if one is missing, or the speed has only one digit, which
 * `doubtAboutRounding` judges. From 14 on, the tps is measured from the moment when all clients are connected. The
 * duration starts before that.
 */
function elapsedSeconds(run: Figures): number {
  const { speed: text } = run;
  const speed = Number(text ?? NaN);
  if (!Number.isFinite(speed) || lastPlaceOf(text) > 0.1 * speed) return NaN;
  return run.count('processed') / speed + run.count('initialConnection') / 1000;
}

/** Starting and ending the clients. */
const aroundClients = { seconds: 0.25, share: 0.05 };
/** For last transactions of unknown length: they may wait for a lock. */
const maxOverrun = { seconds: 10, factor: 3 };
/** From this share of the duration on, an overrun is worth a note. */
const notableShare = 0.2;
/** Last transactions that are as many times as long as the mean are usual. */
const typicalLatencies = 5;

/** Which figures contradict each other in that a run with -T took so long, in words; null if none do. */
export function wrongElapsed(run: Figures): string | null {
  const [duration, elapsed] = [run.number('duration'), elapsedSeconds(run)];
  const max = maxLatency(run);
  const possible =
    max === null
      ? maxOverrun.factor * duration + maxOverrun.seconds + typicalLatencies * meanLatency(run)
      : (1 + aroundClients.share) * duration + aroundClients.seconds + max;
  return elapsed > possible
    ? `its duration (${duration} s) and speed (${elapsed.toFixed(1)} s, by its transactions and tps)`
    : null;
}

/** What readers of a run with -T should know that took far longer; null if it did not, or its figures are wrong. */
export function overrunNote(run: Figures): string | null {
  const [duration, elapsed] = [run.number('duration'), elapsedSeconds(run)];
  const isLonger = elapsed > (1 + notableShare) * duration + typicalLatencies * meanLatency(run);
  return isLonger && wrongElapsed(run) === null
    ? `by its transactions and tps, it took ${elapsed.toFixed(1)} s instead of ${duration} s: its last transactions were long, or one of these figures is wrong`
    : null;
}

/**
 * The longest possible latency in seconds, by mean and deviation, if each transaction was timed (Samuelson's
 * inequality). null if it is unknown: a transaction that failed at the end, or a connection, is in neither of them.
 */
function maxLatency(run: Figures): number | null {
  if (!run.has('latencyStddev') || run.count('failed') > 0 || run.has('averageConnection')) return null;
  return meanLatency(run) + (run.atMost('latencyStddev') / 1000) * Math.sqrt(run.count('processed'));
}

/** In seconds, rounded up. NaN if it is not printed. */
function meanLatency(run: Figures): number {
  return run.atMost('latencyAverage') / 1000;
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
export function earlyEnd(run: Figures): string | null {
  const [duration, elapsed] = [run.number('duration'), elapsedSeconds(run)];
  const pauseSeconds = run.has('lag') ? (longestPause * (run.count('threads') || 1) * elapsed) / run.ended : 0;
  return elapsed < 0.9 * duration - pauseSeconds
    ? `the clients had stopped after ${elapsed.toFixed(1)} of ${duration} s`
    : null;
}
