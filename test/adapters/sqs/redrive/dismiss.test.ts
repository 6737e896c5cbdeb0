import { afterEach, beforeEach, expect, test } from 'vitest';
import { SqsCallError } from '../../../../src/adapters/sqs/client.ts';
import { anIntent } from '../../../support/journal-samples.ts';
import { ids, Workbench, wrapped } from './workbench.ts';

let bench: Workbench;
beforeEach(async () => {
  bench = await Workbench.open();
  await bench.server.createQueue('orders-dlq');
  await bench.server.createQueue('orders', {}, { queue: 'orders-dlq', maxReceiveCount: 3 });
});
afterEach(() => bench.close());

const DISMISSED = { kind: 'match', states: new Set(['dismissed'] as const), matches: () => true } as const;
const restoreAll = () => bench.act({ action: 'restore', selection: { ...DISMISSED, startedAt: Date.now() } });

async function archived() {
  const place = await bench.place();
  return (await bench.journal.archived(place, { limit: 1000 })).messages;
}

async function anIntentOf(nativeId: string) {
  return anIntent(nativeId, { source: 'orders', place: await bench.place(), to: 'orders-dlq' });
}

const MESSAGE = {
  body: '{"odd": 1.0, "n":9007199254740993 ,"s":"caf\\u00e9"}',
  attributes: {
    text: { type: 'String', value: 'héllo' },
    number: { type: 'Number.int', value: '007' },
    blob: { type: 'Binary', value: Buffer.from([0, 1, 254, 255]).toString('base64') },
  },
  groupId: 'tenant-1',
};

test('dismissed messages are archived whole, gone from the queue, and come back byte for byte', async () => {
  const id = bench.server.put('orders-dlq', MESSAGE);
  for (let n = 0; n < 34; n += 1) bench.server.put('orders-dlq', { body: `message ${n}` });
  const dismissed = await bench.act({ action: 'dismiss' });
  expect(dismissed.items.map(({ outcome, to }) => `${outcome} ${to}`)).toEqual(Array(35).fill('done archive'));
  expect(bench.lying('orders-dlq')).toEqual([]);
  const kept = await archived();
  expect(kept).toHaveLength(35);
  expect(kept.every(({ confirmed }) => confirmed)).toBe(true);
  expect(kept.find(({ nativeId }) => nativeId === id)?.message).toMatchObject({
    body: MESSAGE.body,
    attributes: MESSAGE.attributes,
  });

  const restored = await restoreAll();
  expect(restored.items.map(({ outcome, to, possible_double }) => [outcome, to, possible_double])).toEqual(
    Array(35).fill(['done', 'orders-dlq', false]),
  );
  const back = await bench.visible('orders-dlq');
  expect(back).toHaveLength(35);
  const whole = back.find(({ body }) => body === MESSAGE.body);
  expect(whole).toMatchObject({ attributes: MESSAGE.attributes, groupId: MESSAGE.groupId });
  expect(restored.items.map(({ new_id }) => new_id)).toContain(whole?.messageId);
  expect(await archived()).toEqual([]);
});

test('one id of the archive is restored and no other; one that is not there is skipped', async () => {
  const [one = ''] = ['a', 'b', 'c'].map((body) => bench.server.put('orders-dlq', { body }));
  await bench.act({ action: 'dismiss' });
  const acted = await bench.act({ action: 'restore', selection: ids(one, 'no-such-id') });
  expect(acted.items.map(({ id, outcome }) => `${id} ${outcome}`).sort()).toEqual(
    [`orders/${one} done`, 'orders/no-such-id skipped'].sort(),
  );
  expect(bench.bodies('orders-dlq')).toEqual(['a']);
  expect(await archived()).toHaveLength(2);
});

test('what another run that is alive has begun to restore is left to it', async () => {
  const id = bench.server.put('orders-dlq', { body: 'one' });
  await bench.act({ action: 'dismiss' });
  const [{ entry = 0 } = {}] = await archived();
  const other = await bench.begin('restore');
  const message = { messageId: id, body: 'one', attributes: {}, systemAttributes: {} };
  await bench.journal.intend(other, [{ ...(await anIntentOf(id)), message, restores: entry }]);
  const acted = await restoreAll();
  expect(acted.items).toMatchObject([{ outcome: 'skipped', detail: expect.stringContaining(other.id) }]);
  expect(bench.lying('orders-dlq')).toEqual([]);
});

