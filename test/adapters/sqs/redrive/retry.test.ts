import { afterEach, beforeEach, expect, test } from 'vitest';
import { Budget, Pace } from '../../../../src/model/budget.ts';
import { wallClock as clock } from '../../../support/wall-clock.ts';
import { everything, ids, Workbench } from './workbench.ts';

let bench: Workbench;
beforeEach(async () => {
  bench = await Workbench.open();
  await bench.server.createQueue('orders-dlq');
  await bench.server.createQueue('orders', {}, { queue: 'orders-dlq', maxReceiveCount: 3 });
});
afterEach(() => bench.close());

function putMany(count: number): string[] {
  return Array.from({ length: count }, (_, n) => bench.server.put('orders-dlq', { body: `message ${n}` }));
}

test('a retry moves every message to its queue, tells each, and leaves none behind', async () => {
  const put = putMany(123);
  const acted = await bench.act();
  expect(acted).toMatchObject({ seen: 123, complete: true, interrupted: false, error: null });
  expect(acted.items.map(({ id }) => id).sort()).toEqual(put.map((id) => `orders/${id}`).sort());
  expect(new Set(acted.items.map(({ outcome, to }) => `${outcome} ${to}`))).toEqual(new Set(['done orders']));
  expect(bench.bodies('orders-dlq')).toEqual([]);
  expect(bench.bodies('orders').sort()).toEqual(put.map((_, n) => `message ${n}`).sort());
  const newIds = bench.lying('orders').map(({ messageId }) => messageId);
  expect(acted.items.map(({ new_id }) => new_id).sort()).toEqual(newIds.sort());
  expect((await bench.journal.log({ run: acted.run.id, limit: 200 })).map(({ outcome }) => outcome)).toEqual(
    put.map(() => 'done'),
  );
});

test('but for dead_letter and attempts every byte, attribute, type, group and trace goes along', async () => {
  const body =
    '{"job":"urn:babel:orders:created", "data":{"n":9007199254740993,"p":99.90,"e":1E2,"u":"\\u00e9\\/","dead_letter":1},' +
    '"trace_id":"t","meta":{"id":"m-1","schema_version":1,"queue":"orders"},"attempts":3,' +
    '"dead_letter":{"reason":"failed","original_queue":"orders","failed_at":1749132730000}}';
  const attributes = {
    'bq-job': { type: 'String', value: 'urn:babel:orders:created' },
    count: { type: 'Number.int', value: '0042' },
    blob: { type: 'Binary', value: Buffer.from([0, 255, 128, 10]).toString('base64') },
    image: { type: 'Binary.png', value: Buffer.from([137, 80, 78, 71]).toString('base64') },
  };
  bench.server.put('orders-dlq', {
    body,
    attributes,
    groupId: 'tenant-7',
    traceHeader: 'Root=1-5759e988-bd862e3fe1be46a994272793',
  });
  const acted = await bench.act();
  expect(acted.items[0]).toMatchObject({ outcome: 'done', reason: 'failed', detail: null });
  const [sent] = bench.lying('orders');
  expect(sent?.body).toBe(
    '{"job":"urn:babel:orders:created", "data":{"n":9007199254740993,"p":99.90,"e":1E2,"u":"\\u00e9\\/","dead_letter":1},' +
      '"trace_id":"t","meta":{"id":"m-1","schema_version":1,"queue":"orders"},"attempts":0}',
  );
  expect(sent?.attributes).toEqual(attributes);
  expect(sent?.groupId).toBe('tenant-7');
});

test('an old replay marker is taken off and said, and --bypass adds one', async () => {
  const marker = { 'bq-replay-bypass': { type: 'String', value: '1' } };
  bench.server.put('orders-dlq', { body: 'a', attributes: marker });
  const plain = await bench.act();
  expect(plain.items[0]?.detail).toContain('bq-replay-bypass removed');
  expect(bench.lying('orders')[0]?.attributes).toEqual({});

  bench.server.put('orders-dlq', { body: 'b' });
  const full = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`a${n}`, { type: 'String', value: 'x' }]));
  bench.server.put('orders-dlq', { body: 'c', attributes: full });
  const bypassed = await bench.act({ bypass: true });
  expect(bypassed.items.find(({ outcome }) => outcome === 'skipped')?.detail).toContain('ten attributes');
  expect(bench.lying('orders').find(({ body }) => body === 'b')?.attributes).toEqual(marker);
  expect(await bench.visible('orders-dlq')).toMatchObject([{ body: 'c' }]);
});

