import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Permission } from '../../../lib/constructs/permissions/permission.ts';
import { boundServers, resultsBucketParameterName } from '../../../runner/rds/contract/binding.ts';
import { statusName } from '../../../runner/contract/status.ts';
import { experimentStack } from '../../helpers/synthesize.ts';
import { type Account, whereAwsIs } from '../account/account.ts';
import { openBootstrappedAccount } from '../account/bootstrapped-account.ts';
import { type Deployment, deploy, remove } from '../account/deployment.ts';
import { driverGrants, type Grant, restrictDriver, setDriverPolicy } from '../account/driver-policy.ts';
import { letParametersWait } from '../account/pending-reboot.ts';
import { movePrimariesAway } from '../account/primaries.ts';
import { unprovenPermissions } from './unproven-permissions.ts';

const deployments = 'test/fixtures/experiments/deployments.yaml';
const logVolume = 'test/rehearsal/experiments/log-volume.yaml';

/** Carries out a step on the driver; returns its output. */
type Step = (deployment: Deployment, withheld: Grant) => Promise<string>;

const userData: Step = async ({ machine }) => {
  await machine.run('rm', '-f', '/var/log/pgduet/boot.log', '/var/lib/cloud/instance/boot-started');
  await machine.run('systemctl', 'restart', 'cloud-final.service');
  return readFileSync(path.join(machine.root, 'var/log/pgduet/boot.log'), 'utf8');
};
/** Trouble that may pass, such as a server that has just failed over. The driver's unit starts pgduet again, too. */
const passingTrouble = 3;
const asDriver = async ({ machine }: Deployment, ...words: string[]): Promise<string> => {
  const program = ['runuser', '--user', 'pgduet', '--', '/usr/local/bin/pgduet', ...words];
  let printed = '';
  for (let start = 1; start <= 3; start += 1) {
    const { exitCode, stdout, stderr } = await machine.run(
      ...['env', '--chdir=/var/lib/pgduet', 'AWS_ENDPOINT_URL=http://localhost:5000'],
      ...['NODE_OPTIONS=--import=/rehearsal/hurry.mjs', ...program, '--binding', '/etc/pgduet/binding.json'],
    );
    printed += `${stdout}${stderr}`;
    if (exitCode !== passingTrouble) break;
  }
  return printed;
};
const preflight: Step = (deployment) => asDriver(deployment, 'preflight');
const loadRun: Step = (deployment) => asDriver(deployment, 'load-run', '--out', '/var/lib/pgduet/once-more');
/** For sources that are asked last, and after one refusal not again: it stands for all databases. Each run takes a minute. */
const loadRunToItsEnd: Step = (deployment, withheld) => loadRun(deployment, withheld);

/** A refused run leaves a status if there is none yet, so it must be sure that there is none. */
const preflightWithoutStatus: Step = async (deployment) => {
  const { bucket, prefix } = deployment.binding.results;
  await account.s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: `${prefix}${statusName}` }));
  return asDriver(deployment, 'preflight', '--pg-bindir', '/nowhere');
};

/** Assets are fetched by the user data, results are read back by the pre-flight. */
const userDataOrPreflight: Step = (deployment, withheld) =>
  withheld.resource.includes(deployment.binding.results.prefix)
    ? preflight(deployment, withheld)
    : userData(deployment, withheld);

const preflightAwayFromHome: Step = async (deployment, withheld) => {
  await movePrimariesAway(account, deployment.binding);
  return preflight(deployment, withheld);
};

const preflightWaitingForReboot: Step = async (deployment, withheld) => {
  await letParametersWait(account, deployment.binding);
  return preflight(deployment, withheld);
};

/** Starts with the log volumes as they were deployed. */
const crossOver: Step = async (deployment, withheld) => {
  for (const { identifier, expected } of boundServers(deployment.binding).values()) {
    const set = { dedicated_log_volume: expected.dedicatedLogVolume, pending_modified_values: {}, status: 'available' };
    await account.control('database', { identifier, set });
  }
  return loadRun(deployment, withheld);
};

