import type {
  BatchResultErrorEntry,
  ListMessageMoveTasksResultEntry,
  Message,
  MessageAttributeValue,
  SendMessageBatchRequestEntry,
} from '@aws-sdk/client-sqs';
import type { Attributes } from '../../model/failure.ts';
import type { BatchAnswer, MoveTaskEntry, ReceivedMessage, SendEntry } from './client.ts';

/** The SDK's shapes and ours, in both directions. What an answer leaves out is empty: whoever reads it decides what that means. */

/** A move task as ListMessageMoveTasks tells of it. */
export function toMoveTask(task: ListMessageMoveTasksResultEntry): MoveTaskEntry {
  return {
    status: task.Status ?? '',
    moved: task.ApproximateNumberOfMessagesMoved ?? 0,
    ...(task.TaskHandle !== undefined && { handle: task.TaskHandle }),
    ...(task.DestinationArn !== undefined && { destinationArn: task.DestinationArn }),
    ...(task.ApproximateNumberOfMessagesToMove !== undefined && { toMove: task.ApproximateNumberOfMessagesToMove }),
    ...(task.FailureReason !== undefined && { failureReason: task.FailureReason }),
    ...(task.StartedTimestamp !== undefined && { startedAt: task.StartedTimestamp }),
  };
}

/** A message as ReceiveMessage gave it; binary attributes as base64. */
export function toReceived(message: Message): ReceivedMessage {
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: fromSdk(message.MessageAttributes),
    systemAttributes: { ...message.Attributes },
  };
}

function fromSdk(attributes: Record<string, MessageAttributeValue> | undefined): Attributes {
  return Object.fromEntries(
    Object.entries(attributes ?? {}).map(([name, { DataType, StringValue, BinaryValue }]) => {
      const type = DataType ?? 'String';
      const value = isBinary(type) ? Buffer.from(BinaryValue ?? []).toString('base64') : (StringValue ?? '');
      return [name, { type, value }];
    }),
  );
}

function toSdk(attributes: Attributes): Record<string, MessageAttributeValue> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { type, value }]) => [
      name,
      isBinary(type)
        ? { DataType: type, BinaryValue: Buffer.from(value, 'base64') }
        : { DataType: type, StringValue: value },
    ]),
  );
}

/** `Binary`, or a type of somebody's own: `Binary.png`. */
function isBinary(type: string): boolean {
  return type === 'Binary' || type.startsWith('Binary.');
}

/** An entry of SendMessageBatch. */
export function toSendEntry(entry: SendEntry): SendMessageBatchRequestEntry {
  const { id, body, attributes, groupId, deduplicationId, traceHeader } = entry;
  return {
    Id: id,
    MessageBody: body,
    MessageAttributes: toSdk(attributes),
    MessageGroupId: groupId,
    MessageDeduplicationId: deduplicationId,
    ...(traceHeader === undefined
      ? {}
      : { MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: traceHeader } } }),
  };
}

/** A batch's answer whose entries tell nothing but their ids. */
export function toAnswer(output: {
  Successful?: { Id: string | undefined }[] | undefined;
  Failed?: BatchResultErrorEntry[] | undefined;
}): BatchAnswer {
  return { successful: (output.Successful ?? []).map(({ Id }) => ({ id: Id ?? '' })), failed: toFailed(output.Failed) };
}

/** The entries that a batch's answer calls failed. */
export function toFailed(entries: BatchResultErrorEntry[] | undefined): BatchAnswer['failed'] {
  return (entries ?? []).map(({ Id, Code, Message, SenderFault }) => ({
    id: Id ?? '',
    code: Code ?? 'Unknown',
    message: Message ?? '',
    senderFault: SenderFault ?? false,
  }));
}
