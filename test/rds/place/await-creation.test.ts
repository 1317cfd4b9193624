import { SSMClient } from '@aws-sdk/client-ssm';
import { describe, expect, it } from 'vitest';
import { awaitCreation } from '../../../runner/rds/place/await-creation.ts';
import { type FakeAnswer, fakeAws, jsonAnswer, jsonError, xmlAnswer, xmlError } from '../../helpers/fakes/fake-aws.ts';
import { boundInstance, fakeClock, fakeRds, rdsInstance, sampleBinding } from '../../helpers/fakes/fake-rds.ts';

const [first, second] = ['alice-dlv-a', 'alice-dlv-b'] as const;
const binding = sampleBinding({
  a: { ...boundInstance(), identifier: first },
  b: { ...boundInstance(), identifier: second },
});
const deploy = jsonAnswer({ Parameter: { Value: binding.deploy } });
const none = jsonError('ParameterNotFound', 'none');

/**
 * Watches two databases whose statuses are those of the given minutes; undefined for none.
 *
 * @param parameter what SSM answers in a minute
 */
async function watch(
  statuses: (minute: number) => Record<typeof first | typeof second, string | undefined>,
  parameter: (minute: number) => FakeAnswer = () => none,
): Promise<{ error: string; minutes: number; printed: string[] }> {
  const clock = fakeClock();
  const startedAt = clock.now().getTime();
  const minutes = (): number => (clock.now().getTime() - startedAt) / 60_000;
  const rds = fakeRds(({ action, input }) => {
    const identifier = input['DBInstanceIdentifier'] as typeof first;
    const status = statuses(minutes())[identifier];
    if (status === undefined) return xmlError('DBInstanceNotFound', 'none', 404);
    const instance = rdsInstance({ DBInstanceIdentifier: identifier, DBInstanceStatus: status });
    return xmlAnswer(action, { DBInstances: [instance] });
  });
  const printed: string[] = [];
  const ended = awaitCreation(binding, {
    ...clock,
    rds: rds.client,
    ssm: new SSMClient(fakeAws(() => parameter(minutes())).options),
    signal: new AbortController().signal,
    limitSeconds: 3600,
    say: (line) => printed.push(line),
  });
  const error = await ended.then(
    () => '',
    (thrown: unknown) => (thrown as Error).message,
  );
  return { error, minutes: minutes(), printed };
}

describe('the creation of databases', () => {
  it('is over when CloudFormation has made all, whatever it still changed meanwhile', async () => {
    const status = (minute: number): string | undefined =>
      minute < 2 ? undefined : minute < 9 ? 'creating' : minute < 11 ? 'rebooting' : 'available';
    const { error, minutes, printed } = await watch(
      (minute) => ({ [first]: status(minute), [second]: status(minute) }),
      (minute) => (minute < 12 ? none : deploy),
    );
    expect([error, minutes]).toEqual(['', 12]);
    expect(printed).toHaveLength(4);
    expect(printed[0]).toContain('Variant a (alice-dlv-a): not there yet');
  });

  it.each(['insufficient-capacity', 'incompatible-network', 'incompatible-parameters', 'failed', 'storage-full'])(
    'fails at once if a database becomes %s, which CloudFormation would wait for',
    async (status) => {
      const { error, minutes } = await watch((minute) => ({
        [first]: 'available',
        [second]: minute < 20 ? 'creating' : status,
      }));
      expect(error).toContain(`Variant b (alice-dlv-b) is ${status}`);
      expect(minutes).toBe(20);
    },
  );

  it('fails after its time if a database stays creating, and names it', async () => {
    const { error, minutes } = await watch(() => ({ [first]: 'available', [second]: 'creating' }));
    expect(minutes).toBe(60);
    expect(error).toBe(
      'CloudFormation had not made the databases after 60 minutes. Variant a (alice-dlv-a): available; Variant b (alice-dlv-b): creating. Deploy again, in another zone if a database was still creating.',
    );
  });

  it('is not over for another deploy, nor while SSM throttles', async () => {
    const { error, minutes } = await watch(
      () => ({ [first]: 'available', [second]: 'available' }),
      (minute) =>
        minute < 3
          ? jsonAnswer({ Parameter: { Value: 'of another deploy' } })
          : minute < 5
            ? jsonError('ThrottlingException', 'Rate exceeded')
            : deploy,
    );
    expect([error, minutes]).toEqual(['', 5]);
  });
});
