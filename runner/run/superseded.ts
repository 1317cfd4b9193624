import type { SSMClient } from '@aws-sdk/client-ssm';
import type { Binding } from '../contract/binding.ts';
import { UserError } from '../contract/errors.ts';
import type { Report } from '../contract/run-event.ts';
import { fetchBinding } from '../places/deployed/find-binding.ts';

export interface LaterDeploys {
  /** Aborts when a later deploy wants the run to end. Its reason is a UserError that says so. */
  signal: AbortSignal;
  /** Asks whether there is a later deploy. To be called between trials: the request must not disturb one. */
  look(): Promise<void>;
}

/** Lets a later deploy over the same databases end a run. The driver then begins what that deploy asks for. */
export function laterDeploys(ssm: SSMClient, binding: Binding, report: Report): LaterDeploys {
  const controller = new AbortController();
  const { experiment, owner } = binding;
  return {
    signal: controller.signal,
    async look() {
      try {
        const latest = await fetchBinding(ssm, experiment.name, owner);
        if (latest.deploy === binding.deploy) return;
        const words = `Another deploy, of profile ${latest.experiment.profile},`;
        if (latest.running === 'abort') controller.abort(new UserError(`${words} took the place of this run.`));
        else report({ kind: 'warning', text: `${words} takes effect when this run has ended.` });
      } catch (error) {
        // The run must not end because of a look. The next one will tell.
        if (!(error instanceof UserError)) throw error;
        report({ kind: 'warning', text: `It is not known whether there is a later deploy: ${error.message}` });
      }
    },
  };
}
