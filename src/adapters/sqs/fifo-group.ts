import type { SqsMessage } from '../../model/sqs-message.ts';

/** The FIFO group in which a message keeps its place; null on a standard queue, where a group id orders nothing. */
export function groupOf(
  { systemAttributes }: Pick<SqsMessage, 'systemAttributes'>,
  queue: { fifo: boolean },
): string | null {
  return queue.fifo ? (systemAttributes.MessageGroupId ?? null) : null;
}
