import type { EditedBody } from '../../../model/edit.ts';
import type { Reading } from '../../../model/envelope.ts';
import type { WholeFailure } from '../../../model/failure.ts';
import type { Recollection } from '../../../model/ports.ts';
import type { ResetBody } from '../../../model/reset.ts';
import type { RememberedFacts, SqsMessage } from '../../../model/sqs-message.ts';
import type { SendEntry } from '../client.ts';
import type { Destination } from './context.ts';
import type { Waiting } from './pool.ts';

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

/** A message that is to be acted on. */
export interface Task extends Waiting {
  readonly id: string;
  readonly nativeId: string;
  readonly message: SqsMessage;
  readonly identity: string;
  readonly reason: string;
  /** Where it failed, and what it is. */
  readonly queue: string | null;
  readonly subject: string | null;
  /** As items name it: the queue, `archive`, the dead-letter queue. */
  readonly to: string;
  readonly destination: Destination | null;
  readonly entry: Omit<SendEntry, 'id'>;
  readonly remembered: RememberedFacts | null;
  /** An earlier send of it may have been done. */
  readonly possibleDouble: boolean;
  /** The newest entry of it that was recalled. */
  readonly last: number | null;
  /** What is sent was edited: the original is kept. */
  readonly edited?: boolean;
  /** The archived entry that is restored. */
  readonly restores?: number;
  /** What a person should know of where it is done. */
  readonly detail: string | null;
}
