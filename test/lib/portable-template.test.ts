import { chmodSync, lchownSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { driverProgram } from '../../lib/driver-program.ts';
import { writePortableTemplate } from '../../lib/portable-template.ts';
import { assetPrefix, PortableSynthesizer } from '../../lib/portable-synthesizer.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { nobody } from '../helpers/hostile/neighbour.ts';
import { experimentStack, joined, project, synthesize } from '../helpers/synthesize.ts';

vi.mock(import('../../lib/driver-program.ts'), { spy: true });

const synthesizer = new PortableSynthesizer();
const { json, resources } = synthesize(experimentStack('dlv-pgbench', { portable: synthesizer }));

interface Form {
  Metadata: Record<
    'AWS::CloudFormation::Interface',
    { ParameterGroups: { Label: { default: string }; Parameters: string[] }[] }
  >;
  Parameters: Record<string, { Type: string }>;
}

describe('a template that is launched without the CDK', () => {
  it('needs no bootstrapped account', () => {
    expect(json).not.toHaveProperty('Rules.CheckBootstrapVersion');
    expect(JSON.stringify(json)).not.toMatch(/cdk-hnb659fds|BootstrapVersion/);
  });

  it('takes its assets, and lets the driver take them, from the bucket of a parameter', () => {
    expect(json.Parameters).toHaveProperty('AssetBucket');
    expect(synthesizer.assets).toHaveLength(2);
    const binding = joined(resources('AWS::SSM::Parameter')['Binding']?.Properties['Value']);
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

  it.each([
    ['BackupWindow', ['09:30-10:00', '23:45-00:15'], ['9:30-10:00', '24:00-24:30', '09:30', 'sat:09:30-sat:10:00', '']],
    ['MaintenanceWindow', ['sat:08:30-sat:09:00', 'sun:23:45-mon:00:15'], ['08:30-09:00', 'Sat:08:30-Sat:09:00', '']],
  ])('says how %s is written, and takes nothing else', (name, right, wrong) => {
    const { AllowedPattern = '', Description } = json.Parameters[name] as Record<string, string>;
    const [example = ''] = right;
    expect(Description).toContain(`such as ${example}`);
    for (const value of right) expect(value).toMatch(new RegExp(AllowedPattern));
    for (const value of wrong) expect(value).not.toMatch(new RegExp(AllowedPattern));
  });

  it('shows every parameter in a group', () => {
    const { Metadata, Parameters } = json as unknown as Form;
    const { ParameterGroups } = Metadata['AWS::CloudFormation::Interface'];
    const grouped = ParameterGroups.flatMap((group) => group.Parameters);
    // SSM knows the values of the others.
    const asked = Object.entries(Parameters).filter(([, { Type }]) => !Type.startsWith('AWS::SSM'));
    expect(new Set(grouped)).toEqual(new Set(asked.map(([name]) => name)));
  });

  it('has the steps of a launch in its form, numbered: results first, then the role, then where to look', () => {
    const { Metadata } = json as unknown as Form;
    const steps = Metadata['AWS::CloudFormation::Interface'].ParameterGroups.map(({ Label }) => Label.default);
    expect(steps).toEqual([
      expect.stringMatching(/^1\. .*launch results\.json .*upload folder pgduet-assets/),
      expect.stringMatching(/^2\. Enter your name/),
      expect.stringMatching(/^3\. Choose windows that have just passed/),
      expect.stringMatching(
        /^4\. .*choose an IAM role under Permissions.* the output Status says where to see how far/,
      ),
    ]);
    expect(json.Outputs).toHaveProperty('Status');
    const page = readFileSync(path.join(project, 'docs/first-deploy.md'), 'utf8').replaceAll(/\n *> */g, '\n');
    for (const step of steps) expect(page.replaceAll(/\s+/g, ' ')).toContain(step);
  });

  it('takes the owner as a parameter, and puts it into what must be unique in the account', () => {
    expect(json.Parameters['Owner']).toMatchObject({ AllowedPattern: '^[a-z][a-z0-9]{0,11}$' });
    const names = Object.values(resources('AWS::RDS::DBInstance')).map(({ Properties }) =>
      joined(Properties['DBInstanceIdentifier']),
    );
    expect(names).toEqual(['${Owner}-dlv-pgbench-without-dlv', '${Owner}-dlv-pgbench-with-dlv']);
    expect(joined(resources('AWS::SSM::Parameter')['Binding']?.Properties['Name'])).toContain('/${Owner}/');
  });
});

it.skipIf(process.getuid?.() !== 0)('templates are written to no folder that another user has laid', async () => {
  const workingFolder = temporaryFolder();
  const elsewhere = path.join(workingFolder, 'elsewhere');
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, path.join(workingFolder, 'dist'));
  lchownSync(path.join(workingFolder, 'dist'), nobody.uid, nobody.gid);
  await expect(writePortableTemplate('dlv-pgbench', { workingFolder, environment: {} })).rejects.toThrow(
    'belongs to another user',
  );
  expect(readdirSync(elsewhere)).toEqual([]);
});

it.each([
  ['/proc/templates/dlv', 'Could not create /proc/templates. Choose another folder.'],
  ['/dev/null/templates', '/dev/null/templates goes through /dev/null, which is a device.'],
  ['file/templates', 'which is a file. Correct the path, or name another folder (--out).'],
])('a template that cannot be written to %s is refused, and nothing is left', async (out, message) => {
  const workingFolder = temporaryFolder();
  writeFileSync(path.join(workingFolder, 'file'), '');
  await expect(writePortableTemplate('dlv-pgbench', { out, workingFolder, environment: {} })).rejects.toThrow(message);
  expect(readdirSync(workingFolder)).toEqual(['file']);
});

it('an experiment that others may write becomes a template only by its hash', async () => {
  const workingFolder = temporaryFolder();
  const file = path.join(workingFolder, 'dlv-pgbench.yaml');
  writeFileSync(file, readFileSync(path.join(project, 'experiments/dlv-pgbench.yaml')));
  chmodSync(file, 0o666);
  const written = (trust?: string): Promise<unknown> =>
    writePortableTemplate(file, { trust, workingFolder, environment: {} }).catch(String);
  const refused = String(await written());
  expect(refused).toContain(`${file} can be written by other users`);
  expect(readdirSync(workingFolder)).toEqual(['dlv-pgbench.yaml']);
  vi.mocked(driverProgram).mockRejectedValueOnce(new Error('no program'));
  expect(await written(/--trust ([0-9a-f]{40})$/.exec(refused)?.[1])).toBe('Error: no program');
});

it('a template that cannot be made leaves none of the folders that it would be in', async () => {
  const workingFolder = temporaryFolder();
  vi.mocked(driverProgram).mockRejectedValueOnce(new Error('no program'));
  await expect(writePortableTemplate('dlv-pgbench', { workingFolder, environment: {} })).rejects.toThrow('no program');
  expect(readdirSync(workingFolder)).toEqual([]);
});
