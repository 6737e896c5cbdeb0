import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Intent } from '../../../../src/model/ports.ts';
import { ids, Workbench, wrapped } from './workbench.ts';

let bench: Workbench;
beforeEach(async () => {
  bench = await Workbench.open();
  await bench.server.createQueue('orders-dlq');
  await bench.server.createQueue('orders', {}, { queue: 'orders-dlq', maxReceiveCount: 3 });
});
afterEach(() => bench.close());

/** What a run that died left in the journal of a message. */
async function left(nativeId: string, body: string, state: 'intended' | 'sent' | 'done', dead = true) {
  const run = await bench.begin();
  const intent: Intent = {
    source: 'orders',
    place: await bench.place(),
    nativeId,
    identity: `identity of ${nativeId}`,
    reason: 'max_receives',
    queue: 'orders',
    subject: null,
    to: 'orders',
    deduplicationId: null,
    possibleDouble: false,
    message: { messageId: nativeId, body, attributes: {}, systemAttributes: {} },
    remembered: null,
  };
  const [entry] = await bench.journal.intend(run, [intent]);
  if (state !== 'intended') await bench.journal.settle([{ entry: entry as number, state, newId: 'its-new-id' }]);
  if (dead) await bench.journal.end(run, 'stopped');
  return run;
}

test('what a dead run sent is only deleted when it is met, and says which run sent it', async () => {
  const id = bench.server.put('orders-dlq', { body: 'sent before' });
  const run = await left(id, 'sent before', 'sent');
  const acted = await bench.act({ selection: ids(id) });
  expect(acted.items).toMatchObject([
    {
      outcome: 'done',
      new_id: 'its-new-id',
      to: 'orders',
      possible_double: false,
      detail: expect.stringContaining(run.id),
    },
  ]);
  expect(bench.bodies('orders-dlq')).toEqual([]);
  expect(bench.bodies('orders')).toEqual([]);
  expect(await bench.journal.log({ unfinished: true })).toEqual([]);
});

test('what SQS gives out after its delete was confirmed is not sent a second time', async () => {
  const id = bench.server.put('orders-dlq', { body: 'back from the dead' });
  await left(id, 'back from the dead', 'done');
  const acted = await bench.act();
  expect(acted.items).toMatchObject([{ outcome: 'done', new_id: 'its-new-id' }]);
  expect(bench.bodies('orders')).toEqual([]);
  expect(bench.bodies('orders-dlq')).toEqual([]);
});

test('what a dead run may have sent is sent again only where a command takes it, as a possible double', async () => {
  const id = bench.server.put('orders-dlq', { body: 'who knows' });
  await left(id, 'who knows', 'intended');
  const other = await bench.act({ selection: ids('another-id') });
  expect(other.items.map(({ outcome }) => outcome)).toEqual(['skipped']);
  expect(bench.bodies('orders')).toEqual([]);
  await bench.visible('orders-dlq');
  const acted = await bench.act({ selection: ids(id) });
  expect(acted.items).toMatchObject([{ outcome: 'done', possible_double: true }]);
  expect(bench.bodies('orders')).toEqual(['who knows']);
});

test("a send that failed for sure doesn't make one forget an earlier one that may have been done", async () => {
  const id = bench.server.put('orders-dlq', { body: 'who knows' });
  await left(id, 'who knows', 'intended');
  const failing = await bench.act({
    between: wrapped(() => ({
      async sendBatch(_url, entries) {
        const failed = entries.map((entry) => ({ id: entry.id, code: 'No', message: '', senderFault: true }));
        return { successful: [], failed };
      },
    })),
  });
  expect(failing.items).toMatchObject([{ outcome: 'failed' }]);
  await bench.visible('orders-dlq');
  const acted = await bench.act();
  expect(acted.items).toMatchObject([{ outcome: 'done', possible_double: true }]);
});

test('what a run that is alive has is left to it', async () => {
  const id = bench.server.put('orders-dlq', { body: 'mine' });
  const run = await left(id, 'mine', 'intended', false);
  const acted = await bench.act();
  expect(acted.items).toMatchObject([{ outcome: 'skipped', detail: expect.stringContaining(run.id) }]);
  expect(bench.bodies('orders')).toEqual([]);
  expect(await bench.visible('orders-dlq')).toHaveLength(1);
});

test('two at once on one queue and one journal share the work: every message goes once', async () => {
  for (let n = 0; n < 200; n += 1) bench.server.put('orders-dlq', { body: `${n}` });
  const other = bench.anotherJournal();
  const acted = await Promise.all([bench.act(), bench.act({ deps: { journal: other } })]);
  await other.close();
  const done = acted.flatMap(({ items }) => items.filter(({ outcome }) => outcome === 'done'));
  expect(done).toHaveLength(200);
  expect(
    bench
      .bodies('orders')
      .map(Number)
      .sort((a, b) => a - b),
  ).toEqual(Array.from({ length: 200 }, (_, n) => n));
  expect(bench.bodies('orders-dlq')).toEqual([]);
});

test('two with the same id in their envelope are not both sent by one pass', async () => {
  const body = (data: number) =>
    `{"job":"urn:x","trace_id":"t","data":{"n":${data}},"meta":{"id":"same","schema_version":1},"attempts":0}`;
  bench.server.put('orders-dlq', { body: body(1) });
  bench.server.put('orders-dlq', { body: body(1) });
  // Without an envelope two may be two that only look the same: both were there at the start, and both go.
  bench.server.put('orders-dlq', { body: 'ping', sentAt: Date.now() - 60_000 });
  bench.server.put('orders-dlq', { body: 'ping', sentAt: Date.now() - 60_000 });
  const acted = await bench.act();
  expect(acted.items.map(({ outcome }) => outcome).sort()).toEqual(['done', 'done', 'done', 'skipped']);
  expect(bench.bodies('orders').filter((one) => one === 'ping')).toHaveLength(2);
});
