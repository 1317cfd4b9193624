import * as z from 'zod';
import type { Storage, Variant } from '../../contract/experiment/variant.ts';

const iopsSchema = z.int().positive().describe('Provisioned I/O operations per second.');

const [typeWords, sizeWords] = ['Type of the volume, as RDS calls it.', 'Size of the volume in GiB.'];

/** definition.ts checks ranges that depend on two values, such as IOPS per GiB: they need messages of their own. */
export const provisioned = z.strictObject({
  type: z.enum(['io1', 'io2']).describe(typeWords),
  sizeGib: z.int().min(100).max(65_536).describe(sizeWords),
  iops: iopsSchema,
});

export const gp3 = z.strictObject({
  type: z.literal('gp3').describe(typeWords),
  sizeGib: z.int().min(20).max(65_536).describe(sizeWords),
  iops: iopsSchema.optional(),
  throughputMibps: z.int().positive().optional().describe('Provisioned throughput in MiB/s.'),
});

/** Storage that RDS offers. */
export type DeployableStorage = z.output<typeof provisioned> | z.output<typeof gp3>;

export function isDeployable(storage: Storage): storage is DeployableStorage {
  return storageTypes.includes(storage.type);
}

/** @param name as RDS calls a type of storage */
export function isOfType({ type }: Storage, name: string | undefined): boolean {
  return type === name;
}

const storageTypes: readonly string[] = [...provisioned.shape.type.options, ...gp3.shape.type.values];

/** What a storage provisions explicitly, without what its type includes. */
export function provisionedBy(storage: DeployableStorage): {
  iops?: number | undefined;
  throughputMibps?: number | undefined;
} {
  return storage.type === 'gp3'
    ? { iops: storage.iops, throughputMibps: storage.throughputMibps }
    : { iops: storage.iops };
}

/** IOPS and MiB/s that gp3 includes, by its size. */
export const gp3Included = {
  small: { iops: 3000, throughputMibps: 125 },
  large: { iops: 12_000, throughputMibps: 500 },
  largeFromGib: 400,
};

/** IOPS and MiB/s that the price per GiB includes; none for io1 and io2. */
export function includedIn({ type, sizeGib }: DeployableStorage): { iops: number; throughputMibps: number } {
  if (type !== 'gp3') return { iops: 0, throughputMibps: 0 };
  return sizeGib < gp3Included.largeFromGib ? gp3Included.small : gp3Included.large;
}

/**
 * The highest IOPS that an instance class supports for its data volume and log volume together. Smaller classes sustain
 * their maximum for only half an hour a day. Source: AWS, "Amazon EBS-optimized instance types", April 2026. These are
 * the classes of the published studies; `doctor` asks EC2 about any other.
 */
const maximumIops: Record<string, number> = {
  'db.r5.16xlarge': 60_000,
  'db.r6gd.4xlarge': 20_000,
  'db.r6gd.16xlarge': 80_000,
  'db.r8g.16xlarge': 80_000,
};

/** IOPS of every dedicated log volume; they cannot be chosen. */
const logVolumeIops = 3000;

type Provisioned = Partial<Pick<Variant, 'class' | 'storage' | 'dedicatedLogVolume'>>;

/** A warning if a variant pays for more IOPS than its class supports: then the class limits what is measured. */
export function ebsLimitWarning(name: string, variant: Provisioned): string | undefined {
  const limit = maximumIops[variant.class ?? ''];
  return limit === undefined ? undefined : iopsWarning(name, variant, limit);
}

/**
 * The same for a limit from another source.
 *
 * @param limit the highest IOPS that the class supports
 */
export function iopsWarning(name: string, variant: Provisioned, limit: number): string | undefined {
  const total = provisionedIops(variant);
  if (total === null || total <= limit) return undefined;
  const sum = variant.dedicatedLogVolume
    ? `${total - logVolumeIops} for data and ${logVolumeIops} for the log volume`
    : `${total}`;
  return `variants.${name}: ${sum} are more IOPS than ${variant.class} supports (${limit}), so the class limits what is measured.`;
}

/** IOPS of data volume and log volume together; null if none are provisioned. */
export function provisionedIops({ storage, dedicatedLogVolume }: Provisioned): number | null {
  if (storage?.iops === undefined) return null;
  return storage.iops + (dedicatedLogVolume ? logVolumeIops : 0);
}
