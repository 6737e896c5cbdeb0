import type { State } from '../failure.ts';

/** What is to be read of a source. */
export interface ReadRequest {
  /** A source that has none of these in it has nothing to read, and is complete. */
  states: ReadonlySet<State>;
  /** A hint: only failures whose native id begins with one of these are wanted. A source that can't use it ignores it. */
  nativeIdPrefixes?: readonly string[];
  /** Reads a dead-letter queue that has a RedrivePolicy of its own, where each look counts. */
  allowReceive: boolean;
  /** The originals of what was sent edited, which lie in the archive apart, instead of the states. */
  edited?: boolean;
  /** `--to`, so that a failure's `retry_to` is what a retry would do. */
  to?: string;
  /** Where it aborts, the poll under way ends, what is held is given back, and the reading throws Interrupted. */
  signal: AbortSignal;
  onProgress?: (progress: ReadProgress) => void;
}

/** What a source knows of a message that is no member of its failure. */
export interface Aside {
  /** A run that ended in the middle may have sent it: it would be sent a second time. */
  possibleDouble: boolean;
}

/** Told while a source is read: now and then, not for each message. */
export interface ReadProgress {
  /** The source's name. */
  source: string;
  /** Messages that were handed over so far. */
  seen: number;
  /** How many the source says it holds; null when not known. */
  about: number | null;
  /** Set while what was held is being made visible again: how many are left. */
  releasing?: number;
}

/** How a reading went. */
export interface ReadResult {
  /** Messages that were handed over. */
  seen: number;
  /** How many the source says it holds, approximately; null when not known. */
  about: number | null;
  /** True only when the whole source was seen. */
  complete: boolean;
  /** What a person must know about this reading, in one sentence: `only the first ten of each FIFO group can be seen`. */
  note: string | null;
  /** Set when nothing was seen and everything is hidden by somebody. */
  allInFlight: AllInFlight | null;
}

/** Everything on a queue is hidden by somebody. */
export interface AllInFlight {
  /** Approximate. */
  count: number;
  /** The queue's visibility timeout: by then what is hidden now is visible again, unless somebody extends it. */
  retryInSeconds: number;
}
