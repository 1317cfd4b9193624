import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dlv, encryption, examine, notesOf, option, problems } from '../helpers/fakes/fake-account.ts';
import { jsonAnswer, jsonError, s3Error } from '../helpers/fakes/fake-aws.ts';

const bucket = 'GET /cdk-hnb659fds-assets-123456789012-us-east-1/?encryption=';

describe('what runs in an account already', () => {
  it('counts against the vCPUs that it may run', async () => {
    const running = ['m5.4xlarge', 'm5.4xlarge', 'p4d.24xlarge'];
    expect(await problems({ vcpuQuota: 48, running })).toEqual([]);
    expect(await problems({ vcpuQuota: 47, running })).toEqual([
      expect.stringContaining(
        'The driver r5.4xlarge has 16 vCPUs. The account may run 47 of this kind, and already runs 32. Ask for 48 of L-1216C47A',
      ),
    ]);
  });

  it('counts against the VPCs that it may have', async () => {
    expect(await problems({ vpcs: 4 })).toEqual([]);
    expect(await problems({ vpcs: 5 })).toEqual([
      expect.stringContaining(
        'The account has 5 VPCs in this Region and may have 5, but the stack makes one more. Ask for 6',
      ),
    ]);
  });

  it('counts for nothing if it is this experiment', async () => {
    const answers = { GetParameter: jsonAnswer({ Parameter: { Value: '28' } }) };
    expect(await problems({ vpcs: 5, vcpuQuota: 16, running: ['r5.4xlarge'], answers })).toEqual([]);
  });
});

describe('GuardDuty', () => {
  const detector = (status: string, management: string) => ({
    'GET /detector': jsonAnswer({ detectorIds: ['abc'] }),
    'GET /detector/abc': jsonAnswer({
      status: 'ENABLED',
      features: [
        {
          name: 'RUNTIME_MONITORING',
          status,
          additionalConfiguration: [{ name: 'EC2_AGENT_MANAGEMENT', status: management }],
        },
      ],
    }),
  });

  it('is told of where it puts agents on instances, since its endpoint could keep the VPC', async () => {
    const answers = detector('ENABLED', 'ENABLED');
    expect(await problems({ answers })).toEqual([]);
    expect(await notesOf('GuardDuty', { answers })).toEqual([expect.stringContaining('GuardDutyManaged=false')]);
  });

  it('is of no matter without Runtime Monitoring, without agents by itself, or where it is not in use', async () => {
    expect(await notesOf('GuardDuty', { answers: detector('DISABLED', 'ENABLED') })).toEqual([]);
    expect(await notesOf('GuardDuty', { answers: detector('ENABLED', 'DISABLED') })).toEqual([]);
    expect(await notesOf('GuardDuty')).toEqual([]);
  });

  it('may be hidden from whoever deploys', async () => {
    const answers = { 'GET /detector': jsonError('AccessDeniedException', 'not authorized', 403) };
    expect(await problems({ answers })).toEqual([]);
    expect(await notesOf('GuardDuty', { answers })).toEqual([
      'This could not be checked: guardduty:ListDetectors of this Region was refused: not authorized.',
    ]);
  });
});

describe('the bootstrap bucket', () => {
  const key = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd';

  it.each([key, '1234abcd'])('with a key of the account (%s) needs a word at the deploy', async (id) => {
    const rule = `<SSEAlgorithm>aws:kms</SSEAlgorithm><KMSMasterKeyID>${id}</KMSMasterKeyID>`;
    expect(await notesOf('bootstrap bucket', { answers: { [bucket]: encryption(rule) } })).toEqual([
      expect.stringContaining(`deploy with: -c assetKey=${key}`),
    ]);
  });

  it('without any encryption of its own needs nothing', async () => {
    const none = s3Error('ServerSideEncryptionConfigurationNotFoundError', 'not found', 404);
    expect(await problems({ answers: { [bucket]: none } })).toEqual([]);
    expect(await notesOf('bootstrap bucket', { answers: { [bucket]: none } })).toEqual([]);
  });

  it('with a key of S3 needs nothing, and may be hidden', async () => {
    expect(await notesOf('bootstrap bucket')).toEqual([]);
    const answers = { [bucket]: s3Error('AccessDenied', 'Access Denied', 403) };
    expect(await problems({ answers })).toEqual([]);
    expect(await notesOf('bootstrap bucket', { answers })).toHaveLength(1);
  });
});

describe('what a class carries', () => {
  it('is asked of EC2, and compared with what is provisioned for data and log volume', async () => {
    expect(await notesOf('variant with-dlv', { ebs: { most: 12_000, baseline: 12_000 } })).toEqual([
      'variants.with-dlv: 10000 for data and 3000 for the log volume are more IOPS than db.r5.16xlarge supports (12000), so the class limits what is measured.',
    ]);
    expect(await notesOf('variant without-dlv', { ebs: { most: 12_000, baseline: 12_000 } })).toEqual([]);
  });

  it('is less for most of the day on smaller classes', async () => {
    expect(await notesOf('variant without-dlv', { ebs: { most: 20_000, baseline: 6000 } })).toEqual([
      expect.stringContaining('supports 10000 IOPS for only half an hour a day, and 6000 for the rest'),
    ]);
  });
});

describe('the certificate authority of a Region', () => {
  it('is asked for where the driver would not know it', async () => {
    const [found] = await problems({}, dlv(), { certificates: [] });
    expect(found).toContain('The driver does not know the certificate authority rds-ca-rsa2048-g1 of us-east-1');
    expect(found).toContain('https://truststore.pki.rds.amazonaws.com/us-east-1/us-east-1-bundle.pem');
    expect(found).toContain('certificates/');
  });
});

describe('prices', () => {
  const question = { pricesNotKnown: () => Promise.resolve(['driver: r5.4xlarge']) };

  it('that are not known are an obstacle only where dollars are limited', async () => {
    const { limits } = dlv();
    const without = { ...limits, dollars: undefined };
    expect(await problems({}, dlv({ limits: { ...limits, dollars: 100 } }), question)).toEqual([
      expect.stringContaining('pgduet cannot enforce limits.dollars'),
    ]);
    expect(await problems({}, dlv({ limits: without }), question)).toEqual([]);
    expect(await notesOf('prices', {}, dlv({ limits: without }), question)).toEqual([
      'No price is known in us-east-1 for driver: r5.4xlarge.',
    ]);
  });
});

describe('programs for later', () => {
  it('are named with their use if they are not there', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pgduet-programs-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(path.join(folder, 'aws'), '');
    chmodSync(path.join(folder, 'aws'), 0o755);
    const notes = await notesOf('programs', {}, dlv(), { environment: { PATH: folder } });
    expect(notes).toEqual([expect.stringContaining('session-manager-plugin is not on the PATH')]);
  });
});

describe('every check', () => {
  it('passes with something to say', async () => {
    const outcomes = await examine({ options: [option] });
    expect(outcomes.map(({ name }) => name)).toEqual([
      ...[
        'programs',
        'scripts and options of the load',
        'Region',
        'credentials',
        'cdk bootstrap',
        'results stack',
        'already deployed',
      ],
      ...['bootstrap bucket', 'variant without-dlv', 'variant with-dlv', 'driver', 'zone'],
      ...['EC2 quota', 'VPC quota', 'RDS quotas', 'certificate authority', 'GuardDuty', 'prices'],
    ]);
    expect(outcomes.filter(({ detail }) => detail === '')).toEqual([]);
    expect(outcomes.find(({ name }) => name === 'zone')?.detail).toBe('us-east-1a (use1-az1)');
  });
});
