import { ChangedInput, systemProblem } from '../contract/errors.ts';
import type { PlaceDefinition } from '../places/definition.ts';
import type { OutsideReason } from '../contract/outside-reason.ts';

/** The driver itself had no network or no name service: a server that is gone refuses, resets or does not answer. */
const noNetwork = /^(ENETUNREACH|ENETDOWN|EAI_AGAIN)$/;

/**
 * What made a trial fail, if that surely lies outside the servers; otherwise null, and the failure is a loss of its side. On
 * this machine a server shares disk and network with the load, and may have filled or broken them itself.
 */
export function outsideReasonOf(error: unknown, place: PlaceDefinition): OutsideReason | null {
  if (error instanceof ChangedInput) return 'changed files';
  if (place.sharesMachine || !(error instanceof Error)) return null;
  const { code = '' } = error as NodeJS.ErrnoException;
  return noNetwork.test(code) || systemProblem(error) ? 'broken driver' : null;
}
