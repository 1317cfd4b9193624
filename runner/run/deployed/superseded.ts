import type { SSMClient } from '@aws-sdk/client-ssm';
import type { Binding } from '../../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import type { Report } from '../../contract/run-event.ts';
import { fetchBinding } from './binding.ts';

export interface LaterDeploys {
  /** Aborts when a later deploy wants the run to end. Its reason is a UserError that says so. */
  signal: AbortSignal;
  /** Asks whether there is a later deploy. To be called between trials: the request must not disturb one. */
  look(): Promise<void>;
  /** Hours of the stack's lifetime as they are now; null if it never expires. @throws {UserError} if AWS does not say */
  lifetimeHours(): Promise<number | null>;
}

/** A look takes no longer, and none follows for some minutes after one that failed: it would take its time from the run. */
const patienceMilliseconds = 5_000;
const pauseMilliseconds = 10 * 60_000;

/** Lets a later deploy over the same databases end a run. The driver then begins what that deploy asks for. */
export function laterDeploys(ssm: SSMClient, binding: Binding, report: Report): LaterDeploys {
  const controller = new AbortController();
  const { experiment, owner } = binding;
  let failedAt: number | null = null;
  const latestBinding = (): Promise<Binding> =>
    fetchBinding(ssm, experiment.name, owner, AbortSignal.timeout(patienceMilliseconds));
  return {
    signal: controller.signal,
    lifetimeHours: async () => (await latestBinding()).lifetimeHours,
    async look() {
      try {
        if (failedAt !== null && performance.now() - failedAt < pauseMilliseconds) return;
        failedAt = null;
        const latest = await latestBinding();
        if (latest.deploy === binding.deploy) return;
        const words = `Another deploy, of profile ${latest.experiment.profile},`;
        if (latest.running === 'abort') controller.abort(new UserError(`${words} took the place of this run.`));
        else report({ kind: 'warning', text: `${words} takes effect when this run has ended.` });
      } catch (error) {
        // The run must not end because of a look. The next one will tell.
        if (!(error instanceof UserError)) throw error;
        failedAt = performance.now();
        report({ kind: 'warning', text: `It is not known whether there is a later deploy: ${error.message}` });
      }
    },
  };
}
