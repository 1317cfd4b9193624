import type { Variant } from '../../contract/experiment/variant.ts';
import { type RuleProblem, problemUnless } from '../../contract/check.ts';
import { type DeployableStorage, gp3, gp3Included, includedIn, isDeployable, provisioned } from './storage.ts';
import type { PlaceDefinition } from '../../places/definition.ts';
import { majorOf } from '../../postgres/versions/known.ts';
import { capacityOf } from './class-capacity.ts';
import { classWarnings } from './instance-classes.ts';
import { capacityProblems, capacityWarnings, connectionsAllowed } from './judge-capacity.ts';
import { rdsParameter } from './rds-parameters.ts';

const guess = 'a guess: AWS publishes no figure';

/** RDS, in the stack that a deploy makes. What RDS would refuse follows its documentation as of October 2026. */
export const deployed: PlaceDefinition = {
  kind: 'deployed',
  words: 'in RDS',
  storage: [provisioned, gp3],
  isBilled: true,
  isDeployed: true,
  isMadeByRun: false,
  sharesMachine: false,
  sampleSeconds: 1,
  speeds: {
    createSeconds: { value: 1200, source: guess },
    restoreSeconds: { value: 1800, source: guess },
    restartSeconds: { value: 120, source: guess },
  },
  problems(variant) {
    const { storage } = variant;
    if (!storage || !isDeployable(storage)) return [];
    const capacity = capacityOf(variant.class ?? '');
    return [
      ...storageProblems(storage),
      ...logVolumeProblems(variant, storage),
      ...deploymentProblems(variant),
      ...(variant.deployment === 'multi-az-cluster' ? clusterStorageProblems(storage) : []),
      ...(capacity ? capacityProblems(variant, capacity) : []),
    ];
  },
  parameterProblem(name, value, version) {
    const converted = rdsParameter(name, value, majorOf(version));
    return typeof converted === 'string' ? null : converted.problem;
  },
  hasFormulas: true,
  connections: (variant) => connectionsAllowed(variant, capacityOf(variant.class ?? '')),
  warnings(name, variant) {
    const capacity = capacityOf(variant.class ?? '');
    const version = variant.engine?.version;
    const isUndocumented = variant.dedicatedLogVolume && (majorOf(version) ?? 0) >= 16;
    return [
      ...(isUndocumented
        ? [
            `variants.${name}: the RDS documentation does not say whether engine version ${version} supports a dedicated log volume; check before deploying: aws rds describe-orderable-db-instance-options --engine postgres --engine-version ${version}`,
          ]
        : []),
      ...(capacity ? capacityWarnings(name, variant, capacity) : classWarnings(name, variant.class ?? '')),
    ];
  },
  volumes({ storage: { type, sizeGib = null, iops }, dedicatedLogVolume }) {
    return { type, sizeGib, iops, log: dedicatedLogVolume ? {} : null, standbys: null, areLimited: true };
  },
  opener: null,
};

