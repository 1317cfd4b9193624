import { neighboursIn } from '../analysis/validity/trial/neighbours.ts';
import type { Running } from './execution.ts';

/**
 * Looks at what else runs on this machine before the first trial, and warns of programs that would spoil every trial: before hours
 * are spent, and not after them. A driver shares nothing with the servers: there, such programs spoil no trial by themselves.
 */
export async function lookAround({ lookAtNeighbours, place, report, signal }: Running): Promise<void> {
  if (place.kind !== 'local') return;
  try {
    const seen = await lookAtNeighbours?.(place.ownProcesses?.() ?? [], signal);
    if (!seen) return;
    const { state, finding } = neighboursIn(seen, place.kind);
    if (state !== 'fail') return;
    const remedy = 'End them, or take a machine of its own: trials beside them do not count.';
    report({ kind: 'warning', text: `Before the first trial, ${finding}. ${remedy}` });
  } catch (error) {
    // The caller sees the interruption, and keeps what was measured before.
    if (error !== signal.reason) throw error;
  }
}
