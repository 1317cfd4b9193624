import type { Measures } from '../../contract/metric.ts';

/** One side of a comparison, as an estimate of what a cause can explain needs it. */
export interface SideFacts {
  /** Mean of a measure over the trials of the side; null if one of them does not have it. */
  measure: (name: keyof Measures) => number | null;
  /** A setting in force in its base unit (seconds, bytes, 1); null if it is not known, or no number. */
  setting: (name: string) => number | null;
  /** Seconds of a transaction in the kind of time that is to be explained. */
  seconds: number;
}

/**
 * The most that a cause can explain of the time that the slower side loses in one kind, in seconds per transaction, by arithmetic;
 * null if that cannot be computed.
 */
export type Size = (slow: SideFacts, fast: SideFacts) => number | null;

/** By how much more the slower side has of something, by a formula of each side. */
export function more(of: (side: SideFacts) => number | null): Size {
  return (slow, fast) => {
    const [one, other] = [of(slow), of(fast)];
    return one === null || other === null ? null : one - other;
  };
}

/**
 * All of the time of this kind that the faster side does not have, if its setting has ended the wait there, but for a tenth. If it
 * still waits, its setting is not in force for what waits, as beside a SET in a function, or ends only a part.
 */
export const all: Size = (slow, fast) => (fast.seconds > 0.1 * slow.seconds ? null : slow.seconds - fast.seconds);

/**
 * Where a transaction of the slower side writes more than twice as many WAL records: the part of it for as many as the faster side
 * writes. What that does not write, it need not flush. Bytes would count the pages after checkpoints, which follow from the speed.
 * If only one side counted its records, the other may have written less.
 */
export const forTheSameWal =
  (size: Size): Size =>
  (slow, fast) => {
    const whole = size(slow, fast);
    const [few, many] = [fast, slow].map(perTransaction('wal.records')) as [number | null, number | null];
    if ((few === null) !== (many === null)) return null;
    const part = ratio(few, many);
    return whole === null || part === null || part > 0.5 ? whole : whole * part;
  };

/** If the time grew with this measure alone, the part of it that the slower side has more. */
export function partOf(name: string): Size {
  return (slow, fast) => {
    const [one, other] = [perTransaction(name)(slow), perTransaction(name)(fast)];
    return one === null || other === null || one <= 0 ? null : (1 - other / one) * slow.seconds;
  };
}

export function perTransaction(name: string): (side: SideFacts) => number | null {
  return ({ measure }) => ratio(measure(name), measure('transactions'));
}

export function times(factor: number, of: (side: SideFacts) => number | null): (side: SideFacts) => number | null {
  return (side) => {
    const value = of(side);
    return value === null ? null : factor * value;
  };
}

/**
 * The time of reading more, as far as it comes of smaller shared buffers: of all that has no room in them on the slower side and
 * had on the faster, the part that is not more data.
 */
export const readsForRoom: Size = (slow, fast) => {
  const [longer, lost] = [
    more(perTransaction('database.readTime'))(slow, fast),
    more(({ setting }) => setting('shared_buffers'))(fast, slow),
  ];
  const grown = more(({ measure }) => measure('database.sizeAtStart'))(slow, fast);
  return longer === null || lost === null || grown === null || lost <= 0
    ? null
    : (longer * lost) / (lost + Math.max(0, grown));
};

/** A commit waits at most for the flush that is under way, and then for its own. */
export const flushesAwaited = 2;

/** How long one flush takes with its write. With open_sync and its like, writes flush, and no flush is counted. */
function flushTime({ measure }: SideFacts): number | null {
  const [written, synced] = [measure('wal.writeTime'), measure('wal.syncTime')];
  const [writes, syncs] = [measure('wal.writes'), measure('wal.syncs')];
  if (synced === null) return measure('wal.meanSyncTime');
  return ratio((written ?? 0) + synced, syncs !== null && syncs > 0 ? syncs : writes);
}

/**
 * What flushes of WAL that take longer can explain. If one is under way nearly all the time, sessions queue for them, for however
 * many each has to wait, and the queue moves as fast as they end.
 */
export const longerFlushes: Size = (slow, fast) => {
  const few = more(times(flushesAwaited, flushTime))(slow, fast);
  const [longer, shorter] = [flushTime(slow), flushTime(fast)];
  if (few === null || longer === null || shorter === null || longer <= 0) return few;
  return Math.max(few, queueing(slow) * (1 - shorter / longer) * slow.seconds);
};

/** From no queue to one that never ends, by the share of the time in which a flush is under way. */
const [noQueue, always] = [0.8, 0.95];

function queueing({ measure }: SideFacts): number {
  const [written, synced] = [measure('wal.writeTime'), measure('wal.syncTime')];
  const share = ratio((written ?? 0) + (synced ?? 0), measure('collect.window') ?? measure('runtime')) ?? 0;
  return Math.min(1, Math.max(0, (share - noQueue) / (always - noQueue)));
}

/** The delay before a flush; it applies only while so many other sessions are in a transaction. */
export function commitDelay({ measure, setting }: SideFacts): number | null {
  const [delay, siblings] = [setting('commit_delay'), setting('commit_siblings')];
  const [turn, tps] = [measure('client.turn'), measure('tps')];
  const isTooFew = siblings !== null && turn !== null && tps !== null && turn * tps < siblings + 0.5;
  return delay === null ? null : isTooFew ? 0 : delay * 1e-6;
}

export function ratio(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole <= 0 ? null : part / whole;
}
