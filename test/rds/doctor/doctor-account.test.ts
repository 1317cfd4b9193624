import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  dlv,
  encryption,
  examine,
  notesOf,
  option,
  problems,
  withDeployment,
} from '../../helpers/fakes/fake-account.ts';
import { jsonAnswer, jsonError, s3Error } from '../../helpers/fakes/fake-aws.ts';

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

  it.each([
    ['vpcs', 5, 'VPCs', 'L-F678F1CE'],
    ['gatewayEndpoints', 20, 'gateway endpoints', 'L-1B52E74A'],
  ])('counts against the quota of %s', async (what, most, words, code) => {
    expect(await problems({ [what]: most - 1 })).toEqual([]);
    expect(await problems({ [what]: most })).toEqual([
      expect.stringContaining(
        `The account has ${most} ${words} in this Region and may have ${most}, but the stack makes one more. Ask for ${most + 1} of ${code} (vpc) in the Service Quotas console, `,
      ),
    ]);
  });

  it('counts against no gateway endpoints if the network is public', async () => {
    expect(await problems({ gatewayEndpoints: 20 }, dlv({ network: { mode: 'public-driver' } }))).toEqual([]);
  });

  it('counts for nothing if it is this experiment', async () => {
    const answers = {
      GetParameter: jsonAnswer({ Parameter: { Value: '28' } }),
      'GET /28/?encryption=': encryption('<SSEAlgorithm>AES256</SSEAlgorithm>'),
    };
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

describe('the key of the bucket for results', () => {
  const arn = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd';
  const own = encryption(`<SSEAlgorithm>aws:kms</SSEAlgorithm><KMSMasterKeyID>${arn}</KMSMasterKeyID>`);
  const answers = { 'GET /pgduet-results/?encryption=': own };

  it('must be one that the driver may use', async () => {
    expect(await problems({ answers })).toEqual([
      `s3://pgduet-results is encrypted with ${arn}, but the driver could not use this key. Name it in the experiment file: encryption: { resultsKmsKeyArn: '${arn}' }`,
    ]);
    expect(await problems({ answers }, dlv({ encryption: { resultsKmsKeyArn: arn } }))).toEqual([]);
    expect(await problems({ answers }, dlv({ encryption: { kmsKeyArn: arn } }))).toEqual([]);
  });

  it('is told of if it is not the one that the experiment names, and what the policy of that must allow', async () => {
    expect(await notesOf('results key', {}, dlv({ encryption: { kmsKeyArn: arn } }))).toEqual([
      expect.stringContaining(`The policy of ${arn} must allow logs.us-east-1.amazonaws.com`),
      expect.stringContaining(`npx cdk deploy -c stack=results -c resultsKey=${arn}`),
    ]);
    expect(await notesOf('results key')).toEqual([]);
  });

  it('and every other key must be of the Region', async () => {
    const elsewhere = arn.replace('us-east-1', 'eu-west-1');
    expect(await problems({}, dlv({ encryption: { kmsKeyArn: elsewhere } }))).toEqual([
      `encryption.kmsKeyArn is ${elsewhere}, a key of eu-west-1, but the stack is for us-east-1. Name a key of us-east-1, or set AWS_REGION to the key’s Region.`,
    ]);
  });

  it('does not change with a snapshot, which the reader learns', async () => {
    const restored = dlv({ encryption: { kmsKeyArn: arn }, data: { keep: false, snapshot: 'kept' } });
    expect(await notesOf('results key', { answers }, restored)).toContainEqual(
      expect.stringContaining('The databases are restored from kept, and keep its key.'),
    );
  });
});

describe('the parameters of a variant', () => {
  const all = Object.keys(dlv().variants['with-dlv']?.engine.parameters ?? {});
  const known = (changes: Record<string, object | null> = {}) =>
    all.flatMap((ParameterName) => {
      const change = changes[ParameterName];
      return change === null ? [] : [{ ParameterName, IsModifiable: true, ...change }];
    });

  it('are compared with those that RDS knows, before anything is made', async () => {
    expect(await problems({ knownParameters: known() })).toEqual([]);
    const changes = {
      track_wal_io_timing: null,
      wal_compression: { AllowedValues: '0,1' },
      max_wal_size: { AllowedValues: '128-2047' },
      shared_buffers: { IsModifiable: false },
    };
    const found = await problems({ knownParameters: known(changes) });
    expect(found.join('\n').split('\n')).toHaveLength(2 * Object.keys(changes).length);
    expect(found.join('\n')).toContain(
      'track_wal_io_timing is 1: RDS does not know it for this version and deployment',
    );
    expect(found.join('\n')).toContain('wal_compression is zstd: RDS takes 0,1');
    expect(found.join('\n')).toContain('max_wal_size is 2048: RDS takes 128-2047');
    expect(found.join('\n')).toMatch(/shared_buffers is \d+: RDS does not let users set it/);
  });

  it('may have values that RDS computes, ranges with signs and fractions, and lists', async () => {
    const experiment = dlv();
    const parameters = {
      shared_buffers: '{DBInstanceClassMemory/32768}',
      checkpoint_completion_target: '0.9',
      commit_siblings: '-1',
      shared_preload_libraries: 'pg_stat_statements,auto_explain',
    };
    const variants = Object.fromEntries(
      Object.entries(experiment.variants).map(([name, variant]) => [
        name,
        { ...variant, engine: { ...variant.engine, parameters } },
      ]),
    );
    const describe = (list: string) => [
      { ParameterName: 'shared_buffers', AllowedValues: '16-1073741823' },
      { ParameterName: 'checkpoint_completion_target', AllowedValues: '0.0-1.0' },
      { ParameterName: 'commit_siblings', AllowedValues: '-1-1000' },
      { ParameterName: 'shared_preload_libraries', AllowedValues: list, DataType: 'list' },
    ];
    const found = (list: string) => problems({ knownParameters: describe(list) }, { ...experiment, variants });
    expect(await found('auto_explain,pg_stat_statements,pg_cron')).toEqual([]);
    expect((await found('pg_stat_statements')).join()).toContain('shared_preload_libraries is pg_stat_statements,auto');
  });

  it('are asked of the family of clusters for a Multi-AZ cluster, and may be hidden', async () => {
    const answers = { DescribeEngineDefaultParameters: s3Error('AccessDenied', 'Access Denied', 403) };
    expect(await problems({ answers })).toEqual([]);
    expect(await notesOf('parameters of with-dlv', { answers })).toEqual([
      expect.stringContaining('rds:DescribeEngineDefaultParameters of postgres15 was refused'),
    ]);
    expect(await notesOf('parameters of with-dlv', { answers }, withDeployment('multi-az-cluster'))).toEqual([]);
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

describe('the memory of a class', () => {
  it('is asked of EC2, so that a class that pgduet does not know is judged, too', async () => {
    const [variant] = Object.values(dlv().variants);
    if (!variant) throw new Error('a variant');
    const unknown = dlv({ variants: { a: { ...variant, class: 'db.r9g.4xlarge' } } });
    expect(await problems({ memoryGib: 512 }, unknown)).toEqual([]);
    expect(await problems({ memoryGib: 128 }, unknown)).toEqual([
      expect.stringMatching(
        /variants\.a\.engine\.parameters\.shared_buffers: 124\.5 GiB, more than 90% of the 128\.0 GiB of db\.r9g\.4xlarge/,
      ),
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
      ...[
        'bootstrap bucket',
        'results key',
        'variant without-dlv',
        'parameters of without-dlv',
        'variant with-dlv',
        'parameters of with-dlv',
        'driver',
        'zone',
        'endpoints',
      ],
      ...['EC2 quota', 'VPC quota', 'endpoint quota', 'RDS quotas', 'certificate authority', 'GuardDuty', 'prices'],
    ]);
    expect(outcomes.filter(({ detail }) => detail === '')).toEqual([]);
    expect(outcomes.find(({ name }) => name === 'zone')?.detail).toBe(
      'us-east-1a (use1-az1); if it has no capacity, deploy with -c zone=us-east-1b, then -c zone=us-east-1c',
    );
  });
});