/** What is said where an action is refused, if not its name. */
const printedWithout: Record<string, RegExp> = {
  // S3 answers a HEAD request without a body, so the aws command line can only say which call it was.
  's3:GetObject': /HeadObject operation: Forbidden|s3:GetObject/,
  // The read was refused first.
  's3:ListBucket': /s3:GetObject/,
};

/** The step that needs an action, by experiment and action. */
const steps: Record<string, Record<string, Step>> = {
  [deployments]: {
    'ssm:GetParameter': userData,
    's3:GetObject': userDataOrPreflight,
    'cloudformation:DescribeStacks': preflight,
    'secretsmanager:GetSecretValue': preflight,
    's3:PutObject': preflight,
    's3:ListBucket': preflightWithoutStatus,
    'rds:DescribeDBInstances': preflight,
    'rds:DescribeDBClusters': preflight,
    'rds:RebootDBInstance': preflightWaitingForReboot,
    'rds:RebootDBCluster': preflightWaitingForReboot,
    'rds:FailoverDBCluster': preflightAwayFromHome,
    'rds:DescribeEvents': loadRunToItsEnd,
    'pi:GetResourceMetrics': loadRunToItsEnd,
    'logs:GetLogEvents': loadRunToItsEnd,
    'rds:DescribeDBLogFiles': loadRunToItsEnd,
    'rds:DownloadDBLogFilePortion': loadRunToItsEnd,
  },
  [logVolume]: {
    'rds:ModifyDBInstance': crossOver,
    'rds:RebootDBInstance': crossOver,
  },
};

let account: Account;
beforeAll(async () => {
  account = await openBootstrappedAccount();
});
afterAll(() => account.close());

const table = (experiment: string, profile: string): readonly Permission[] =>
  experimentStack(path.resolve(experiment), { profile }).driverPermissions;
const actions = (rows: readonly Grant[]): string[] => rows.map(({ action }) => action);

