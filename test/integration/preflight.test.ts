import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { withConnection } from '../../runner/postgres/connect.ts';
import { preflight } from '../../runner/rds/driver/preflight.ts';
import type { Binding } from '../../runner/rds/contract/binding.ts';
import type { PreflightObject } from '../../runner/contract/probes.ts';
import { fakeStack } from '../helpers/fakes/fake-stack.ts';
import {
  type FakeAnswer,
  fakeAws,
  jsonAnswer,
  jsonError,
  s3Error,
  xmlAnswer,
  xmlError,
} from '../helpers/fakes/fake-aws.ts';
import { boundInstance, fakeClock, fakeRds, rdsInstance, sampleBinding } from '../helpers/fakes/fake-rds.ts';
import { startTlsCluster, type TlsCluster } from '../helpers/servers/tls-cluster.ts';

let cluster: TlsCluster;
let experimentFile: string;

beforeAll(async () => {
  cluster = await startTlsCluster();
  experimentFile = path.join(cluster.folder, 'dlv.yaml');
  const variant = {};
  writeFileSync(
    experimentFile,
    stringify({
      name: 'dlv',
      question: 'Is it reachable?',
      common: {
        class: 'db.r6g.large',
        storage: { type: 'io2', sizeGib: 200, iops: 3000 },
        dedicatedLogVolume: true,
        engine: { version: cluster.version },
      },
      variants: { 'with-dlv': variant, without: variant },
      baseline: 'without',
      workload: { tool: 'pgbench', scale: 1, clients: 2, durationSeconds: 2 },
    }),
  );
});
afterAll(() => cluster.remove());

interface Situation {
  host?: string;
  certificates?: string;
  secret?: FakeAnswer;
  s3?: FakeAnswer;
  clockAheadSeconds?: number;
  binding?: Partial<Binding>;
  /** What RDS says about the instance. */
  instance?: object;
  /** What RDS answers to a modification. @default success */
  modified?: FakeAnswer;
  /** Whether the databases are still to be made. */
  withoutDatabases?: boolean;
  /** The stack's role; empty for none. */
  role?: string;
  /** Whether the stack has termination protection. */
  isProtected?: boolean;
}

async function carryOut(situation: Situation = {}): Promise<{ problems: string[]; saved: PreflightObject[] }> {
  const { host = 'localhost', clockAheadSeconds = 0 } = situation;
  const endpoint = { Endpoint: { Address: host, Port: cluster.target.port } };
  const instance = boundInstance({ engineVersion: cluster.version });
  const binding = { ...sampleBinding({ 'with-dlv': instance, without: instance }), ...situation.binding };
  const secret = JSON.stringify({ username: cluster.target.user, password: cluster.password });
  const s3 = fakeAws(() => situation.s3 ?? { body: '{}' });
  const instanceSeen = rdsInstance({ ...endpoint, EngineVersion: cluster.version, ...situation.instance });
  const outcomes = await preflight({
    ...fakeClock(),
    databases: !situation.withoutDatabases,
    now: () => new Date(Date.now() + clockAheadSeconds * 1000),
    binding: {
      ...binding,
      experiment: { ...binding.experiment, file: experimentFile, ...situation.binding?.experiment },
    },
    rds: fakeRds(({ action }) => {
      if (action === 'ModifyDBInstance') return situation.modified ?? xmlAnswer(action, {});
      return xmlAnswer(action, action === 'DescribeDBInstances' ? { DBInstances: [instanceSeen] } : {});
    }).client,
    secrets: new SecretsManagerClient(fakeAws(() => situation.secret ?? jsonAnswer({ SecretString: secret })).options),
    s3: new S3Client(s3.options),
    cloudFormation: fakeStack(undefined, situation.role, situation.isProtected),
    certificates: situation.certificates ?? cluster.authority,
    pgBindir: cluster.programs,
    environment: {},
    say: () => undefined,
    report: () => undefined,
    signal: new AbortController().signal,
  });
  return {
    problems: outcomes.flatMap((outcome) => outcome.problems),
    saved: s3.requests
      .filter(({ method }) => method === 'PUT')
      .map(({ body }) => JSON.parse(body.toString()) as PreflightObject),
  };
}

