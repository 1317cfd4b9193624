import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Binding } from '../../../runner/rds/contract/binding.ts';
import { openAddress } from '../../../runner/analysis/open-result.ts';
import { bucketReader } from '../../../runner/rds/bucket/bucket-run.ts';
import { type Account, logs, openAccount } from '../account/account.ts';
import { prepareAccount } from '../account/bootstrapped-account.ts';
import { type Deployment, deploy, remove, stackWords } from '../account/deployment.ts';
import { movePrimariesAway } from '../account/primaries.ts';
import { objectsOf, objectText } from '../account/results-in-bucket.ts';
import { missingLines, documentedScreens } from '../account/documented-screens.ts';
import type { CommandResult } from '../../../runner/process/run-command.ts';

const [asked, profile = 'smoke'] = (process.env['REHEARSE_EXPERIMENT'] ?? '').split(' ');
/** A Multi-AZ cluster, a Multi-AZ instance and a Single-AZ instance. */
const deployments = 'test/fixtures/experiments/deployments.yaml';
/** What the documentation deploys first. */
const first = 'dlv-pgbench';
const experiments = asked === undefined || asked === '' ? [first, deployments] : [asked];

let account: Account;
/** What a person who deploys dlv-pgbench sees, by the names in docs/first-deploy.md. */
const screens = new Map<string, string>();
const see = (name: string, { stdout, stderr }: CommandResult): void => void screens.set(name, `${stderr}\n${stdout}`);
/** What the CDK printed, in the order in which it did. */
const seeLog = (name: string, log: string): void =>
  void screens.set(name, readFileSync(path.join(logs, `${log}.log`), 'utf8'));
beforeAll(async () => {
  account = await openAccount();
});
afterAll(() => account.close());

it('an empty account takes the bootstrap and the results stack', async () => {
  await prepareAccount(account);
  for (const name of ['bootstrap', 'deploy-results']) seeLog(name, name);
});

