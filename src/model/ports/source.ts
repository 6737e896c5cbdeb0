import type { SourceDiagnosis } from '../doctor/diagnosis.ts';
import type { BabelqError } from '../errors.ts';
import type { WholeFailure } from '../failure.ts';
import type { ActRequest, ActResult } from './acting.ts';
import type { Holding, HoldRequest } from './holding.ts';
import type { Intake } from './intake.ts';
import type { MoveTasks } from './move-tasks.ts';
import type { Aside, ReadRequest, ReadResult } from './reading.ts';

/**
 * One configured place that holds failures. Opening it does no I/O: the first call connects, so that one source's
 * trouble never hides the others. Every method throws BabelqError; reads throw Interrupted when the signal aborts, after
 * what was held has been made visible again.
 */
export interface Source {
  /** As configured: what its messages' ids start with. */
  readonly name: string;
  readonly kind: SourceKind;
  /** The dead-letter queue's name, or the table's, as configured. */
  readonly heldIn: string;
  /** What it is and how much it holds, without reading a message. */
  facts(signal: AbortSignal): Promise<SourceFacts>;
  /** Hands each message once to `visit`, which answers whether it wants more. Gives everything back before it returns. */
  read(request: ReadRequest, visit: (failure: WholeFailure, aside?: Aside) => 'more' | 'enough'): Promise<ReadResult>;
  /**
   * Retries, dismisses or restores. What goes wrong with one message is its item's, what stops it in the middle the result's.
   * @throws BabelqError where nothing could begin
   */
  act(request: ActRequest): Promise<ActResult>;
  /**
   * What is known of the queues that a retry's items name as `to`, in the same order; one that can't be asked says why.
   * Empty for a source whose messages stay where they are.
   * @param to `--to` of that retry
   */
  targets(
    names: readonly string[],
    request: { to?: string; signal: AbortSignal },
  ): Promise<(TargetFacts | { name: string; error: string })[]>;
  /**
   * Where `--to`, else the configuration, leads, in words, where that isn't the source's own account, region and server:
   * `account 210987654321, eu-west-1`. Null where it is, and before the source was read.
   */
  elsewhere?(to: string | null): string | null;
  /** Null for a source that has no such thing. */
  readonly moveTasks: MoveTasks | null;
  /**
   * A queue of this source's service that messages can be put on from a file: its dead-letter queue, or the one that `to`
   * names, by name, URL or ARN. Absent where nothing can be put.
   * @throws BabelqError where there is no such queue, or it can't be asked for; Interrupted
   */
  intake?(to: string | null, signal: AbortSignal): Promise<Intake>;
  /**
   * Receives these messages and keeps them hidden from everyone else; whatever else it receives meanwhile is given back.
   * Absent where nothing can be hidden.
   * @throws BabelqError; Interrupted, after everything was given back
   */
  hold?(request: HoldRequest): Promise<Holding>;
  /**
   * What can be found out about its settings, its permissions and the queues around it by calls that change and receive
   * nothing. Trouble is a part of the answer; it throws only what nobody expects. Absent where nothing can be asked.
   */
  diagnose?(request: DiagnoseRequest): Promise<SourceDiagnosis>;
  /** Where this source's service has a queue of that name; null where it hasn't. Absent for a source without queues. */
  whereIs?(queue: string): Promise<{ where: string; settings: [key: string, value: string][] } | null>;
  /** How many are hidden from others right now, and when the last becomes visible by itself: milliseconds since the epoch. */
  held(): { count: number; until: number | null };
  /** Lets go of connections; whatever is still being asked is cut. */
  close(): Promise<void>;
}

/** The system that holds a source's failures. */
export type SourceKind = 'sqs' | 'jadpo';

/**
 * What a source is and holds, asked for without reading a message. `sources` prints it. Null is what the source doesn't tell or
 * doesn't have. SQS's counts are approximate, and late by up to a minute.
 */
export interface SourceFacts {
  name: string;
  kind: SourceKind;
  /** The dead-letter queue's name, or the table. */
  queue: string;
  fifo: boolean | null;
  /** Failed; for jadpo the failed rows. */
  visible: number | null;
  /** Hidden by whoever received them; for jadpo the pending rows. */
  in_flight: number | null;
  delayed: number | null;
  retention_seconds: number | null;
  /** The queues whose RedrivePolicy points here; null where that couldn't be asked. */
  redrive_sources: string[] | null;
  /** Why it couldn't be asked; null where it could. */
  error: string | null;
}

/** A queue that messages were sent to: what lies there, and what becomes of one that keeps failing. Counts are approximate. */
export interface TargetFacts {
  name: string;
  visible: number;
  in_flight: number;
  delayed: number;
  /** VisibilityTimeout, in seconds. */
  visibility_seconds: number;
  /** How often a message is received before SQS moves it on; null without a RedrivePolicy. */
  max_receives: number | null;
  /** The queue that SQS moves it to, by name; null without a RedrivePolicy. */
  dead_letter_queue: string | null;
  /** Whether that is this source's dead-letter queue. */
  leads_here: boolean;
}

/** How a source is asked about itself. */
export interface DiagnoseRequest {
  signal: AbortSignal;
  /** What came of receiving, where somebody asked for that: what no harmless call tells is known by it. */
  received: 'ok' | BabelqError | null;
}
