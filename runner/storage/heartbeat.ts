import type { Bucket } from '../aws/bucket.ts';
import { type RunStatus, statusName } from '../contract/status.ts';

export interface Heartbeat {
  /** Writes at once, in the background. */
  beat(): void;
  /** Writes for the last time. @throws {AwsCallError} */
  end(): Promise<void>;
}

const intervalSeconds = 15;

/**
 * Writes the status every few seconds. One that does not get through is nothing to stop a measurement for: the next follows.
 *
 * @param status gives the status of the moment
 */
export function startHeartbeat(bucket: Bucket, status: () => RunStatus): Heartbeat {
  let writing: Promise<void> | null = null;
  let again = false;
  const write = (): Promise<void> => bucket.putText(statusName, `${JSON.stringify(status(), null, 2)}\n`);
  // Never two at a time: the older one could arrive last.
  function beat(): void {
    if (writing) {
      again = true;
      return;
    }
    writing = write()
      .catch(() => undefined)
      .finally(() => {
        writing = null;
        if (again) {
          again = false;
          beat();
        }
      });
  }
  const timer = setInterval(beat, intervalSeconds * 1000).unref();
  beat();
  return {
    beat,
    async end() {
      clearInterval(timer);
      again = false;
      await writing;
      await write();
    },
  };
}
