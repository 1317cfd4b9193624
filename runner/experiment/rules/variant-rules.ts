import { ebsLimitWarning } from './ebs-limits.ts';
import type { RuleProblem } from '../../contract/rule-problem.ts';
import type { Storage, Variant } from '../../contract/experiment/variant.ts';

/** Problems of one variant: what RDS would refuse, or no machine can do. Source: RDS documentation as of October 2026. */
export function variantProblems(variant: Partial<Variant>): RuleProblem[] {
  const { storage } = variant;
  return [
    ...(storage ? storageProblems(storage) : []),
    ...(storage ? localStandbyProblems(variant, storage) : []),
    ...(storage ? logVolumeProblems(variant, storage) : []),
    ...(storage ? deploymentProblems(variant, storage) : []),
    ...(storage && variant.deployment === 'multi-az-cluster' ? clusterStorageProblems(storage) : []),
  ];
}

/** Warnings about all variants together: allowed, but a reader of the result would want to know. */
export function variantWarnings(variants: Record<string, Partial<Variant>>): string[] {
  const versions = new Set(Object.values(variants).map((variant) => variant.engine?.version ?? 'installed'));
  return [
    ...(versions.size > 1 ? [`The variants have different engine versions: ${[...versions].join(', ')}.`] : []),
    ...Object.entries(variants).flatMap(([name, { dedicatedLogVolume, engine, storage }]) =>
      dedicatedLogVolume && storage?.type !== 'local' && engine?.version !== undefined && majorOf(engine.version) >= 17
        ? [
            `variants.${name}: no documentation says that engine version ${engine.version} supports a dedicated log volume; check before deploying: aws rds describe-orderable-db-instance-options --engine postgres --engine-version ${engine.version}`,
          ]
        : [],
    ),
    ...Object.entries(variants).flatMap(([name, variant]) => ebsLimitWarning(name, variant) ?? []),
  ];
}

function storageProblems(storage: Storage): RuleProblem[] {
  switch (storage.type) {
    case 'io1':
    case 'io2': {
      const range =
        storage.type === 'io1' ? { low: 1000, high: 256_000, perGib: 50 } : { low: 1000, high: 256_000, perGib: 1000 };
      const ratio = storage.iops / storage.sizeGib;
      return [
        ...outside(storage.iops, range.low, range.high, ['storage', 'iops'], `${storage.type} has`),
        ...(ratio < 0.5 || ratio > range.perGib
          ? [
              {
                path: ['storage', 'iops'],
                message: `${round(ratio)} IOPS per GiB; ${storage.type} has 0.5 to ${range.perGib}: with ${storage.sizeGib} GiB expected ${Math.ceil(storage.sizeGib / 2)} to ${storage.sizeGib * range.perGib}`,
              },
            ]
          : []),
      ];
    }
    case 'gp3': {
      const fixed = storage.sizeGib < 400;
      const low = fixed ? { iops: 3000, throughput: 125 } : { iops: 12_000, throughput: 500 };
      if (fixed) {
        return [
          ...unless(
            storage.iops === undefined || storage.iops === low.iops,
            ['storage', 'iops'],
            'gp3 below 400 GiB has 3,000 IOPS, fixed; leave it out',
          ),
          ...unless(
            storage.throughputMibps === undefined || storage.throughputMibps === low.throughput,
            ['storage', 'throughputMibps'],
            'gp3 below 400 GiB has 125 MiB/s, fixed; leave it out',
          ),
        ];
      }
      return [
        ...outside(storage.iops, low.iops, 64_000, ['storage', 'iops'], 'gp3 from 400 GiB has'),
        ...outside(
          storage.throughputMibps,
          low.throughput,
          4000,
          ['storage', 'throughputMibps'],
          'gp3 from 400 GiB has',
        ),
      ];
    }
    case 'local':
      return [];
  }
}

/** First minor version of each major that supports the dedicated log volume. The documentation names none for 17 and 18. */
const logVolumeSince: Record<number, number> = { 13: 10, 14: 7, 15: 2, 16: 1 };

function logVolumeProblems(
  { dedicatedLogVolume, deployment, engine }: Partial<Variant>,
  storage: Storage,
): RuleProblem[] {
  if (!dedicatedLogVolume) return [];
  if (storage.type === 'local') {
    return unless(
      storage.iops === undefined || storage.logVolumeIops !== undefined,
      ['storage', 'logVolumeIops'],
      'missing: the data volume has a limit, and a log volume without one would be as fast as this machine’s disk; expected the IOPS of the log volume',
    );
  }
  const [major, minor] = (engine?.version ?? '').split('.').map(Number);
  const since = major === undefined ? undefined : logVolumeSince[major];
  const path = ['dedicatedLogVolume'];
  return [
    ...unless(
      storage.type !== 'gp3',
      path,
      `a dedicated log volume needs storage type io1 or io2, not ${storage.type}`,
    ),
    ...unless(
      deployment !== 'multi-az-cluster',
      path,
      'a Multi-AZ cluster cannot have a dedicated log volume; use single-az or multi-az-instance',
    ),
    ...unless(
      engine?.version === undefined || (major ?? 0) >= 13,
      ['engine', 'version'],
      'the dedicated log volume needs PostgreSQL 13.10, 14.7, 15.2, 16.1 or newer',
    ),
    ...unless(
      since === undefined || minor === undefined || minor >= since,
      ['engine', 'version'],
      `the dedicated log volume needs PostgreSQL ${major}.${since} or newer of ${major}`,
    ),
  ];
}

