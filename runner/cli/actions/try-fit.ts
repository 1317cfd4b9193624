import { UserError } from '../../contract/errors.ts';
import type { TryOptions } from '../try-options.ts';

/** How the trials of a try measure. */
export interface TryTrials {
  seconds: number;
  warmUpSeconds: number;
  /** Throughput, unless clients have too few transactions in a trial. */
  metric: 'tps' | 'latency.average';
}

/**
 * Transactions of a client in a trial, with which throughput may decide. The clients of a trial end one after another,
 * and throughput counts the time until the last one. Of fewer transactions, that time is too large a part.
 */
const transactionsForThroughput = 20;

/** Transactions of a client in a trial, as many as there is time for. More blocks say more than longer trials. */
const transactionsEach = [4, 3, 2, 1];

/** The time of its last transactions, and of those of the warm-up, by which a trial takes longer than planned. */
const overrun = 1;

/** A warm-up that ends before one transaction of each client does ends with that. */
const warmUp = 0.9;

/**
 * Trials that fit the transactions, the best first.
 *
 * @param usual how trials measure short transactions
 * @param transactionSeconds null if not known yet
 */
export function trialsFor(
  { seconds: declared }: Pick<TryOptions, 'seconds'>,
  usual: Omit<TryTrials, 'metric'>,
  transactionSeconds: number | null,
): [TryTrials, ...TryTrials[]] {
  const asGiven = { seconds: declared ?? usual.seconds, warmUpSeconds: usual.warmUpSeconds };
  if (transactionSeconds === null || asGiven.seconds >= transactionsForThroughput * transactionSeconds) {
    return [{ ...asGiven, metric: 'tps' }];
  }
  const warmUpSeconds = Math.max(usual.warmUpSeconds, Math.floor(warmUp * transactionSeconds));
  const [first, ...others] = (declared === undefined ? transactionsEach : []).map((count): TryTrials => {
    // Between two ends, so that a little more or less does not change how many there are.
    const fitting = Math.ceil((count - 0.5) * transactionSeconds);
    return { seconds: Math.max(usual.seconds, fitting), warmUpSeconds, metric: 'latency.average' };
  });
  return first ? [first, ...others] : [{ ...asGiven, warmUpSeconds, metric: 'latency.average' }];
}

/** Seconds that each trial takes besides its own, as far as it is for pgduet to choose its length. */
export function overrunSeconds({ seconds }: Pick<TryOptions, 'seconds'>, transactionSeconds: number | null): number {
  return seconds === undefined ? overrun * (transactionSeconds ?? 0) : 0;
}

/** @param atLeast what the fewest blocks take, with one transaction of each client in a trial */
export function tooLong(
  { script = 'the script', clients }: Pick<TryOptions, 'script' | 'clients'>,
  {
    transactionSeconds,
    variants,
    atLeast,
  }: { transactionSeconds: number; variants: number; atLeast: { blocks: number; seconds: number } },
): UserError {
  const remedies = [
    variants > 2 ? 'compare fewer values' : `measure for longer (--seconds ${Math.ceil(transactionSeconds)})`,
    ...(clients === 1 ? [] : ['see whether it takes less with fewer clients (--clients 1)']),
  ].join(', or ');
  return new UserError(
    `A transaction of ${script} takes ${durationWords(transactionSeconds)}. ${atLeast.blocks} blocks, the fewest for a verdict, then take at least ${Math.ceil(atLeast.seconds / 60)} minutes, more than the ten minutes of a try. Shorten the script, ${remedies}.`,
  );
}

/** What the plan of a dry run leaves open, which tries nothing. */
export function untriedWords(
  { script = 'the script', seconds: declared }: Pick<TryOptions, 'script' | 'seconds'>,
  { seconds }: Pick<TryTrials, 'seconds'>,
): string {
  const longest = seconds / transactionsForThroughput;
  return `${script} was not tried. If one of its transactions takes more than ${longest} s, ${declared === undefined ? 'trials become longer, and ' : ''}the average latency decides instead of throughput.`;
}

/** What a user reads before the trials are planned anew. */
export function fitWords(
  { script = 'the script' }: Pick<TryOptions, 'script'>,
  transactionSeconds: number,
  { seconds, metric }: TryTrials,
): string {
  const decides = metric === 'tps' ? 'throughput' : 'the average latency';
  return `A transaction of ${script} takes ${durationWords(transactionSeconds)}: trials of ${seconds} s, in which ${decides} decides.`;
}

function durationWords(seconds: number): string {
  return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
}
