import { describe, expect, it } from 'vitest';
import { chooseZone } from '../../../runner/rds/doctor/choose-zone.ts';
import { dlv, examine, zones } from '../../helpers/fakes/fake-account.ts';

describe('the zone that a stack takes', () => {
  it('is the first with a default subnet, as CloudFormation counts them', async () => {
    const outcomes = await examine({ defaultZones: ['us-east-1c', 'us-east-1b'] });
    expect(outcomes.find(({ name }) => name === 'zone')?.detail).toMatch(/^us-east-1b \(use1-az2\);/);
  });

  it('is the first of all if no zone has a default subnet', async () => {
    const outcomes = await examine({ defaultZones: [] });
    expect(outcomes.find(({ name }) => name === 'zone')?.detail).toMatch(/^us-east-1a \(use1-az1\);/);
  });

  it('comes with the options for the other zones that offer everything, in the order in which to try them', async () => {
    const outcomes = await examine({ driverZones: ['us-east-1a', 'us-east-1c'] });
    expect(outcomes.find(({ name }) => name === 'zone')?.detail).toBe(
      'us-east-1a (use1-az1); if it has no capacity, deploy with -c zone=us-east-1c',
    );
    const nowhereElse = await examine({ driverZones: ['us-east-1a'] });
    expect(nowhereElse.find(({ name }) => name === 'zone')?.detail).toBe('us-east-1a (use1-az1)');
  });

  it('must have standbys among the zones of the database subnets, not anywhere in the Region', () => {
    const experiment = { network: { mode: 'public-driver' as const }, variants: dlv().variants };
    const [one] = Object.values(experiment.variants);
    if (!one) throw new Error('dlv-pgbench has variants');
    const variants = { a: { ...one, deployment: 'multi-az-instance' as const } };
    const found = () =>
      chooseZone(
        { ...experiment, variants },
        { stack: zones, driver: zones, variants: new Map([['a', ['us-east-1a', 'us-east-1c']]]) },
      );
    expect(found).toThrow(
      /needs 2 zones, but RDS offers it in only 1 of those with a database subnet \(us-east-1a, us-east-1b\)\. Deploy with -c zone=us-east-1c\./,
    );
  });
});
