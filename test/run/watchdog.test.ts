import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endOverdue, overtimeSeconds } from '../../runner/run/time-limit.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const { signal } = new AbortController();

/** Work that ends only when its signal aborts, as a hung client does. */
const hung = (received: AbortSignal): Promise<never> =>
  new Promise((_, reject) => received.addEventListener('abort', () => reject(received.reason as Error)));

describe('work that should have ended', () => {
  it('is ended two minutes after its due end, and says so', async () => {
    const ended = endOverdue({ dueSeconds: 900, signal }, hung).catch((error: unknown) => (error as Error).message);
    let isOver = false;
    void ended.then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync((900 + 119) * 1000);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await ended).toBe(
      'The load should have taken 900 s, but was still running 2 minutes later. Does the server still answer?',
    );
  });

  it('is left alone where nobody knows how long it takes', async () => {
    const interruption = new AbortController();
    const ended = endOverdue({ dueSeconds: null, signal: interruption.signal }, hung);
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    interruption.abort(new Error('Ctrl-C'));
    await expect(ended).rejects.toThrow('Ctrl-C');
  });

  it('ends by an interruption before that, for its reason', async () => {
    const interruption = new AbortController();
    const ended = endOverdue({ dueSeconds: 900, signal: interruption.signal }, hung);
    interruption.abort(new Error('Ctrl-C'));
    await expect(ended).rejects.toThrow('Ctrl-C');
  });

  it('is not ended later if it ends in time, and leaves no timer', async () => {
    let received: AbortSignal | undefined;
    const work = (own: AbortSignal): Promise<number> => {
      received = own;
      return Promise.resolve(42);
    };
    expect(await endOverdue({ dueSeconds: 1, signal }, work)).toBe(42);
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync((1 + overtimeSeconds) * 1000);
    expect(received?.aborted).toBe(false);
  });
});