function localStandbyProblems({ engine }: Partial<Variant>, storage: Storage): RuleProblem[] {
  if (storage.type !== 'local' || (storage.standbys ?? 0) === 0) return [];
  return [
    ...unless(
      storage.iops === undefined || storage.standbyIops !== undefined,
      ['storage', 'standbyIops'],
      'missing: the data volume has a limit, and a standby without one would be as fast as this machine’s disk; expected the IOPS of the volume of each standby',
    ),
    ...unless(
      engine?.parameters['synchronous_standby_names'] === undefined,
      ['engine', 'parameters', 'synchronous_standby_names'],
      'follows from storage.standbys; leave it out',
    ),
  ];
}

/** Instance families that a Multi-AZ cluster may have: families with NVMe disks of their own. */
const clusterFamilies = [
  'c6gd',
  'm5d',
  'm6gd',
  'm6id',
  'm6idn',
  'm8gd',
  'r5d',
  'r6gd',
  'r6id',
  'r6idn',
  'r8gd',
  'x2iedn',
];

function deploymentProblems(variant: Partial<Variant>, storage: Storage): RuleProblem[] {
  if (storage.type === 'local') {
    return unless(
      (variant.deployment ?? 'single-az') === 'single-az',
      ['deployment'],
      'storage of type local is on one machine; expected single-az, and storage.standbys for synchronous standbys on it',
    );
  }
  const family = variant.class?.split('.')[1] ?? '';
  return [
    ...('class' in variant && variant.class === undefined
      ? [
          {
            path: ['class'],
            showValue: false,
            message: 'missing; needed for any storage that is not local, such as db.r6g.2xlarge',
          },
        ]
      : []),
    ...(variant.engine && variant.engine.version === undefined
      ? [
          {
            path: ['engine', 'version'],
            showValue: false,
            message: 'missing; needed for any storage that is not local, such as "16.15"',
          },
        ]
      : []),
    ...unless(
      variant.engine?.version?.includes('.') !== false,
      ['engine', 'version'],
      'name the minor version too, such as "16.15", so that every variant gets the same one',
    ),
    ...unless(
      variant.deployment !== 'multi-az-cluster' || variant.class === undefined || clusterFamilies.includes(family),
      ['class'],
      `a Multi-AZ cluster needs a class with NVMe of its own: one of the families ${clusterFamilies.join(', ')}`,
    ),
  ];
}

/**
 * CreateDBCluster takes io1, io2 and gp3 for a Multi-AZ cluster, always with Iops, at 0.5 to 50 of them for a GiB. It has no
 * parameter for throughput, which follows from the IOPS. Source: Amazon RDS API Reference, CreateDBCluster and DBCluster,
 * as of October 2026.
 */
function clusterStorageProblems(storage: Storage): RuleProblem[] {
  if (storage.type === 'local') return [];
  const { iops, sizeGib } = storage;
  const ratio = (iops ?? 0) / sizeGib;
  const path = ['storage', 'iops'];
  if (storage.type === 'gp3' && sizeGib < 400) {
    // RDS asks for IOPS on a cluster, and refuses them on gp3 of this size.
    return [
      {
        path: ['storage', 'type'],
        message: 'a Multi-AZ cluster cannot have gp3 below 400 GiB, whose IOPS are fixed; use io1, io2 or 400 GiB',
      },
    ];
  }
  return [
    ...(iops === undefined
      ? [{ path, showValue: false, message: 'missing; a Multi-AZ cluster needs its IOPS said, also on gp3' }]
      : []),
    ...unless(
      iops === undefined || (ratio >= 0.5 && ratio <= 50),
      path,
      `${round(ratio)} IOPS per GiB; a Multi-AZ cluster has 0.5 to 50: with ${sizeGib} GiB expected ${Math.ceil(sizeGib / 2)} to ${sizeGib * 50}`,
    ),
    ...unless(
      storage.type !== 'gp3' || storage.throughputMibps === undefined,
      ['storage', 'throughputMibps'],
      'a Multi-AZ cluster has the throughput that follows from its IOPS; leave it out',
    ),
  ];
}

function outside(value: number | undefined, low: number, high: number, path: string[], what: string): RuleProblem[] {
  return unless(value === undefined || (value >= low && value <= high), path, `${what} ${low} to ${high}`);
}

function unless(holds: boolean, path: string[], message: string): RuleProblem[] {
  return holds ? [] : [{ path, message }];
}

function majorOf(version: string): number {
  return Number(version.split('.')[0]);
}

function round(value: number): string {
  return value.toPrecision(3).replace(/\.?0+$/, '');
}
