import { snapshotProblems } from './snapshots.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import type { ParameterValue, Variant } from '../../contract/experiment/variant.ts';
import { UserError } from '../../contract/errors.ts';
import { type DeployableStorage, isDeployable } from '../../places/deployed/storage.ts';
import { placeOf } from '../../places/registry.ts';
import { toolOf } from '../../workloads/registry.ts';
import { parseQuantity, unitRatio } from '../../postgres/setting-units.ts';

/** A variant that has everything that a deploy needs. */
export type DeployableVariant = Omit<Variant, 'class' | 'engine' | 'storage'> & {
  class: string;
  storage: DeployableStorage;
  engine: { version: string; major: number; parameters: Record<string, string> };
};

/** An experiment that can be deployed: its variants say all that RDS must know, in the words of RDS. */
export type DeployableExperiment = Omit<Experiment, 'variants'> & { variants: Record<string, DeployableVariant> };

/**
 * Checks what an experiment must say before it can be deployed. A local run needs none of this.
 *
 * @throws {UserError} with every problem at once
 */
export function deployable(experiment: Experiment, profile: string): DeployableExperiment {
  if (!placeOf(experiment).isDeployed) {
    throw new UserError(
      `Experiment ${experiment.name}, profile ${profile}, is for this machine only: the storage of its variants is local. Run it with: npx pgduet load-run ${experiment.name} --local. To deploy, choose a profile or an experiment whose storage is io1, io2 or gp3.`,
    );
  }
  const problems: string[] = [];
  const variants = Object.entries(experiment.variants).flatMap(([name, variant]) => {
    const complete = deployableVariant(variant, `variants.${name}`, problems);
    return complete ? [[name, complete] as const] : [];
  });
  const cluster = variants.find(([, variant]) => variant.deployment === 'multi-az-cluster');
  if (cluster && experiment.backups.retentionDays < 1) {
    problems.push(`backups.retentionDays is 0: ${cluster[0]} is a Multi-AZ cluster, which needs at least 1`);
  }
  if (cluster && experiment.network.mode === 'existing' && experiment.network.databaseSubnetIds.length < 3) {
    problems.push(
      `network.databaseSubnetIds has ${experiment.network.databaseSubnetIds.length} subnets: ${cluster[0]} is a Multi-AZ cluster, which needs subnets in three zones`,
    );
  }
  if (experiment.notify && experiment.whenDone === 'keep' && experiment.expiry.kind === 'never') {
    problems.push(
      'notify is set, but the stack never deletes itself (whenDone: keep, expiry: never); leave out notify, or change one of the two',
    );
  }
  problems.push(
    ...processorProblems(experiment),
    ...snapshotProblems(experiment),
    ...descriptionProblems(experiment.question),
    ...replacedTexts(experiment),
  );
  if (problems.length > 0) {
    throw new UserError(
      [`Experiment ${experiment.name}, profile ${profile}, cannot be deployed:`, ...problems.map((p) => `  ${p}`)].join(
        '\n',
      ),
    );
  }
  return { ...experiment, variants: Object.fromEntries(variants) };
}

/** Families of EC2 instances with Graviton processors, such as c7g, m8gd and t4g. */
const graviton = /^(a1|[a-z]+\d+g[a-z]*)\./;

function processorProblems({ workload, driver }: Experiment): string[] {
  const remedy = graviton.test(driver.class) ? (toolOf(workload).driver.onlyX86?.(workload) ?? null) : null;
  return remedy === null ? [] : [`driver.class is ${driver.class}, with Graviton processors: ${remedy}`];
}

function deployableVariant(variant: Variant, path: string, problems: string[]): DeployableVariant | undefined {
  const { storage, engine } = variant;
  // An experiment has one place (rules/variant-rules.ts).
  if (!isDeployable(storage)) throw new Error(`${path} is at another place`);
  const version = engine.version;
  if (variant.class === undefined || version === undefined) {
    problems.push(`${path} needs class and engine.version`);
    return undefined;
  }
  const major = Number(version.split('.')[0]);
  const parameters = rdsParameters(engine.parameters, major);
  problems.push(
    ...parameters.problems.map(
      ({ parameter, value, message }) =>
        `${path}.engine.parameters.${parameter} is ${JSON.stringify(value)}: ${message}`,
    ),
  );
  return { ...variant, class: variant.class, storage, engine: { version, major, parameters: parameters.values } };
}

/**
 * Base unit of the parameters that PostgreSQL lets people write with a unit ('2GB', '5min'). RDS takes plain numbers of
 * that unit only. Source: pg_settings.unit of PostgreSQL 18.
 */
