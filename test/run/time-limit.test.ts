import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { timeLimit } from '../../runner/run/time-limit.ts';

const startedAt = new Date('2026-11-21T12:00:00Z');
const now = (): Date => new Date();

beforeEach(() => {
  vi.useFakeTimers({ now: startedAt });
});
afterEach(() => {
  vi.useRealTimers();
});

function hoursUntilStopped(
  limits: { hours?: number; dollars?: number },
  dollarsPerHour: number | null,
  resumedAfterHours = 0,
  since = startedAt,
): { hours: number | null; reason: string } {
  vi.advanceTimersByTime(resumedAfterHours * 3_600_000);
  const { signal } = timeLimit(limits, {
    startedAt,
    bill: dollarsPerHour === null ? null : { since, dollarsPerHour },
    now,
  });
  for (let tenths = resumedAfterHours * 10; tenths <= 500; tenths++) {
    if (signal.aborted) return { hours: tenths / 10, reason: (signal.reason as Error).message };
    vi.advanceTimersByTime(360_000);
  }
  return { hours: null, reason: '' };
}

describe('the limits of an experiment', () => {
  it('stop a run after its hours', () => {
    expect(hoursUntilStopped({ hours: 16 }, null)).toEqual({
      hours: 16,
      reason: 'Stopped by limits.hours (16 h), counted from 2026-11-21T12:00:00.000Z.',
    });
  });

  it('stop it when its dollars are spent, where that is earlier', () => {
    expect(hoursUntilStopped({ hours: 16, dollars: 100 }, 20)).toEqual({
      hours: 5,
      reason: 'Stopped by limits.dollars: 100, at 20 an hour, counted from 2026-11-21T12:00:00.000Z.',
    });
    expect(hoursUntilStopped({ hours: 4, dollars: 100 }, 20).reason).toContain('limits.hours (4 h');
  });

  it('stop it earlier, if a later deploy allows fewer dollars', () => {
    const { signal, keepTo } = timeLimit(
      { dollars: 100 },
      { startedAt, bill: { since: startedAt, dollarsPerHour: 20 }, now },
    );
    keepTo(200);
    keepTo(60);
    vi.advanceTimersByTime(2.9 * 3_600_000);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(0.2 * 3_600_000);
    expect((signal.reason as Error).message).toMatch(/^Stopped by limits\.dollars: 60, /);
  });

  it('count from the first start of a run that was resumed', () => {
    expect(hoursUntilStopped({ hours: 16 }, null, 10).hours).toBe(16);
    expect(hoursUntilStopped({ hours: 16 }, null, 20).hours).toBe(20);
  });

  it('count dollars from the creation of the stack, which is billed before the run begins', () => {
    const since = new Date('2026-11-21T11:00:00Z');
    expect(hoursUntilStopped({ dollars: 100 }, 20, 0, since)).toEqual({
      hours: 4,
      reason: 'Stopped by limits.dollars: 100, at 20 an hour, counted from 2026-11-21T11:00:00.000Z.',
    });
  });

  it('stop no run too early that is longer than any timer', () => {
    const { signal } = timeLimit({ hours: 720 }, { startedAt, bill: null, now });
    vi.advanceTimersByTime(719 * 3_600_000);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(3_600_000);
    expect(signal.aborted).toBe(true);
  });

  it('stop nothing where there are none, or where dollars cannot be counted', () => {
    expect(hoursUntilStopped({}, 20).hours).toBeNull();
    expect(hoursUntilStopped({ dollars: 100 }, null).hours).toBeNull();
  });
});
