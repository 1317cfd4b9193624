import * as z from 'zod';
import type { Pooler, Storage, StoredVariant } from '../../contract/experiment/variant.ts';
import { hasLogVolume } from '../../contract/log-volume.ts';
import type { DeclaredVolumes } from '../definition.ts';

const iopsSchema = z.int().positive().describe('I/O operations per second.');

export const localStorageSchema = z
  .strictObject({
    type: z.literal('local').describe('A folder or limited volume on this machine.'),
    sizeGib: z.number().min(0.25).max(1024).default(2).describe('Size of each limited volume (a sparse file).'),
    iops: iopsSchema.optional().describe('Limit of the data volume. Without it, there is no limit.'),
    throughputMibps: z.number().positive().optional().describe('Limit of the data volume’s throughput.'),
    logVolumeIops: iopsSchema.optional().describe('Limit of the log volume, if the variant has one.'),
    logVolumeThroughputMibps: z.number().positive().optional().describe('Limit of the log volume’s throughput.'),
    standbys: z
      .int()
      .min(0)
      .max(2)
      .optional()
      .describe(
        'Synchronous standbys on this machine. A commit returns when one of them has its WAL (ANY 1). Default: 0.',
      ),
    standbyIops: iopsSchema
      .optional()
      .describe('Limit of each standby’s volume, which holds its data and WAL, if the variant has standbys.'),
    standbyThroughputMibps: z
      .number()
      .positive()
      .optional()
      .describe('Limit of the throughput of each standby’s volume.'),
  })
  .describe('This machine’s disk, with IOPS-limited volumes if the machine can make them. Cannot be deployed.');

export type LocalStorage = z.output<typeof localStorageSchema>;

export function isLocal(storage: Storage): storage is LocalStorage {
  return storage.type === localStorageSchema.shape.type.value;
}

/** Limits of a volume on this machine; absent where there is none. */
export type VolumeLimits = Pick<LocalStorage, 'iops' | 'throughputMibps'>;

interface LocalVolumes extends DeclaredVolumes {
  sizeGib: number;
  data: VolumeLimits;
  log: VolumeLimits | null;
  standbys: ({ count: number } & VolumeLimits) | null;
}

/** The volumes of a variant as it declares them. */
export function localVolumes(variant: StoredVariant): LocalVolumes {
  const { storage } = variant;
  if (!isLocal(storage)) throw new Error(`storage of type ${storage.type} is elsewhere`);
  const { sizeGib, iops, throughputMibps, standbys: count = 0 } = storage;
  const data = { iops, throughputMibps };
  const forStandbys = { iops: storage.standbyIops, throughputMibps: storage.standbyThroughputMibps };
  const limits = [data, ...(count > 0 ? [forStandbys] : [])].flatMap(Object.values<number | undefined>);
  return {
    type: null,
    sizeGib,
    iops,
    data,
    log: hasLogVolume(variant)
      ? { iops: storage.logVolumeIops, throughputMibps: storage.logVolumeThroughputMibps }
      : null,
    standbys: count > 0 ? { count, ...forStandbys } : null,
    areLimited: hasLogVolume(variant) || limits.some((limit) => limit !== undefined),
  };
}

export const localPoolerSchema = z
  .strictObject({
    mode: z
      .enum(['session', 'transaction'])
      .describe(
        'pool_mode: how long a client keeps a session of the server, for its whole session or for a transaction.',
      ),
    poolSize: z.int().min(1).max(10_000).describe('default_pool_size: sessions that the server has for the load.'),
  })
  .describe('PgBouncer, on this machine.');

export type LocalPooler = z.output<typeof localPoolerSchema>;

export function isLocalPooler(pooler: Pooler): pooler is LocalPooler {
  return localPoolerSchema.shape.mode.options.some((mode) => mode === pooler.mode);
}
