import type { Attributes } from '../../model/failure.ts';
import type { SqsMessage } from '../../model/sqs-message.ts';

/** A message in our hands: hidden from others until its visibility timeout, or until we change it. */
export interface ReceivedMessage extends SqsMessage {
  receiptHandle: string;
}

/** One message of SendMessageBatch. */
export interface SendEntry {
  /** Unique within the batch; 1 to 80 letters, digits, `-` or `_`. */
  id: string;
  body: string;
  attributes: Attributes;
  groupId?: string;
  deduplicationId?: string;
  /** AWSTraceHeader. */
  traceHeader?: string;
}

/** A batch's answer just as it came: entries may be in either list, in both, or in none. The caller checks. */
export interface BatchAnswer<T extends { id: string } = { id: string }> {
  successful: T[];
  failed: { id: string; code: string; message: string; senderFault: boolean }[];
}

/** What came of a call that threw. */
export type CallTrouble =
  | 'throttled' //    not done; slow down
  | 'no_answer' //    the connection broke or timed out, or the server said 5xx: it may have been done
  | 'unreachable' //  no connection was made: not done
  | 'refused'; //     the service said no: not done

/**
 * A call to SQS that threw. `trouble` says whether it may have been done all the same. `code` is the service's or Node's
 * (`AWS.SimpleQueueService.NonExistentQueue` as `QueueDoesNotExist`, `AccessDenied`, `ECONNRESET`).
 */
export class SqsCallError extends Error {
  readonly trouble: CallTrouble;
  readonly code: string;
  /** The API action, `SendMessageBatch`. */
  readonly call: string;

  constructor(call: string, trouble: CallTrouble, code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'SqsCallError';
    this.call = call;
    this.trouble = trouble;
    this.code = code;
  }

  /** False only where it is certain that nothing happened. */
  get mayHaveHappened(): boolean {
    return this.trouble === 'no_answer';
  }
}

/** A message move task, as SQS tells of it. */
export interface MoveTaskEntry {
  /** Only where it is RUNNING. */
  handle?: string;
  status: string;
  destinationArn?: string;
  moved: number;
  toMove?: number;
  failureReason?: string;
  startedAt?: number;
}

/**
 * The calls of SQS that babelq makes, and nothing else of the SDK. Every method throws SqsCallError. None but `receive`
 * and the look-ups is ever repeated by the client itself: whoever sends knows first, from the journal, what was sent.
 */
export interface SqsClient {
  /** The region it signs for, once its first call was made. */
  readonly region?: string | null;
  /** `host:port` of the server it talks to, once its first call was made; null where that is AWS's own. */
  readonly endpointHost?: string | null;
  /** How far this machine's clock is ahead of the server's (ms, to a second), once it answered; null where it doesn't say. */
  readonly clockAheadMs?: number | null;
  /** GetQueueUrl, in the client's own account and region, or the account given. */
  queueUrl(name: string, account?: string): Promise<string>;
  /** GetQueueAttributes, all of them, as SQS names them. */
  queueAttributes(url: string): Promise<Record<string, string>>;
  /** ListDeadLetterSourceQueues, all pages: the URLs of the queues whose RedrivePolicy points here. */
  deadLetterSources(url: string): Promise<string[]>;
  /**
   * ReceiveMessage with all attributes. The poll under way is not cut by anything but `close`; where it fails, it isn't
   * tried again once `signal` aborts.
   */
  receive(
    url: string,
    request: { max: number; waitSeconds: number; visibilitySeconds: number; signal?: AbortSignal },
  ): Promise<ReceivedMessage[]>;
  /** SendMessageBatch, one to ten entries. */
  sendBatch(url: string, entries: readonly SendEntry[]): Promise<BatchAnswer<{ id: string; messageId: string }>>;
  /** DeleteMessageBatch, one to ten entries. A stale handle "succeeds" and deletes nothing. */
  deleteBatch(url: string, entries: readonly { id: string; receiptHandle: string }[]): Promise<BatchAnswer>;
  /** ChangeMessageVisibilityBatch, one to ten entries; 0 makes visible at once. */
  changeVisibilityBatch(
    url: string,
    entries: readonly { id: string; receiptHandle: string; seconds: number }[],
  ): Promise<BatchAnswer>;
  /** StartMessageMoveTask: the task's handle. `rate` is messages a second, 1 to 500. */
  startMoveTask(task: { sourceArn: string; destinationArn: string; rate: number | null }): Promise<string>;
  /** ListMessageMoveTasks: those that run or ran from a queue, the newest first, ten at most. */
  moveTasks(sourceArn: string): Promise<MoveTaskEntry[]>;
  /** CancelMessageMoveTask; what was moved stays moved. */
  cancelMoveTask(handle: string): Promise<void>;
  /** Calls under way are cut: they throw `no_answer`. */
  close(): void;
}

/** A client that also finds queues: for looking around, before anything is configured. */
export interface ListingClient extends SqsClient {
  /** ListQueues, page by page: the URLs of the queues whose name begins so; all of them where it is empty. */
  queues(prefix: string): AsyncGenerator<string[], void, undefined>;
}
