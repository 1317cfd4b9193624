import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { UpdateTerminationProtectionCommand } from '@aws-sdk/client-cloudformation';
import { expect } from 'vitest';
import { type Binding, boundServers } from '../../../runner/rds/contract/binding.ts';
import type { RunStatus } from '../../../runner/contract/status.ts';
import type { Gate } from '../../faults/deployed/gate.ts';
import type { Account } from './account.ts';
import type { Deployment, DeploymentOptions } from './deployment.ts';
import { statusOf } from './results-in-bucket.ts';

/** Something that goes wrong with a stack, and what ends the stack then. */
export interface UnhappyEnd {
  /** As docs/costs.md says it. */
  what: string;
  end: string;
  /** What the stack records as the reason, or a part of what its deploy shows. */
  shows: string;
  /** Whether its deploy does not succeed. */
  failsDeploy?: true;
  /** At most nine letters: the name of a topic begins with 24 letters of its stack's. */
  owner: string;
  /** Besides `bill`. */
  profile?: string;
  options?: Partial<DeploymentOptions>;
  /** In the account, before the deploy. */
  prepare?: () => Promise<unknown>;
  /** After the databases were made. If the deploy is to succeed, this waits for it. */
  strike: (deployment: Deployment) => Promise<unknown>;
  /** What happens in the account so many minutes after the first database became available. */
  later?: { minutes: number; strike: (deployment: Deployment) => Promise<unknown> };
  /** Whether the run continues to show signs of life. */
  isAlive?: true;
  /** Lets the stack go, which does not go by itself. */
  release?: (deployment: Deployment) => Promise<unknown>;
}

/** What is between the drivers and AWS. */
export type Gates = Record<'saving' | 'withoutS3' | 'withoutNetwork', Gate>;

const silence = { end: 'its silence', shows: 'its run has sent no update for an hour' };
const failedDeploy = { failsDeploy: true, end: 'its deploy, which fails', shows: 'WaitCondition timed out' } as const;

/** Takes the place of the run, and never begins it. */
const neverBegins = `
  folder=/etc/systemd/system/pgduet.service.d
  mkdir -p $folder
  printf '%s\\n' '[Service]' ExecStart= 'ExecStart=/bin/sleep infinity' >$folder/z.conf
  systemctl daemon-reload
`;

