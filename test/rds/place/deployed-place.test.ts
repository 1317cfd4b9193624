import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Place } from '../../../runner/places/place.ts';
import type { ConnectionProbe } from '../../../runner/rds/place/await-database.ts';
import { openDeployedPlace } from '../../../runner/rds/place/deployed-place.ts';
import { type FakeAnswer, fakeAws, jsonAnswer, jsonError } from '../../helpers/fakes/fake-aws.ts';
import {
  boundInstance,
  fakeClock,
  type FakeRds,
  rdsInstance,
  rdsWithInstance,
  sampleBinding,
} from '../../helpers/fakes/fake-rds.ts';

const certificates = fileURLToPath(import.meta.url);
const goodSecret = jsonAnswer({ SecretString: JSON.stringify({ username: 'pgduet', password: 'a:b\\c' }) });

async function open(
  options: {
    rds?: FakeRds;
    secret?: FakeAnswer;
    certificates?: string | undefined;
    variants?: string[];
    probe?: ConnectionProbe;
  } = {},
): Promise<Place> {
  const { rds = rdsWithInstance(rdsInstance()), secret = goodSecret, variants = ['with-dlv'] } = options;
  const place = await openDeployedPlace({
    parameters: new Map(),
    ...fakeClock(),
    binding: sampleBinding(Object.fromEntries(variants.map((name) => [name, boundInstance()]))),
    rds: rds.client,
    secrets: new SecretsManagerClient(fakeAws(() => secret).options),
    certificates: 'certificates' in options ? options.certificates : certificates,
    say: () => undefined,
    signal: new AbortController().signal,
    probe: options.probe ?? (() => Promise.resolve(null)),
  });
  onTestFinished(() => void place.close({ keep: false }));
  return place;
}

describe('deployed variants', () => {
  it('are reached by their endpoint, with certificate and name checked', async () => {
    const target = (await open()).targets.get('with-dlv');
    expect(target).toMatchObject({
      host: 'alice-dlv-with-dlv.abc.us-east-1.rds.amazonaws.com',
      port: 5432,
      user: 'pgduet',
      database: 'pgduet',
      environment: { PGSSLMODE: 'verify-full', PGSSLROOTCERT: certificates },
      deployed: { class: 'db.r6g.large', dedicatedLogVolume: true, availabilityZone: 'us-east-1b' },
    });
  });

  it('have their password in a file for us alone, which goes with the place', async () => {
    const place = await open();
    const file = place.targets.get('with-dlv')?.environment['PGPASSFILE'] ?? '';
    expect(readFileSync(file, 'utf8')).toBe('*:*:*:pgduet:a\\:b\\\\c\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await place.close({ keep: false });
    expect(existsSync(file)).toBe(false);
  });

  it('are refused when the secret may not be read', async () => {
    const secret = jsonError('AccessDeniedException', 'User: driver is not authorized to perform: GetSecretValue');
    await expect(open({ secret })).rejects.toThrow(
      /secretsmanager:GetSecretValue of arn:aws:secretsmanager:.* was denied: User: driver is not authorized/,
    );
  });

  it('wait for another start when the secret is throttled', async () => {
    const secret = jsonError('ThrottlingException', 'Rate exceeded');
    await expect(open({ secret })).rejects.toMatchObject({
      message: expect.stringMatching(/secretsmanager:GetSecretValue of .* was throttled/) as string,
      isTransient: true,
    });
  });

  it('are refused when the secret is no user and password, and none of it is shown', async () => {
    const error = await open({ secret: jsonAnswer({ SecretString: '{"password":"hush"}' }) }).catch((e: unknown) => e);
    expect(error).toHaveProperty('message', expect.stringMatching(/is not JSON with the keys username and password/));
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('hush');
  });

  it('are refused without certificates, never reached with less', async () => {
    await expect(open({ certificates: undefined })).rejects.toThrow(/PGSSLROOTCERT is not set/);
    await expect(open({ certificates: '/nowhere.pem' })).rejects.toThrow(
      'PGSSLROOTCERT is /nowhere.pem, which does not',
    );
  });

  it('are refused with the problems of all of them', async () => {
    const rds = rdsWithInstance(rdsInstance({ DedicatedLogVolume: false }));
    const message = await open({ rds, variants: ['a', 'b'] }).then(
      () => '',
      (error: unknown) => (error as Error).message,
    );
    expect(message.split('\n')).toHaveLength(2);
  });

  it('are waited for until they accept connections, when opened and before a trial', async () => {
    const answers = ['It starts.', 'Its address leads to a standby.', null, 'It starts.', null];
    const place = await open({ probe: () => Promise.resolve(answers.shift() ?? null) });
    expect(answers).toHaveLength(2);
    await place.activateOnly(['with-dlv'], new AbortController().signal);
    expect(answers).toEqual([]);
  });

  it('that accept no connections are an error that may pass, and leave no password', async () => {
    const error = await open({ probe: () => Promise.resolve('It does not accept connections.') }).catch(
      (e: unknown) => e,
    );
    expect(error).toMatchObject({
      message: 'It does not accept connections. Gave up after 5 minutes.',
      isTransient: true,
    });
  });

  it('are waited for before a trial, when one restarts', async () => {
    const rds = rdsWithInstance(rdsInstance(), rdsInstance({ DBInstanceStatus: 'rebooting' }), rdsInstance());
    const place = await open({ rds });
    await place.activateOnly([], new AbortController().signal);
    expect(rds.aws.requests).toHaveLength(3);
  });

  it('fail their trial when they are no longer what they were', async () => {
    const changed = await open({ rds: rdsWithInstance(rdsInstance(), rdsInstance({ Iops: 1000 })) });
    await expect(changed.activateOnly(['with-dlv'], new AbortController().signal)).rejects.toThrow(/has IOPS 1000/);
    const anew = await open({ rds: rdsWithInstance(rdsInstance(), rdsInstance({ DbiResourceId: 'db-OTHER' })) });
    await expect(anew.activateOnly(['with-dlv'], new AbortController().signal)).rejects.toThrow(
      /was replaced with a new database/,
    );
  });
});