test('a restored message is remembered: it goes back to the queue that its source ARN named', async () => {
  await bench.server.createQueue('billing', {}, { queue: 'orders-dlq', maxReceiveCount: 3 });
  const arn = 'arn:aws:sqs:us-east-1:123456789012:billing';
  bench.server.put('orders-dlq', { body: 'who knows where from', sourceArn: arn });
  await bench.act({ action: 'dismiss' });
  await restoreAll();
  const acted = await bench.act();
  expect(acted.items).toMatchObject([{ outcome: 'done', to: 'billing' }]);
  expect(bench.bodies('billing')).toEqual(['who knows where from']);
});

test('a delete that is never confirmed: uncertain, in the archive, and finished when it is met again', async () => {
  bench.server.put('orders-dlq', { body: 'a' });
  const lost = wrapped(() => ({
    async deleteBatch(): Promise<never> {
      throw new SqsCallError('DeleteMessageBatch', 'no_answer', 'ECONNRESET', 'socket hang up');
    },
  }));
  const first = await bench.act({ action: 'dismiss', between: lost });
  expect(first.items).toMatchObject([{ outcome: 'uncertain', to: 'archive' }]);
  expect((await archived()).map(({ confirmed }) => confirmed)).toEqual([false]);
  await bench.visible('orders-dlq');

  const second = await bench.act({ action: 'dismiss' });
  expect(second.items).toMatchObject([{ outcome: 'done', detail: expect.stringContaining(first.run.id) }]);
  expect(bench.lying('orders-dlq')).toEqual([]);
  expect((await archived()).map(({ confirmed }) => confirmed)).toEqual([true]);
});

test('a dismissal that was left in the middle gives way to a retry', async () => {
  bench.server.put('orders-dlq', { body: 'a' });
  await bench.act({
    action: 'dismiss',
    between: wrapped(() => ({
      async deleteBatch(): Promise<never> {
        throw new SqsCallError('DeleteMessageBatch', 'no_answer', 'ECONNRESET', 'socket hang up');
      },
    })),
  });
  await bench.visible('orders-dlq');
  const retried = await bench.act();
  expect(retried.items).toMatchObject([{ outcome: 'done', to: 'orders' }]);
  expect(bench.bodies('orders')).toEqual(['a']);
  expect(await archived()).toEqual([]);
});

test('a restoration whose answer was lost stays in the archive, and a second one says that it may double', async () => {
  bench.server.put('orders-dlq', { body: 'a' });
  await bench.act({ action: 'dismiss' });
  const lost = await bench.act({
    action: 'restore',
    selection: { ...DISMISSED, startedAt: Date.now() },
    between: wrapped((client) => ({
      async sendBatch(url, entries) {
        await client.sendBatch(url, entries);
        throw new SqsCallError('SendMessageBatch', 'no_answer', 'ECONNRESET', 'socket hang up');
      },
    })),
  });
  expect(lost.items).toMatchObject([{ outcome: 'uncertain' }]);
  expect(await archived()).toHaveLength(1);
  const again = await restoreAll();
  expect(again.items).toMatchObject([{ outcome: 'done', possible_double: true }]);
  expect(await archived()).toEqual([]);
});

test('a delete that is refused for a message dismisses nothing', async () => {
  bench.server.put('orders-dlq', { body: 'a' });
  const acted = await bench.act({
    action: 'dismiss',
    between: wrapped(() => ({
      async deleteBatch(): Promise<never> {
        throw new SqsCallError('DeleteMessageBatch', 'refused', 'AccessDenied', 'no');
      },
    })),
  });
  expect(acted.items).toMatchObject([{ outcome: 'failed' }]);
  expect(acted.error?.code).toBe('forbidden');
  expect(await archived()).toEqual([]);
  expect(await bench.visible('orders-dlq')).toHaveLength(1);
});
