import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeDBClustersCommand, DescribeDBInstancesCommand } from '@aws-sdk/client-rds';
import { fetchBinding } from '../../../runner/rds/driver/binding.ts';
import { type Binding, boundServers } from '../../../runner/rds/contract/binding.ts';
import type { CommandResult } from '../../../runner/process/run-command.ts';
import type { Account } from './account.ts';
import { bootDriver, type Hurried, launchedInstance, makeDriver } from './driver.ts';
import { noServers, type Servers, startServers } from './endpoints.ts';
import type { Machine } from '../machine/machine.ts';

export interface DeploymentOptions {
  /** Path or name of the experiment file. */
  experiment: string;
  profile: string;
  owner: string;
  /** What becomes of a run that goes on: the word of `-c running`. */
  running?: 'finish' | 'abort';
  /** Makes something go wrong in the account before the driver boots, when there are no databases yet. */
  beforeBoot?: (binding: Binding) => Promise<unknown>;
  /** The same when there are databases, before the driver checks them. */
  beforePreflight?: (binding: Binding, machine: Machine) => Promise<unknown>;
  /** Variant whose server has a certificate of another authority than the one that the driver knows. */
  otherAuthorityFor?: string;
  /** Settings by server that are in force there instead of those of the parameter group. */
  otherSettings?: Record<string, Record<string, string>>;
  /** Snapshot from which the experiment restores its variants. */
  restoredFrom?: string;
  /** Whether the app runs only once for all deploys and destroys with these words, as with `cdk deploy --app cdk.out`. */
  synthesizedOnce?: boolean;
  /** The parts of the driver that do not wait. If this is the whole driver, nothing can be measured. */
  hurried?: Hurried;
  /** Whether the machine of the driver boots. @default true */
  boots?: boolean;
  /** Folder with the packages that its dnf finds. @default those of the rehearsal */
  packages?: string;
  /** Role with which CloudFormation makes and deletes the stack, if not the one of the CDK's bootstrap. */
  roleArn?: string;
  /** Where the driver finds AWS, if not where everybody does: settings such as AWS_ENDPOINT_URL_S3. */
  endpoints?: Readonly<Record<string, string>>;
}

/** A stack that `cdk deploy` makes, with the servers behind its databases, and its driver. */
export interface Deployment {
  binding: Binding;
  /** Without any if the deploy ended before there were databases. */
  servers: Servers;
  /** Instance id of the driver. */
  instanceId: string;
  /** User data that the driver gets. */
  userData: string;
  machine: Machine;
  /** Resolves when `cdk deploy` ends. */
  deployed: Promise<CommandResult>;
}

/** Words that deploy and destroy have in common. */
export async function stackWords(account: Account, options: DeploymentOptions): Promise<string[]> {
  const role = options.roleArn === undefined ? [] : ['--role-arn', options.roleArn];
  return [...(await appWords(account, options)), ...role];
}

async function appWords(account: Account, options: DeploymentOptions): Promise<string[]> {
  const { experiment, profile, owner } = options;
  const words = ['-c', `experiment=${experiment}`, '-c', `profile=${profile}`, '-c', `owner=${owner}`];
  if (options.running) words.push('-c', `running=${options.running}`);
  if (!options.synthesizedOnce) return words;
  const folder = path.join(account.folder, 'assemblies', `${path.basename(experiment)}-${profile}-${owner}`);
  if (!existsSync(folder)) {
    const { exitCode, stderr } = await account.cdk(`synth-${owner}`, [
      'synth',
      '--quiet',
      '--output',
      folder,
      ...words,
    ]);
    if (exitCode !== 0) throw new Error(`cdk synth: ${stderr}`);
  }
  return ['--app', folder];
}

/** Resource that follows the databases; in a real account, they serve by then. */
const afterDatabases = { logicalId: 'DatabasesMade' };

/**
 * Runs `cdk deploy`, and does what AWS would do during the deploy: boots the driver with the user data of the template, and
 * puts servers behind the endpoints of the databases.
 */
export async function deploy(account: Account, options: DeploymentOptions): Promise<Deployment> {
  const { experiment, owner } = options;
  const ended = new AbortController();
  const words = await stackWords(account, options);
  await account.control('hold', afterDatabases);
  const deployed = account
    .cdk(`deploy-${owner}`, ['deploy', ...words, '--require-approval', 'never', '--progress', 'events'])
    .finally(() => ended.abort(new Error(`cdk deploy ended before the driver booted: see deploy-${owner}.log.`)));
  const name = path.basename(experiment, '.yaml');
  const binding = await eventually(() => fetchBinding(account.ssm, name, owner), ended.signal);
  const { id, userData } = await eventually(() => launchedInstance(account, binding.stackName), ended.signal);
  await options.beforeBoot?.(binding);
  const machine = await makeDriver({ id, userData }, options);
  if (options.boots ?? true) await bootDriver(account, id, machine);
  const areMade = await eventually(() => findDatabases(account, binding), ended.signal).catch(() => false);
  const servers = areMade ? await startServers(account, binding, options) : noServers;
  if (areMade) {
    await options.beforePreflight?.(binding, machine);
    await account.control('release', { stackName: binding.stackName, ...afterDatabases });
  }
  return { binding, servers, instanceId: id, userData, machine, deployed };
}

/** Runs `cdk destroy` with the words of the deploy; then removes the servers and the machine, too. */
export async function remove(
  account: Account,
  { servers, machine }: Deployment,
  options: DeploymentOptions,
): Promise<CommandResult> {
  const destroyed = await account.cdk(`destroy-${options.owner}`, [
    'destroy',
    ...(await stackWords(account, options)),
    '--force',
  ]);
  await servers.stop();
  await machine.remove();
  return destroyed;
}

/** Whether every database is there; null if not. */
async function findDatabases({ rds }: Account, binding: Binding): Promise<true | null> {
  const [{ DBInstances = [] }, { DBClusters = [] }] = await Promise.all([
    rds.send(new DescribeDBInstancesCommand({})),
    rds.send(new DescribeDBClustersCommand({})),
  ]);
  const found = new Set([
    ...DBInstances.map(({ DBInstanceIdentifier }) => DBInstanceIdentifier),
    ...DBClusters.map(({ DBClusterIdentifier }) => DBClusterIdentifier),
  ]);
  return [...boundServers(binding).values()].every(({ identifier }) => found.has(identifier)) || null;
}

/** Looks again and again until there is something. An error of the look means "not yet". */
async function eventually<T>(look: () => Promise<T | null>, signal: AbortSignal): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    const found = await look().catch(() => null);
    if (found !== null) return found;
    await sleep(200);
  }
}
