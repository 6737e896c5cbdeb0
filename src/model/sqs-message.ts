import type { Attributes } from './failure.ts';

/** An SQS message as it was received (or as the archive keeps it). */
export interface SqsMessage {
  readonly messageId: string;
  /** Exactly as stored. */
  readonly body: string;
  /** Binary values as base64. */
  readonly attributes: Attributes;
  /** SentTimestamp, ApproximateReceiveCount, DeadLetterQueueSourceArn, MessageGroupId, SequenceNumber, AWSTraceHeader … */
  readonly systemAttributes: Readonly<Record<string, string>>;
}

/** What is known of the dead-letter queue that a message lies on, and what the person said of it. */
export interface QueueFacts {
  /** The configured source's name: what ids start with. */
  readonly source: string;
  /** The queue's name. */
  readonly queue: string;
  /** `arn:aws:sqs:<region>:<account>:<queue>`. */
  readonly arn: string;
  readonly account: string;
  readonly region: string;
  readonly fifo: boolean;
  /** MessageRetentionPeriod; null where it couldn't be asked. */
  readonly retentionSeconds: number | null;
  /** Names, ARNs or URLs of the queues whose RedrivePolicy points here; null where that couldn't be asked. */
  readonly redriveSources: readonly string[] | null;
  /** `redrive_to` of the configuration: a queue's name, URL or ARN. */
  readonly redriveTo: string | null;
  /** `--to`: a queue's name, URL or ARN. */
  readonly to: string | null;
}

/** What the service said of a queue. */
export interface KnownQueue {
  readonly exists: boolean;
  readonly fifo: boolean;
  /** Bytes of a body with its attributes; null where it couldn't be asked. */
  readonly maximumMessageSize: number | null;
}

/**
 * What is known of a queue by name, in the source's own account and region; undefined where it couldn't be asked.
 * `--to` and `redrive_to` are looked up as they were typed, since a URL or an ARN may lead to another account's
 * queue of the same name.
 */
export type KnownQueues = (queue: string) => KnownQueue | undefined;

/**
 * What the journal remembers of a message: of one in the archive, or of one restored from it, which is a new message
 * to SQS without its source ARN. Null where it isn't remembered. Times are ISO 8601, UTC, with milliseconds.
 */
export interface RememberedFacts {
  /** Set where the message lies in the archive: when the archive will delete it. Makes the failure `dismissed`. */
  readonly archivedUntil: string | null;
  /** Its DeadLetterQueueSourceArn from before it was dismissed. */
  readonly sourceArn: string | null;
  /** When SQS first took it in. */
  readonly sentAt: string | null;
  /** When it was set aside, as first recorded. */
  readonly failedAt: string | null;
  /** Where a retry would have put it: a queue's name, as evidence said then (never `--to` or `redrive_to`). */
  readonly retryTo: string | null;
}
