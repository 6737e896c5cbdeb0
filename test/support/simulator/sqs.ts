import {
  type BatchAnswer,
  type MoveTaskEntry,
  type ReceivedMessage,
  type SendEntry,
  SqsCallError,
} from '../../../src/adapters/sqs/client.ts';
import { messageSize } from '../../../src/model/size.ts';
import type { VirtualTime } from './clock.ts';
import { SimulatedMoveTasks } from './move-tasks.ts';
import { type QueueSettings, type Refused, SimulatedQueue, type StoredMessage } from './queue.ts';
import type { Random } from './random.ts';

export const REGION = 'eu-central-1';
const ACCOUNT = '123456789012';
const MOST_BYTES = 1_048_576;

export type QueueWish = Partial<Omit<QueueSettings, 'fifo' | 'redrive'>> & {
  redrive?: { target: SimulatedQueue; maxReceiveCount: number };
};

/**
 * The service: its queues, and each call as it is acted on at the server. Between the call and its answer lies the
 * network, and that is the client's (client.ts).
 */
export class SimulatedSqs {
  readonly time: VirtualTime;
  readonly queues = new Map<string, SimulatedQueue>();
  readonly #random: Random;
  readonly #moves: SimulatedMoveTasks;

  constructor(time: VirtualTime, random: Random) {
    this.time = time;
    this.#random = random;
    this.#moves = new SimulatedMoveTasks(time);
  }

  create(name: string, wish: QueueWish = {}): SimulatedQueue {
    const settings: QueueSettings = {
      visibilitySeconds: 30,
      retentionSeconds: 14 * 86_400,
      delaySeconds: 0,
      maximumMessageSize: MOST_BYTES,
      inFlightLimit: 120_000,
      ...wish,
      redrive: wish.redrive ?? null,
      fifo: name.endsWith('.fifo'),
    };
    const url = `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${name}`;
    const arn = `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}`;
    const queue = new SimulatedQueue(name, arn, url, settings, this.time, this.#random.fork());
    this.queues.set(name, queue);
    return queue;
  }

  queueUrl(name: string, account?: string): string {
    const queue = account === undefined || account === ACCOUNT ? this.queues.get(name) : undefined;
    if (queue === undefined) throw missing('GetQueueUrl');
    return queue.url;
  }

  queueAttributes(url: string): Record<string, string> {
    const queue = this.#at('GetQueueAttributes', url);
    const { settings } = queue;
    const { visible, inFlight, delayed } = queue.counts();
    return {
      QueueArn: queue.arn,
      ApproximateNumberOfMessages: String(visible),
      ApproximateNumberOfMessagesNotVisible: String(inFlight),
      ApproximateNumberOfMessagesDelayed: String(delayed),
      VisibilityTimeout: String(settings.visibilitySeconds),
      MessageRetentionPeriod: String(settings.retentionSeconds),
      DelaySeconds: String(settings.delaySeconds),
      MaximumMessageSize: String(settings.maximumMessageSize),
      ReceiveMessageWaitTimeSeconds: '0',
      ...(settings.fifo && { FifoQueue: 'true', ContentBasedDeduplication: 'false' }),
      ...(settings.redrive && {
        RedrivePolicy: JSON.stringify({
          deadLetterTargetArn: settings.redrive.target.arn,
          maxReceiveCount: settings.redrive.maxReceiveCount,
        }),
      }),
    };
  }

  deadLetterSources(url: string): string[] {
    const queue = this.#at('ListDeadLetterSourceQueues', url);
    return [...this.queues.values()].filter(({ settings }) => settings.redrive?.target === queue).map((one) => one.url);
  }

  /**
   * A long poll answers as soon as it has something, and empty where as much is in flight as may be; a short one says so.
   * @param beforeTaking called each time that it looks
   */
  async receive(
    url: string,
    request: { max: number; waitSeconds: number; visibilitySeconds: number },
    beforeTaking: () => void = () => {},
  ): Promise<ReceivedMessage[]> {
    const queue = this.#at('ReceiveMessage', url);
    const until = this.time.now() + request.waitSeconds * 1000;
    for (;;) {
      beforeTaking();
      const given = queue.receive(request.max, request.visibilitySeconds);
      if (given === null && request.waitSeconds === 0 && !queue.settings.fifo) {
        throw refusal('ReceiveMessage', 'OverLimit', 'Too many messages are in flight.');
      }
      const left = until - this.time.now();
      if ((given !== null && given.length > 0) || left <= 0) {
        return (given ?? []).map(({ message, handle }) => received(message, handle, queue.settings.fifo));
      }
      await queue.changed(left);
    }
  }

  sendBatch(url: string, entries: readonly SendEntry[]): BatchAnswer<{ id: string; messageId: string }> {
    const queue = this.#at('SendMessageBatch', url);
    checkBatch('SendMessageBatch', entries);
    const bytes = entries.reduce((sum, { body, attributes }) => sum + messageSize(body, attributes), 0);
    if (bytes > MOST_BYTES) throw refusal('SendMessageBatch', 'BatchRequestTooLong', 'The batch is longer than 1 MiB.');
    return batch(entries, (entry) => {
      const stored = queue.send(entry);
      if ('code' in stored) return stored;
      return {
        messageId: stored.id,
      };
    });
  }

  deleteBatch(url: string, entries: readonly { id: string; receiptHandle: string }[]): BatchAnswer {
    const queue = this.#at('DeleteMessageBatch', url);
    checkBatch('DeleteMessageBatch', entries);
    return batch(entries, ({ receiptHandle }) => queue.delete(receiptHandle) ?? {});
  }

  changeVisibilityBatch(
    url: string,
    entries: readonly { id: string; receiptHandle: string; seconds: number }[],
  ): BatchAnswer {
    const queue = this.#at('ChangeMessageVisibilityBatch', url);
    checkBatch('ChangeMessageVisibilityBatch', entries);
    return batch(entries, ({ receiptHandle, seconds }) => queue.changeVisibility(receiptHandle, seconds) ?? {});
  }

  startMoveTask(task: { sourceArn: string; destinationArn: string; rate: number | null }): string {
    const source = this.#byArn('StartMessageMoveTask', task.sourceArn);
    const target = this.#byArn('StartMessageMoveTask', task.destinationArn);
    return this.#moves.start(source, target, task.rate, this.deadLetterSources(source.url).length > 0);
  }

  listMoveTasks(sourceArn: string): MoveTaskEntry[] {
    return this.#moves.of(this.#byArn('ListMessageMoveTasks', sourceArn));
  }

  cancelMoveTask(handle: string): void {
    this.#moves.cancel(handle);
  }

  #byArn(call: string, arn: string): SimulatedQueue {
    const queue = [...this.queues.values()].find((one) => one.arn === arn);
    if (queue === undefined) throw refusal(call, 'ResourceNotFoundException', 'The resource does not exist.');
    return queue;
  }

