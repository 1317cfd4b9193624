/** Time as an argument, so that tests need not wait. */
export interface Clock {
  now: () => Date;
  /** Resolves after this number of seconds, or rejects when the signal aborts. */
  pause: (seconds: number, signal: AbortSignal) => Promise<void>;
}
