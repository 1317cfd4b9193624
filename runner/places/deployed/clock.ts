/** Time, as an argument: tests need not wait. */
export interface Clock {
  now: () => Date;
  /** Resolves after so many seconds, or rejects when the signal aborts. */
  pause: (seconds: number, signal: AbortSignal) => Promise<void>;
}
