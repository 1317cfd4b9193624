/** A status that was not written for so long means that the run is over, whatever became of its driver. */
export const silenceMinutes = 60;
/** How long a stack waits between its message about that, or about a limit that may be new, and its deletion. */
export const noticeMinutes = 30;
/** How long a deletion waits for an update of the stack, from when that began. */
export const updateMinutes = 15;

export const deletionStates = ['silent', 'limit', 'begun', 'failed'] as const;
export type DeletionState = (typeof deletionStates)[number];

/**
 * Name of the object, below the prefix of a deploy, in which a stack records what it does about its own deletion, before
 * it does so: `silent` and `limit` when it sends a message before, `begun` when it deletes itself, `failed` when
 * it tries again.
 */
export function deletionName(state: DeletionState): string {
  return `deletion/${state}.json`;
}
