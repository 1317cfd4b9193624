import type { RDSClient } from '@aws-sdk/client-rds';
import { UserError } from '../../contract/errors.ts';
import { connectionSeconds } from '../contract/waiting-times.ts';
import { withConnection } from '../../postgres/connect.ts';
import type { Target } from '../../postgres/target.ts';
import { AwsCallError } from '../aws/call.ts';
import type { ServerBinding } from '../contract/binding.ts';
import type { DatabaseState } from '../deployments/deployment.ts';
import { describeDatabase } from '../deployments/registry.ts';
import { brokenBy, pendingStatuses, storageWork } from './judge-database.ts';

/** Time as an argument, so that tests need not wait. */
export interface Clock {
  now: () => Date;
  /** Resolves after this number of seconds, or rejects when the signal aborts. */
  pause: (seconds: number, signal: AbortSignal) => Promise<void>;
}

const probeSeconds = 5;

/**
 * Asks a server whether it accepts statements that write.
 *
 * @returns null if it does, otherwise the reason. A failure that will not pass by itself also returns null, since the
 * next connection meets it
 */
export type ConnectionProbe = (target: Target) => Promise<string | null>;

export const probeConnection: ConnectionProbe = async (target) => {
  try {
    // Not to the target's own database, which does not exist while it is being restored.
    const { rows } = await withConnection({ ...target, database: 'postgres' }, (client) =>
      client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby'),
    );
    return rows[0]?.standby === true ? `The address of ${target.server} points to a standby.` : null;
  } catch (error) {
    return error instanceof UserError && error.isTransient ? error.message : null;
  }
};

/**
 * Waits until a server accepts statements that write. After a restart or a failover, RDS reports a database as
 * available some time before it accepts connections, and before its address leads to the new primary.
 *
 * @throws {UserError} marked as passing, if the server does not do so in time
 */
export async function awaitConnections(
  target: Target,
  {
    say,
    now,
    pause,
    signal,
    probe: ask,
  }: Clock & { say: (line: string) => void; signal: AbortSignal; probe: ConnectionProbe },
): Promise<void> {
  const startedAt = now().getTime();
  let reported = '';
  for (;;) {
    const why = await ask(target);
    if (why === null) return;
    if ((now().getTime() - startedAt) / 1000 >= connectionSeconds) {
      throw new UserError(`${why} Gave up after ${Math.round(connectionSeconds / 60)} minutes.`, { isTransient: true });
    }
    if (why !== reported) say(`${why} Waiting ...`);
    reported = why;
    await pause(probeSeconds, signal);
  }
}

export interface PollingOptions extends Clock {
  rds: RDSClient;
  signal: AbortSignal;
  /** How long to wait for one database, in seconds; may be infinite. */
  limitSeconds: number;
  /**
   * Whether to wait until RDS has finished its work on the volumes, too. That may take many hours, so nothing but the
   * signal limits it.
   *
   * @default true
   */
  untilStorageRests?: boolean;
  say: (line: string) => void;
}

export const intervalSeconds = 15;
/**
 * How long to wait for pending changes. Right after its creation, an instance may show changes that it makes by itself;
 * older changes wait for a person.
 */
const pendingGraceSeconds = 120;

/**
 * Waits until the database of a variant is at rest: it is available, and nothing is in progress. The caller judges the
 * resulting state.
 *
 * @throws {UserError} if there is no database, if it is broken, or if it does not come to rest in time
 */
export async function awaitDatabase(
  variant: string,
  binding: ServerBinding,
  { rds, signal, limitSeconds, untilStorageRests = true, say, now, pause }: PollingOptions,
): Promise<DatabaseState> {
  const subject = `Variant ${variant} (${binding.identifier})`;
  const startedAt = now().getTime();
  let reported = '';
  for (;;) {
    signal.throwIfAborted();
    const waitedSeconds = (now().getTime() - startedAt) / 1000;
    const [state, waitingFor] = await look(rds, binding, subject);
    const working = state && untilStorageRests ? storageWork(state) : [];
    if (state && waitingFor.length === 0 && working.length === 0) {
      if (state.pending.length === 0 || waitedSeconds >= Math.min(pendingGraceSeconds, limitSeconds)) {
        if (reported !== '') say(`${subject}: ready`);
        return state;
      }
      waitingFor.push(`pending ${state.pending.join(', ')}`);
    }
    const what = [...waitingFor, ...working].join(', ');
    if (waitingFor.length > 0 && waitedSeconds >= limitSeconds) {
      throw new UserError(`${subject} was still not ready after ${Math.round(waitedSeconds / 60)} minutes: ${what}.`);
    }
    if (what !== reported) say(`${subject}: waiting since ${minuteOf(now())}: ${what}`);
    reported = what;
    await pause(intervalSeconds, signal);
  }
}

/**
 * Waits until the database is at rest and shows the change that a call asked for: RDS shows it only some time after the
 * call.
 *
 * @param limitSeconds how long to wait for the change
 * @returns the state, which is as asked unless the time was up
 */
export async function awaitChange(
  variant: string,
  binding: ServerBinding,
  polling: PollingOptions,
  { asAsked, limitSeconds }: { asAsked: (state: DatabaseState) => boolean; limitSeconds: number },
): Promise<DatabaseState> {
  const { now, pause, signal } = polling;
  const startedAt = now().getTime();
  for (;;) {
    await pause(intervalSeconds, signal);
    const state = await awaitDatabase(variant, binding, polling);
    if (asAsked(state) || (now().getTime() - startedAt) / 1000 >= limitSeconds) return state;
  }
}

/**
 * Looks once: returns the state, and what must still end. If the call is throttled or lost, that is one more thing to
 * wait for.
 *
 * @param toCome whether the database may not be there yet
 * @throws {UserError} if there is no database, or if it is broken
 */
export async function look(
  rds: RDSClient,
  binding: ServerBinding,
  subject: string,
  { toCome = false }: { toCome?: boolean } = {},
): Promise<[DatabaseState | null, string[]]> {
  try {
    const state = await describeDatabase(rds, binding);
    if (!state) {
      if (toCome) return [null, ['not there yet']];
      throw new UserError(`${subject}: ${binding.kind} not found. Was the stack changed or destroyed?`);
    }
    const broken = brokenBy(state);
    if (broken !== null) throw new UserError(`${subject} ${broken}.`);
    return [state, pendingStatuses(state)];
  } catch (error) {
    if (error instanceof AwsCallError && error.isTransient) return [null, [error.message]];
    throw error;
  }
}

/**
 * The same options with one time limit for everything that uses them: a restart, a failover and the wait after them
 * share the same time, however often a wait begins anew.
 */
export function withOneLimit(polling: PollingOptions): PollingOptions {
  const startedAt = polling.now().getTime();
  return {
    ...polling,
    get limitSeconds() {
      return Math.max(0, polling.limitSeconds - (polling.now().getTime() - startedAt) / 1000);
    },
  };
}

/** Such as `2026-11-21 14:05 UTC`, with the date: a wait may take days. */
export function minuteOf(moment: Date): string {
  return `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
