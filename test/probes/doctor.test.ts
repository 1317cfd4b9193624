import { describe, expect, it } from 'vitest';
import { probes } from '../../runner/contract/probes.ts';
import { dlv, examine, option, parameters, problems, withDeployment, zones } from '../helpers/fakes/fake-account.ts';
import { xmlError } from '../helpers/fakes/fake-aws.ts';

describe('doctor', () => {
  it('finds nothing in an account that can take the experiment', async () => {
    expect(await problems()).toEqual([]);
  });

  it('has for each probe its id and its state, and a remedy unless it passes', async () => {
    const found = await examine({ vpcs: 5, parameters: {} });
    for (const { id, name, state, problems: reported, notes, remedy } of found) {
      expect(name.startsWith(probes[id].name)).toBe(true);
      expect(remedy).toBe(state === 'pass' ? null : probes[id].remedy);
      expect(state === 'fail').toBe(reported.length > 0);
      expect(['warn', 'not-assessed'].includes(state)).toBe(notes.length > 0);
    }
    expect(found.filter(({ state }) => state === 'fail').map(({ id }) => id)).toEqual([
      'bootstrap',
      'results-stack',
      'vpc-quota',
    ]);
  });

  it('asks nothing further without valid credentials', async () => {
    const identity = xmlError('ExpiredToken', 'The security token included in the request is expired', 403);
    expect(await problems({ identity })).toEqual([
      'sts:GetCallerIdentity of these credentials was rejected: the AWS credentials are no longer valid (ExpiredToken). Log in again.',
    ]);
  });

  it('names the commands that prepare an account', async () => {
    expect(await problems({ parameters: {} })).toEqual([
      'us-east-1 of account 123456789012 is not bootstrapped. Run once: npx cdk bootstrap -c stack=results aws://123456789012/us-east-1',
      'No results bucket in us-east-1. Run once: npx cdk deploy -c stack=results',
    ]);
    const old = { ...parameters, '/cdk-bootstrap/hnb659fds/version': '5' };
    expect((await problems({ parameters: old }))[0]).toMatch(
      /^cdk bootstrap has version 5 there, but 6 or newer is needed\. Run: /,
    );
  });

  it('tells a version that is gone from a class that is not there', async () => {
    const gone = await problems({ options: [], versions: ['15.20', '15.21', '15.9'] });
    expect(gone[0]).toBe(
      'RDS does not currently offer PostgreSQL 15.19; the newest 15 is 15.21. Change engine.version.',
    );
    expect((await problems({ options: [] }))[0]).toBe(
      'RDS does not offer db.r5.16xlarge with PostgreSQL 15.19 in this Region. Choose another class or Region.',
    );
  });

  it('says when only the log volume cannot be had, for the variant that asks for it', async () => {
    expect(await problems({ options: [{ ...option, SupportsDedicatedLogVolume: false }] })).toEqual([
      'RDS does not offer a dedicated log volume for db.r5.16xlarge with PostgreSQL 15.19 in this Region. Choose another version or class.',
    ]);
  });

  it('names the storage that there is instead', async () => {
    const found = await problems({ options: ['io1', 'gp3'].map((StorageType) => ({ ...option, StorageType })) });
    expect(found[0]).toBe(
      'RDS does not offer db.r5.16xlarge with PostgreSQL 15.19 on io2 in this Region, only on gp3, io1. Change storage.type.',
    );
  });

  it('names the range that a value is outside of', async () => {
    expect((await problems({ options: [{ ...option, MaxIopsPerDbInstance: 9000 }] }))[0]).toBe(
      'storage.iops is 10000; RDS accepts 1000 to 9000 here.',
    );
  });

  it('names the zones that have both driver and variants', async () => {
    expect(await problems({ driverZones: ['us-east-1b', 'us-east-1c'] })).toEqual([
      'us-east-1a does not offer both the driver and every variant. Deploy with -c zone=us-east-1b or -c zone=us-east-1c.',
    ]);
    expect(await problems({ driverZones: [] })).toEqual([
      'EC2 does not offer r5.4xlarge in this Region. Change driver.class.',
    ]);
  });

  it('wants three zones for a cluster', async () => {
    const two = { ...option, AvailabilityZones: zones.slice(0, 2).map((Name) => ({ Name })) };
    expect((await problems({ options: [two] }, withDeployment('multi-az-cluster')))[0]).toMatch(
      /needs 3 zones, but RDS offers it in only 2 of those with a database subnet \(us-east-1a, us-east-1b, us-east-1c\)/,
    );
    expect(
      (await problems({ options: [{ ...option, SupportsClusters: false }] }, withDeployment('multi-az-cluster')))[0],
    ).toBe(
      'RDS does not offer db.r5.16xlarge with PostgreSQL 15.19 on io2 as multi-az-cluster in this Region. Choose another class, storage.type or Region.',
    );
  });

  it('names each quota that is too small and what to ask for', async () => {
    const accountQuotas = [
      { AccountQuotaName: 'DBInstances', Used: 39, Max: 40 },
      { AccountQuotaName: 'AllocatedStorage', Used: 0, Max: 100000 },
    ];
    expect(await problems({ vcpuQuota: 5, accountQuotas })).toEqual([
      'The driver r5.4xlarge has 16 vCPUs. The account may run 5 of this kind, and already runs 0. Ask for 16 of L-1216C47A (ec2) in the Service Quotas console, terminate other instances, or choose a smaller driver.class.',
      'The RDS quota DBInstances is 40, with 39 in use, but the experiment needs 2 more. Ask for 41 in the Service Quotas console.',
    ]);
  });

  it('counts groups of parameters and of subnets: one for all variants with the same parameters', async () => {
    const full = ['DBParameterGroups', 'DBClusterParameterGroups', 'DBSubnetGroups'].map((AccountQuotaName) => ({
      AccountQuotaName,
      Used: 50,
      Max: 50,
    }));
    const words = (name: string, need: number): string =>
      `The RDS quota ${name} is 50, with 50 in use, but the experiment needs ${need} more. Ask for ${50 + need} in the Service Quotas console.`;
    const experiment = dlv();
    expect(await problems({ accountQuotas: full }, experiment)).toEqual([
      words('DBParameterGroups', 1),
      words('DBSubnetGroups', 1),
    ]);
    const [first, second] = Object.entries(experiment.variants);
    if (!first || !second) throw new Error('two variants');
    const engine = { ...second[1].engine, parameters: { ...second[1].engine.parameters, commit_delay: '7' } };
    const variants = Object.fromEntries([first, [second[0], { ...second[1], engine }]]);
    expect(await problems({ accountQuotas: full }, { ...experiment, variants })).toContain(
      words('DBParameterGroups', 2),
    );
    expect(await problems({ accountQuotas: full }, withDeployment('multi-az-cluster'))).toContain(
      words('DBClusterParameterGroups', 1),
    );
  });

  it('counts every instance of every variant against the quotas', async () => {
    const experiment = dlv();
    const protocol = { ...experiment.protocol, replicas: 20 };
    const accountQuotas = [
      { AccountQuotaName: 'DBInstances', Used: 1, Max: 40 },
      { AccountQuotaName: 'AllocatedStorage', Used: 0, Max: 40000 },
    ];
    expect(await problems({ accountQuotas }, { ...experiment, protocol })).toEqual([
      expect.stringContaining('The RDS quota DBInstances is 40, with 1 in use, but the experiment needs 40 more.'),
      expect.stringContaining(
        'The RDS quota AllocatedStorage is 40000, with 0 in use, but the experiment needs 40960 more.',
      ),
    ]);
  });
});
