import { fileURLToPath } from 'node:url';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Target, throughPooler } from '../../../runner/postgres/target.ts';
import type { ConnectionProbe } from '../../../runner/rds/place/await-database.ts';
import { openDeployedPlace } from '../../../runner/rds/place/deployed-place.ts';
import { fakeAws, jsonAnswer } from '../../helpers/fakes/fake-aws.ts';
import { boundProxied, proxyEndpoint, rdsWithProxy } from '../../helpers/fakes/fake-proxy.ts';
import { boundInstance, fakeClock, sampleBinding } from '../../helpers/fakes/fake-rds.ts';
import { examine } from '../../helpers/samples/examined-database.ts';

const certificates = fileURLToPath(import.meta.url);
const binding = boundProxied;

describe('a database that a deploy put behind RDS Proxy', () => {
  it('is as asked if its proxy is, and records the share of connections', async () => {
    const { state, proxy, caveats } = await examine(rdsWithProxy({}), { binding }).examined;
    expect(proxy).toEqual({
      status: 'available',
      endpoint: proxyEndpoint,
      requiresTls: true,
      maxConnectionsPercent: 50,
      target: { state: 'AVAILABLE', reason: null },
    });
    expect(state.database).toMatchObject({ pooler: { maxConnectionsPercent: 50 } });
    expect(caveats).toHaveLength(1);
  });

  it('is waited for until the proxy is made and reaches it', async () => {
    const health = (State: string, Reason?: string): object => ({
      target: { TargetHealth: { State, ...(Reason !== undefined && { Reason }) } },
    });
    const rds = rdsWithProxy(
      { proxy: { Status: 'creating' } },
      health('REGISTERING'),
      health('UNAVAILABLE', 'PENDING_PROXY_CAPACITY'),
      {},
    );
    const { examined, pauses, printed } = examine(rds, { binding });
    await examined;
    expect(pauses).toHaveLength(3);
    expect(printed.map((line) => /\w+( \(\w+\))?$/.exec(line)?.[0])).toEqual([
      'creating',
      'REGISTERING',
      'UNAVAILABLE (PENDING_PROXY_CAPACITY)',
    ]);
  });

  it.each([
    ['the proxy is gone', { proxy: null }, /does not exist/],
    ['the proxy is suspended', { proxy: { Status: 'suspended' } }, /is suspended/],
    ['the proxy has another database', { target: { RdsResourceId: 'other' } }, /as its target/],
    ['the proxy may have more connections', { percent: 100 }, /100 instead of 50/],
    ['the proxy lets clients in without TLS', { proxy: { RequireTLS: false } }, /without TLS/],
    [
      'the proxy cannot log in for all of the time',
      { target: { TargetHealth: { State: 'UNAVAILABLE', Reason: 'AUTH_FAILURE' } } },
      /AUTH_FAILURE/,
    ],
  ])('is refused if %s', async (_, sight, message) => {
    await expect(examine(rdsWithProxy(sight), { binding }).examined).rejects.toThrow(message);
  });

  it('is not asked about a proxy if none was made', async () => {
    const rds = rdsWithProxy({});
    await examine(rds, { binding: boundInstance() }).examined;
    expect(rds.aws.requests.map(({ action }) => action)).not.toContain('DescribeDBProxies');
  });
});

describe('the load on a variant behind RDS Proxy', () => {
  async function open(probed: Target[]) {
    const probe: ConnectionProbe = (target) => {
      probed.push(target);
      return Promise.resolve(null);
    };
    const secret = jsonAnswer({ SecretString: JSON.stringify({ username: 'pgduet', password: 'secret' }) });
    const place = await openDeployedPlace({
      parameters: new Map(),
      ...fakeClock(),
      binding: sampleBinding({ 'with-dlv': boundProxied }),
      rds: rdsWithProxy({}).client,
      secrets: new SecretsManagerClient(fakeAws(() => secret).options),
      certificates,
      say: () => undefined,
      signal: new AbortController().signal,
      probe,
      connections: () => Promise.resolve(201),
    });
    onTestFinished(() => void place.close({ keep: false }));
    const target = place.targets.get('with-dlv');
    if (!target) throw new Error('no target');
    return target;
  }

  it('goes to the proxy with certificate and name checked, and everything else to the database', async () => {
    const probed: Target[] = [];
    const target = await open(probed);
    const load = throughPooler(target);
    expect([target.host, load.host]).toEqual(['alice-dlv-with-dlv.abc.us-east-1.rds.amazonaws.com', proxyEndpoint]);
    expect(load.environment).toEqual({
      PGPASSFILE: target.environment['PGPASSFILE'],
      PGSSLMODE: 'verify-full',
      PGSSLROOTCERT: certificates,
    });
    // Both were seen to accept connections.
    expect(probed.map(({ host }) => host)).toEqual([target.host, load.host]);
  });

  it('sends no options of a session, which RDS Proxy would refuse', async () => {
    const target = await open([]);
    expect(target.environment).toHaveProperty('PGOPTIONS');
    expect(throughPooler(target).environment).not.toHaveProperty('PGOPTIONS');
  });

  it('has its share of the connections that the server allows', async () => {
    expect((await open([])).pooler?.size).toBe(100);
  });
});