export function unhappyEnds(account: Account, gates: Gates): UnhappyEnd[] {
  const setDatabase = ({ identifier }: { identifier?: string }, set: object): Promise<unknown> =>
    account.control('database', { identifier, set });
  const oneServer = (binding: Binding): { identifier?: string } => boundServers(binding).get('with-dlv') ?? {};
  const staysCreating = (owner: string) => (): Promise<unknown> =>
    account.control('later-status', { identifier: `${owner}-endings-with-dlv`, status: 'creating' });
  const protect =
    (isProtected: boolean) =>
    async ({ binding }: Deployment): Promise<void> => {
      await account.cloudFormation.send(
        new UpdateTerminationProtectionCommand({
          StackName: binding.stackId,
          EnableTerminationProtection: isProtected,
        }),
      );
    };
  /** As a host that fails does: nothing on it has time to stop. */
  const terminate = async ({ machine, instanceId }: Deployment): Promise<void> => {
    if (machine.isOn()) await machine.crash();
    await account.ec2.send(new TerminateInstancesCommand({ InstanceIds: [instanceId] }));
  };
  const until = async (deployment: Deployment, has: (status: RunStatus) => boolean): Promise<void> => {
    const { exitCode, stdout, stderr } = await deployment.deployed;
    expect(exitCode, `${stdout}${stderr}`).toBe(0);
    const look = async (): Promise<boolean> => {
      const status = await statusOf(account, deployment.binding);
      return status !== null && has(status);
    };
    await expect.poll(look, { timeout: 400_000, interval: 50 }).toBe(true);
  };
  const inStage = (deployment: Deployment, stage: string): Promise<void> =>
    until(deployment, ({ current }) => current?.stage === stage);
  const measuredWithoutS3 = async (deployment: Deployment, gate: Gate): Promise<void> => {
    await until(deployment, () => true);
    gate.set('held');
    await expect
      .poll(() => printed(deployment), { timeout: 400_000, interval: 1000 })
      .toContain('pgduet keeps retrying');
  };

  return [
    {
      what: 'AWS terminates the driver while RDS creates the databases',
      ...failedDeploy,
      owner: 'create',
      options: { beforePreflight: (_, machine) => machine.crash() },
      strike: terminate,
    },
    {
      what: 'the same in the pre-flight',
      ...failedDeploy,
      owner: 'check',
      options: { beforePreflight: (binding) => setDatabase(oneServer(binding), { status: 'backing-up' }) },
      strike: async (deployment) => {
        const isChecking = async (): Promise<number | null> =>
          (await deployment.machine.run('pgrep', '--full', 'preflight --binding')).exitCode;
        await expect.poll(isChecking, { timeout: 120_000, interval: 200 }).toBe(0);
        await terminate(deployment);
      },
    },
    {
      what: 'the same before the first status of the run',
      ...silence,
      owner: 'first',
      options: { beforePreflight: (_, machine) => machine.run('sh', '-c', neverBegins) },
      strike: async (deployment) => {
        expect((await deployment.deployed).exitCode).toBe(0);
        await terminate(deployment);
      },
    },
    {
      what: 'the same while the run loads',
      ...silence,
      owner: 'load',
      profile: 'loading',
      strike: async (deployment) => {
        await inStage(deployment, 'load');
        await terminate(deployment);
      },
    },
    {
      what: 'the same in a trial',
      ...silence,
      owner: 'trial',
      profile: 'measuring',
      strike: async (deployment) => {
        await inStage(deployment, 'measure');
        await terminate(deployment);
      },
    },
    {
      what: 'the same while the run saves its results',
      ...silence,
      owner: 'save',
      options: { endpoints: { AWS_ENDPOINT_URL_S3: `http://localhost:${gates.saving.port}` } },
      strike: async (deployment) => {
        await measuredWithoutS3(deployment, gates.saving);
        await terminate(deployment);
      },
    },
    {
      what: 'the runner hangs in a trial',
      ...silence,
      owner: 'hang',
      profile: 'measuring',
      strike: async (deployment) => {
        await inStage(deployment, 'measure');
        const { exitCode } = await deployment.machine.run('systemctl', 'kill', '--signal=STOP', 'pgduet.service');
        expect(exitCode).toBe(0);
      },
    },
    {
      what: 'the driver never reaches S3 again',
      ...silence,
      owner: 'deaf',
      options: { endpoints: { AWS_ENDPOINT_URL_S3: `http://localhost:${gates.withoutS3.port}` } },
      strike: (deployment) => measuredWithoutS3(deployment, gates.withoutS3),
    },
    {
      what: 'the driver loses its network: AWS and the databases',
      ...silence,
      owner: 'lonely',
      profile: 'measuring',
      options: { endpoints: { AWS_ENDPOINT_URL: `http://localhost:${gates.withoutNetwork.port}` } },
      strike: async (deployment) => {
        await inStage(deployment, 'measure');
        gates.withoutNetwork.set('held');
        await Promise.all([...deployment.servers.databases.values()].map((database) => database.disappear()));
      },
    },
    {
      what: 'one database stays in `creating`',
      ...failedDeploy,
      owner: 'stuck',
      prepare: staysCreating('stuck'),
      strike: () => Promise.resolve(),
    },
    {
      what: 'one database becomes `insufficient-capacity` after 20 minutes',
      ...failedDeploy,
      shows: 'is insufficient-capacity',
      owner: 'full',
      prepare: staysCreating('full'),
      strike: () => Promise.resolve(),
      later: {
        minutes: 20,
        strike: ({ binding }) => setDatabase(oneServer(binding), { status: 'insufficient-capacity' }),
      },
    },
    {
      what: 'the run continues beyond its limits',
      end: '`limits.dollars`',
      shows: 'limits.dollars is 75, and that is spent',
      owner: 'beyond',
      profile: 'waiting',
      isAlive: true,
      strike: (deployment) => until(deployment, () => true),
    },
    {
      what: 'CloudFormation refuses the deletion (protection switched on by hand)',
      end: 'nothing: a message each hour',
      shows: silence.shows,
      owner: 'refused',
      profile: 'waiting',
      strike: async (deployment) => {
        await until(deployment, () => true);
        await terminate(deployment);
        await protect(true)(deployment);
      },
      release: protect(false),
    },
    {
      what: 'a database cannot be deleted (the same)',
      end: 'nothing: a message each hour',
      shows: silence.shows,
      owner: 'kept',
      profile: 'waiting',
      strike: async (deployment) => {
        await until(deployment, () => true);
        await terminate(deployment);
        await setDatabase(oneServer(deployment.binding), { deletion_protection: true });
      },
      release: ({ binding }) => setDatabase(oneServer(binding), { deletion_protection: false }),
    },
  ];
}

/** What the runner has said so far, without the line breaks that fit it to a terminal. */
async function printed({ machine }: Deployment): Promise<string> {
  const { stdout } = await machine.run('journalctl', '--no-pager', '--output', 'cat', '--unit', 'pgduet');
  return stdout.replaceAll(/\s+/g, ' ');
}