describe('the pre-flight, against a real server', () => {
  it('refuses a run that its stack would not outlive', async () => {
    const { problems } = await carryOut({ binding: { lifetimeHours: 0.01 } });
    expect(problems).toEqual([expect.stringMatching(/^Rejected: expiry\.hours is 0\.01, .* expected to take \d/)]);
  });

  it('refuses a run for which too little of its dollars is left, with the sum', async () => {
    const file = path.join(cluster.folder, 'limited', path.basename(experimentFile));
    mkdirSync(path.dirname(file));
    writeFileSync(file, `${readFileSync(experimentFile, 'utf8')}limits: { dollars: 5 }\n`);
    // An hour, of which RDS took half to create the databases.
    const instance = { InstanceCreateTime: new Date(Date.now() - 1_800_000).toISOString() };
    const binding = { experiment: { name: 'dlv', profile: 'full', file } };
    expect((await carryOut({ binding, instance })).problems).toEqual([]);
    const earlier = { InstanceCreateTime: new Date(Date.now() - 10 * 3_600_000).toISOString() };
    const { problems } = await carryOut({ binding, instance: earlier });
    expect(problems).toEqual([
      expect.stringMatching(/^Rejected: limits\.dollars is 5: the stack has cost \d+\.\d\d dollars so far, /),
    ]);
  });

  it('refuses a crossover whose driver may not exchange the log volumes, wherever an earlier run left these', async () => {
    const file = path.join(cluster.folder, 'crossover', path.basename(experimentFile));
    mkdirSync(path.dirname(file));
    const text = readFileSync(experimentFile, 'utf8').replace(/without: .*/, 'without: { dedicatedLogVolume: false }');
    writeFileSync(file, `${text}protocol: { blocks: 6, crossover: { exchanges: 1 } }\n`);
    const crossover = {
      binding: { experiment: { name: 'dlv', profile: 'full', file } },
      instance: { DedicatedLogVolume: false },
    };
    expect((await carryOut(crossover)).problems).toEqual([]);
    const modified = xmlError('AccessDenied', 'not authorized to perform: rds:ModifyDBInstance', 403);
    const refused = 'rds:ModifyDBInstance of alice-dlv-with-dlv was denied: not authorized';
    expect((await carryOut({ ...crossover, modified })).problems).toEqual([
      expect.stringContaining(refused),
      expect.stringContaining(refused),
    ]);
  });

  it('refuses a stack without a role, which could not delete itself, unless it is not to do so', async () => {
    const { problems } = await carryOut({ role: '' });
    expect(problems).toEqual([
      expect.stringMatching(/^The stack .* was launched without an IAM role, .* Delete it now\./),
    ]);
    expect((await carryOut({ role: '', binding: { whenDone: 'keep', lifetimeHours: null } })).problems).toEqual([]);
  });

  it('refuses a stack with termination protection, which could not delete itself, unless it is not to do so', async () => {
    const { problems } = await carryOut({ isProtected: true });
    expect(problems).toEqual([expect.stringMatching(/^The stack .* has termination protection, so it cannot /)]);
    const kept = { whenDone: 'keep', lifetimeHours: null } as const;
    expect((await carryOut({ isProtected: true, binding: kept })).problems).toEqual([]);
  });

  it('checks everything that needs no database before there are any, the load generator included', async () => {
    const { problems, saved } = await carryOut({ withoutDatabases: true });
    expect(problems).toEqual([]);
    const names = saved[1]?.outcomes.map(({ name }) => name);
    expect(names).toEqual([
      'experiment',
      'limits',
      'stack',
      'pgbench and psql',
      'tool',
      'certificates',
      'results',
      'password',
    ]);
    expect(saved[1]?.outcomes.find(({ name }) => name === 'tool')?.detail).toMatch(/^pgbench \(PostgreSQL\)/);
  });

  it('passes by TLS whose certificate and name are verified, and leaves what it found beside the results', async () => {
    const { problems, saved } = await carryOut();
    expect(problems).toEqual([]);
    expect(saved).toHaveLength(2);
    expect(saved[1]?.endedAt).not.toBeNull();
    const found = new Map(saved[1]?.outcomes.map(({ name, detail }) => [name, detail]));
    expect(found.get('connection to with-dlv')).toMatch(/^TLSv1\.[23], PostgreSQL \d+/);
    expect(found.get('parameters of with-dlv')).toBe(`PostgreSQL ${cluster.version}, 6 parameters in force`);
    expect(found.get('results')).toBe('s3://results-bucket/dlv/alice/0a1b/');
  });

  it('fails with another authority, for pgbench and for the runner', async () => {
    const { problems } = await carryOut({ certificates: cluster.otherAuthority });
    expect(problems.filter((problem) => problem.includes('with-dlv'))).toEqual([
      expect.stringMatching(/^Connection to with-dlv: psql: .*certificate verify failed/),
      expect.stringMatching(/^Connection to with-dlv: the runner: .*certificate/),
    ]);
  });

  it('fails when the certificate is for another name', async () => {
    const { problems } = await carryOut({ host: '127.0.0.1' });
    expect(problems.filter((problem) => problem.includes('with-dlv'))).toEqual([
      expect.stringMatching(/psql: .*does not match host name "127\.0\.0\.1"/),
      expect.stringMatching(/the runner: .*(does not match|altnames)/),
    ]);
  });

  it('fails with the wrong password, and does not show it', async () => {
    const secret = jsonAnswer({ SecretString: JSON.stringify({ username: 'postgres', password: 'not-this-one' }) });
    const { problems } = await carryOut({ secret });
    expect(problems[0]).toMatch(/password authentication failed for user "postgres"/);
    expect(problems.join()).not.toContain('not-this-one');
  });

  it('finds the secret and the bucket both refused in one go', async () => {
    const { problems, saved } = await carryOut({
      secret: jsonError('AccessDeniedException', 'not authorized to perform: secretsmanager:GetSecretValue'),
      s3: s3Error('AccessDenied', 'not authorized to perform: s3:PutObject', 403),
    });
    expect(problems).toEqual([
      expect.stringMatching(
        /^s3:PutObject of s3:\/\/results-bucket\/dlv\/alice\/0a1b\/driver\/preflight\.json was denied: /,
      ),
      expect.stringMatching(/^secretsmanager:GetSecretValue of arn:.* was denied: /),
    ]);
    expect(saved).toHaveLength(1);
  });

  it('fails when our clock is not the server’s', async () => {
    const { problems } = await carryOut({ clockAheadSeconds: 30 });
    expect(problems[0]).toMatch(/this machine's clock is 30\.\d s ahead of the server's/);
  });

  it('fails when a parameter is not in force, by its name, with the value asked for and the one found', async () => {
    await withConnection(cluster.target, async (client) => {
      await client.query("ALTER SYSTEM SET checkpoint_timeout = '60s'");
      await client.query('SELECT pg_reload_conf()');
    });
    try {
      await expect
        .poll(async () => (await carryOut()).problems)
        .toContain('with-dlv: parameter checkpoint_timeout is 60 (s), but should be 300.');
    } finally {
      await withConnection(cluster.target, async (client) => {
        await client.query('ALTER SYSTEM RESET checkpoint_timeout');
        await client.query('SELECT pg_reload_conf()');
      });
    }
  });

  it('fails when RDS plans a backup in the run', async () => {
    const clock = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16);
    const { problems } = await carryOut({ instance: { PreferredBackupWindow: `${clock(-1)}-${clock(29)}` } });
    expect(problems).toContainEqual(expect.stringMatching(/^Variant with-dlv: its backup window .* during the run/));
  });
});