describe.each(experiments)('%s', (experiment) => {
  const options = {
    experiment,
    profile,
    owner: 'alice',
    beforePreflight: (binding: Binding) => movePrimariesAway(account, binding),
  };
  let inventory: string[];
  let deployment: Deployment;
  const address = (): string => `s3://${deployment.binding.results.bucket}/${deployment.binding.results.prefix}`;

  it('is deployed by the unmodified app: the driver boots by its own user data, and its pre-flight passes', async () => {
    inventory = await account.control<string[]>('inventory');
    if (experiment === first) see('plan', await account.pgduet(['plan', experiment, '--profile', profile]));
    deployment = await deploy(account, options);
    const { exitCode, stdout, stderr } = await deployment.deployed;
    if (experiment === first) seeLog('deploy', 'deploy-alice');
    expect(`${stdout}${stderr}`).toContain(address());
    expect(exitCode).toBe(0);
    const outcomes = JSON.parse(await objectText(account, deployment.binding, 'driver/preflight.json')) as object;
    expect(outcomes).toMatchObject({ endedAt: expect.any(String) as string });
  });

  it('installs its packages by names that Amazon Linux 2023 has, and says what it found', async () => {
    const asked = readFileSync(path.join(deployment.machine.root, 'rehearsal/dnf.log'), 'utf8');
    expect(asked).toMatch(/^install --assumeyes --quiet jq nodejs22 postgresql\d+ postgresql\d+-contrib unzip\n$/);
    const { stdout, stderr } = await deployment.machine.run('aws', '--version');
    process.stdout.write(
      `The rehearsal's aws command line is ${`${stdout}${stderr}`.trim()}; the driver's is version 2.\n`,
    );
  });

  it('runs as the unit says: as its own user, enabled for the next boot, able to write below its folder only', async () => {
    const { stdout } = await deployment.machine.run('systemctl', 'show', 'pgduet.service');
    expect(stdout).toMatch(/^User=pgduet$/m);
    expect(stdout).toMatch(/^UnitFileState=enabled$/m);
    expect(stdout).toMatch(/^ActiveState=active$/m);
    const mounts = await deployment.machine.run('sh', '-c', `cat /proc/$(systemctl show -P MainPID pgduet)/mounts`);
    expect(mounts.stdout).toMatch(/^\S+ \/ \S+ ro,/m);
    expect(mounts.stdout).toMatch(/^\S+ \/var\/lib\/pgduet \S+ rw,/m);
  });

  it('can gain no privilege, and shows its files to no other user', async () => {
    const { stdout: status } = await deployment.machine.run(
      'sh',
      '-c',
      'cat /proc/$(systemctl show -P MainPID pgduet)/status',
    );
    expect(status).toMatch(/^CapBnd:\s0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\s1$/m);
    expect(status).toMatch(/^Seccomp:\s2$/m);
    const { stdout: open } = await deployment.machine.run(
      'find',
      '/var/lib/pgduet/results',
      '!',
      '-type',
      'l',
      '-perm',
      '/077',
    );
    // Only that a run goes on is for all to know: its lock counts for every user.
    expect(open.split('\n').filter((file) => file !== '' && !file.endsWith('.lock'))).toEqual([]);
  });

  it('is not touched by a second deploy in mid-run', async () => {
    const before = await account.control<string[]>('inventory');
    const { exitCode } = await account.cdk('deploy-again', [
      'deploy',
      ...(await stackWords(account, options)),
      '--require-approval',
      'never',
    ]);
    expect(exitCode).toBe(0);
    const after = await account.control<string[]>('inventory');
    const instances = (lines: string[]): string[] => lines.filter((line) => line.startsWith('ec2 instance '));
    expect(instances(before)).toHaveLength(1);
    expect(instances(after)).toEqual(instances(before));
  });

  it('is followed from outside by watch, until it has finished', async () => {
    const show = (line: string): void => void process.stdout.write(`   ${line}\n`);
    const words = ['watch', experiment, '--owner', options.owner];
    const watched = await account.pgduet(words, { onStderrLine: show });
    if (experiment === first) see('watch', watched);
    const { exitCode, stdout, stderr } = watched;
    expect(`${stdout}${stderr}`).toContain('finished');
    expect(exitCode).toBe(0);
  });

  it('leaves every trial in the bucket, measured by verified TLS', async () => {
    const { result } = await openAddress(bucketReader(account.s3), address());
    expect(result).toMatchObject({ complete: true, place: { kind: 'deployed' } });
    expect(result.trials.every(({ state }) => state === 'finished')).toBe(true);
    // Of every trial, also of those on a cluster, the log files of RDS were read.
    expect(result.trials.map(({ facts }) => facts.checkpoints)).not.toContain(undefined);
    const names = await objectsOf(account, deployment.binding);
    const outputs = names.filter((name) => /\/trials\/.*\/pgbench\.stdout\.log$/.test(name));
    expect(outputs).toHaveLength(result.trials.length);
    for (const database of deployment.servers.databases.values()) {
      const log = readFileSync(database.serverLogs[database.writer()] ?? '', 'utf8');
      expect(log).toMatch(/connection authorized: user=pgduet .*SSL enabled \(protocol=TLSv1\.3/);
    }
  });

  it('shows the password nowhere: not in the bucket, not in the journal, not in a process', async () => {
    const { SecretString = '' } = await account.secrets.send(
      new GetSecretValueCommand({ SecretId: deployment.binding.secretArn }),
    );
    const { password } = JSON.parse(SecretString) as { password: string };
    expect(password).toHaveLength(32);
    for (const name of await objectsOf(account, deployment.binding)) {
      expect(await objectText(account, deployment.binding, name), name).not.toContain(password);
    }
    const observed = await deployment.machine.run(
      'sh',
      '-c',
      'journalctl --no-pager; cat /var/log/pgduet/boot.log; ps axeww',
    );
    expect(observed.stdout).toContain('pgduet');
    expect(observed.stdout).not.toContain(password);
  });

  it('is compared and reported from the bucket', async () => {
    const compared = await account.pgduet(['compare', address(), address(), '--json']);
    expect(compared.stderr).not.toContain('Error');
    expect(compared.exitCode).toBe(0);
    expect(JSON.parse(compared.stdout)).not.toEqual([]);
    const reported = await account.pgduet(['report', address()]);
    if (experiment === first) see('report', reported);
    expect(reported.exitCode).toBe(0);
    expect(readFileSync(reported.stdout.trim().split('\n')[0] ?? '', 'utf8')).toContain('</html>');
  });

  it('is destroyed, and nothing but its results is left', async () => {
    const { exitCode } = await remove(account, deployment, options);
    if (experiment === first) seeLog('destroy', 'destroy-alice');
    expect(exitCode).toBe(0);
    const left = (await account.control<string[]>('inventory')).filter((line) => !inventory.includes(line));
    expect(left.filter((line) => !line.startsWith('s3 object '))).toEqual([]);
    const { results } = deployment.binding;
    expect(left).toContain(`s3 object ${results.bucket}/${results.prefix}status.json`);
  });
});

it.runIf(experiments[0] === first)('every screen was as the documentation of a first deploy shows it', () => {
  const reported = documentedScreens();
  expect([...reported.keys()]).toEqual(['bootstrap', 'deploy-results', 'plan', 'deploy', 'watch', 'report', 'destroy']);
  for (const [name, printed] of screens) writeFileSync(path.join(logs, `screen-${name}.log`), printed);
  for (const [name, lines] of reported) expect(missingLines(lines, screens.get(name) ?? ''), name).toEqual([]);
});