const baseUnits: Record<string, 'ms' | 's' | 'kB' | '8kB' | 'MB'> = {
  authentication_timeout: 's',
  autovacuum_naptime: 's',
  autovacuum_vacuum_cost_delay: 'ms',
  autovacuum_work_mem: 'kB',
  backend_flush_after: '8kB',
  bgwriter_delay: 'ms',
  bgwriter_flush_after: '8kB',
  checkpoint_flush_after: '8kB',
  checkpoint_timeout: 's',
  checkpoint_warning: 's',
  deadlock_timeout: 'ms',
  effective_cache_size: '8kB',
  idle_in_transaction_session_timeout: 'ms',
  idle_session_timeout: 'ms',
  lock_timeout: 'ms',
  log_min_duration_statement: 'ms',
  logical_decoding_work_mem: 'kB',
  maintenance_work_mem: 'kB',
  max_slot_wal_keep_size: 'MB',
  max_wal_size: 'MB',
  min_wal_size: 'MB',
  shared_buffers: '8kB',
  statement_timeout: 'ms',
  temp_buffers: '8kB',
  vacuum_buffer_usage_limit: 'kB',
  vacuum_cost_delay: 'ms',
  wal_buffers: '8kB',
  wal_keep_size: 'MB',
  wal_receiver_timeout: 'ms',
  wal_sender_timeout: 'ms',
  wal_skip_threshold: 'kB',
  wal_writer_delay: 'ms',
  wal_writer_flush_after: '8kB',
  work_mem: 'kB',
};

/** Parameters that accept other words besides on and off. For these, RDS expects the words on and off, not 1 and 0. */
const wordParameters = [
  'synchronous_commit',
  'wal_compression',
  'huge_pages',
  'backslash_quote',
  'constraint_exclusion',
];

/** Set in every parameter group unless the experiment says otherwise. A comparison must not depend on a default. */
function pinned(major: number): Record<string, ParameterValue> {
  return {
    checkpoint_completion_target: 0.9,
    checkpoint_timeout: 300,
    // The defaults of RDS: 2 GB up to 15, 6 GB from 16. The smaller one would make two majors differ in their
    // checkpoints.
    max_wal_size: major >= 16 ? '6GB' : '2GB',
    'rds.force_ssl': true,
    track_io_timing: true,
    ...(major >= 14 ? { track_wal_io_timing: true } : {}),
  };
}

export interface RdsParameters {
  /** As RDS wants them, sorted by name. */
  values: Record<string, string>;
  problems: { parameter: string; value: ParameterValue; message: string }[];
}

/**
 * The parameter group of one variant: the pinned parameters and those of the experiment, in the form that RDS expects.
 */
export function rdsParameters(own: Record<string, ParameterValue>, major: number): RdsParameters {
  const result: RdsParameters = { values: {}, problems: [] };
  const wanted = Object.entries({ ...pinned(major), ...own });
  for (const [parameter, value] of wanted.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const converted = rdsValue(parameter, value);
    if (typeof converted === 'string') result.values[parameter] = converted;
    else result.problems.push({ parameter, value, message: converted.problem });
  }
  return result;
}

function rdsValue(parameter: string, value: ParameterValue): string | { problem: string } {
  const text = typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
  if (/^(on|off)$/i.test(text)) {
    if (wordParameters.includes(parameter)) return text.toLowerCase();
    return text.toLowerCase() === 'on' ? '1' : '0';
  }
  const quantity = parseQuantity(text);
  if (!quantity || quantity.unit === null) return text;
  const base = baseUnits[parameter];
  if (base === undefined) return { problem: 'RDS takes a plain number here, in the parameter’s own unit' };
  const ratio = unitRatio(quantity.unit, base);
  if (ratio === null) return { problem: `not a unit of this parameter, which counts in ${base}` };
  const scaled = quantity.number * ratio;
  return Number.isInteger(scaled) ? String(scaled) : { problem: `not a whole number of ${base}` };
}

/**
 * What a deploy would replace: CloudFormation replaces a dynamic reference with the value of a secret or parameter, and
 * CDK replaces a token with the attribute of another resource. `${` is a substitution, which CloudFormation refuses
 * outside Fn::Sub.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references.html
 */
const replaced = /\{\{resolve:|\$\{|#\{Token\[/;

/** A problem, in words, for each text or name of an experiment that a deploy would change. */
function replacedTexts(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value === 'string') {
    const found = replaced.exec(value)?.[0];
    return found === undefined
      ? []
      : [`${path.join('.')} contains ${found}, which a deploy would replace; leave it out`];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...replacedTexts(key, [...path, key]),
    ...replacedTexts(inner, [...path, key]),
  ]);
}

/** CloudFormation's limit, in bytes. */
const most = 1024;

/** The description that the console shows for a stack: the question that it answers. */
export function stackDescription(question: string): string {
  return `pgduet: ${question}`;
}

/** Why the question cannot be part of the stack's description, in words. */
function descriptionProblems(question: string): string[] {
  const room = most - Buffer.byteLength(stackDescription(''));
  const sizeBytes = Buffer.byteLength(question);
  if (sizeBytes <= room) return [];
  return [`question has ${sizeBytes} bytes; the stack’s description, which shows it, has room for ${room}. Shorten it`];
}
