/** SQS's move tasks on one dead-letter queue. Every method throws BabelqError. */
export interface MoveTasks {
  /** The newest first, ten at most. */
  list(signal: AbortSignal): Promise<MoveTask[]>;
  /** The ARN of a queue by name, or as `--to` gives it. @throws BabelqError `no_queue` */
  arnOf(queue: string, signal: AbortSignal): Promise<{ name: string; arn: string; fifo: boolean }>;
  /**
   * Starts one; the answer is its handle. Null where the answer was lost: it may have been started.
   * @param rate messages a second, 1 to 500; null for as SQS likes
   */
  start(destinationArn: string, rate: number | null): Promise<string | null>;
  cancel(handle: string): Promise<void>;
}

/** SQS's own task that moves a whole dead-letter queue. */
export interface MoveTask {
  /** What it is cancelled by; null once it doesn't run any more. */
  handle: string | null;
  status: 'RUNNING' | 'COMPLETED' | 'CANCELLING' | 'CANCELLED' | 'FAILED' | 'UNKNOWN';
  /** Null where the task left it to SQS. */
  destination_arn: string | null;
  /** Approximate. */
  moved: number;
  /** As counted at its start; null before it was counted. */
  to_move: number | null;
  /** Why, where it failed. */
  failure: string | null;
  /** Milliseconds since the epoch. */
  started_at: number | null;
}
