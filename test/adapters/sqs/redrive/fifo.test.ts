import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SendEntry, SqsCallError } from '../../../../src/adapters/sqs/client.ts';
import { anIntent } from '../../../support/journal-samples.ts';
import { everything, Workbench, wrapped } from './workbench.ts';

// fauxqs blocks FIFO groups and deduplicates for five minutes, as SQS does.
let bench: Workbench;
beforeEach(async () => {
  bench = await Workbench.open('fauxqs');
  await bench.server.createQueue('orders-dlq.fifo');
  await bench.server.createQueue('orders.fifo');
});
afterEach(() => bench.close());

const FIFO = { queue: 'orders-dlq.fifo', to: 'orders.fifo' } as const;

function put(group: string, ...bodies: string[]): void {
  for (const body of bodies) bench.server.put('orders-dlq.fifo', { body, groupId: group });
}

/** The bodies of each group, in the order they lie. */
function byGroup(queue: string): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const { groupId, body } of bench.lying(queue)) groups[groupId ?? ''] = [...(groups[groupId ?? ''] ?? []), body];
  return groups;
}

test('every group keeps its order, many groups go side by side, and never two of a group in one batch', async () => {
  const expected: Record<string, string[]> = {};
  for (let n = 0; n < 60; n += 1) {
    const group = `g${n % 6}`;
    put(group, `${n}`);
    expected[group] = [...(expected[group] ?? []), `${n}`];
  }
  const batches: string[][] = [];
  const acted = await bench.act({
    ...FIFO,
    between: wrapped((client) => ({
      sendBatch(url: string, entries: readonly SendEntry[]) {
        batches.push(entries.map(({ groupId }) => groupId ?? ''));
        return client.sendBatch(url, entries);
      },
    })),
  });
  expect(acted.items.map(({ outcome }) => outcome)).toEqual(Array(60).fill('done'));
  expect(byGroup('orders.fifo')).toEqual(expected);
  expect(bench.lying('orders-dlq.fifo')).toEqual([]);
  for (const groups of batches) expect(new Set(groups).size).toBe(groups.length);
});

test('a failed send holds its group back, in order; other groups go on', async () => {
  put('a', 'a1', 'a2', 'a3');
  put('b', 'b1', 'b2');
  const acted = await bench.act({
    ...FIFO,
    between: wrapped((client) => ({
      async sendBatch(url, entries) {
        const passed = entries.filter(({ body }) => body !== 'a2');
        const answer = passed.length === 0 ? { successful: [], failed: [] } : await client.sendBatch(url, passed);
        const failed = entries.filter(({ body }) => body === 'a2');
        return {
          ...answer,
          failed: failed.map(({ id }) => ({ id, code: 'InvalidMessageContents', message: 'no', senderFault: true })),
        };
      },
    })),
  });
  expect(byGroup('orders.fifo')).toEqual({ a: ['a1'], b: ['b1', 'b2'] });
  expect(byGroup('orders-dlq.fifo')).toEqual({ a: ['a2', 'a3'] });
  expect((await bench.visible('orders-dlq.fifo')).length).toBe(2);
  expect(acted.items.filter(({ outcome }) => outcome === 'failed')).toHaveLength(1);
  expect(acted.complete).toBe(false);
});

test('a send whose answer was lost is repeated at once: the same deduplication id makes the repeat vanish', async () => {
  put('a', 'a1', 'a2');
  const ids: (string | undefined)[] = [];
  let lost = false;
  const acted = await bench.act({
    ...FIFO,
    between: wrapped((client) => ({
      async sendBatch(url, entries) {
        ids.push(...entries.map(({ deduplicationId }) => deduplicationId));
        const answer = await client.sendBatch(url, entries);
        if (lost) return answer;
        lost = true;
        throw new SqsCallError('SendMessageBatch', 'no_answer', 'ECONNRESET', 'socket hang up');
      },
    })),
  });
  expect(acted.items.map(({ outcome, possible_double }) => [outcome, possible_double])).toEqual([
    ['done', false],
    ['done', false],
  ]);
  expect(byGroup('orders.fifo')).toEqual({ a: ['a1', 'a2'] });
  expect(ids[0]).toBe(ids[1]);
  expect(ids[2]).not.toBe(ids[0]);
});

test('what comes back within five minutes is accepted again: its deduplication id is another', async () => {
  put('a', 'again');
  await bench.act(FIFO);
  expect(byGroup('orders.fifo')).toEqual({ a: ['again'] });
  put('a', 'again');
  await bench.act(FIFO);
  expect(byGroup('orders.fifo')).toEqual({ a: ['again', 'again'] });
});

test('what a dead run may have sent is repeated with its deduplication id to the same queue, and with another elsewhere', async () => {
  await bench.server.createQueue('elsewhere.fifo');
  for (const to of ['orders.fifo', 'elsewhere.fifo']) {
    const nativeId = bench.server.put('orders-dlq.fifo', { body: `to ${to}`, groupId: 'a' });
    const run = await bench.begin();
    const place = await bench.place('orders-dlq.fifo');
    await bench.journal.intend(run, [
      anIntent(nativeId, { source: 'orders', place, to: 'orders.fifo', deduplicationId: 'the first time' }),
    ]);
    await bench.journal.end(run, 'stopped');
    const sent: SendEntry[] = [];
    const acted = await bench.act({
      ...FIFO,
      to,
      between: wrapped((client) => ({
        sendBatch(url: string, entries: readonly SendEntry[]) {
          sent.push(...entries);
          return client.sendBatch(url, entries);
        },
      })),
    });
    expect(acted.items).toMatchObject([{ outcome: 'done', possible_double: true }]);
    const ids = sent.map(({ deduplicationId }) => deduplicationId);
    expect(ids).toEqual(to === 'orders.fifo' ? ['the first time'] : [expect.not.stringContaining('the first time')]);
  }
});

test('a filter goes past heads that it leaves, as far as they can be seen past, and gives them back in order', async () => {
  put('a', 'keep 1', 'take 1', 'keep 2', 'take 2', 'take 3');
  const acted = await bench.act({ ...FIFO, selection: everything(({ body }) => body?.startsWith('take') === true) });
  // fauxqs gives out one of a group at a time, so the first that is left hides all that follows.
  expect(acted.note).toContain('could not be seen past');
  expect(acted.complete).toBe(false);
  expect(byGroup('orders-dlq.fifo')).toEqual({ a: ['keep 1', 'take 1', 'keep 2', 'take 2', 'take 3'] });
  await bench.visible('orders-dlq.fifo');
});

test('a message of a standard dead-letter queue gets a group on a FIFO target, and from FIFO to standard is refused', async () => {
  await bench.server.createQueue('plain-dlq');
  await bench.server.createQueue('plain');
  bench.server.put('plain-dlq', { body: 'x' });
  const up = await bench.act({ queue: 'plain-dlq', to: 'orders.fifo' });
  expect(up.items.map(({ outcome }) => outcome)).toEqual(['done']);
  expect(byGroup('orders.fifo')).toEqual({ 'orders.fifo': ['x'] });
  put('a', 'y');
  const down = await bench.act({ ...FIFO, to: 'plain' });
  expect(down.items.map(({ outcome }) => outcome)).toEqual(['skipped']);
  expect(bench.lying('plain')).toEqual([]);
});
