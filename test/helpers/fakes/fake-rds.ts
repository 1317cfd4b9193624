import { RDSClient } from '@aws-sdk/client-rds';
import type { Binding, ServerBinding } from '../../../runner/rds/contract/binding.ts';
import type { Clock } from '../../../runner/rds/place/await-database.ts';
import { type FakeAnswer, type FakeAws, fakeAws, type FakeRequest, xmlAnswer, xmlError } from './fake-aws.ts';

/** What RDS shows of an instance that is as the binding of `boundInstance` wants it. */
export function rdsInstance(changes: object = {}): Record<string, unknown> {
  return {
    DBInstanceIdentifier: 'alice-dlv-with-dlv',
    DbiResourceId: 'db-ABCDEFGHIJKL',
    DBInstanceStatus: 'available',
    DBInstanceClass: 'db.r6g.large',
    Engine: 'postgres',
    EngineVersion: '16.15',
    Endpoint: { Address: 'alice-dlv-with-dlv.abc.us-east-1.rds.amazonaws.com', Port: 5432 },
    StorageType: 'io2',
    AllocatedStorage: 200,
    Iops: 3000,
    DedicatedLogVolume: true,
    MultiAZ: false,
    AvailabilityZone: 'us-east-1b',
    DBParameterGroups: [{ DBParameterGroupName: 'alice-group', ParameterApplyStatus: 'in-sync' }],
    PendingModifiedValues: {},
    BackupRetentionPeriod: 1,
    MonitoringInterval: 1,
    ...changes,
  };
}

export function boundInstance(changes: Partial<ServerBinding['expected']> = {}): ServerBinding {
  return {
    kind: 'instance',
    identifier: 'alice-dlv-with-dlv',
    expected: {
      class: 'db.r6g.large',
      engineVersion: '16.15',
      storage: { type: 'io2', sizeGib: 200, iops: 3000, throughputMibps: null },
      dedicatedLogVolume: true,
      multiAz: false,
      availabilityZone: 'us-east-1b',
      parameterGroup: 'Alice-Group',
      backupRetentionDays: 1,
      monitoringIntervalSeconds: 1,
      ...changes,
    },
  };
}

export function sampleBinding(variants: Binding['variants']): Binding {
  return {
    kind: 'pgduet-binding',
    schemaVersion: 1,
    toolVersion: '0.1.0',
    deploy: 'a1b2c3d4e5f6',
    running: 'finish',
    experiment: { name: 'dlv', profile: 'full', file: '/opt/pgduet/experiment/dlv.yaml' },
    owner: 'alice',
    region: 'us-east-1',
    stackName: 'pgduet-dlv-alice',
    stackId: 'arn:aws:cloudformation:us-east-1:123456789012:stack/pgduet-dlv-alice/0a1b',
    results: { bucket: 'results-bucket', prefix: 'dlv/alice/0a1b/' },
    secretArn: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:Master-AbCdEf',
    database: { name: 'pgduet', port: 5432 },
    assets: { runner: 's3://assets/runner.zip', experiment: 's3://assets/experiment.zip' },
    dashboardUrl: 'https://example.com/dashboard',
    lifetimeHours: 24,
    limitDollars: null,
    whenDone: 'destroy',
    graceMinutes: 30,
    variants,
  };
}

export interface FakeRds {
  client: RDSClient;
  aws: FakeAws;
}

/**
 * An RDS that answers DescribeDBInstances with the given descriptions, one after another, and then always with the last
 * one.
 */
export function rdsWithInstance(...sights: (Record<string, unknown> | FakeAnswer | null)[]): FakeRds {
  let look = 0;
  return fakeRds(({ action }) => {
    if (action !== 'DescribeDBInstances') return xmlAnswer(action, {});
    const sight = sights[Math.min(look++, sights.length - 1)] ?? null;
    if (sight === null) return xmlError('DBInstanceNotFound', 'DBInstance alice-dlv-with-dlv not found.', 404);
    return 'body' in sight ? sight : xmlAnswer(action, { DBInstances: [sight] });
  });
}

export function fakeRds(answer: (request: FakeRequest) => FakeAnswer): FakeRds {
  const aws = fakeAws(answer);
  return { client: new RDSClient(aws.options), aws };
}

/** A clock that moves only when somebody pauses. */
export function fakeClock(): Clock & { pauses: number[] } {
  let time = Date.parse('2026-11-21T12:00:00Z');
  const pauses: number[] = [];
  return {
    pauses,
    now: () => new Date(time),
    pause: (seconds, signal) => {
      signal.throwIfAborted();
      pauses.push(seconds);
      time += seconds * 1000;
      return Promise.resolve();
    },
  };
}
