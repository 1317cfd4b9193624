import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeInstanceAttributeCommand, DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import { type Account, emulatorFolder, hostsFile, logs, scratch, whereAwsIs } from './account.ts';
import { type Machine, makeMachine } from '../machine/machine.ts';

export interface LaunchedInstance {
  id: string;
  userData: string;
}

/**
 * Environment that makes pauses short: only in the shell scripts, which are the user data, or in the runner, too, or there so
 * much that it waits an hour in vain within half a minute.
 */
const userData = { BASH_ENV: '/rehearsal/no-pauses.sh' };
const driver = { ...userData, NODE_OPTIONS: '--import=/rehearsal/hurry.mjs' };
const hurry = { 'user-data': userData, driver, 'long waits': { ...driver, HURRY_FACTOR: '600' } };
export type Hurried = keyof typeof hurry;

/** The instance that a stack has launched; null if there is none yet. */
export async function launchedInstance({ ec2 }: Account, stackName: string): Promise<LaunchedInstance | null> {
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

/** A machine like a launched instance, switched off. */
export function makeDriver(
  { id, userData }: LaunchedInstance,
  {
    hurried,
    endpoints,
    packages,
  }: { hurried?: Hurried; endpoints?: Readonly<Record<string, string>>; packages?: string } = {},
): Promise<Machine> {
  return makeMachine({
    folder: path.join(scratch, 'machines', id),
    userData,
    environment: {
      ...whereAwsIs,
      ...(hurried ? hurry[hurried] : {}),
      ...endpoints,
    },
    packages: packages ?? path.join(scratch, 'packages'),
    aws: emulatorFolder,
    hostsFile,
  });
}

/**
 * Boots the machine of an instance. When AWS terminates the instance, the machine is shut down in order, and has minutes to
 * do so.
 */
export async function bootDriver({ folder }: Account, id: string, machine: Machine): Promise<void> {
  writeFileSync(path.join(folder, `${id}.booted`), '');
  void (async () => {
    while (!existsSync(path.join(folder, `${id}.stop`))) await sleep(200);
    if (machine.isOn()) await keepJournal(id, machine);
    await machine.powerOff();
    writeFileSync(path.join(folder, `${id}.stopped`), '');
  })();
  await machine.boot();
}

async function keepJournal(id: string, machine: Machine): Promise<void> {
  const { stdout } = await machine.run('journalctl', '--no-pager');
  writeFileSync(path.join(logs, `journal-${id}.log`), stdout);
}
