import type { SSMClient } from '@aws-sdk/client-ssm';
import { AwsCallError } from '../aws/call.ts';
import { parameterValue } from '../aws/parameter.ts';
import { type Binding, boundServers, databasesParameterName } from '../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import { intervalSeconds, look, minuteOf, type PollingOptions } from './await-database.ts';

/**
 * Watches the databases of a stack until CloudFormation has made all of them. CloudFormation itself asks for one status,
 * `available`, and treats others as steps on the way, also `insufficient-capacity`: it would wait for 36 hours.
 *
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/accessing-monitoring.html for the statuses
 * @see https://github.com/aws-cloudformation/aws-cloudformation-resource-providers-rds for what CloudFormation waits for
 * @throws {UserError} if one is broken, or if they are not made in time
 */
export async function awaitCreation(binding: Binding, options: PollingOptions & { ssm: SSMClient }): Promise<void> {
  const { rds, ssm, signal, limitSeconds, say, now, pause } = options;
  const startedAt = now().getTime();
  let reported = '';
  for (;;) {
    signal.throwIfAborted();
    if (await areMade(ssm, binding, signal)) return;
    const looks = await Promise.all(
      [...boundServers(binding)].map(async ([server, bound]) => {
        const subject = `Variant ${server} (${bound.identifier})`;
        const [, waitingFor] = await look(rds, bound, subject, { toCome: true });
        return { subject, waitingFor: waitingFor.length > 0 ? waitingFor.join(', ') : 'available' };
      }),
    );
    const states = looks.map(({ subject, waitingFor }) => `${subject}: ${waitingFor}`).join('; ');
    const waitedSeconds = (now().getTime() - startedAt) / 1000;
    if (waitedSeconds >= limitSeconds) {
      throw new UserError(
        `CloudFormation had not made the databases after ${Math.round(waitedSeconds / 60)} minutes. ${states}. Deploy again, in another zone if a database was still creating.`,
      );
    }
    if (states !== reported) say(`Since ${minuteOf(now())}: ${states}`);
    reported = states;
    await pause(intervalSeconds, signal);
  }
}

/** CloudFormation writes the parameter after the last database. A call that is throttled or lost says nothing. */
async function areMade(ssm: SSMClient, { experiment, owner, deploy }: Binding, signal: AbortSignal): Promise<boolean> {
  try {
    return (await parameterValue(ssm, databasesParameterName(experiment.name, owner), signal)) === deploy;
  } catch (error) {
    if (error instanceof AwsCallError && error.isTransient) return false;
    throw error;
  }
}
