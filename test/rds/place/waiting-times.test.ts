import { expect, it } from 'vitest';
import {
  bootSeconds,
  examinationSeconds,
  preflightSeconds,
  provisionSeconds,
  signalTimeoutSeconds,
} from '../../../runner/rds/contract/waiting-times.ts';
import { xmlAnswer } from '../../helpers/fakes/fake-aws.ts';
import { boundInstance, fakeClock, fakeRds, rdsInstance } from '../../helpers/fakes/fake-rds.ts';
import { examineDatabase } from '../../../runner/rds/place/examine-database.ts';

const intervalSeconds = 15;

it('an examination ends within its time, even if the database never comes to rest after a late failover', async () => {
  const clock = fakeClock();
  const startedAt = clock.now().getTime();
  const elapsedSeconds = (): number => (clock.now().getTime() - startedAt) / 1000;
  let failedOver = false;
  const rds = fakeRds(({ action }) => {
    if (action === 'RebootDBInstance') failedOver = true;
    const busy = failedOver || elapsedSeconds() < examinationSeconds - 60;
    return xmlAnswer(action, {
      DBInstances: [
        rdsInstance({
          MultiAZ: true,
          AvailabilityZone: 'us-east-1a',
          SecondaryAvailabilityZone: 'us-east-1b',
          DBInstanceStatus: busy ? 'backing-up' : 'available',
        }),
      ],
    });
  });
  const examined = examineDatabase('with-dlv', boundInstance({ multiAz: true }), {
    ...clock,
    rds: rds.client,
    signal: new AbortController().signal,
    limitSeconds: examinationSeconds,
    say: () => undefined,
  });
  await expect(examined).rejects.toThrow(/was still not ready/);
  expect(failedOver).toBe(true);
  expect(elapsedSeconds()).toBeLessThanOrEqual(examinationSeconds + intervalSeconds);
});

it('the driver has the time for its whole pre-flight, and each wait is one that CloudFormation can have', () => {
  expect(preflightSeconds).toBeLessThan(signalTimeoutSeconds);
  expect(examinationSeconds).toBeLessThan(preflightSeconds);
  for (const seconds of [bootSeconds, provisionSeconds, signalTimeoutSeconds]) {
    expect(seconds).toBeLessThanOrEqual(43_200);
  }
});
