/** A status that was not written for so long means that the run is over, whatever became of its driver. */
export const silenceMinutes = 60;
/** How long a stack waits between its message about that and its deletion. */
export const noticeMinutes = 30;

export const deletionStates = ['silent', 'begun', 'failed'] as const;
export type DeletionState = (typeof deletionStates)[number];

/**
 * Name of the object, below the prefix of a deploy, in which a stack records what it does about its own deletion, before
 * it does so: `silent` when it sends the message, `begun` when it deletes itself, `failed` when it tries again.
 */
export function deletionName(state: DeletionState): string {
  return `deletion/${state}.json`;
}
