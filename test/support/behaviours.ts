import { deepEqual, equal, ok } from 'node:assert/strict';
import type { ReceivedMessage, SendEntry, SqsClient } from '../../src/adapters/sqs/client.ts';
import { SqsCallError } from '../../src/adapters/sqs/client.ts';

/** A server that behaviours are checked on, and how to make queues there. */
export interface BehaviourServer {
  client: SqsClient;
  /** Attributes as SQS names them; `deadLetter` is the name of a queue that is there. */
  create(
    name: string,
    attributes?: Record<string, string>,
    deadLetter?: { queue: string; maxReceiveCount: number },
  ): Promise<{ url: string; arn: string }>;
  /** Lets time pass. */
  wait(ms: number): Promise<void>;
}

/**
 * What babelq relies on, as small checks that hold on SQS: the simulator and the emulators are held to the same ones, so
 * that it is known where the simulator tells the truth. The AWS documentation says each of them.
 */
export interface Behaviour {
  name: string;
  /** It needs more time than a real server can be given. */
  long?: true;
  check(server: BehaviourServer, queue: (suffix?: string) => string): Promise<void>;
}

export const BEHAVIOURS: readonly Behaviour[] = [
  {
    name: 'a message received is hidden for its visibility timeout, then comes again with a new handle',
    async check(server, queue) {
      const { url } = await server.create(queue());
      await send(server, url, [{ body: 'one' }]);
      const first = await receiveOne(server, url, 2);
      equal(first.systemAttributes.ApproximateReceiveCount, '1');
      deepEqual(await receive(server, url, { waitSeconds: 0 }), []);
      await server.wait(2100);
      const second = await receiveOne(server, url, 30);
      equal(second.messageId, first.messageId);
      equal(second.systemAttributes.ApproximateReceiveCount, '2');
      ok(second.receiptHandle !== first.receiptHandle);
    },
  },
  {
    name: 'a message given back is visible at once, and its receive count rises by one a look',
    async check(server, queue) {
      const { url } = await server.create(queue());
      await send(server, url, [{ body: 'one' }]);
      for (const count of ['1', '2', '3']) {
        const message = await receiveOne(server, url, 300);
        equal(message.systemAttributes.ApproximateReceiveCount, count);
        await change(server, url, message, 0);
      }
    },
  },
  {
    name: 'an extension counts from when it is made',
    async check(server, queue) {
      const { url } = await server.create(queue());
      await send(server, url, [{ body: 'one' }]);
      const message = await receiveOne(server, url, 1);
      await change(server, url, message, 3);
      await server.wait(1500);
      deepEqual(await receive(server, url, { waitSeconds: 0 }), []);
      await server.wait(2000);
      await receiveOne(server, url, 30);
    },
  },
  {
    name: 'a message stays hidden for twelve hours at most, counted from its receive',
    async check(server, queue) {
      const { url } = await server.create(queue());
      await send(server, url, [{ body: 'one' }]);
      const message = await receiveOne(server, url, 60);
      await server.wait(1500);
      const entry = { id: '0', receiptHandle: message.receiptHandle, seconds: 43_200 };
      const { failed } = await server.client.changeVisibilityBatch(url, [entry]);
      equal(failed[0]?.code, 'InvalidParameterValue');
    },
  },
  {
    name: 'a delete by the newest handle is for good, and can be repeated',
    async check(server, queue) {
      const { url } = await server.create(queue());
      await send(server, url, [{ body: 'one' }]);
      const message = await receiveOne(server, url, 1);
      await remove(server, url, message);
      await remove(server, url, message);
      await server.wait(1100);
      deepEqual(await receive(server, url, { waitSeconds: 0 }), []);
    },
  },
  {
    name: 'standard: a delete by an old handle succeeds and deletes nothing',
    async check(server, queue) {
      const { url } = await server.create(queue());
      await send(server, url, [{ body: 'one' }]);
      const old = await receiveOne(server, url, 1);
      await server.wait(1100);
      const newest = await receiveOne(server, url, 1);
      await remove(server, url, old);
      await server.wait(1100);
      equal((await receiveOne(server, url, 1)).messageId, newest.messageId);
    },
  },
  {
    name: 'standard: an expired handle still deletes where nobody received the message since',
    async check(server, queue) {
      const { url } = await server.create(queue());
      await send(server, url, [{ body: 'one' }]);
      const message = await receiveOne(server, url, 1);
      await server.wait(1100);
      await remove(server, url, message);
      deepEqual(await receive(server, url, { waitSeconds: 1 }), []);
    },
  },
  {
    name: 'FIFO: a delete by an expired handle is refused and deletes nothing',
    async check(server, queue) {
      const { url } = await server.create(queue('.fifo'));
      await send(server, url, [{ body: 'one', groupId: 'g', deduplicationId: '1' }]);
      const message = await receiveOne(server, url, 1);
      await server.wait(1100);
      const entry = { id: '0', receiptHandle: message.receiptHandle };
      const { successful, failed } = await server.client.deleteBatch(url, [entry]);
      deepEqual(successful, []);
      ok(failed[0]?.code.match(/ReceiptHandleIsInvalid|InvalidParameterValue/), failed[0]?.code);
      equal((await receiveOne(server, url, 1)).messageId, message.messageId);
    },
  },
  {
    name: 'a handle that never was one is a failed entry, not a success',
    async check(server, queue) {
      const { url } = await server.create(queue());
      const { successful, failed } = await server.client.deleteBatch(url, [{ id: 'x', receiptHandle: 'nonsense' }]);
      deepEqual(successful, []);
      equal(failed[0]?.code, 'ReceiptHandleIsInvalid');
    },
  },
  {
    name: 'the visibility of a message that is gone can not be changed',
    async check(server, queue) {
      const { url } = await server.create(queue());
      await send(server, url, [{ body: 'one' }]);
      const message = await receiveOne(server, url, 30);
      await remove(server, url, message);
      const entry = { id: 'x', receiptHandle: message.receiptHandle, seconds: 0 };
      const { successful, failed } = await server.client.changeVisibilityBatch(url, [entry]);
      deepEqual(successful, []);
      equal(failed.length, 1);
    },
  },
  {
    name: 'FIFO: none of a group is given out while one of it is in flight, other groups are',
    async check(server, queue) {
      const { url } = await server.create(queue('.fifo'));
      await send(server, url, [
        { body: 'a1', groupId: 'a', deduplicationId: 'a1' },
        { body: 'a2', groupId: 'a', deduplicationId: 'a2' },
        { body: 'b1', groupId: 'b', deduplicationId: 'b1' },
      ]);
      const first = await receiveOne(server, url, 300);
      equal(first.body, 'a1');
      equal((await receiveOne(server, url, 300)).body, 'b1');
      deepEqual(await receive(server, url, { waitSeconds: 0 }), []);
      await remove(server, url, first);
      equal((await receiveOne(server, url, 300)).body, 'a2');
    },
  },
  {
    name: 'FIFO: a receive may hold several of a group, in their order',
    async check(server, queue) {
      const { url } = await server.create(queue('.fifo'));
      const bodies = ['1', '2', '3', '4', '5'];
      await send(
        server,
        url,
        bodies.map((body) => ({ body, groupId: 'g', deduplicationId: body })),
      );
      const messages = await receive(server, url, { max: 10 });
      deepEqual(
        messages.map(({ body }) => body),
        bodies,
      );
    },
  },
  {
    name: 'FIFO: a group given back comes again from its head',
    async check(server, queue) {
      const { url } = await server.create(queue('.fifo'));
      const bodies = ['1', '2', '3'];
      await send(
        server,
        url,
        bodies.map((body) => ({ body, groupId: 'g', deduplicationId: body })),
      );
      for (const body of bodies) {
        const head = await receiveOne(server, url, 300);
        equal(head.body, body);
        await change(server, url, head, 0);
        const again = await receiveOne(server, url, 300);
        equal(again.body, body);
        await remove(server, url, again);
      }
    },
  },
  {
    name: 'FIFO: a repeated deduplication id is accepted, answered with the first MessageId, and dropped',
    async check(server, queue) {
      const { url } = await server.create(queue('.fifo'));
      const entry = { body: 'one', groupId: 'g', deduplicationId: 'same' };
      const [first] = await send(server, url, [entry]);
      const [second] = await send(server, url, [entry]);
      equal(second, first);
      await remove(server, url, await receiveOne(server, url, 30));
      deepEqual(await receive(server, url, { waitSeconds: 0 }), []);
    },
  },
  {
    name: 'FIFO: a deduplication id is remembered when its message is gone',
    async check(server, queue) {
      const { url } = await server.create(queue('.fifo'));
      const entry = { body: 'one', groupId: 'g', deduplicationId: 'same' };
      await send(server, url, [entry]);
      await remove(server, url, await receiveOne(server, url, 30));
      await send(server, url, [entry]);
      deepEqual(await receive(server, url, { waitSeconds: 0 }), []);
    },
  },
  {
    name: 'FIFO: after five minutes a deduplication id is forgotten',
    long: true,
    async check(server, queue) {
      const { url } = await server.create(queue('.fifo'));
      const entry = { body: 'one', groupId: 'g', deduplicationId: 'same' };
      await send(server, url, [entry]);
      await remove(server, url, await receiveOne(server, url, 30));
      await server.wait(299_000);
      await send(server, url, [entry]);
      deepEqual(await receive(server, url, { waitSeconds: 0 }), []);
      await server.wait(2_000);
      await send(server, url, [entry]);
      await receiveOne(server, url, 30);
    },
  },
  {
    name: 'a batch may hold an entry that fails beside others that are sent',
    async check(server, queue) {
      const { url } = await server.create(queue('.fifo'));
      const entries: SendEntry[] = [
        { id: 'good', body: 'good', attributes: {}, groupId: 'g', deduplicationId: '1' },
        { id: 'bad', body: 'bad\u0001', attributes: {}, groupId: 'g', deduplicationId: '2' },
        { id: 'fine', body: 'fine', attributes: {}, groupId: 'g', deduplicationId: '3' },
      ];
      const { successful, failed } = await server.client.sendBatch(url, entries);
      deepEqual(successful.map(({ id }) => id).sort(), ['fine', 'good']);
      deepEqual(
        failed.map(({ id, code, senderFault }) => ({ id, code, senderFault })),
        [{ id: 'bad', code: 'InvalidMessageContents', senderFault: true }],
      );
    },
  },
  {
    name: 'eleven attributes are one too many',
    async check(server, queue) {
      const { url } = await server.create(queue());
      const attributes = Object.fromEntries(
        Array.from({ length: 11 }, (_, i) => [`a${i}`, { type: 'String', value: 'x' }]),
      );
      const { failed } = await server.client.sendBatch(url, [{ id: 'x', body: 'one', attributes }]);
      equal(failed.length, 1);
    },
  },
  {
    name: 'a message longer than its queue takes is a failed entry',
    async check(server, queue) {
      const { url } = await server.create(queue(), { MaximumMessageSize: '1024' });
      const attributes = { note: { type: 'String', value: 'x'.repeat(100) } };
      const { successful, failed } = await server.client.sendBatch(url, [
        { id: 'long', body: 'x'.repeat(1000), attributes },
        { id: 'short', body: 'x'.repeat(900), attributes },
      ]);
      deepEqual([successful.map(({ id }) => id), failed.map(({ id }) => id)], [['short'], ['long']]);
    },
  },
  {
    name: 'a batch longer than 1 MiB is refused whole',
    async check(server, queue) {
      const { url } = await server.create(queue());
      const entries = ['a', 'b', 'c'].map((id) => ({ id, body: 'x'.repeat(400_000), attributes: {} }));
      const error = await refused(server.client.sendBatch(url, entries));
      ok(error.code.endsWith('BatchRequestTooLong'), error.code);
      deepEqual(await receive(server, url, { waitSeconds: 0 }), []);
    },
  },
  {
    name: 'every kind of attribute comes back as it was sent, and the body byte for byte',
    async check(server, queue) {
      const { url } = await server.create(queue());
      const attributes = {
        text: { type: 'String', value: 'café 😀' },
        number: { type: 'Number', value: '9007199254740993' },
        custom: { type: 'Number.int', value: '7' },
        bytes: { type: 'Binary', value: 'AAH+/w==' },
        image: { type: 'Binary.png', value: 'iVBORw==' },
      };
      const body = '{"n":9007199254740993,"s":"caf\\u00e9 \\/","t":"a\tb\r\n\u2028"}';
      await send(server, url, [{ body, attributes }]);
      const message = await receiveOne(server, url, 30);
      equal(message.body, body);
      deepEqual(message.attributes, attributes);
    },
  },
  {
    name: 'the trace header comes back as it was sent',
    async check(server, queue) {
      const { url } = await server.create(queue());
      const traceHeader = 'Root=1-5759e988-bd862e3fe1be46a994272793';
      await send(server, url, [{ body: 'one', traceHeader }]);
      equal((await receiveOne(server, url, 30)).systemAttributes.AWSTraceHeader, traceHeader);
    },
  },
  {
    name: 'a standard queue keeps a group id, and blocks nothing by it',
    async check(server, queue) {
      const { url } = await server.create(queue());
      await send(server, url, [
        { body: 'one', groupId: 'tenant' },
        { body: 'two', groupId: 'tenant' },
      ]);
      equal((await receiveOne(server, url, 30)).systemAttributes.MessageGroupId, 'tenant');
      equal((await receiveOne(server, url, 30)).systemAttributes.MessageGroupId, 'tenant');
    },
  },
  {
    name: 'FIFO: a message tells its group and its deduplication id',
    async check(server, queue) {
      const { url } = await server.create(queue('.fifo'));
      await send(server, url, [{ body: 'one', groupId: 'a', deduplicationId: 'd1' }]);
      const { MessageGroupId, MessageDeduplicationId } = (await receiveOne(server, url, 30)).systemAttributes;
      deepEqual([MessageGroupId, MessageDeduplicationId], ['a', 'd1']);
    },
  },
  {
    name: 'FIFO: a message tells a sequence number, which rises in its group',
    async check(server, queue) {
      const { url } = await server.create(queue('.fifo'));
      // So many that numbers made up by chance are out of order, and that the last has a digit more.
      const ids = Array.from({ length: 10 }, (_, n) => `d${n}`);
      await send(
        server,
        url,
        ids.map((id) => ({ body: id, groupId: 'a', deduplicationId: id })),
      );
      let before = -1n;
      for (const _ of ids) {
        const message = await receiveOne(server, url, 30);
        const { SequenceNumber } = message.systemAttributes;
        ok(SequenceNumber !== undefined && BigInt(SequenceNumber) > before);
        before = BigInt(SequenceNumber);
        await remove(server, url, message);
      }
    },
  },
  {
    name: 'SQS moves a message after maxReceiveCount receives: the same id and bytes, with the source ARN',
    async check(server, queue) {
      const dead = queue('-dlq');
      const { url: deadUrl } = await server.create(dead);
      const { url, arn } = await server.create(queue(), {}, { queue: dead, maxReceiveCount: 2 });
      const attributes = { 'bq-job': { type: 'String', value: 'urn:babel:orders:created' } };
      await send(server, url, [{ body: 'one', attributes }]);
      const sent = await receiveOne(server, url, 1);
      await server.wait(1100);
      await receiveOne(server, url, 1);
      await server.wait(1100);
      deepEqual(await receive(server, url, { waitSeconds: 1 }), []);
      const moved = await receiveOne(server, deadUrl, 30);
      equal(moved.messageId, sent.messageId);
      equal(moved.body, 'one');
      deepEqual(moved.attributes, attributes);
      equal(moved.systemAttributes.DeadLetterQueueSourceArn, arn);
    },
  },
  {
    name: 'standard: SQS keeps the SentTimestamp when it moves a message',
    async check(server, queue) {
      const dead = queue('-dlq');
      const { url: deadUrl } = await server.create(dead);
      const { url } = await server.create(queue(), {}, { queue: dead, maxReceiveCount: 1 });
      await send(server, url, [{ body: 'one' }]);
      const sent = await receiveOne(server, url, 1);
      await server.wait(1100);
      deepEqual(await receive(server, url, { waitSeconds: 1 }), []);
      const moved = await receiveOne(server, deadUrl, 30);
      equal(moved.systemAttributes.SentTimestamp, sent.systemAttributes.SentTimestamp);
    },
  },
  {
    name: 'the queues whose RedrivePolicy points at a queue can be listed',
    async check(server, queue) {
      const dead = queue('-dlq');
      const { url: deadUrl } = await server.create(dead);
      const one = await server.create(queue('-1'), {}, { queue: dead, maxReceiveCount: 3 });
      const two = await server.create(queue('-2'), {}, { queue: dead, maxReceiveCount: 3 });
      const names = (await server.client.deadLetterSources(deadUrl)).map(nameIn);
      deepEqual(names.sort(), [one.url, two.url].map(nameIn).sort());
    },
  },
  {
    name: 'counts tell what is visible, in flight and delayed',
    async check(server, queue) {
      const { url } = await server.create(queue());
      await send(server, url, [{ body: 'one' }, { body: 'two' }, { body: 'three' }]);
      await receiveOne(server, url, 30);
      const said = await server.client.queueAttributes(url);
      deepEqual(
        [
          said.ApproximateNumberOfMessages,
          said.ApproximateNumberOfMessagesNotVisible,
          said.ApproximateNumberOfMessagesDelayed,
        ],
        ['2', '1', '0'],
      );
    },
  },
  {
    name: "a queue with a delay keeps what is sent hidden, and says that it's delayed",
    async check(server, queue) {
      const { url } = await server.create(queue(), { DelaySeconds: '2' });
      await send(server, url, [{ body: 'one' }]);
      equal((await server.client.queueAttributes(url)).ApproximateNumberOfMessagesDelayed, '1');
      deepEqual(await receive(server, url, { waitSeconds: 0 }), []);
      await server.wait(2100);
      await receiveOne(server, url, 30);
    },
  },
  {
    name: 'a queue tells its ARN, timeout, retention, size limit and policy',
    async check(server, queue) {
      const dead = queue('-dlq');
      const { arn: deadArn } = await server.create(dead, { MessageRetentionPeriod: '86400' });
      const { url, arn } = await server.create(
        queue(),
        { VisibilityTimeout: '7' },
        { queue: dead, maxReceiveCount: 4 },
      );
      const said = await server.client.queueAttributes(url);
      equal(said.QueueArn, arn);
      equal(said.VisibilityTimeout, '7');
      ok(Number(said.MaximumMessageSize) >= 262_144);
      const policy = JSON.parse(said.RedrivePolicy ?? '{}');
      deepEqual([policy.deadLetterTargetArn, Number(policy.maxReceiveCount)], [deadArn, 4]);
      const deadSays = await server.client.queueAttributes(await server.client.queueUrl(dead));
      equal(deadSays.MessageRetentionPeriod, '86400');
    },
  },
  {
    name: 'a queue that is not there is a refusal by name',
    async check(server, queue) {
      const error = await refused(server.client.queueUrl(queue('-nowhere')));
      equal(error.code, 'QueueDoesNotExist');
    },
  },
  {
    name: 'a receive brings ten at most, each once',
    async check(server, queue) {
      const { url } = await server.create(queue());
      const bodies = Array.from({ length: 15 }, (_, i) => ({ body: `m${i}` }));
      await send(server, url, bodies.slice(0, 10));
      await send(server, url, bodies.slice(10));
      const first = await receive(server, url, { max: 10, visibilitySeconds: 300 });
      const second = await receive(server, url, { max: 10, visibilitySeconds: 300 });
      ok(first.length <= 10 && second.length <= 10);
      equal(new Set([...first, ...second].map(({ messageId }) => messageId)).size, 15);
    },
  },
  {
    name: 'a long poll on an empty queue comes back empty when its time is over',
    async check(server, queue) {
      const { url } = await server.create(queue());
      deepEqual(await receive(server, url, { waitSeconds: 1 }), []);
    },
  },
  {
    name: 'a long poll brings what arrives while it waits',
    async check(server, queue) {
      const { url } = await server.create(queue());
      const poll = receive(server, url, { max: 1, waitSeconds: 5 });
      await server.wait(300);
      await send(server, url, [{ body: 'late' }]);
      equal((await poll)[0]?.body, 'late');
    },
  },
  {
    name: 'a move task moves a dead-letter queue whole and as it is, one at a time, and tells how far it is',
    async check(server, queue) {
      const name = queue('-dlq');
      const dlq = await server.create(name);
      const target = await server.create(queue(), {}, { queue: name, maxReceiveCount: 3 });
      await send(server, dlq.url, [{ body: 'one' }, { body: 'two' }]);
      const { client } = server;
      const task = { sourceArn: dlq.arn, destinationArn: target.arn, rate: 1 };
      const handle = await client.startMoveTask(task);
      equal((await refused(client.startMoveTask(task))).code, 'InvalidParameterValue');
      const [running] = await client.moveTasks(dlq.arn);
      deepEqual([running?.status, running?.handle, running?.destinationArn], ['RUNNING', handle, target.arn]);
      await server.wait(4200);
      const [ended] = await client.moveTasks(dlq.arn);
      deepEqual([ended?.status, ended?.handle, ended?.moved], ['COMPLETED', undefined, 2]);
      const moved = await receive(server, target.url, {});
      deepEqual(moved.map(({ body }) => body).sort(), ['one', 'two']);
    },
  },
  {
    name: 'a move task that is cancelled leaves what it has not moved',
    async check(server, queue) {
      const name = queue('-dlq');
      const dlq = await server.create(name);
      const target = await server.create(queue(), {}, { queue: name, maxReceiveCount: 3 });
      await send(server, dlq.url, [{ body: 'one' }, { body: 'two' }, { body: 'three' }]);
      const { client } = server;
      const handle = await client.startMoveTask({ sourceArn: dlq.arn, destinationArn: target.arn, rate: 1 });
      await client.cancelMoveTask(handle);
      await server.wait(2200);
      const [task] = await client.moveTasks(dlq.arn);
      deepEqual([task?.status, task?.moved], ['CANCELLED', 0]);
      equal((await receive(server, dlq.url, {})).length, 3);
    },
  },
  {
    name: 'a move task starts from no queue that is not a dead-letter queue of another',
    async check(server, queue) {
      const dlq = await server.create(queue('-dlq'));
      const target = await server.create(queue());
      const task = { sourceArn: dlq.arn, destinationArn: target.arn, rate: null };
      equal((await refused(server.client.startMoveTask(task))).code, 'InvalidParameterValue');
    },
  },
  {
    name: 'past the in-flight limit a long poll comes back empty, and a short one of a standard queue is refused',
    long: true,
    async check(server, queue) {
      const { url } = await server.create(queue(), { InFlightLimit: '3' });
      await send(server, url, [{ body: '1' }, { body: '2' }, { body: '3' }, { body: '4' }]);
      equal((await receive(server, url, { max: 10, visibilitySeconds: 300 })).length, 3);
      deepEqual(await receive(server, url, { waitSeconds: 2 }), []);
      equal((await refused(receive(server, url, { waitSeconds: 0 }))).code, 'OverLimit');
    },
  },
  {
    name: 'a queue lets go of what is older than its retention period, counted from the first sending',
    long: true,
    async check(server, queue) {
      const { url } = await server.create(queue(), { MessageRetentionPeriod: '600' });
      await send(server, url, [{ body: 'one' }]);
      await server.wait(599_000);
      await change(server, url, await receiveOne(server, url, 30), 0);
      await server.wait(1_100);
      deepEqual(await receive(server, url, { waitSeconds: 0 }), []);
    },
  },
];

