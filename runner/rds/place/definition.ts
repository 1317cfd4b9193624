import type { Variant } from '../../contract/experiment/variant.ts';
import { type RuleProblem, problemUnless } from '../../contract/check.ts';
import { deploymentNames, deploymentOf } from '../deployments/registry.ts';
import { isProxy, proxyOf, proxySchema, sessionsOf } from '../deployments/proxy.ts';
import { rdsProperties } from '../deployments/server-properties.ts';
import { type DeployableStorage, gp3, isDeployable, provisioned, storageProblems } from '../deployments/storage.ts';
import { hasLogVolume, logVolumeKey } from '../../contract/log-volume.ts';
import type { PlaceDefinition, PooledLoad } from '../../places/definition.ts';
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
  deployments: deploymentNames,
  serverProperties: rdsProperties,
  poolers: {
    schemas: [proxySchema],
    words: (pooler) =>
      isProxy(pooler) ? `RDS Proxy, up to ${pooler.maxConnectionsPercent}% of max_connections` : pooler.mode,
    problems: pinningProblems,
  },
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
      ...missingProblems(variant),
      ...deploymentOf(variant).problems(variant, storage),
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
    const isUndocumented = hasLogVolume(variant) && (majorOf(version) ?? 0) >= 16;
    return [
      ...(isUndocumented
        ? [
            `variants.${name}: the RDS documentation does not say whether engine version ${version} supports a dedicated log volume; check before deploying: aws rds describe-orderable-db-instance-options --engine postgres --engine-version ${version}`,
          ]
        : []),
      ...(capacity ? capacityWarnings(name, variant, capacity) : classWarnings(name, variant.class ?? '')),
    ];
  },
  volumes(variant) {
    const { type, sizeGib = null, iops } = variant.storage;
    return { type, sizeGib, iops, log: hasLogVolume(variant) ? {} : null, standbys: null, areLimited: true };
  },
  opener: null,
};

/**
 * First minor version of each major version that supports the dedicated log volume. The documentation names none for 16
 * and later, although a published study ran on 16.1.
 */
const logVolumeSince: Record<number, number> = { 14: 7, 15: 2 };

function logVolumeProblems(variant: Partial<Variant>, storage: DeployableStorage): RuleProblem[] {
  if (!hasLogVolume(variant)) return [];
  const [major, minor] = (variant.engine?.version ?? '').split('.').map(Number);
  const since = major === undefined ? undefined : logVolumeSince[major];
  return [
    ...problemUnless(
      'log-volume-storage',
      storage.type !== 'gp3',
      [logVolumeKey],
      `a dedicated log volume needs storage type io1 or io2, not ${storage.type}`,
    ),
    ...problemUnless(
      'log-volume-version',
      since === undefined || minor === undefined || minor >= since,
      ['engine', 'version'],
      `the dedicated log volume needs PostgreSQL ${major}.${since} or a newer minor version of ${major}`,
    ),
  ];
}

function missingProblems(variant: Partial<Variant>): RuleProblem[] {
  const { engine } = variant;
  const missing = (path: string[], what: string): RuleProblem => ({
    rule: 'deploy-needs',
    path,
    code: 'missing',
    message: `missing; set a ${what}, which any storage that is not local needs`,
  });
  return [
    ...('class' in variant && variant.class === undefined ? [missing(['class'], 'class such as db.r6g.2xlarge')] : []),
    ...(engine && engine.version === undefined ? [missing(['engine', 'version'], 'version such as "16.15"')] : []),
    ...problemUnless(
      'minor-version',
      engine?.version?.includes('.') !== false,
      ['engine', 'version'],
      'include the minor version, such as "16.15", so that all variants match',
    ),
  ];
}

/** RDS Proxy keeps a session for a client that prepares statements by SQL. Others would wait for it until they fail. */
function pinningProblems(variant: Partial<Variant>, { clients, prepares }: PooledLoad): RuleProblem[] {
  const proxy = proxyOf(variant);
  const connections = connectionsAllowed(variant, capacityOf(variant.class ?? ''));
  if (!proxy || connections === null || prepares !== 'by-sql') return [];
  const sessions = sessionsOf(proxy, connections);
  return problemUnless(
    'proxy-pinning',
    sessions >= clients,
    ['pooler', 'maxConnectionsPercent'],
    `gives RDS Proxy ${sessions} sessions, but clients of this load prepare statements by SQL, so that each keeps one; expected enough for ${clients} clients`,
  );
}
