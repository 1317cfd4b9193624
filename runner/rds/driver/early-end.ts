import type { SSMClient } from '@aws-sdk/client-ssm';
import { parameterValue } from '../aws/parameter.ts';
import { type Binding, databasesParameterName } from '../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import type { OnEvent } from '../../contract/status.ts';
import { savingMinutes } from '../prices/margin.ts';
import { doAt, LimitReached, type timeLimit } from '../../run/time-limit.ts';
import { fetchBinding } from './binding.ts';

/** How long a look may take, and how long to pause after one that failed: looks take their time from the run. */
const patienceMilliseconds = 5_000;
const pauseMilliseconds = 10 * 60_000;

/** What ends a run before its plan does. */
interface RunEnds {
  expiry: Pick<ReturnType<typeof stackExpiry>, 'know'>;
  limit: Pick<ReturnType<typeof timeLimit>, 'keepTo'>;
}

/** Lets a later deploy on the same databases end a run. The driver then begins the run that this deploy asks for. */
export class LaterDeploys {
  readonly #ssm: SSMClient;
  readonly #binding: Binding;
  readonly #report: OnEvent;
  readonly #controller = new AbortController();
  #failedAt: number | null = null;

  constructor(ssm: SSMClient, binding: Binding, report: OnEvent) {
    this.#ssm = ssm;
    this.#binding = binding;
    this.#report = report;
  }

  /** Aborts when a later deploy wants the run to end. Its reason is a UserError that says so. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Hours of the stack's lifetime as they are now; null if it never expires. @throws {UserError} if AWS does not say */
  async lifetimeHours(): Promise<number | null> {
    return (await this.#latestBinding()).lifetimeHours;
  }

  /**
   * Asks whether there is a later deploy. Call this only between trials: the request must not disturb a trial.
   *
   * @param ends of the run, which then follow what the latest deploy says of the stack's lifetime and dollars
   */
  async look({ expiry, limit }: RunEnds): Promise<void> {
    try {
      if (this.#failedAt !== null && performance.now() - this.#failedAt < pauseMilliseconds) return;
      this.#failedAt = null;
      const latest = await this.#latestBinding();
      expiry.know(latest.lifetimeHours);
      if (latest.limitDollars !== null) limit.keepTo(latest.limitDollars);
      if (latest.deploy === this.#binding.deploy) return;
      const words = `Another deploy, of profile ${latest.experiment.profile},`;
      if (latest.running === 'abort') {
        // A deploy changes its binding first. Until its databases are made, it may still fail and be rolled back.
        if ((await this.#madeDeploy()) === latest.deploy)
          this.#controller.abort(new UserError(`${words} has replaced this run.`));
      } else this.#warn(`${words} takes effect when this run has ended.`);
    } catch (error) {
      // A failed look must not end the run. The next look will find out.
      if (!(error instanceof UserError)) throw error;
      this.#failedAt = performance.now();
      this.#warn(`pgduet could not check for a later deploy: ${error.message}`);
    }
  }

  #latestBinding(): Promise<Binding> {
    const { experiment, owner } = this.#binding;
    return fetchBinding(this.#ssm, experiment.name, owner, AbortSignal.timeout(patienceMilliseconds));
  }

  /** The deploy for which the databases are made. */
  #madeDeploy(): Promise<string | null> {
    const { experiment, owner } = this.#binding;
    const name = databasesParameterName(experiment.name, owner);
    return parameterValue(this.#ssm, name, AbortSignal.timeout(patienceMilliseconds));
  }

  #warn(text: string): void {
    this.#report({ kind: 'warning', text });
  }
}

/**
 * Aborts a quarter of an hour before a stack expires. The lifetime may change during the run, so pgduet asks for it
 * again before it aborts; a shorter one must be told by `know`.
 *
 * @param createdAt when the stack was made
 * @param lifetimeHours as it is known now; null if the stack never expires
 * @param lifetimeNow asks for the current lifetime; if that fails, the known one is used
 * @returns a signal that aborts with a LimitReached, `know` for another lifetime, and `clear` to end the wait
 */
export function stackExpiry(
  createdAt: Date,
  lifetimeHours: number | null,
  { now, lifetimeNow }: { now: () => Date; lifetimeNow: () => Promise<number | null> },
): { signal: AbortSignal; know: (hours: number | null) => void; clear: () => void } {
  const controller = new AbortController();
  let endWait = (): void => undefined;
  let isCleared = false;
  let known = lifetimeHours;

  function waitFor(hours: number | null): void {
    known = hours;
    if (hours === null) return;
    const expiresAt = new Date(createdAt.getTime() + hours * 3_600_000);
    const end = new Date(expiresAt.getTime() - savingMinutes * 60_000);
    endWait = doAt(end, now, () => void askOrStop(hours, expiresAt));
  }
  async function askOrStop(hours: number, expiresAt: Date): Promise<void> {
    const latest = await lifetimeNow().catch(() => hours);
    if (isCleared) return;
    if (latest !== hours) waitFor(latest);
    else {
      controller.abort(
        new LimitReached(
          `Stopped by expiry.hours: ${hours}. The stack expires at ${expiresAt.toISOString()}, and pgduet reserves the last ${savingMinutes} minutes for saving.`,
        ),
      );
    }
  }
  waitFor(lifetimeHours);
  return {
    signal: controller.signal,
    know(hours) {
      if (hours === known) return;
      endWait();
      waitFor(hours);
    },
    clear() {
      isCleared = true;
      endWait();
    },
  };
}
