import type { Variant } from '../../contract/experiment/variant.ts';

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
