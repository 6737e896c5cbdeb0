import type { QueueState, Reach } from '../doctor/diagnosis.ts';
import type { BabelqError } from '../errors.ts';

/** A queue that was met, with what lies on it. Counts are approximate; null for what isn't told. */
export interface FoundQueue extends QueueState {
  visible: number | null;
  inFlight: number | null;
  delayed: number | null;
  /** Names of the queues whose RedrivePolicy points here, as SQS itself says; null where it wasn't asked or doesn't say. */
  deadLetterSources: string[] | null;
}

/** What was found in one region, with one profile, at one server. */
export interface FoundPlace {
  reach: Reach;
  /** In words: `eu-central-1, account 123456789012`. */
  where: string;
  queues: FoundQueue[];
  /** Queues that were listed but could not be asked about, and why, in a few words. */
  untold: { queue: string; why: string }[];
  /** Why nothing, or not everything, could be listed. */
  error: BabelqError | null;
}

export interface FindRequest {
  /** Only queues whose name begins with one of these; all where there is none. */
  prefixes: readonly string[];
  /** Only queues whose name fits one of these globs; all where there is none. */
  globs: readonly string[];
  /** GetQueueAttributes calls a second, at most. */
  rate: number;
  signal: AbortSignal;
  onProgress?: (progress: FindProgress) => void;
}

export interface FindProgress {
  where: string;
  listed: number;
  /** Of how many the attributes were asked. */
  asked: number;
}

/** One region, profile and server to look around in. */
export interface QueueFinder {
  /** Trouble is part of the answer. @throws Interrupted */
  find(request: FindRequest): Promise<FoundPlace>;
  close(): Promise<void>;
}

/** A dead-letter queue that was found, as a source of the configuration would name it. */
export interface DiscoveredQueue {
  /** Short, and unique among what was found. */
  name: string;
  queue: FoundQueue;
  place: FoundPlace;
  /** What says that it is one, the surest first. */
  evidence: Evidence[];
  /** The queues that dead-letter here, by name. */
  sources: string[];
  /** Where retries go, where that isn't found by itself and there is only one answer; a queue's name or ARN. */
  redriveTo: string | null;
  /** What must be known of it, in one sentence. */
  note: string | null;
}

/**
 * `redrive_policy`: another queue's RedrivePolicy points here. `source_queues`: ListDeadLetterSourceQueues names one.
 * `redrive_allow_policy`: it says who may dead-letter here. `name`: BabelQueue's way of naming one.
 */
export type Evidence = 'redrive_policy' | 'source_queues' | 'redrive_allow_policy' | 'name';
