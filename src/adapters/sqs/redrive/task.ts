import type { EditedBody } from '../../../model/edit.ts';
import type { Reading } from '../../../model/envelope.ts';
import type { WholeFailure } from '../../../model/failure.ts';
import type { Recollection } from '../../../model/ports.ts';
import type { ResetBody } from '../../../model/reset.ts';
import type { RememberedFacts, SqsMessage } from '../../../model/sqs-message.ts';
import type { SendEntry } from '../client.ts';
import type { Destination } from './context.ts';
import type { Waiting } from './pool.ts';
import type { Transformed } from './transform.ts';

/** A message that was met, with all that was read from it. Lives only as long as it is in hand. */
export interface Met {
  readonly message: SqsMessage;
  readonly reading: Reading;
  /** What is sent: reset, and edited where that was asked for. */
  readonly reset: ResetBody;
  /** What an edit came to; null where none was asked for. */
  readonly edit: EditedBody | { readonly why: string } | null;
  readonly identity: string;
  readonly failure: WholeFailure;
  readonly recollection: Recollection;
}

/** Which message it is, for items and for the journal. */
export interface About {
  readonly id: string;
  readonly nativeId: string;
  readonly identity: string;
  readonly reason: string;
  /** Where it failed, and what it is. */
  readonly queue: string | null;
  readonly subject: string | null;
}

/** A message that is to be acted on. */
export interface Task extends Waiting, About {
  /** As items name it: the queue, `archive`, the dead-letter queue. */
  readonly to: string;
  /** Null for a dismissal, which sends nothing. */
  readonly destination: Destination | null;
  readonly send: Omit<SendEntry, 'id'>;
  /** The whole message, for the journal to keep; null where a file has it. */
  readonly kept: SqsMessage | null;
  readonly remembered: RememberedFacts | null;
  /** An earlier send of it may have been done. */
  readonly possibleDouble: boolean;
  /** The newest entry of it that was recalled. */
  readonly last: number | null;
  /** What is sent was edited: the original is kept. */
  readonly edited?: boolean;
  /** The archived entry that is restored. */
  readonly restores?: number;
  /** `--again` of an import. */
  readonly again?: boolean;
  /** What a person should know of where it is done. */
  readonly detail: string | null;
}

/** Of one that was met. A failure holds its body, and a task must not. */
export function aboutMet({ message, identity, failure: { id, reason, queue, subject } }: Met): About {
  return { id, nativeId: message.messageId, identity, reason, queue, subject };
}

/**
 * A task that sends a message to a queue.
 * @param rest says also in which `group` it keeps its place, since that isn't always the destination's: a retry goes in the order in
 *   which the dead-letter queue gives messages out, whatever the target is; what comes from the archive or a file has no order but
 *   that in which its queue will hold it
 */
export function sendTask(
  about: About,
  { send, bytes }: Transformed,
  destination: Destination,
  rest: Omit<Task, keyof About | 'to' | 'destination' | 'batchKey' | 'send' | 'bytes'>,
): Task {
  return { ...about, to: destination.name, destination, batchKey: destination.url, send, bytes, ...rest };
}
