import { neighboursIn } from '../analysis/validity/trial/neighbours.ts';
import { type Execution, ofThisMachine } from './execution.ts';

/**
 * Looks for some seconds at what else runs on this machine, and warns of programs that would spoil every trial: before hours are
 * spent, and not after them. A driver shares nothing with the servers: there, such programs spoil no trial by themselves.
 *
 * @param look.ours ids of processes of the run besides this one
 */
export async function lookAround(
  { lookAtNeighbours, report, signal }: Pick<Execution, 'lookAtNeighbours' | 'report' | 'signal'>,
  look: { when: 'Before loading' | 'Before the first trial'; ours: readonly number[] },
): Promise<void> {
  try {
    const seen = await lookAtNeighbours?.(look.ours, signal);
    if (!seen) return;
    const { state, finding } = neighboursIn(seen, 'local');
    if (state === 'fail') report({ kind: 'warning', text: `${look.when}, ${finding}. ${remedy}` });
  } catch (error) {
    // What comes next sees the interruption, and keeps what was measured before.
    if (error !== signal.reason) throw error;
  }
}

const remedy = 'End them, or take a machine of its own: trials beside them do not count.';

/** What other programs take of this machine now, for `doctor`; `warning` is null if no trial would suffer from it. */
export async function otherPrograms(signal: AbortSignal): Promise<{ finding: string; warning: string | null }> {
  const { state, finding } = neighboursIn((await ofThisMachine.lookAtNeighbours?.([], signal)) ?? {}, 'local');
  return { finding, warning: state === 'fail' ? remedy : null };
}
