import type { ReadProgress } from './reading.ts';

/** Which messages are to be kept hidden. */
export interface HoldRequest {
  nativeIds: ReadonlySet<string>;
  /** Receives from a dead-letter queue that has a RedrivePolicy of its own, where each look counts. */
  allowReceive: boolean;
  signal: AbortSignal;
  onProgress?: (progress: ReadProgress) => void;
}

/** Messages that are kept hidden from everyone else, by a heartbeat, until they are released. */
export interface Holding {
  /** How many are hidden now: fewer than were asked for where some weren't met, or were lost since. */
  readonly count: number;
  /** Milliseconds since the epoch: SQS makes them visible by then, whatever is done. */
  readonly endsAt: number;
  /** Why not all that were asked for are held, in one sentence; null where all are. */
  readonly note: string | null;
  /** Makes them visible. `stuck`: how many couldn't be, and become visible by themselves. */
  release(): Promise<{ stuck: number }>;
}