describe.each([
  { experiment: deployments, profile: 'smoke' },
  { experiment: logVolume, profile: 'crossover' },
])('the driver of $experiment', ({ experiment, profile }) => {
  const options = { experiment, profile, owner: 'carol', hurried: 'user-data', synthesizedOnce: true } as const;
  let deployment: Deployment;
  let grants: Grant[];

  beforeAll(async () => {
    deployment = await deploy(account, options);
    expect((await deployment.deployed).exitCode).toBe(0);
    await deployment.machine.run('systemctl', 'stop', 'pgduet.service');
    grants = await driverGrants(account);
  });
  afterAll(() => remove(account, deployment, options));

  it('may do what the rows of the table say, each on its resource, and nothing else', () => {
    const stack = experimentStack(path.resolve(experiment), { profile });
    const rows = stack.driverPermissions.map((row) => JSON.stringify([row.action, stack.resolve(row.resource)]));
    expect(grants).toHaveLength(new Set(rows).size);
    expect(new Set(actions(grants))).toEqual(new Set(actions(stack.driverPermissions)));
  });

  it('is refused what it has no need of', async () => {
    const { results, stackName } = deployment.binding;
    const [identifier = ''] = [...boundServers(deployment.binding).values()].map((server) => server.identifier);
    const { SecretId } = await otherSecret(account);
    const attempts = {
      's3:GetObject': ['s3', 'cp', `s3://${results.bucket}/elsewhere/status.json`, '-'],
      's3:PutObject': ['s3', 'cp', '/etc/hostname', `s3://${results.bucket}/elsewhere/hostname`],
      's3:ListBucket': ['s3', 'ls', `s3://${results.bucket}/`],
      'secretsmanager:GetSecretValue': ['secretsmanager', 'get-secret-value', '--secret-id', SecretId],
      'ssm:GetParameter': ['ssm', 'get-parameter', '--name', resultsBucketParameterName],
      'rds:DescribeDBInstances': ['rds', 'describe-db-instances'],
      'rds:DeleteDBInstance': ['rds', 'delete-db-instance', '--db-instance-identifier', identifier],
      'ec2:TerminateInstances': ['ec2', 'terminate-instances', '--instance-ids', deployment.instanceId],
      'cloudformation:DeleteStack': ['cloudformation', 'delete-stack', '--stack-name', stackName],
      'iam:CreateUser': ['iam', 'create-user', '--user-name', 'somebody'],
    };
    const environment = Object.entries({
      AWS_DEFAULT_REGION: 'us-east-1',
      ...whereAwsIs,
      // By itself, the command waits one second for its credentials, once: on a busy machine it would then ask for nothing.
      AWS_METADATA_SERVICE_TIMEOUT: '10',
      AWS_METADATA_SERVICE_NUM_ATTEMPTS: '5',
    }).map((pair) => pair.join('='));
    for (const [action, words] of Object.entries(attempts)) {
      const earlier = account.requests().length;
      const endpoint = ['--endpoint-url', whereAwsIs.AWS_ENDPOINT_URL];
      const { exitCode, stderr } = await deployment.machine.run('env', ...environment, 'aws', ...words, ...endpoint);
      expect(exitCode, action).not.toBe(0);
      const asked = account.requests().slice(earlier);
      expect(asked, stderr).toContainEqual(expect.objectContaining({ action, allowed: false }));
    }
  });

  it.each(Object.entries(steps[experiment] ?? {}))('is refused by name without %s', async (action, step) => {
    const rows = grants.filter((grant) => grant.action === action);
    expect(rows).not.toEqual([]);
    for (const withheld of step === loadRunToItsEnd ? [rows] : rows.map((row) => [row])) {
      const before = await restrictDriver(account, (grant) => !withheld.some((row) => isSame(grant, row)));
      const earlier = account.requests().length;
      const printed = await step(deployment, withheld[0] as Grant);
      await setDriverPolicy(account, before);
      const asked = account.requests().filter((request) => request.action === action);
      const refused = account
        .requests()
        .slice(earlier)
        .filter(({ allowed }) => !allowed);
      for (const { resource } of withheld) {
        // In this run or an earlier one: after a refusal, some sources are not asked about the other databases.
        expect(
          asked.filter((one) => isMeant(resource, one.resource)),
          resource,
        ).not.toEqual([]);
      }
      expect(refused, printed).toContainEqual(expect.objectContaining({ action }));
      expect(printed).toMatch(printedWithout[action] ?? action);
    }
  });
});

it('what is not proven here is on the list of what only a real account can prove', () => {
  const rows = [table(deployments, 'smoke'), table(logVolume, 'crossover')].flat();
  const proven = new Set(Object.values(steps).flatMap((experimentSteps) => Object.keys(experimentSteps)));
  const unproven = new Set(rows.map(({ action }) => action).filter((action) => !proven.has(action)));
  expect([...unproven, 'kms:Decrypt', 'kms:GenerateDataKey'].sort()).toEqual(Object.keys(unprovenPermissions).sort());
});

async function otherSecret({ secrets }: Account): Promise<{ SecretId: string }> {
  const { ARN = '' } = await secrets.send(
    new CreateSecretCommand({ Name: `not-the-driver-s-${Date.now()}`, SecretString: 'nothing' }),
  );
  return { SecretId: ARN };
}

/** Whether a resource is one that a policy means, which may hold one wildcard. */
function isMeant(pattern: string, resource: string): boolean {
  const [start = '', end] = pattern.split('*');
  return end === undefined ? resource === start : resource.startsWith(start) && resource.endsWith(end);
}

function isSame(one: Grant, other: Grant): boolean {
  return one.action === other.action && one.resource === other.resource;
}
