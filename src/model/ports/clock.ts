/** Time, so that a simulator can own it. Milliseconds since the epoch. */
export interface Clock {
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts (it never rejects). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
