import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startFauxqs as startFauxqsServer } from 'fauxqs';
import { createRequestHandler } from 'local-aws-sqs';
import type { Attributes } from '../../src/model/failure.ts';
import { EMULATOR_FAULTS } from './emulator-faults.ts';

/** A message to lay on a queue; what only one emulator can do says so. */
export interface Seed {
  body: string;
  attributes?: Attributes;
  groupId?: string;
  deduplicationId?: string;
  /** SentTimestamp, milliseconds. */
  sentAt?: number;
  /** DeadLetterQueueSourceArn; local-aws-sqs only. */
  sourceArn?: string;
  /** AWSTraceHeader; local-aws-sqs only. */
  traceHeader?: string;
}

/** What lies on a queue, looked at from inside the server: nothing is received by it. */
interface Lying {
  messageId: string;
  body: string;
  attributes: Attributes;
  groupId: string | null;
  sentAt: number;
  receiveCount: number;
  hidden: boolean;
  /** When it becomes visible by itself (ms); null where it is visible, or the emulator doesn't tell. */
  hiddenUntil: number | null;
}

/** An SQS-compatible server in this process, over real HTTP, on a free port of 127.0.0.1. */
export interface SqsServer {
  readonly name: 'local-aws-sqs' | 'fauxqs';
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string;
  readonly region: string;
  readonly account: string;
  /** Where it differs from SQS. */
  readonly faults: readonly string[];
  /** What a client's process needs in its environment to reach it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Attributes as SQS names them; `deadLetter` sets a RedrivePolicy to that queue, which must exist. */
  createQueue(
    name: string,
    attributes?: Record<string, string>,
    deadLetter?: { queue: string; maxReceiveCount: number },
  ): Promise<{ url: string; arn: string }>;
  /** Lays a message on a queue and gives its MessageId. */
  put(queue: string, seed: Seed): string;
  lying(queue: string): Lying[];
  /** Makes what is hidden visible, as if its visibility timeout had run out: all of it, or these messages. */
  expire(queue: string, messageIds?: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export const REGION = 'us-east-1';
const LOCAL_ACCOUNT = '123456789012';
const FAUXQS_ACCOUNT = '000000000000';

/** What a client's process needs in its environment to reach a server. */
export function environmentFor(endpoint: string): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
}

/** Creates a queue over the wire; FIFO by its name. */
export async function createQueueAt(
  endpoint: string,
  account: string,
  name: string,
  attributes: Record<string, string> = {},
  deadLetter?: { queue: string; maxReceiveCount: number },
): Promise<{ url: string; arn: string }> {
  const all: Record<string, string> = { ...(name.endsWith('.fifo') ? { FifoQueue: 'true' } : {}), ...attributes };
  if (deadLetter) {
    all.RedrivePolicy = JSON.stringify({
      deadLetterTargetArn: arnOf(account, deadLetter.queue),
      maxReceiveCount: deadLetter.maxReceiveCount,
    });
  }
  await call(endpoint, 'CreateQueue', { QueueName: name, Attributes: all });
  return { url: `${endpoint}/${account}/${name}`, arn: arnOf(account, name) };
}

async function call(endpoint: string, action: string, body: unknown): Promise<void> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `AmazonSQS.${action}`,
      authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/${REGION}/sqs/aws4_request, SignedHeaders=host, Signature=x`,
    },
    body: JSON.stringify(body),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${action}: ${answer}`);
}

function arnOf(account: string, queue: string): string {
  return `arn:aws:sqs:${REGION}:${account}:${queue}`;
}

interface WireAttribute {
  DataType: string;
  StringValue?: string;
  BinaryValue?: string;
}

function toWire(attributes: Attributes): Record<string, WireAttribute> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { type, value }]) => [
      name,
      type.startsWith('Binary') ? { DataType: type, BinaryValue: value } : { DataType: type, StringValue: value },
    ]),
  );
}

