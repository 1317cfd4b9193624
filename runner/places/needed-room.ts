import type { Experiment } from '../contract/experiment/schema.ts';
import type { Variant } from '../contract/experiment/variant.ts';
import { bytesOf } from '../postgres/setting-units.ts';
import { toolOf } from '../workloads/registry.ts';

/** Something that needs room, with its size in words. */
export interface Needed {
  bytes: number;
  words: string;
}

const mib = 2 ** 20;

/**
 * What a server takes besides, and as shares of the size that the plan expects of the data. Measured with PostgreSQL 15 and pgbench
 * on limited volumes of 0.25 to 2 GiB: the model is within 1 % of the peaks, of which docs/local-volumes.md shows where they end.
 */
const measured = {
  /** Catalogs of initdb's databases and of ours, without WAL. */
  emptyBytes: 28.4 * mib,
  /** Catalogs of one more database. */
  databaseBytes: 7.6 * mib,
  /** Tables and indexes on the disk, with their maps of free space. */
  data: 1.04,
  /** Files in which the largest primary key is sorted, before all of the index is written. */
  sort: 0.11,
  /** WAL that loading writes: rows have less around them there than on pages. The copy of a database is copied by files, without WAL. */
  wal: 0.83,
};
/** Before the next checkpoint has made room, so many segments are above the limit, or begun. */
const [segmentBytes, segmentsAbove] = [16 * mib, 2];
/** What PostgreSQL has for max_wal_size where nobody says it. RDS has more, on volumes that are larger by far. */
const usualWalBytes = 1024 * mib;
/** WAL of a busy trial, without images of pages: about 1,500 small transactions a second. It may be more, but what may fit is not refused. */
const trialBytesPerSecond = mib;

/**
 * The room that a server of a variant needs at once: for its data and what comes with it, and for the WAL. null if the size of the
 * data is only roughly known: what may fit must not be refused.
 *
 * @param hasUsualWal whether WAL counts that nobody declared a limit for
 */
export function neededRoom(
  { protocol, workload }: Pick<Experiment, 'workload'> & { protocol: Pick<Experiment['protocol'], 'reset' | 'blocks'> },
  { engine }: Pick<Variant, 'engine'>,
  hasUsualWal: boolean,
): { data: Needed; wal: Needed } | null {
  const { bytes, isExact = true, trialSeconds } = toolOf(workload).durations(workload);
  if (bytes === null || !isExact) return null;
  const isCopied = protocol.reset.includes('restore');
  const [loading, trial] = [bytes * measured.wal, (trialSeconds ?? 0) * trialBytesPerSecond];
  const declared = (name: string): number | null => bytesOf(engine.parameters[name] ?? '', 'MB');
  const ofLimit = declared('max_wal_size');
  // A checkpoint is before every trial. What is kept is of all of them, and no more than they have written.
  const [byCheckpoints, kept] = [
    ofLimit === null
      ? wal('the default of max_wal_size', hasUsualWal ? usualWalBytes : 0, Math.max(loading, trial))
      : wal('max_wal_size', ofLimit, Math.max(loading, trial)),
    wal('wal_keep_size', declared('wal_keep_size') ?? 0, loading + protocol.blocks * trial),
  ];
  const [copies, loaded] = [isCopied ? 2 : 1, bytes * measured.data];
  return {
    data: {
      bytes:
        measured.emptyBytes +
        Math.max(loaded + bytes * measured.sort, copies * loaded + (copies - 1) * measured.databaseBytes),
      words: `${gib(bytes)} of data${isCopied ? ', twice, since the reset step restore copies it back' : ''}`,
    },
    wal: kept.bytes > byCheckpoints.bytes ? kept : byCheckpoints,
  };
}

/** The WAL that is there at once: by the limit, or all that is written where that is less. */
function wal(parameter: string, limit: number, written: number): Needed {
  if (limit === 0) return { bytes: 0, words: 'no WAL' };
  const [most, all] = [limit + segmentsAbove * segmentBytes, (Math.ceil(written / segmentBytes) + 1) * segmentBytes];
  return most < all
    ? { bytes: most, words: `${gib(most)} of WAL (${parameter})` }
    : { bytes: all, words: `${gib(all)} of WAL` };
}

const largest = [100, 100_204] as const;
/** What ext4 leaves for files on our volumes, in MiB, by their size in GiB: measured with the options of volumes/daemon.ts. */
const usableMib: readonly (readonly [gib: number, mib: number])[] = [
  [0.25, 225.9],
  [0.499, 464],
  [0.5, 476.9],
  [1, 957.4],
  [2, 1929.8],
  [4, 3935.7],
  [10, 9963],
  largest,
];

/** What a volume of this size holds: in line between two that were measured, and beyond the largest in the line that leads there. */
export function usableBytes(sizeGib: number): number {
  const [above, aboveMib] = usableMib.find(([size]) => size >= sizeGib) ?? largest;
  const [below, belowMib] = usableMib.findLast(([size]) => size < Math.min(above, sizeGib)) ?? [0, 0];
  return (belowMib + ((aboveMib - belowMib) * (sizeGib - below)) / (above - below)) * mib;
}

function gib(bytes: number): string {
  return `${(bytes / 2 ** 30).toLocaleString('en', { maximumSignificantDigits: 2 })} GiB`;
}
