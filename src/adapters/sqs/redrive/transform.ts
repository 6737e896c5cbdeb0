import { createHash } from 'node:crypto';
import type { ResetBody } from '../../../model/reset.ts';
import { resetAttributes } from '../../../model/reset.ts';
import { MOST_BYTES, messageSize } from '../../../model/size.ts';
import type { SqsMessage } from '../../../model/sqs-message.ts';
import type { SendEntry } from '../client.ts';
import type { Destination } from './context.ts';

/** A message as it is sent. */
export interface Transformed {
  readonly send: Omit<SendEntry, 'id'>;
  readonly bytes: number;
  /** What a person should know of, beyond the reset that every retry does. */
  readonly detail: string | null;
  /** Why it can't be sent so, in one sentence. */
  readonly blocked: string | null;
}

/**
 * A message as a retry sends it: the body reset, all attributes along but for the replay marker, its group and its
 * trace header. `deduplicationId` is for FIFO destinations.
 */
export function forRetry(
  message: SqsMessage,
  reset: ResetBody,
  destination: Destination,
  bypass: boolean,
  deduplicationId: () => string,
): Transformed {
  const attributes = resetAttributes(message.attributes, { bypass });
  const notable = [...reset.changes.filter((change) => change.includes('raw')), ...attributes.changes];
  return transformed(
    { ...message, body: reset.body, attributes: attributes.attributes },
    destination,
    deduplicationId,
    notable.length === 0 ? null : `${notable.join('; ')}.`,
    attributes.blocked,
  );
}

/** A message as it is put back on its dead-letter queue: byte for byte. */
export function forRestore(message: SqsMessage, destination: Destination, deduplicationId: () => string): Transformed {
  return transformed(message, destination, deduplicationId, null, null);
}

function transformed(
  { body, attributes, systemAttributes }: SqsMessage,
  destination: Destination,
  deduplicationId: () => string,
  detail: string | null,
  blocked: string | null,
): Transformed {
  // The SDKs' default group is the queue's name; standard queues take a group too, for fairness.
  const groupId = systemAttributes.MessageGroupId ?? (destination.fifo ? destination.name : undefined);
  const traceHeader = systemAttributes.AWSTraceHeader;
  const bytes = messageSize(body, attributes);
  const most = Math.min(destination.maximumMessageSize ?? MOST_BYTES, MOST_BYTES);
  const tooLarge =
    bytes > most ? `It has ${bytes} bytes with its attributes; ${destination.name} takes ${most}.` : null;
  return {
    send: {
      body,
      attributes,
      ...(groupId !== undefined && { groupId }),
      ...(destination.fifo && { deduplicationId: deduplicationId() }),
      ...(traceHeader !== undefined && { traceHeader }),
    },
    bytes,
    detail,
    blocked: blocked ?? tooLarge,
  };
}

/**
 * New for every copy that lies on a dead-letter queue, or SQS would drop the send of a message that came back within
 * five minutes; and the same whenever that copy's send is repeated, so that then it is dropped.
 * @param archived the archive's entry, for a restoration: what is archived twice can be restored twice
 */
export function deduplicationIdOf({ messageId, systemAttributes }: SqsMessage, archived?: number): string {
  const copy = `${messageId}/${systemAttributes.SequenceNumber ?? ''}`;
  const what = archived === undefined ? copy : `archived/${archived}/${copy}`;
  return `babelq-${createHash('sha256').update(what).digest('hex')}`;
}

const EDITED = 'babelq-edited-';

/** As deduplicationIdOf, for a body that was edited: the same again only for the same copy edited to the same text. */
export function editedDeduplicationIdOf({ messageId, systemAttributes }: SqsMessage, body: string): string {
  const copy = `${messageId}/${systemAttributes.SequenceNumber ?? ''}`;
  return `${EDITED}${createHash('sha256').update(`${copy}\n${body}`).digest('hex')}`;
}

/** Whether a deduplication id is of a body that was edited. */
export function isOfEdited(deduplicationId: string): boolean {
  return deduplicationId.startsWith(EDITED);
}
