import type { ImportedMessage } from '../export-line.ts';
import type { ActRequest, ActResult } from './acting.ts';
import type { ReadProgress } from './reading.ts';

/** A queue that messages are put on as they were exported, byte for byte. */
export interface Intake {
  /** The queue's name. */
  readonly queue: string;
  /**
   * For each message why it isn't to be put there, in one sentence, or null; in the same order. Looks into the queue where one of
   * them may lie there still; with `again` only for whether the queue takes it.
   * @throws BabelqError `refused` where not all of the queue could be seen; Interrupted
   */
  judge(messages: readonly ImportedMessage[], request: JudgeRequest): Promise<(string | null)[]>;
  /** Puts them there, and tells of each by `onItem` what became of it. @throws BabelqError where nothing could begin */
  put(request: PutRequest): Promise<ActResult>;
}

/** How a judgement is asked for. */
export interface JudgeRequest {
  /** `--again`: also what the journal knows to have been put there, or lies there still. */
  again: boolean;
  /** Looks into a dead-letter queue that has a RedrivePolicy of its own, where each look counts. */
  allowReceive: boolean;
  signal: AbortSignal;
  onProgress?: (progress: ReadProgress) => void;
}

/** What is to be put on a queue. */
export interface PutRequest extends Pick<ActRequest, 'run' | 'pace' | 'signal' | 'onItem' | 'onProgress'> {
  /** In the order in which they are put. */
  messages: AsyncIterable<ImportedMessage>;
  /** See JudgeRequest. */
  again: boolean;
}