async function send(
  server: BehaviourServer,
  url: string,
  entries: readonly Partial<SendEntry>[],
): Promise<(string | undefined)[]> {
  const whole = entries.map((entry, i) => ({ attributes: {}, body: '', ...entry, id: String(i) }));
  const { successful, failed } = await server.client.sendBatch(url, whole);
  deepEqual(failed, []);
  equal(successful.length, entries.length);
  return whole.map(({ id }) => successful.find((one) => one.id === id)?.messageId);
}

function receive(
  { client }: BehaviourServer,
  url: string,
  request: Partial<Parameters<SqsClient['receive']>[1]>,
): Promise<ReceivedMessage[]> {
  return client.receive(url, { max: 10, waitSeconds: 1, visibilitySeconds: 30, ...request });
}

async function receiveOne(server: BehaviourServer, url: string, visibilitySeconds: number): Promise<ReceivedMessage> {
  const messages = await receive(server, url, { max: 1, visibilitySeconds });
  equal(messages.length, 1, 'one message is there');
  return messages[0] as ReceivedMessage;
}

async function change({ client }: BehaviourServer, url: string, message: ReceivedMessage, seconds: number) {
  const answer = await client.changeVisibilityBatch(url, [{ id: '0', receiptHandle: message.receiptHandle, seconds }]);
  deepEqual([answer.successful.map(({ id }) => id), answer.failed], [['0'], []]);
}

async function remove({ client }: BehaviourServer, url: string, message: ReceivedMessage) {
  const answer = await client.deleteBatch(url, [{ id: '0', receiptHandle: message.receiptHandle }]);
  deepEqual([answer.successful.map(({ id }) => id), answer.failed], [['0'], []]);
}

async function refused(call: Promise<unknown>): Promise<SqsCallError> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  ok(error instanceof SqsCallError, `refused, not ${error}`);
  equal(error.trouble, 'refused');
  return error;
}

function nameIn(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}
