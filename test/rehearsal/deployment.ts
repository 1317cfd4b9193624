import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeInstanceAttributeCommand, DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import { fetchBinding } from '../../runner/cli/find-binding.ts';
import type { Binding } from '../../runner/experiment/binding.ts';
import type { CommandResult } from '../../runner/process/run-command.ts';
import { type Account, emulatorFolder, hostsFile, logs, scratch, whereAwsIs } from './account.ts';
import { type Machine, makeMachine } from './machine/machine.ts';
import { startDatabases } from './endpoints.ts';
import type { Database } from './servers/database.ts';

export interface DeploymentOptions {
  experiment: string;
  profile: string;
  owner: string;
  /** What goes wrong in the account before the driver boots. */
  beforeBoot?: (parts: { binding: Binding }) => Promise<void>;
  /** Variant whose server has a certificate that another authority signed than the one that the driver knows. */
  otherAuthorityFor?: string;
  /** Lets the driver's clock run thirty times as fast; nothing can be measured then. */
  hurried?: boolean;
  /** Changes the user data, as a mistake of ours would. */
  userData?: (script: string) => string;
}

/** A stack that `cdk deploy` makes, the servers behind its databases, and its driver. */
export interface Deployment {
  binding: Binding;
  databases: Map<string, Database>;
  machine: Machine;
  /** The end of `cdk deploy`. */
  deployed: Promise<CommandResult>;
}

/** The words that deploy and destroy share. */
export function stackWords({ experiment, profile, owner }: DeploymentOptions): string[] {
  return ['-c', `experiment=${experiment}`, '-c', `profile=${profile}`, '-c', `owner=${owner}`];
}

/**
 * Runs `cdk deploy`, and while it goes on does what AWS would: puts servers behind the endpoints of the databases, and boots
 * the driver with the user data that the template gave it.
 */
export async function deploy(account: Account, options: DeploymentOptions): Promise<Deployment> {
  const { owner } = options;
  const ended = new AbortController();
  const deployed = account
    .cdk(`deploy-${owner}`, ['deploy', ...stackWords(options), '--require-approval', 'never', '--progress', 'events'])
    .finally(() => ended.abort(new Error(`cdk deploy ended before the driver booted: see deploy-${owner}.log.`)));
  const binding = await seen(() => fetchBinding(account.ssm, experimentName(options), owner), ended.signal);
  const databases = await startDatabases(account, binding, options);
  const instance = await seen(() => driverOf(account, binding.stackName), ended.signal);
  await options.beforeBoot?.({ binding });
  const machine = await makeMachine({
    folder: path.join(scratch, 'machines', instance.id),
    userData: options.userData?.(instance.userData) ?? instance.userData,
    environment: options.hurried ? { ...whereAwsIs, NODE_OPTIONS: '--import=/rehearsal/hurry.mjs' } : whereAwsIs,
    packages: path.join(scratch, 'packages'),
    aws: { program: path.join(emulatorFolder, 'bin/aws'), folders: [emulatorFolder] },
    hostsFile,
  });
  writeFileSync(path.join(account.folder, `${instance.id}.booted`), '');
  void powerOffWhenTold(account, instance.id, machine);
  await machine.boot();
  return { binding, databases, machine, deployed };
}

/** `cdk destroy` with the words of the deploy; then the servers and the machine go, too. */
export async function remove(
  account: Account,
  { databases, machine }: Deployment,
  options: DeploymentOptions,
): Promise<CommandResult> {
  const destroyed = await account.cdk(`destroy-${options.owner}`, ['destroy', ...stackWords(options), '--force']);
  await Promise.all([...databases.values()].map((database) => database.stop()));
  await machine.remove();
  return destroyed;
}

function experimentName({ experiment }: DeploymentOptions): string {
  return path.basename(experiment, '.yaml');
}

/** Looks again until there is something; an error of the look itself is "not yet". */
async function seen<T>(look: () => Promise<T | null>, signal: AbortSignal): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    const found = await look().catch(() => null);
    if (found !== null) return found;
    await sleep(200);
  }
}

async function driverOf({ ec2 }: Account, stackName: string): Promise<{ id: string; userData: string } | null> {
  const { Reservations = [] } = await ec2.send(
    new DescribeInstancesCommand({ Filters: [{ Name: 'instance-state-name', Values: ['running'] }] }),
  );
  const instance = Reservations.flatMap(({ Instances = [] }) => Instances).find(({ Tags = [] }) =>
    Tags.some(({ Key, Value }) => Key === 'Name' && Value?.startsWith(`${stackName}/`)),
  );
  if (instance?.InstanceId === undefined) return null;
  const { UserData } = await ec2.send(
    new DescribeInstanceAttributeCommand({ InstanceId: instance.InstanceId, Attribute: 'userData' }),
  );
  return { id: instance.InstanceId, userData: Buffer.from(UserData?.Value ?? '', 'base64').toString() };
}

/** An instance that is terminated is shut down first, and has minutes to do so. */
async function powerOffWhenTold({ folder }: Account, id: string, machine: Machine): Promise<void> {
  while (!existsSync(path.join(folder, `${id}.stop`))) await sleep(200);
  await keepLogs(machine, id);
  await machine.powerOff();
  writeFileSync(path.join(folder, `${id}.stopped`), '');
}

async function keepLogs(machine: Machine, id: string): Promise<void> {
  mkdirSync(logs, { recursive: true });
  const { stdout } = await machine.run('journalctl', '--no-pager');
  writeFileSync(path.join(logs, `journal-${id}.log`), stdout);
}
