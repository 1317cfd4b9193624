import type { Experiment } from '../contract/experiment/schema.ts';
import type { Variant } from '../contract/experiment/variant.ts';
import { bytesOf } from '../postgres/parameters/judge.ts';
import { toolOf } from '../workloads/registry.ts';

/** Something that needs room, with a text that states its size. */
export interface Needed {
  bytes: number;
  words: string;
}

const mib = 2 ** 20;

/**
 * What a server needs in addition to the data, in bytes or as shares of the data size that the plan expects. Measured
 * with PostgreSQL 15 and pgbench on limited volumes of 0.25 to 2 GiB. The model is within 1% of the measured peaks
 * (docs/local-volumes.md).
 */
const measured = {
  /** Catalogs of the databases that initdb creates and of ours, without WAL. */
  emptyBytes: 28.4 * mib,
  /** Catalogs of one more database. */
  databaseBytes: 7.6 * mib,
  /** Tables and indexes on disk, with their free space maps. */
  data: 1.04,
  /** Temporary files that sort the largest primary key before its index is written. */
  sort: 0.11,
  /**
   * WAL that loading writes: a row has less overhead in WAL than on a page. A database is copied file by file, without
   * WAL.
   */
  wal: 0.83,
};
/** The number of segments that may exist above the limit, or be in progress, until the next checkpoint makes room. */
const [segmentBytes, segmentsAbove] = [16 * mib, 2];
/** PostgreSQL's default of max_wal_size. RDS sets more, on far larger volumes. */
const defaultWalBytes = 1024 * mib;
/**
 * WAL of a busy trial without full-page images: about 1,500 small transactions a second. There may be more, but we must
 * not refuse what may fit.
 */
const trialBytesPerSecond = mib;

/**
 * The peak room that a server of a variant needs: for its data and what comes with it, and for the WAL. null if the
 * size of the data is only roughly known: we must not refuse what may fit.
 *
 * @param hasUsualWal whether to count WAL up to the default limit if max_wal_size is not declared
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
  const declaredLimit = declared('max_wal_size');
  // A checkpoint precedes every trial. wal_keep_size keeps WAL of all trials, but no more than they have written.
  const [byCheckpoints, kept] = [
    declaredLimit === null
      ? wal('the default of max_wal_size', hasUsualWal ? defaultWalBytes : 0, Math.max(loading, trial))
      : wal('max_wal_size', declaredLimit, Math.max(loading, trial)),
    wal('wal_keep_size', declared('wal_keep_size') ?? 0, loading + protocol.blocks * trial),
  ];
  const [copies, loaded] = [isCopied ? 2 : 1, bytes * measured.data];
  return {
    data: {
      bytes:
        measured.emptyBytes +
        Math.max(loaded + bytes * measured.sort, copies * loaded + (copies - 1) * measured.databaseBytes),
      words: `${gib(bytes)} of data${isCopied ? ', twice, because reset step restore keeps a copy' : ''}`,
    },
    wal: kept.bytes > byCheckpoints.bytes ? kept : byCheckpoints,
  };
}

/** The WAL that exists at the same time: up to the limit, or all that was written if that is less. */
function wal(parameter: string, limit: number, written: number): Needed {
  if (limit === 0) return { bytes: 0, words: 'no WAL' };
  const [max, all] = [limit + segmentsAbove * segmentBytes, (Math.ceil(written / segmentBytes) + 1) * segmentBytes];
  return max < all
    ? { bytes: max, words: `${gib(max)} of WAL (${parameter})` }
    : { bytes: all, words: `${gib(all)} of WAL` };
}

const largest = [100, 100_204] as const;
/**
 * Room for files on our ext4 volumes, in MiB, by volume size in GiB: measured with the mkfs options of
 * volumes/daemon.ts.
 */
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

/**
 * What a volume of this size holds, by linear interpolation between measured sizes and extrapolation beyond the
 * largest.
 */
export function usableBytes(sizeGib: number): number {
  const [above, aboveMib] = usableMib.find(([size]) => size >= sizeGib) ?? largest;
  const [below, belowMib] = usableMib.findLast(([size]) => size < Math.min(above, sizeGib)) ?? [0, 0];
  return (belowMib + ((aboveMib - belowMib) * (sizeGib - below)) / (above - below)) * mib;
}

/** Made once: every profile of an experiment asks for the room of every variant. */
const shownSize = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });

function gib(bytes: number): string {
  return `${shownSize.format(bytes / 2 ** 30)} GiB`;
}
