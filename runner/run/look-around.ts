import { neighboursIn } from '../analysis/validity/trial/neighbours.ts';
import type { Plan } from '../contract/plan.ts';
import { type Execution, ofThisMachine } from './execution.ts';

/** So long shows what stays, and is nothing beside a run. */
const mostSeconds = 5;

/**
 * Looks at what else runs on this machine, for as long as a trial takes and five seconds at most, and warns of programs that
 * would spoil every trial: before hours are spent, and not after them. A driver shares nothing with the servers: there, such
 * programs spoil no trial by themselves.
 *
 * @param look.ours ids of processes of the run besides this one
 */
export async function lookAround(
  { plan, lookAtNeighbours, report, signal }: Pick<Execution, 'plan' | 'lookAtNeighbours' | 'report' | 'signal'>,
  look: { when: 'Before loading' | 'Before the first trial'; ours: readonly number[] },
): Promise<void> {
  try {
    const seen = await lookAtNeighbours?.({ seconds: secondsOf(plan), ours: look.ours }, signal);
    if (!seen) return;
    const { state, finding } = neighboursIn(seen, { sharesMachine: true });
    if (state === 'fail') report({ kind: 'warning', text: `${look.when}, ${finding}. ${remedy}` });
  } catch (error) {
    // What comes next sees the interruption, and keeps what was measured before.
    if (error !== signal.reason) throw error;
  }
}

function secondsOf({ steps }: Plan): number {
  const trials = steps.flatMap((step) => (step.kind === 'measure' ? (step.trialSeconds ?? mostSeconds) : []));
  return Math.min(mostSeconds, ...trials);
}

const remedy = 'End them, or take a machine of its own: trials beside them do not count.';

/** What other programs take of this machine now, for `doctor`; `warning` is null if no trial would suffer from it. */
export async function otherPrograms(signal: AbortSignal): Promise<{ finding: string; warning: string | null }> {
  const seen = await ofThisMachine.lookAtNeighbours({ seconds: mostSeconds, ours: [] }, signal);
  const { state, finding } = neighboursIn(seen ?? {}, { sharesMachine: true });
  return { finding, warning: state === 'fail' ? remedy : null };
}
