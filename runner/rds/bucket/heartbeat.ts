import type { Bucket } from '../aws/bucket.ts';
import { type RunStatus, statusName, statusText } from '../../contract/status.ts';

export interface Heartbeat {
  /** Starts to write the status now, without waiting for it. */
  beat(): void;
  /** How many times the status was written so far. */
  written(): number;
  /**
   * Writes the status for the last time. It may be called again if that failed.
   *
   * @throws {AwsCallError}
   */
  end(): Promise<void>;
}

const intervalSeconds = 15;

/**
 * Writes the status every few seconds. A failed write does not stop the measurement: the next one follows soon. A write
 * that takes longer than the interval is given up, since it would be out of date.
 *
 * @param status returns the present status
 */
export function startHeartbeat(bucket: Bucket, status: () => RunStatus): Heartbeat {
  let writing: Promise<void> | null = null;
  let again = false;
  let written = 0;
  const write = async (signal?: AbortSignal): Promise<void> => {
    await bucket.putText(statusName, statusText(status()), signal);
    written += 1;
  };
  // Never two writes at a time: the older one could arrive last.
  function beat(): void {
    if (writing) {
      again = true;
      return;
    }
    writing = write(AbortSignal.timeout(intervalSeconds * 1000))
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
    written: () => written,
    async end() {
      clearInterval(timer);
      again = false;
      await writing;
      await write();
    },
  };
}