  #at(call: string, url: string): SimulatedQueue {
    const name = url.slice(url.lastIndexOf('/') + 1);
    const queue = this.queues.get(name);
    if (queue === undefined || queue.url !== url) throw missing(call);
    return queue;
  }
}

function received(message: StoredMessage, receiptHandle: string, fifo: boolean): ReceivedMessage {
  return {
    messageId: message.id,
    receiptHandle,
    body: message.body,
    attributes: message.attributes,
    systemAttributes: {
      SenderId: 'AIDASIMULATED',
      SentTimestamp: String(message.sentAt),
      ApproximateReceiveCount: String(message.receiveCount),
      ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
      ...(message.sourceArn !== undefined && { DeadLetterQueueSourceArn: message.sourceArn }),
      ...(message.groupId !== undefined && { MessageGroupId: message.groupId }),
      ...(message.deduplicationId !== undefined && { MessageDeduplicationId: message.deduplicationId }),
      ...(message.traceHeader !== undefined && { AWSTraceHeader: message.traceHeader }),
      ...(fifo && { SequenceNumber: sequenceNumber(message) }),
    },
  };
}

function sequenceNumber({ sequence }: StoredMessage): string {
  return String(18_849_496_460_467_696_128n + BigInt(sequence) * 256n);
}

function checkBatch(call: string, entries: readonly { id: string }[]): void {
  const prefix = 'AWS.SimpleQueueService.';
  if (entries.length === 0) throw refusal(call, `${prefix}EmptyBatchRequest`, 'There are no entries in the request.');
  if (entries.length > 10) {
    throw refusal(call, `${prefix}TooManyEntriesInBatchRequest`, 'The maximum number of entries is 10.');
  }
  for (const { id } of entries) {
    if (!/^[A-Za-z0-9_-]{1,80}$/.test(id))
      throw refusal(call, `${prefix}InvalidBatchEntryId`, 'An entry id is invalid.');
  }
  if (new Set(entries.map(({ id }) => id)).size < entries.length) {
    throw refusal(call, `${prefix}BatchEntryIdsNotDistinct`, 'Two entries have the same id.');
  }
}

function batch<E extends { id: string }, A extends object>(
  entries: readonly E[],
  act: (entry: E) => A | Refused,
): BatchAnswer<A & { id: string }> {
  const answer: BatchAnswer<A & { id: string }> = { successful: [], failed: [] };
  for (const entry of entries) {
    const result = act(entry);
    if ('code' in result) answer.failed.push({ id: entry.id, ...result, senderFault: true });
    else answer.successful.push({ id: entry.id, ...result });
  }
  return answer;
}

function refusal(call: string, code: string, message: string): SqsCallError {
  return new SqsCallError(call, 'refused', code, message);
}

function missing(call: string): SqsCallError {
  return refusal(call, 'QueueDoesNotExist', 'The specified queue does not exist.');
}