function storageProblems(storage: DeployableStorage): RuleProblem[] {
  switch (storage.type) {
    case 'io1':
    case 'io2': {
      const range =
        storage.type === 'io1' ? { low: 1000, high: 256_000, perGib: 50 } : { low: 1000, high: 256_000, perGib: 1000 };
      const ratio = storage.iops / storage.sizeGib;
      return [
        ...outside(storage.iops, range.low, range.high, ['storage', 'iops'], `${storage.type} allows`),
        ...(ratio < 0.5 || ratio > range.perGib
          ? [
              {
                path: ['storage', 'iops'],
                message: `${round(ratio)} IOPS per GiB; ${storage.type} allows 0.5 to ${range.perGib}: for ${storage.sizeGib} GiB expected ${Math.ceil(storage.sizeGib / 2)} to ${storage.sizeGib * range.perGib}`,
              },
            ]
          : []),
      ];
    }
    case 'gp3': {
      const fixed = storage.sizeGib < gp3Included.largeFromGib;
      const low = includedIn(storage);
      if (fixed) {
        return [
          ...problemUnless(
            storage.iops === undefined || storage.iops === low.iops,
            ['storage', 'iops'],
            'gp3 below 400 GiB always has 3,000 IOPS; leave it out',
          ),
          ...problemUnless(
            storage.throughputMibps === undefined || storage.throughputMibps === low.throughputMibps,
            ['storage', 'throughputMibps'],
            'gp3 below 400 GiB always has 125 MiB/s; leave it out',
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

/**
 * First minor version of each major version that supports the dedicated log volume. The documentation names none for 16
 * and later, although a published study ran on 16.1.
 */
const logVolumeSince: Record<number, number> = { 14: 7, 15: 2 };

function logVolumeProblems(
  { dedicatedLogVolume, deployment, engine }: Partial<Variant>,
  storage: DeployableStorage,
): RuleProblem[] {
  if (!dedicatedLogVolume) return [];
  const [major, minor] = (engine?.version ?? '').split('.').map(Number);
  const since = major === undefined ? undefined : logVolumeSince[major];
  const path = ['dedicatedLogVolume'];
  return [
    ...problemUnless(
      storage.type !== 'gp3',
      path,
      `a dedicated log volume needs storage type io1 or io2, not ${storage.type}`,
    ),
    ...problemUnless(
      deployment !== 'multi-az-cluster',
      path,
      'a Multi-AZ cluster cannot have a dedicated log volume; use single-az or multi-az-instance',
    ),
    ...problemUnless(
      since === undefined || minor === undefined || minor >= since,
      ['engine', 'version'],
      `the dedicated log volume needs PostgreSQL ${major}.${since} or a newer minor version of ${major}`,
    ),
  ];
}

/** Instance families that a Multi-AZ cluster may use: those with local NVMe disks. */
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

function deploymentProblems(variant: Partial<Variant>): RuleProblem[] {
  const family = variant.class?.split('.')[1] ?? '';
  return [
    ...('class' in variant && variant.class === undefined
      ? [
          {
            path: ['class'],
            showValue: false,
            code: 'missing' as const,
            message: 'missing; set a class such as db.r6g.2xlarge, which any storage that is not local needs',
          },
        ]
      : []),
    ...(variant.engine && variant.engine.version === undefined
      ? [
          {
            path: ['engine', 'version'],
            showValue: false,
            code: 'missing' as const,
            message: 'missing; set a version such as "16.15", which any storage that is not local needs',
          },
        ]
      : []),
    ...problemUnless(
      variant.engine?.version?.includes('.') !== false,
      ['engine', 'version'],
      'name the minor version too, such as "16.15", so that every variant gets the same one',
    ),
    ...problemUnless(
      variant.deployment !== 'multi-az-cluster' || variant.class === undefined || clusterFamilies.includes(family),
      ['class'],
      `a Multi-AZ cluster needs a class with local NVMe disks: one of the families ${clusterFamilies.join(', ')}`,
    ),
  ];
}

/**
 * For a Multi-AZ cluster, CreateDBCluster accepts io1, io2 and gp3, always with Iops, at 0.5 to 50 IOPS per GiB. It has
 * no parameter for throughput, which follows from the IOPS. Source: Amazon RDS API Reference, CreateDBCluster and
 * DBCluster, as of October 2026.
 */
function clusterStorageProblems(storage: DeployableStorage): RuleProblem[] {
  const { iops, sizeGib } = storage;
  const ratio = (iops ?? 0) / sizeGib;
  const path = ['storage', 'iops'];
  if (storage.type === 'gp3' && sizeGib < gp3Included.largeFromGib) {
    // RDS requires IOPS for a cluster, but refuses them for gp3 of this size.
    return [
      {
        path: ['storage', 'type'],
        message:
          'a Multi-AZ cluster cannot have gp3 below 400 GiB, because its IOPS are fixed; use io1 or io2, or at least 400 GiB',
      },
    ];
  }
  return [
    ...(iops === undefined
      ? [
          {
            path,
            showValue: false,
            code: 'missing' as const,
            message: 'missing; set the IOPS: a Multi-AZ cluster needs them on gp3, too',
          },
        ]
      : []),
    ...problemUnless(
      iops === undefined || (ratio >= 0.5 && ratio <= 50),
      path,
      `${round(ratio)} IOPS per GiB; a Multi-AZ cluster allows 0.5 to 50: for ${sizeGib} GiB expected ${Math.ceil(sizeGib / 2)} to ${sizeGib * 50}`,
    ),
    ...problemUnless(
      storage.type !== 'gp3' || storage.throughputMibps === undefined,
      ['storage', 'throughputMibps'],
      'the throughput of a Multi-AZ cluster follows from its IOPS; leave it out',
    ),
  ];
}

function outside(value: number | undefined, low: number, high: number, path: string[], what: string): RuleProblem[] {
  return problemUnless(value === undefined || (value >= low && value <= high), path, `${what} ${low} to ${high}`);
}

function round(value: number): string {
  return String(Number(value.toPrecision(3)));
}
