import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Mend, mendEdit } from '../../../../src/model/edit.ts';
import { deadLettered, published } from '../../../support/shapes.ts';
import { ids, Workbench, wrapped } from './workbench.ts';

let bench: Workbench;
afterEach(() => bench.close());
beforeEach(async () => {
  bench = await Workbench.open();
  await bench.server.createQueue('orders-dlq');
  await bench.server.createQueue('orders', {}, { queue: 'orders-dlq', maxReceiveCount: 3 });
});

const edit = (mend: Partial<Mend>) => mendEdit({ set: [], unset: [], ...mend });

async function originals(): Promise<string[]> {
  const { messages } = await bench.journal.archived(await bench.place(), { limit: 10, edited: true });
  return messages.map(({ message }) => message.body);
}

test('what is sent is reset and edited, and what was is in the archive before it is sent', async () => {
  const { body, attributes } = deadLettered({ data: '{"order_id":9007199254740993,"currency":"EURO","coupon":"x"}' });
  bench.server.put('orders-dlq', { body, attributes });
  let keptAtSend: string[] = [];
  const acted = await bench.act({
    edit: edit({ set: ['data.currency=EUR'], unset: ['data.coupon'] }),
    between: wrapped((client) => ({
      sendBatch: async (...args) => {
        keptAtSend = await originals();
        return client.sendBatch(...args);
      },
    })),
  });
  expect(acted.items).toMatchObject([{ outcome: 'done', detail: 'Edited: data.currency set, data.coupon removed.' }]);
  expect(keptAtSend).toEqual([body]);
  const expected = deadLettered({ data: '{"order_id":9007199254740993,"currency":"EUR"}' })
    .body.replace(/,"dead_letter":\{.*?\}(?=\}$)/, '')
    .replace('"attempts":3', '"attempts":0');
  expect(bench.bodies('orders')).toEqual([expected]);
  expect(await originals()).toEqual([body]);
});

test('what cannot be edited so is skipped and stays, and what needs no change is sent as ever and not kept', async () => {
  const text = bench.server.put('orders-dlq', { body: 'order=1' });
  const right = published({ data: '{"currency":"EUR"}' });
  bench.server.put('orders-dlq', right);
  const acted = await bench.act({ edit: edit({ set: ['data.currency=EUR'] }) });
  expect(acted.items.find(({ id }) => id.endsWith(text))).toMatchObject({
    outcome: 'skipped',
    detail: 'Its body is not JSON, so it has no members.',
  });
  const detail = 'Not edited: the edit changes nothing in it.';
  expect(acted.items.find(({ outcome }) => outcome === 'done')).toMatchObject({ detail });
  expect(bench.bodies('orders')).toEqual([right.body]);
  expect(bench.bodies('orders-dlq')).toEqual(['order=1']);
  expect(await originals()).toEqual([]);
});

test('a message is known by what is sent: of two that an edit makes one, one is sent', async () => {
  const [first, second] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
  bench.server.put('orders-dlq', published({ id: first }));
  bench.server.put('orders-dlq', published({ id: second }));
  const acted = await bench.act({ edit: edit({ set: [`meta.id=${second}`] }) });
  expect(acted.items.map(({ outcome }) => outcome).sort()).toEqual(['done', 'skipped']);
  expect(acted.items.find(({ outcome }) => outcome === 'skipped')?.detail).toContain('was sent by this run already');
  expect(bench.bodies('orders')).toEqual([published({ id: second }).body]);
});

test('on FIFO a repeat is only dropped in favour of the same text', async () => {
  const sent: string[] = [];
  await bench.server.createQueue('jobs-dlq.fifo');
  await bench.server.createQueue('jobs.fifo');
  const id = bench.server.put('jobs-dlq.fifo', { body: '{"n":1}', groupId: 'g' });
  const lost = wrapped((client) => ({
    sendBatch: async (_url, entries) => {
      sent.push(entries[0]?.deduplicationId ?? '');
      return {
        successful: [],
        failed: entries.map((entry) => ({ id: entry.id, code: 'X', message: '', senderFault: true })),
      };
    },
    changeVisibilityBatch: client.changeVisibilityBatch.bind(client),
  }));
  const attempt = (mend: Partial<Mend> | null) =>
    bench.act({
      queue: 'jobs-dlq.fifo',
      to: 'jobs.fifo',
      selection: ids(id),
      between: lost,
      ...(mend !== null && { edit: edit(mend) }),
    });
  await attempt({ set: ['n=2'] });
  await attempt({ set: ['n=3'] });
  await attempt({ set: ['n=2'] });
  await attempt(null);
  const [two, three, twoAgain, plain] = sent;
  expect(twoAgain).toBe(two);
  expect(new Set([two, three, plain]).size).toBe(3);
});
