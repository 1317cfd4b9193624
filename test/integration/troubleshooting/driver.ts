import { fileURLToPath } from 'node:url';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SSMClient } from '@aws-sdk/client-ssm';
import { onTestFinished } from 'vitest';
import { openBucket } from '../../../runner/rds/aws/bucket.ts';
import { awaitCreation } from '../../../runner/rds/place/await-creation.ts';
import { openDeployedPlace } from '../../../runner/rds/place/deployed-place.ts';
import { probeConnection, type ConnectionProbe } from '../../../runner/rds/place/await-database.ts';
import { matchVariants } from '../../../runner/rds/place/database-access.ts';
import { requireDeletable } from '../../../runner/rds/place/describe-stack.ts';
import type { Place } from '../../../runner/places/place.ts';
import { requireLoadedBy, type LoadMark } from '../../../runner/postgres/loaded-copy.ts';
import { bucketStore } from '../../../runner/rds/bucket/bucket-store.ts';
import { runFolder } from '../../../runner/storage/run-folder.ts';
import { fakeAws, jsonAnswer, jsonError, s3Error } from '../../helpers/fakes/fake-aws.ts';
import {
  boundInstance,
  fakeClock,
  type FakeRds,
  rdsInstance,
  rdsWithInstance,
  sampleBinding,
} from '../../helpers/fakes/fake-rds.ts';
import { temporaryFolder } from '../../helpers/fakes/fake-run.ts';
import { fakeS3 } from '../../helpers/fakes/fake-s3.ts';
import { examine } from '../../helpers/samples/examined-database.ts';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import { saveSample } from '../../helpers/samples/saved-sample.ts';
import { asCommand, project, type Provocations } from './endings.ts';

const binding = sampleBinding({ 'with-dlv': boundInstance() });
const signal = new AbortController().signal;

export const driver: Provocations = {
  'PGSSLROOTCERT is not set: …': () => asCommand(() => open({ certificates: undefined })),
  'PGSSLROOTCERT is <file>, which does not exist.': () => asCommand(() => open({ certificates: '/nowhere.pem' })),
  'The secret <name> is not JSON with the keys username and password.': () =>
    asCommand(() => open({ secret: 'hunter2' })),
  'The stack <name> has the variants <names> of <experiment>, but the experiment is <experiment> with <names>. …': () =>
    asCommand(() => matchVariants(binding, loadExperiment('dlv-pgbench', { folder: project }).experiment)),
  'The stack <name> was launched without an IAM role, so it cannot delete itself, …': () =>
    asCommand(() => requireDeletable({ hasRole: false, isProtected: false }, binding)),
  'The stack <name> has termination protection, so it cannot delete itself, …': () =>
    asCommand(() => requireDeletable({ hasRole: true, isProtected: true }, binding)),
  'Variant <name> (<identifier>) <difference>.': () =>
    asCommand(() => examine(rdsWithInstance(rdsInstance({ DedicatedLogVolume: false }))).examined),
  'Variant <name> (<identifier>): instance not found. Was the stack changed or destroyed?': () =>
    asCommand(() => examine(rdsWithInstance(null)).examined),
  'Variant <name> (<identifier>) was still not ready after <number> minutes: <state>.': () =>
    asCommand(() => examine(rdsWithInstance(rdsInstance({ DBInstanceStatus: 'creating' }))).examined),
  'CloudFormation had not made the databases after <number> minutes. <states> …': () =>
    asCommand(() =>
      awaitCreation(binding, {
        ...fakeClock(),
        rds: rdsWithInstance(rdsInstance({ DBInstanceStatus: 'creating' })).client,
        ssm: new SSMClient(fakeAws(() => jsonError('ParameterNotFound', 'none')).options),
        limitSeconds: 3600,
        say: () => undefined,
        signal,
      }),
    ),
  'Server <name> at <host>:<port> does not accept connections (<error>). Gave up after <number> minutes.': () =>
    asCommand(() => open({ probe: (target) => probeConnection({ ...target, host: '127.0.0.1', port: 1 }) })),
  'Variant <name> was replaced with a new database after the run began, so its loaded data is gone. …': () =>
    asCommand(async () => {
      const place = await open({ rds: rdsWithInstance(rdsInstance(), rdsInstance({ DbiResourceId: 'db-OTHER' })) });
      await place.activateOnly(['with-dlv'], signal);
    }),
  '<server>: pgduet has not finished loading this database. …': () =>
    asCommand(() => requireLoadedBy(null, 'pgbench', { scale: 10 }, 'with-dlv')),
  '<server> was loaded by <tool> with <size>; this experiment needs <tool> with <size>. …': () => {
    const mark: LoadMark = {
      kind: 'pgduet-load',
      tool: 'pgbench',
      loadedBy: { scale: 10 },
      finishedAt: '2026-11-21T12:00:00Z',
    };
    return asCommand(() => requireLoadedBy(mark, 'pgbench', { scale: 20 }, 'with-dlv'));
  },
  'Not all of the results are in S3. The complete results are in <folder>. <reason>': () => {
    const folder = temporaryFolder();
    const s3 = fakeS3();
    s3.answerWith(() => s3Error('AccessDenied', 'explicit deny', 403));
    const bucket = openBucket(s3.client, { bucket: 'results', prefix: 'dlv/' });
    return asCommand(async () => {
      await saveSample(folder, { blocks: 1 });
      await bucketStore(runFolder(folder, folder), bucket, () => undefined).publish();
    });
  },
};

async function open({
  rds = rdsWithInstance(rdsInstance()),
  secret = JSON.stringify({ username: 'pgduet', password: 'made-up' }),
  ...further
}: {
  rds?: FakeRds;
  secret?: string;
  certificates?: string | undefined;
  probe?: ConnectionProbe;
}): Promise<Place> {
  const place = await openDeployedPlace({
    parameters: new Map(),
    ...fakeClock(),
    binding,
    rds: rds.client,
    secrets: new SecretsManagerClient(fakeAws(() => jsonAnswer({ SecretString: secret })).options),
    certificates: fileURLToPath(import.meta.url),
    say: () => undefined,
    signal,
    probe: () => Promise.resolve(null),
    ...further,
  });
  onTestFinished(() => void place.close({ keep: false }));
  return place;
}
