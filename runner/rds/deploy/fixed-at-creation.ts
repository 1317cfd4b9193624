import { createHash } from 'node:crypto';
import type { Workload } from '../../contract/experiment/schema.ts';
import { type FileHashes, loadedWith } from '../../workloads/loaded-with.ts';
import { hasLogVolume } from '../../contract/log-volume.ts';
import { toolOf } from '../../workloads/registry.ts';
import { proxyOf } from '../deployments/proxy.ts';
import { restoredSnapshot } from './snapshots.ts';
import type { DeployableExperiment, DeployableVariant } from './deployable.ts';

/**
 * Which parts of an experiment are fixed when its stack is made. A new value would change or replace databases or the
 * driver in mid-run, so it needs another stack. A later deploy can change all other parts: the driver adopts them.
 */
const parts = {
  variants: 'fixed',
  groups: 'fixed',
  driver: 'fixed',
  network: 'fixed',
  monitoring: 'fixed',
  backups: 'fixed',
  credentials: 'fixed',
  encryption: 'fixed',
  // New tags create a new version of the driver's launch template, which replaces the driver.
  tags: 'fixed',
  name: 'open',
  question: 'open',
  baseline: 'open',
  // `loadedData` has the parts of the workload that the loaded data depends on.
  workload: 'open',
  // Except for the number of replicas.
  protocol: 'open',
  decision: 'open',
  contrasts: 'open',
  ladder: 'open',
  collect: 'open',
  sampleSeconds: 'open',
  limits: 'open',
  expiry: 'open',
  removal: 'open',
  whenDone: 'open',
  graceMinutes: 'open',
  notify: 'open',
  // Except for the snapshot that is restored, here or in the workload.
  data: 'open',
} as const satisfies Record<keyof DeployableExperiment, 'fixed' | 'open'>;

/**
 * Longest summary. A stack parameter may have 4,096 bytes, so this leaves enough for the hash. A template repeats the
 * summary when it refuses a deploy.
 */
const summaryCharacters = 1500;

/**
 * Everything in a stack that no later deploy may change, as one line: a readable summary, and a hash of all of it.
 * Experiments with the same line can share a stack.
 *
 * @param boot what this version of pgduet puts into every stack to boot its driver
 */
export function fixedAtCreation(experiment: DeployableExperiment, boot: readonly unknown[] = []): string {
  const { variants, protocol, driver, network } = experiment;
  const described = Object.entries(variants).sort(([a], [b]) => (a < b ? -1 : 1));
  const fixed = Object.entries(experiment).filter(([part]) => parts[part as keyof typeof parts] === 'fixed');
  const values = {
    ...(Object.fromEntries(fixed) as Partial<DeployableExperiment>),
    variants: Object.fromEntries(described.map(([name, variant]) => [name, { ...variant, description: undefined }])),
    replicas: protocol.replicas,
    snapshot: restoredSnapshot(experiment),
    boot,
    // The stack's secret has this name.
    restoredUser: toolOf(experiment.workload).restores(experiment.workload)?.user,
  };
  const replicas = protocol.replicas === 1 ? '' : `${protocol.replicas} of each of `;
  const summary = described.map(([name, variant]) => `${name} (${variantWords(variant)})`).join(', ');
  const zone = network.availabilityZone === undefined ? '' : ` in ${network.availabilityZone}`;
  return line(`${replicas}${summary}, driver ${driver.class}, network ${network.mode}${zone}`, values);
}

/**
 * Everything that the loaded data depends on, as one line.
 *
 * @param hashes of the files that the workload names
 */
export function loadedData(workload: Workload, hashes: FileHashes): string {
  const loadedBy = loadedWith(toolOf(workload), workload, hashes);
  return line(`${workload.tool} ${JSON.stringify(loadedBy)}`, loadedBy);
}

function variantWords(variant: DeployableVariant): string {
  const { class: instanceClass, deployment, storage, engine } = variant;
  const volume = [
    storage.type,
    `${storage.sizeGib} GiB`,
    ...(storage.iops === undefined ? [] : [`${storage.iops} IOPS`]),
  ];
  return [
    instanceClass,
    deployment,
    `PostgreSQL ${engine.version}`,
    volume.join(' '),
    ...(hasLogVolume(variant) ? ['log volume'] : []),
    ...(proxyOf(variant) ? ['RDS Proxy'] : []),
  ].join(', ');
}

function line(summary: string, values: unknown): string {
  const hash = createHash('sha256')
    .update(JSON.stringify(sorted(values)))
    .digest('hex')
    .slice(0, 12);
  const shown = summary.length > summaryCharacters ? `${summary.slice(0, summaryCharacters)}...` : summary;
  return `${shown} [${hash}]`;
}

/** The value with the keys of all its objects in order: the order in the file makes no difference. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}
