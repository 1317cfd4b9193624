import * as z from 'zod';
import { problemUnless, type RuleProblem } from '../../contract/check.ts';
import type { Storage } from '../../contract/experiment/variant.ts';

const iopsSchema = z.int().positive().describe('Provisioned I/O operations per second.');

const [typeWords, sizeWords] = ['Type of the volume, as RDS calls it.', 'Size of the volume in GiB.'];

/** storageProblems checks ranges that depend on two values, such as IOPS per GiB: they need messages of their own. */
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

/** IOPS of every dedicated log volume; they cannot be chosen. */
export const logVolumeIops = 3000;

/** What RDS does not take of a storage, however the database is deployed. */
export function storageProblems(storage: DeployableStorage): RuleProblem[] {
  switch (storage.type) {
    case 'io1':
    case 'io2': {
      const range =
        storage.type === 'io1' ? { low: 1000, high: 256_000, perGib: 50 } : { low: 1000, high: 256_000, perGib: 1000 };
      const ratio = storage.iops / storage.sizeGib;
      return [
        ...outside(storage.iops, range.low, range.high, ['storage', 'iops'], `${storage.type} allows`),
        ...problemUnless(
          'iops-per-gib',
          ratio >= 0.5 && ratio <= range.perGib,
          ['storage', 'iops'],
          `${significant(ratio)} IOPS per GiB; ${storage.type} allows 0.5 to ${range.perGib}: for ${storage.sizeGib} GiB expected ${Math.ceil(storage.sizeGib / 2)} to ${storage.sizeGib * range.perGib}`,
        ),
      ];
    }
    case 'gp3': {
      const fixed = storage.sizeGib < gp3Included.largeFromGib;
      const low = includedIn(storage);
      if (fixed) {
        return [
          ...problemUnless(
            'gp3-iops-fixed',
            storage.iops === undefined || storage.iops === low.iops,
            ['storage', 'iops'],
            'gp3 below 400 GiB always has 3,000 IOPS; remove this key',
          ),
          ...problemUnless(
            'gp3-throughput-fixed',
            storage.throughputMibps === undefined || storage.throughputMibps === low.throughputMibps,
            ['storage', 'throughputMibps'],
            'gp3 below 400 GiB always has 125 MiB/s; remove this key',
          ),
        ];
      }
      return [
        ...outside(storage.iops, low.iops, 64_000, ['storage', 'iops'], 'gp3 from 400 GiB allows'),
        ...outside(
          storage.throughputMibps,
          low.throughputMibps,
          4000,
          ['storage', 'throughputMibps'],
          'gp3 from 400 GiB allows',
        ),
      ];
    }
  }
}

function outside(value: number | undefined, low: number, high: number, path: string[], what: string): RuleProblem[] {
  return problemUnless(
    'storage-range',
    value === undefined || (value >= low && value <= high),
    path,
    `${what} ${low} to ${high}`,
  );
}

export function significant(value: number): string {
  return String(Number(value.toPrecision(3)));
}