function fromWire(attributes: Record<string, WireAttribute> | undefined): Attributes {
  return Object.fromEntries(
    Object.entries(attributes ?? {}).map(([name, { DataType, StringValue, BinaryValue }]) => [
      name,
      { type: DataType, value: StringValue ?? BinaryValue ?? '' },
    ]),
  );
}

// --- local-aws-sqs ---------------------------------------------------------------------------------------------------

/** A message as local-aws-sqs keeps it. */
interface LocalItem {
  visible: boolean;
  tmRetention: NodeJS.Timeout & { _destroyed?: boolean };
  record: {
    MessageId: string;
    ReceiptHandle?: string;
    MessageBody: string;
    MessageAttributes?: Record<string, WireAttribute>;
    attributes: Record<string, string>;
  };
}

/**
 * Starts local-aws-sqs: redrive policies, source ARNs, move tasks; no FIFO group blocking.
 * @param port 0 for a free one
 */
export async function startLocalAwsSqs(port = 0): Promise<SqsServer> {
  const { service, requestHandler } = createRequestHandler({
    port,
    hostname: '127.0.0.1',
    region: REGION,
    accountId: LOCAL_ACCOUNT,
    emulateQueueCreationLifecycle: false,
  });
  const server = createServer((request, response) => {
    // It ends the process on a request without a target.
    if (request.headers['x-amz-target'] === undefined) response.writeHead(400).end();
    else requestHandler(request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  service.PORT = (server.address() as AddressInfo).port;
  const endpoint = `http://127.0.0.1:${service.PORT}`;
  const items = new Map<string, LocalItem[]>();

  const find = (name: string) => {
    const queue = service.Queues.find((one) => one.QueueName === name);
    if (!queue) throw new Error(`no queue ${name}`);
    return queue;
  };

  return {
    name: 'local-aws-sqs',
    faults: EMULATOR_FAULTS['local-aws-sqs'],
    endpoint,
    region: REGION,
    account: LOCAL_ACCOUNT,
    environment: environmentFor(endpoint),
    async createQueue(name, attributes, deadLetter) {
      const created = await createQueueAt(endpoint, LOCAL_ACCOUNT, name, attributes, deadLetter);
      // It shows nobody its messages, so those that come in are noted, from wherever they come.
      const queue = find(name);
      const kept: LocalItem[] = [];
      const newRecord = queue.newRecord;
      queue.newRecord = (message, delay) => {
        const item = newRecord(message, delay) as LocalItem;
        kept.push(item);
        return item;
      };
      items.set(name, kept);
      return created;
    },
    put(name, seed) {
      const system: Record<string, WireAttribute> = {};
      if (seed.sourceArn !== undefined) {
        system.DeadLetterQueueSourceArn = { DataType: 'String', StringValue: seed.sourceArn };
      }
      if (seed.traceHeader !== undefined) {
        system.AWSTraceHeader = { DataType: 'String', StringValue: seed.traceHeader };
      }
      const item = find(name).setRecord({
        MessageBody: seed.body,
        ...(seed.attributes ? { MessageAttributes: toWire(seed.attributes) } : {}),
        ...(seed.groupId === undefined ? {} : { MessageGroupId: seed.groupId }),
        ...(seed.groupId === undefined ? {} : { MessageDeduplicationId: seed.deduplicationId ?? crypto.randomUUID() }),
        ...(Object.keys(system).length === 0 ? {} : { MessageSystemAttributes: system }),
      }) as LocalItem;
      if (seed.sentAt !== undefined) item.record.attributes.SentTimestamp = String(seed.sentAt);
      return item.record.MessageId;
    },
    lying(name) {
      const lying = (items.get(name) ?? []).filter(({ tmRetention }) => tmRetention._destroyed !== true);
      return lying.map(({ visible, record }) => ({
        messageId: record.MessageId,
        body: record.MessageBody,
        attributes: fromWire(record.MessageAttributes),
        groupId: record.attributes.MessageGroupId ?? null,
        sentAt: Number(record.attributes.SentTimestamp),
        receiveCount: Number(record.attributes.ApproximateReceiveCount),
        hidden: !visible,
        hiddenUntil: null,
      }));
    },
    async expire(name, messageIds) {
      for (const { visible, tmRetention, record } of items.get(name) ?? []) {
        if (visible || tmRetention._destroyed === true || record.ReceiptHandle === undefined) continue;
        if (messageIds?.includes(record.MessageId) === false) continue;
        find(name).changeVisibility(record.ReceiptHandle, '0');
      }
    },
    async close() {
      service.resetAll();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

// --- fauxqs ----------------------------------------------------------------------------------------------------------

/**
 * Starts fauxqs: FIFO group blocking, deduplication, true counts; no source ARNs, no ListDeadLetterSourceQueues.
 * @param port 0 for a free one
 */
export async function startFauxqs(port = 0): Promise<SqsServer> {
  const server = await startFauxqsServer({ port, logger: false, host: '127.0.0.1', defaultRegion: REGION });
  const endpoint = `http://127.0.0.1:${server.port}`;

  const inspect = (name: string) => {
    const queue = server.inspectQueue(name);
    if (!queue) throw new Error(`no queue ${name}`);
    const { ready, delayed, inflight } = queue.messages;
    const now = Date.now();
    return [
      ...[...ready, ...delayed].map((message) => ({ message, hiddenUntil: null })),
      // It is taken out of those in flight by the next receive only, which is given it.
      ...inflight.map(({ message, visibilityDeadline: until }) => ({
        message,
        hiddenUntil: until > now ? until : null,
      })),
    ];
  };

  return {
    name: 'fauxqs',
    faults: EMULATOR_FAULTS.fauxqs,
    endpoint,
    region: REGION,
    account: FAUXQS_ACCOUNT,
    environment: environmentFor(endpoint),
    createQueue: (name, attributes, deadLetter) =>
      createQueueAt(endpoint, FAUXQS_ACCOUNT, name, attributes, deadLetter),
    put(name, seed) {
      if (seed.sourceArn !== undefined || seed.traceHeader !== undefined) {
        throw new Error('fauxqs keeps no system attributes');
      }
      const { messageId } = server.sendMessage(name, seed.body, {
        messageAttributes: toWire(seed.attributes ?? {}),
        ...(seed.groupId === undefined ? {} : { messageGroupId: seed.groupId }),
        ...(seed.groupId === undefined ? {} : { messageDeduplicationId: seed.deduplicationId ?? crypto.randomUUID() }),
      });
      if (seed.sentAt !== undefined) {
        const sent = inspect(name).find(({ message }) => message.messageId === messageId);
        if (sent) sent.message.sentTimestamp = seed.sentAt;
      }
      return messageId;
    },
    lying: (name) =>
      inspect(name).map(({ message, hiddenUntil }) => ({
        messageId: message.messageId,
        body: message.body,
        attributes: fromWire(message.messageAttributes),
        groupId: message.messageGroupId ?? null,
        sentAt: message.sentTimestamp,
        receiveCount: message.approximateReceiveCount,
        hidden: hiddenUntil !== null,
        hiddenUntil,
      })),
    async expire(name, messageIds) {
      const inflight = server.inspectQueue(name)?.messages.inflight ?? [];
      const handles = inflight
        .filter(({ message }) => messageIds?.includes(message.messageId) !== false)
        .map(({ receiptHandle }) => receiptHandle);
      for (let n = 0; n < handles.length; n += 10) {
        await call(endpoint, 'ChangeMessageVisibilityBatch', {
          QueueUrl: `${endpoint}/${FAUXQS_ACCOUNT}/${name}`,
          Entries: handles
            .slice(n, n + 10)
            .map((ReceiptHandle, id) => ({ Id: String(id), ReceiptHandle, VisibilityTimeout: 0 })),
        });
      }
    },
    async close() {
      await server.stop();
    },
  };
}
