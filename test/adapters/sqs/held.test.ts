import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectSqs } from '../../../src/adapters/sqs/aws-client.ts';
import { SqsCallError, type SqsClient } from '../../../src/adapters/sqs/client.ts';
import { Held } from '../../../src/adapters/sqs/held.ts';
import type { Clock } from '../../../src/model/ports.ts';
import { type SqsServer, startFauxqs } from '../../support/servers.ts';
import { wallClock } from '../../support/wall-clock.ts';
import { but } from './bench.ts';

const TWELVE_HOURS = 43_200;

let server: SqsServer;
let client: SqsClient;
let url: string;

beforeAll(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterAll(() => vi.unstubAllEnvs());
beforeEach(async () => {
  server = await startFauxqs();
  client = await connectSqs({ endpoint: server.endpoint, region: 'us-east-1' });
  ({ url } = await server.createQueue('dlq'));
});
afterEach(async () => {
  client.close();
  await server.close();
});

async function receive(held: Held, clock: Clock = wallClock, max = 10) {
  const askedAt = clock.now();
  const messages = await client.receive(url, { max, waitSeconds: 0, visibilitySeconds: held.visibilitySeconds });
  held.take(messages, askedAt);
  return messages;
}

/** What another consumer is given within so many seconds. */
function another(waitSeconds: number) {
  return client.receive(url, { max: 10, waitSeconds, visibilitySeconds: 30 });
}

describe('what is held', () => {
  it('stays hidden past its visibility timeout as long as the heartbeat goes on, and comes back by itself after', async () => {
    server.put('dlq', { body: 'x' });
    const held = new Held({ client, url, fifo: false }, wallClock, 2);
    await receive(held);
    held.start();
    expect(await another(4)).toEqual([]);
    expect(held.count).toBe(1);
    await held.stop();
    expect(await another(4)).toHaveLength(1);
    // Until then it may be hidden by the last extension, as far as can be told from here.
    await vi.waitFor(() => expect(held.until).toBeNull(), 5_000);
  });

  it('is left alone past its deadline: it may be in another’s hands by then', async () => {
    server.put('dlq', { body: 'x' });
    const calls: number[] = [];
    const counted = but(client, 'changeVisibilityBatch', (to, entries) => {
      calls.push(entries.length);
      return client.changeVisibilityBatch(to, entries);
    });
    const held = new Held({ client: counted, url, fifo: false }, wallClock, 1);
    const [message] = await receive(held);
    expect(await another(3)).toHaveLength(1);
    // Until then it may still be hidden for us, as far as can be told from here.
    await vi.waitFor(() => expect(held.until).toBeNull(), 5_000);
    await held.extend([message?.messageId ?? '']);
    expect(await held.releaseAll()).toEqual({ released: 0, stuck: 0, until: null, trouble: null });
    expect(calls).toEqual([]);
    expect(server.lying('dlq')).toMatchObject([{ hidden: true }]);
  });

  it('that lapses while it is released counts as hidden until it surely is visible, and is not touched any more', async () => {
    server.put('dlq', { body: 'x' });
    let ahead = 0;
    const clock: Clock = { now: () => Date.now() + ahead, sleep: wallClock.sleep };
    const lost = but(client, 'changeVisibilityBatch', async () => {
      ahead += 7_000;
      throw new SqsCallError('ChangeMessageVisibilityBatch', 'no_answer', 'ECONNRESET', '');
    });
    const held = new Held({ client: lost, url, fifo: false }, clock, 30);
    const askedAt = clock.now();
    const messages = await client.receive(url, { max: 1, waitSeconds: 0, visibilitySeconds: 30 });
    // Its receive took ten seconds: SQS may have begun to count at once, or at the end.
    ahead += 10_000;
    held.take(messages, askedAt);
    const latest = held.until;
    expect(await held.releaseAll()).toEqual({ released: 0, stuck: 1, until: latest, trouble: null });
    expect(held.of(messages[0]?.messageId ?? '')).toBeUndefined();
    expect([held.count, held.until]).toEqual([1, latest]);
    ahead += 10_000;
    expect([held.count, held.until]).toEqual([0, null]);
  });

  it('is not held again by an extension whose answer comes after its release', async () => {
    server.put('dlq', { body: 'x' });
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const late = but(client, 'changeVisibilityBatch', async (to, entries) => {
      const said = await client.changeVisibilityBatch(to, entries);
      if (entries.some(({ seconds }) => seconds > 0)) await answered;
      return said;
    });
    let ahead = 0;
    const clock: Clock = { now: () => Date.now() + ahead, sleep: wallClock.sleep };
    const held = new Held({ client: late, url, fifo: false }, clock, 30);
    const [message] = await receive(held, clock);
    const id = message?.messageId ?? '';
    ahead += 5_000;
    const extending = held.extend([id]);
    expect(await held.release([id])).toMatchObject({ released: 1, stuck: 0 });
    answer();
    await extending;
    expect([held.of(id), held.count]).toEqual([undefined, 0]);
  });

  it('that could not be given back is not held on: it comes back by itself, and counts until then', async () => {
    server.put('dlq', { body: 'x' });
    const denied = but(client, 'changeVisibilityBatch', async () => {
      throw new SqsCallError('ChangeMessageVisibilityBatch', 'refused', 'AccessDenied', '');
    });
    const held = new Held({ client: denied, url, fifo: false }, wallClock, 30);
    const [message] = await receive(held);
    const id = message?.messageId ?? '';
    expect(await held.release([id])).toMatchObject({ released: 0, stuck: 1 });
    // So one that is given out again is known for what it is: not ours.
    expect([held.of(id), held.count]).toEqual([undefined, 1]);
    expect(await held.releaseAll()).toMatchObject({ released: 0, stuck: 1, until: held.until });
  });

  it('is never asked to be hidden for more than twelve hours since its receive, and says when that is used up', async () => {
    server.put('dlq', { body: 'x' });
    let ahead = 0;
    const clock: Clock = { now: () => Date.now() + ahead, sleep: wallClock.sleep };
    const asked: number[] = [];
    const watched = but(client, 'changeVisibilityBatch', (to, entries) => {
      asked.push(...entries.map(({ seconds }) => seconds));
      return client.changeVisibilityBatch(to, entries);
    });
    const held = new Held({ client: watched, url, fifo: false }, clock, 600);
    const start = clock.now();
    const [message] = await receive(held, clock);
    const id = message?.messageId ?? '';
    for (let round = 0; round < 100; round += 1) {
      ahead += 500_000;
      await held.extend([id]);
      const until = held.of(id)?.surelyUntil ?? 0;
      expect(until).toBeLessThanOrEqual(start + TWELVE_HOURS * 1000 + 1_000);
    }
    expect(Math.min(...asked)).toBeGreaterThan(0);
    expect(Math.max(...asked)).toBe(600);
    expect(held.exhausted).toBe(true);
    expect(held.of(id)).toBeUndefined();
  });

  it('of a message that comes twice keeps the newest handle, and releases that', async () => {
    server.put('dlq', { body: 'x' });
    const held = new Held({ client, url, fifo: false }, wallClock, 30);
    const [first] = await receive(held);
    await client.changeVisibilityBatch(url, [{ id: 'a', receiptHandle: first?.receiptHandle ?? '', seconds: 0 }]);
    const [second] = await receive(held);
    expect(second?.messageId).toBe(first?.messageId);
    expect(held.count).toBe(1);
    expect(held.of(second?.messageId ?? '')?.receiptHandle).toBe(second?.receiptHandle);
    expect(await held.releaseAll()).toMatchObject({ released: 1, stuck: 0 });
    expect(server.lying('dlq')).toMatchObject([{ hidden: false }]);
  });

  it('is released where the first answers are lost, and given up on where releasing is refused', async () => {
    for (let n = 0; n < 25; n += 1) server.put('dlq', { body: `${n}` });
    let lost = 0;
    const flaky = but(client, 'changeVisibilityBatch', async (to, entries) => {
      const answer = await client.changeVisibilityBatch(to, entries);
      lost += 1;
      if (lost <= 4) throw new SqsCallError('ChangeMessageVisibilityBatch', 'no_answer', 'ECONNRESET', '');
      return answer;
    });
    const held = new Held({ client: flaky, url, fifo: false }, wallClock, 30);
    for (let n = 0; n < 3; n += 1) await receive(held);
    expect(await held.releaseAll()).toEqual({ released: 25, stuck: 0, until: null, trouble: null });
    expect(server.lying('dlq').some(({ hidden }) => hidden)).toBe(false);

    let tried = 0;
    const denied = but(client, 'changeVisibilityBatch', async () => {
      tried += 1;
      throw new SqsCallError('ChangeMessageVisibilityBatch', 'refused', 'AccessDenied', '');
    });
    const kept = new Held({ client: denied, url, fifo: false }, wallClock, 30);
    await receive(kept);
    const released = await kept.releaseAll();
    expect(released).toMatchObject({ released: 0, stuck: 10, trouble: { code: 'AccessDenied' } });
    expect(released.until).toBe(kept.until);
    expect([kept.count, tried]).toEqual([10, 1]);
  });

  it('of a FIFO group is released from its last to its head, one batch after the other', async () => {
    ({ url } = await server.createQueue('groups.fifo'));
    const order: string[] = [];
    const fifo = but(client, 'changeVisibilityBatch', async (_, entries) => {
      order.push(...entries.map(({ receiptHandle }) => receiptHandle));
      return { successful: entries.map(({ id }) => ({ id })), failed: [] };
    });
    const held = new Held({ client: fifo, url, fifo: true }, wallClock, 30);
    // What SQS gives out in one receive: several of a group, in their order.
    const messages = Array.from({ length: 60 }, (_, n) => ({
      messageId: `m${n}`,
      receiptHandle: `${n % 3}:${String(n).padStart(2, '0')}`,
      body: 'x',
      attributes: {},
      systemAttributes: { MessageGroupId: `g${n % 3}` },
    }));
    held.take(messages, wallClock.now());
    await held.releaseAll();
    for (const group of ['0', '1', '2']) {
      const released = order.filter((handle) => handle.startsWith(`${group}:`));
      expect(released).toHaveLength(20);
      expect(released).toEqual([...released].sort().reverse());
    }
  });
});
