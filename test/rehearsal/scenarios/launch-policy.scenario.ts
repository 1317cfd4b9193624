import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PolicyDocument } from '../../../runner/rds/deploy/launch-policy/document.ts';
import type { CommandResult } from '../../../runner/process/run-command.ts';
import type { Account } from '../account/account.ts';
import { openBootstrappedAccount } from '../account/bootstrapped-account.ts';
import { deploy, type DeploymentOptions, remove, stackWords } from '../account/deployment.ts';

const region = 'us-east-1';
const accountId = '123456789012';
const roleName = 'cloudformation-pgduet-erin';
const roleArn = `arn:aws:iam::${accountId}:role/${roleName}`;
const options: DeploymentOptions = {
  experiment: 'test/rehearsal/experiments/endings.yaml',
  profile: 'proxied',
  owner: 'erin',
  roleArn,
};

/** A call that a handler of CloudFormation makes with the role of a stack. */
interface HandlerCall {
  role: string;
  type: string;
  handler: string;
  action: string;
  allowed: boolean;
}

let account: Account;
let before: string[];
let policy: PolicyDocument;
beforeAll(async () => {
  account = await openBootstrappedAccount();
});
afterAll(() => account.close());

it('is made into a role by the commands of the documentation', async () => {
  const { experiment, profile, owner } = options;
  const printed = await account.pgduet(['policy', experiment, '-p', profile, '--owner', owner, '--region', region]);
  expect(printed.exitCode, printed.stderr).toBe(0);
  policy = JSON.parse(printed.stdout) as PolicyDocument;
  const trust = {
    Version: '2012-10-17',
    Statement: {
      Effect: 'Allow',
      Action: 'sts:AssumeRole',
      Principal: { Service: 'cloudformation.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': accountId } },
    },
  };
  await aws('create-role', '--role-name', roleName, '--assume-role-policy-document', JSON.stringify(trust));
  await setPolicy(policy);
  before = await inventory();
});

it('is of no use to whoever may not pass the role', async () => {
  const { exitCode, stderr } = await cdk('deploy', 'deploy-not-passed');
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain(`is not authorized to perform: iam:PassRole on resource: ${roleArn}`);
  const mayPass = {
    Version: '2012-10-17',
    Statement: { Effect: 'Allow', Action: 'iam:PassRole', Resource: roleArn },
  };
  const deployRole = `cdk-hnb659fds-deploy-role-${accountId}-${region}`;
  await aws(
    ...['put-role-policy', '--role-name', deployRole, '--policy-name', 'pass-pgduet'],
    ...['--policy-document', JSON.stringify(mayPass)],
  );
});

it('fails the resource that needs a withheld statement, by the name of the action', async () => {
  await setPolicy({ ...policy, Statement: policy.Statement.filter(({ Sid }) => Sid !== 'Secrets') });
  const { exitCode, stdout, stderr } = await cdk('deploy', 'deploy-withheld');
  expect(exitCode).not.toBe(0);
  expect(`${stdout}${stderr}`).toMatch(
    /Resource handler returned message: "User: \S+ is not authorized to perform: secretsmanager:CreateSecret/,
  );
  await cdk('destroy', 'destroy-withheld');
  await setPolicy(policy);
  expect(await inventory()).toEqual(before);
});

it('is enough to deploy, to deploy another profile, and to destroy', async () => {
  const deployment = await deploy(account, options);
  expect((await deployment.deployed).exitCode).toBe(0);
  const again = await cdk('deploy', 'deploy-again', { profile: 'proxied-limited' });
  const destroyed = await remove(account, deployment, options);
  expect(again.exitCode, again.stderr).toBe(0);
  expect(destroyed.exitCode, destroyed.stderr).toBe(0);
  expect(await inventory()).toEqual(before);
});

it('allows what the handlers of every type call, and has no statement that they do not need', async () => {
  const calls = (await account.control<HandlerCall[]>('handler-calls')).filter(({ role }) => role === roleArn);
  const refused = calls.filter(({ allowed }) => !allowed).map(({ action }) => action);
  expect([...new Set(refused)]).toEqual(['secretsmanager:CreateSecret']);
  for (const handler of ['create', 'read', 'update', 'delete']) {
    expect(calls.map((call) => call.handler)).toContain(handler);
  }
  expect(await account.control<string[]>('needless-statements', { role: roleArn })).toEqual([]);
});

async function cdk(
  verb: 'deploy' | 'destroy',
  log: string,
  changed: Partial<DeploymentOptions> = {},
): Promise<CommandResult> {
  const unattended = verb === 'deploy' ? ['--require-approval', 'never', '--progress', 'events'] : ['--force'];
  return account.cdk(log, [verb, ...(await stackWords(account, { ...options, ...changed })), ...unattended]);
}

/** What the account holds, without assets and results. */
async function inventory(): Promise<string[]> {
  return (await account.control<string[]>('inventory')).filter((line) => !line.startsWith('s3 object '));
}

async function setPolicy(document: PolicyDocument): Promise<void> {
  const file = path.join(account.folder, 'policy.json');
  writeFileSync(file, JSON.stringify(document));
  await aws(
    ...['put-role-policy', '--role-name', roleName, '--policy-name', 'launch', '--policy-document', `file://${file}`],
  );
}

async function aws(...words: string[]): Promise<void> {
  const { exitCode, stderr } = await account.aws(['iam', ...words, '--region', region]);
  expect(exitCode, stderr).toBe(0);
}
