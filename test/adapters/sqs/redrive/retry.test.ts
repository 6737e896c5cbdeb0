import { afterEach, beforeEach, expect, test } from 'vitest';
import { Workbench } from './workbench.ts';

let bench: Workbench;
beforeEach(async () => {
  bench = await Workbench.open();
  await bench.server.createQueue('orders-dlq');
  await bench.server.createQueue('orders', {}, { queue: 'orders-dlq', maxReceiveCount: 3 });
});
afterEach(() => bench.close());

test('a retry moves every message to its queue and leaves none behind', async () => {
  for (let n = 0; n < 123; n += 1) bench.server.put('orders-dlq', { body: `message ${n}` });
  const began = Date.now();
  const acted = await bench.act();
  console.log(Date.now() - began, acted.note, acted.seen, acted.complete);
  expect(acted.error).toBeNull();
  expect(acted.items.filter(({ outcome }) => outcome === 'done')).toHaveLength(123);
  expect(bench.bodies('orders-dlq')).toEqual([]);
  expect(bench.bodies('orders').sort()).toEqual(Array.from({ length: 123 }, (_, n) => `message ${n}`).sort());
});
