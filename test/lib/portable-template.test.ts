import { describe, expect, it } from 'vitest';
import { assetPrefix, PortableSynthesizer } from '../../lib/portable-synthesizer.ts';
import { experimentStack, joined, synthesize } from '../helpers/synthesize.ts';

const synthesizer = new PortableSynthesizer();
const { json, resources, only } = synthesize(experimentStack('dlv-pgbench', { portable: synthesizer }));

describe('a template that is launched without the CDK', () => {
  it('needs no bootstrapped account', () => {
    expect(json).not.toHaveProperty('Rules.CheckBootstrapVersion');
    expect(JSON.stringify(json)).not.toMatch(/cdk-hnb659fds|BootstrapVersion/);
  });

  it('takes its assets, and lets the driver take them, from the bucket of a parameter', () => {
    expect(json.Parameters).toHaveProperty('AssetBucket');
    expect(synthesizer.assets).toHaveLength(2);
    const binding = joined(only('AWS::SSM::Parameter').Properties['Value']);
    const policies = Object.values(resources('AWS::IAM::Role')).flatMap(
      ({ Properties }) => (Properties['Policies'] ?? []) as unknown[],
    );
    const allowed = (policies as { PolicyDocument: { Statement: { Action: string; Resource: unknown }[] } }[])
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .filter(({ Action }) => Action === 's3:GetObject')
      .flatMap(({ Resource }) => Resource as unknown[])
      .map(joined);
    for (const { key } of synthesizer.assets) {
      expect(key).toMatch(new RegExp(`^${assetPrefix}/[0-9a-f]{64}\\.zip$`));
      expect(binding).toContain(`s3://\${AssetBucket}/${key}`);
      expect(allowed.filter((arn) => arn.endsWith(`:s3:::\${AssetBucket}/${key}`))).toHaveLength(1);
    }
  });

  it('takes the windows of backups and maintenance as parameters without defaults: only the launch knows when it is', () => {
    for (const name of ['BackupWindow', 'MaintenanceWindow']) {
      expect(json.Parameters[name]).toMatchObject({ Type: 'String' });
      expect(json.Parameters[name]).not.toHaveProperty('Default');
    }
  });

  it('takes the owner as a parameter, and puts it into what must be unique in the account', () => {
    expect(json.Parameters['Owner']).toMatchObject({ AllowedPattern: '^[a-z][a-z0-9]{0,11}$' });
    const names = Object.values(resources('AWS::RDS::DBInstance')).map(({ Properties }) =>
      joined(Properties['DBInstanceIdentifier']),
    );
    expect(names).toEqual(['${Owner}-dlv-pgbench-without-dlv', '${Owner}-dlv-pgbench-with-dlv']);
    expect(joined(only('AWS::SSM::Parameter').Properties['Name'])).toContain('/${Owner}/');
  });
});
