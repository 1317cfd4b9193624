import { savingMinutes } from '../../costs/limits.ts';
import { LimitReached, longestTimerMs } from '../time-limit.ts';

/**
 * Aborts a quarter of an hour before a stack expires. The lifetime may be changed while the run goes on, so it is asked for
 * once more before that.
 *
 * @param createdAt when the stack was made
 * @param lifetimeHours as it is known now; null if the stack never expires
 * @param lifetimeNow asks for the lifetime; if that fails, it is taken to be what is known
 * @returns a signal that aborts with a LimitReached, and `clear` to end the wait
 */
export function stackExpiry(
  createdAt: Date,
  lifetimeHours: number | null,
  { now, lifetimeNow }: { now: () => Date; lifetimeNow: () => Promise<number | null> },
): { signal: AbortSignal; clear: () => void } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let isCleared = false;

  function waitFor(hours: number | null): void {
    if (hours === null || isCleared) return;
    const expiresAt = new Date(createdAt.getTime() + hours * 3_600_000);
    const leftMs = (): number => expiresAt.getTime() - savingMinutes * 60_000 - now().getTime();
    const next = (): void => {
      // A timer holds some weeks at most, and does not follow a clock that is set.
      if (leftMs() > 0) waitFor(hours);
      else void askOrStop(hours, expiresAt);
    };
    timer = setTimeout(next, Math.min(Math.max(leftMs(), 0), longestTimerMs)).unref();
  }
  async function askOrStop(hours: number, expiresAt: Date): Promise<void> {
    const latest = await lifetimeNow().catch(() => hours);
    if (latest !== hours) waitFor(latest);
    else {
      controller.abort(
        new LimitReached(
          `Stopped by expiry.hours: ${hours}. The stack expires at ${expiresAt.toISOString()}, and the last ${savingMinutes} minutes are for saving.`,
        ),
      );
    }
  }
  waitFor(lifetimeHours);
  return {
    signal: controller.signal,
    clear() {
      isCleared = true;
      clearTimeout(timer);
    },
  };
}
