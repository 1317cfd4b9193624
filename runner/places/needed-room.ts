import type { Experiment } from '../contract/experiment/schema.ts';
import type { Variant } from '../contract/experiment/variant.ts';
import { bytesOf } from '../postgres/setting-units.ts';
import { toolOf } from '../workloads/registry.ts';

/** Something that needs room, with its size in words. */
export interface Needed {
  bytes: number;
  words: string;
}

/** Updated rows leave their old versions until they are vacuumed; building an index sorts on disk. */
const growth = 1.2;
/** What PostgreSQL has for max_wal_size where nobody says it. RDS has more, on volumes that are larger by far. */
const usualWalBytes = 2 ** 30;

/**
 * The room that a server of a variant needs for its data, and for the WAL that is there at once. null if the size of the data is
 * only roughly known: what may fit must not be refused.
 *
 * @param hasUsualWal whether WAL counts that nobody declared a limit for
 */
export function neededRoom(
  { protocol, workload }: Pick<Experiment, 'workload'> & { protocol: Pick<Experiment['protocol'], 'reset'> },
  { engine }: Pick<Variant, 'engine'>,
  hasUsualWal: boolean,
): { data: Needed; wal: Needed[] } | null {
  const { bytes, isExact = true } = toolOf(workload).durations(workload);
  if (bytes === null || !isExact) return null;
  const copies = protocol.reset.includes('restore') ? 2 : 1;
  const declared = (name: string): number | null => bytesOf(engine.parameters[name] ?? '', 'MB');
  // All that loading writes is in the WAL, too.
  const most = declared('max_wal_size') ?? (hasUsualWal ? Math.min(usualWalBytes, bytes * copies) : 0);
  const kept = declared('wal_keep_size') ?? 0;
  return {
    data: {
      bytes: bytes * copies * growth,
      words: `${gib(bytes)} of data${copies > 1 ? ', twice, since the reset step restore copies it back' : ''}`,
    },
    wal: [
      ...(most > 0 ? [{ bytes: most, words: `${gib(most)} of WAL (max_wal_size)` }] : []),
      ...(kept > 0 ? [{ bytes: kept, words: `${gib(kept)} of WAL that is kept (wal_keep_size)` }] : []),
    ],
  };
}

function gib(bytes: number): string {
  return `${(bytes / 2 ** 30).toLocaleString('en', { maximumSignificantDigits: 2 })} GiB`;
}