test('batches stay within a mebibyte, however large the messages are', async () => {
  for (let n = 0; n < 7; n += 1) bench.server.put('orders-dlq', { body: `${n}${'é'.repeat(200_000)}` });
  const acted = await bench.act();
  expect(acted.items.map(({ outcome }) => outcome)).toEqual(Array(7).fill('done'));
  expect(bench.lying('orders')).toHaveLength(7);
});

test('ids: acts on those and nothing else, and stops as soon as all were met', async () => {
  const put = putMany(40);
  const [first, second] = [put[3] as string, put[30] as string];
  const acted = await bench.act({ selection: ids(first, second, 'gone-id') });
  expect(
    acted.items
      .filter(({ outcome }) => outcome === 'done')
      .map(({ id }) => id)
      .sort(),
  ).toEqual([`orders/${first}`, `orders/${second}`].sort());
  expect(acted.items.find(({ outcome }) => outcome === 'skipped')).toMatchObject({
    id: 'orders/gone-id',
    reason: null,
    detail: expect.stringContaining('Not met'),
  });
  expect(bench.lying('orders')).toHaveLength(2);
  expect(await bench.visible('orders-dlq')).toHaveLength(38);

  const began = Date.now();
  const one = await bench.act({ selection: ids(put[0] as string) });
  expect(one).toMatchObject({ complete: true, items: [{ outcome: 'done' }] });
  expect(Date.now() - began).toBeLessThan(5_000);
});

test("a target that isn't the one that was shown is left alone", async () => {
  const [id = ''] = putMany(1);
  const acted = await bench.act({ selection: { kind: 'ids', ids: new Map([[id, { to: 'payments' }]]) } });
  expect(acted.items).toMatchObject([
    { outcome: 'skipped', to: 'orders', detail: 'It was to go to payments, and now would go to orders.' },
  ]);
  expect(bench.lying('orders-dlq')).toHaveLength(1);
});

test('a filter takes what matches; the rest is visible again, each once', async () => {
  putMany(60);
  const acted = await bench.act({ selection: everything(({ body }) => Number(body?.slice(8)) % 3 === 0) });
  expect(acted.items).toHaveLength(20);
  expect(bench.lying('orders')).toHaveLength(20);
  expect(await bench.visible('orders-dlq')).toHaveLength(40);
});

test('what came after the start is left, and said', async () => {
  const start = Date.now();
  bench.server.put('orders-dlq', { body: 'old', sentAt: start - 60_000 });
  bench.server.put('orders-dlq', { body: 'new', sentAt: start + 60_000 });
  const acted = await bench.act({ selection: { ...everything(), startedAt: start } as never });
  expect(acted.items).toHaveLength(1);
  expect(acted.note).toContain('1 that matched came after the start');
  expect(bench.bodies('orders-dlq')).toEqual(['new']);
});

test('--max is a bound, --rate a smooth one', async () => {
  putMany(30);
  const began = Date.now();
  const sends: number[] = [];
  const acted = await bench.act({
    budget: new Budget(10),
    pace: new Pace(10, clock),
    onItem: () => sends.push(Date.now() - began),
  });
  expect(acted.complete).toBe(false);
  expect(bench.lying('orders')).toHaveLength(10);
  expect(await bench.visible('orders-dlq')).toHaveLength(20);
  expect((sends.at(-1) ?? 0) - (sends[0] ?? 0)).toBeGreaterThan(600);
});

test('stopped in the middle: what was begun is finished, the rest is given back, nothing is half done', async () => {
  putMany(400);
  const stop = new AbortController();
  let done = 0;
  const acted = await bench.act({
    signal: stop.signal,
    onItem: () => {
      done += 1;
      if (done === 50) stop.abort();
    },
  });
  expect(acted).toMatchObject({ interrupted: true, complete: false, error: null });
  const left = await bench.visible('orders-dlq');
  expect(bench.lying('orders')).toHaveLength(done);
  expect(left.length + done).toBe(400);
  expect(done).toBeLessThan(400);
});

test("too many that don't match: stops, done in part, and says what to do", async () => {
  putMany(100);
  const acted = await bench.act({ selection: everything(() => false), deps: { inFlightLimit: 550 } });
  expect(acted.error?.message).toContain("can't be reached");
  expect(acted.error?.hint).toBeTruthy();
  expect(await bench.visible('orders-dlq')).toHaveLength(100);
});

test('progress comes at most ten times a second, and ends with the last word', async () => {
  putMany(50);
  const told: number[] = [];
  let last = 0;
  await bench.act({
    onProgress: ({ done }) => {
      told.push(Date.now());
      last = done;
    },
  });
  expect(last).toBe(50);
  expect(told.length).toBeLessThanOrEqual(2 + ((told.at(-1) ?? 0) - (told[0] ?? 0)) / 100);
});
