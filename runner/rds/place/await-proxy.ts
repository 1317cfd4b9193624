import { propertyIn } from '../../contract/server-property.ts';
import { UserError } from '../../contract/errors.ts';
import { AwsCallError } from '../aws/call.ts';
import type { ServerBinding } from '../contract/binding.ts';
import { proxyKey } from '../deployments/proxy.ts';
import { describeProxy, type ProxyState } from '../deployments/proxy-api.ts';
import { intervalSeconds, minuteOf, type PollingOptions } from './await-database.ts';

/** Statuses that end by themselves. Any other except `available` means that the proxy needs a person. */
const transientStatuses = ['creating', 'modifying', 'reactivating'];

/** Whether a deploy made an RDS Proxy before the database. */
export function hasProxy({ expected }: Pick<ServerBinding, 'expected'>): boolean {
  return propertyIn(expected, proxyKey) !== null;
}

/**
 * Waits until the RDS Proxy of a variant is available and reaches its database. The caller judges the resulting state.
 *
 * @throws {UserError} if there is no proxy, if it is broken, or if it does not reach the database in time
 */
export async function awaitProxy(
  variant: string,
  { identifier }: Pick<ServerBinding, 'identifier'>,
  { rds, signal, limitSeconds, say, now, pause }: PollingOptions,
): Promise<ProxyState> {
  const subject = `Variant ${variant} (${identifier}): its RDS Proxy`;
  const startedAt = now().getTime();
  let reported = '';
  for (;;) {
    signal.throwIfAborted();
    const look = await lookAt(rds, identifier, subject);
    const waitingFor = typeof look === 'string' ? look : hindrance(look, subject);
    if (typeof look !== 'string' && waitingFor === null) return look;
    const waitedSeconds = (now().getTime() - startedAt) / 1000;
    if (waitedSeconds >= limitSeconds) {
      throw new UserError(
        `${subject} was still not ready after ${Math.round(waitedSeconds / 60)} minutes: ${waitingFor}. Look at it in the RDS console.`,
      );
    }
    if (waitingFor !== null && waitingFor !== reported) {
      say(`${subject}: waiting since ${minuteOf(now())}: ${waitingFor}`);
      reported = waitingFor;
    }
    await pause(intervalSeconds, signal);
  }
}

/** How the proxy differs from what was asked for, besides its share of connections; texts that follow the variant's name. */
export function proxyDifferences({ endpoint, requiresTls }: ProxyState): string[] {
  return [
    ...(endpoint === null ? ['has an RDS Proxy without an endpoint'] : []),
    ...(requiresTls ? [] : ['has an RDS Proxy that accepts connections without TLS']),
  ];
}

/** The state, or why it is not known now. A call that is throttled or lost is one more thing to wait for. */
async function lookAt(rds: PollingOptions['rds'], identifier: string, subject: string): Promise<ProxyState | string> {
  try {
    const state = await describeProxy(rds, identifier);
    if (state) return state;
  } catch (error) {
    if (error instanceof AwsCallError && error.isTransient) return error.message;
    throw error;
  }
  throw new UserError(`${subject} does not exist. Was the stack changed or destroyed?`);
}

/** What keeps a proxy from being used, but may end by itself; null if nothing. @throws {UserError} if it is broken */
function hindrance({ status, target }: ProxyState, subject: string): string | null {
  if (transientStatuses.includes(status)) return status;
  if (status !== 'available') throw new UserError(`${subject} is ${status}.`);
  if (target === null) throw new UserError(`${subject} does not have the database as its target.`);
  if (target.state === 'AVAILABLE') return null;
  return `its target is ${target.state}${target.reason === null ? '' : ` (${target.reason})`}`;
}
