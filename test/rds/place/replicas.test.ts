import { fileURLToPath } from 'node:url';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, it } from 'vitest';
import type { Binding } from '../../../runner/rds/contract/binding.ts';
import type { Experiment } from '../../../runner/contract/experiment/schema.ts';
import { openDeployedPlace } from '../../../runner/rds/place/deployed-place.ts';
import { matchVariants } from '../../../runner/rds/place/database-access.ts';
import { targetAt } from '../../../runner/places/place.ts';
import { fakeAws, jsonAnswer, xmlAnswer } from '../../helpers/fakes/fake-aws.ts';
import { boundInstance, fakeClock, fakeRds, rdsInstance, sampleBinding } from '../../helpers/fakes/fake-rds.ts';
import { recordSample } from '../../helpers/samples/sample-result.ts';

const binding: Binding = sampleBinding({
  a: { ...boundInstance({ dedicatedLogVolume: false }), identifier: ['alice-a-1', 'alice-a-2'] },
  b: { ...boundInstance(), identifier: ['alice-b-1', 'alice-b-2'] },
});

async function open(calls: string[], anew = '') {
  const rds = fakeRds(({ action, input }) => {
    const identifier = String(input['DBInstanceIdentifier'] ?? input['SourceIdentifier']);
    calls.push(`${action} ${identifier}`);
    if (action !== 'DescribeDBInstances') return xmlAnswer(action, {});
    const looks = calls.filter((call) => call === `${action} ${identifier}`).length;
    const instance = rdsInstance({
      DBInstanceIdentifier: identifier,
      DbiResourceId: `db-${identifier}${identifier === anew && looks > 1 ? '-anew' : ''}`,
      DedicatedLogVolume: identifier.startsWith('alice-b'),
      Endpoint: { Address: `${identifier}.rds.amazonaws.com`, Port: 5432 },
    });
    return xmlAnswer(action, { DBInstances: [instance] });
  });
  return openDeployedPlace({
    parameters: new Map(),
    ...fakeClock(),
    binding,
    rds: rds.client,
    secrets: new SecretsManagerClient(
      fakeAws(() => jsonAnswer({ SecretString: JSON.stringify({ username: 'pgduet', password: 'hush' }) })).options,
    ),
    certificates: fileURLToPath(import.meta.url),
    say: () => undefined,
    signal: new AbortController().signal,
    probe: () => Promise.resolve(null),
  });
}

describe('a place with several servers of each variant', () => {
  const { signal } = new AbortController();

  it('finds the server of a trial by its conditions', async () => {
    const place = await open([]);
    expect([...place.targets.keys()]).toEqual(['a-1', 'a-2', 'b-1', 'b-2']);
    const target = targetAt(place, { variant: 'b', replica: 2, clients: 16 });
    expect(target).toMatchObject({ server: 'b-2', host: 'alice-b-2.rds.amazonaws.com' });
    expect(() => targetAt(place, { variant: 'b' })).toThrow('no target for b');
    await place.close({ keep: false });
  });

  it('waits for all of them before a trial, and proves the one that is measured', async () => {
    const calls: string[] = [];
    const place = await open(calls);
    calls.length = 0;
    await place.activateOnly(['b-2'], signal);
    expect(calls.map((call) => call.split(' ')[1]).sort()).toEqual([
      'alice-a-1',
      'alice-a-2',
      'alice-b-1',
      'alice-b-2',
      'alice-b-2',
    ]);
    await place.eventsBetween?.({ conditions: { variant: 'a', replica: 2 } }, new Date(0), new Date(1));
    expect(calls.at(-1)).toBe('DescribeEvents alice-a-2');
    await place.close({ keep: false });
  });

  it('refuses the one that was made anew, by its name', async () => {
    const place = await open([], 'alice-b-2');
    await place.activateOnly(['b-1'], signal);
    await expect(place.activateOnly(['b-2'], signal)).rejects.toThrow('Variant b-2 was replaced');
    await place.close({ keep: false });
  });
});

describe('an experiment', () => {
  const { definition } = recordSample({ variants: { a: 1, b: 1 } }).run.experiment;
  const withReplicas = (replicas: number): Experiment => ({
    ...definition,
    name: 'dlv',
    protocol: { ...definition.protocol, replicas },
  });

  it('runs on a stack with as many servers of each variant as it has replicas', () => {
    expect(() => matchVariants(binding, withReplicas(2))).not.toThrow();
    const single = sampleBinding({ a: boundInstance(), b: boundInstance() });
    expect(() => matchVariants(single, withReplicas(1))).not.toThrow();
  });

  it('is refused on one with another number', () => {
    expect(() => matchVariants(binding, withReplicas(3))).toThrow(
      'The stack pgduet-dlv-alice has the variants a-1, a-2, b-1, b-2 of dlv, but the experiment is dlv with a-1, a-2, a-3, b-1, b-2, b-3. Deploy it again, or go back to the file and the profile that were deployed.',
    );
    expect(() => matchVariants(binding, withReplicas(1))).toThrow('the experiment is dlv with a, b.');
  });
});
