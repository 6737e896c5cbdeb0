import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectSqs } from '../../../src/adapters/sqs/aws-client.ts';
import { SqsCallError } from '../../../src/adapters/sqs/client.ts';
import { openSqsSource } from '../../../src/adapters/sqs/source.ts';
import { BabelqError, Interrupted } from '../../../src/model/errors.ts';
import type { ArchivedMessage, ReadProgress, ReadRequest } from '../../../src/model/ports.ts';
import { startFauxqs, startLocalAwsSqs } from '../../support/servers.ts';
import { wallClock } from '../../support/wall-clock.ts';
import { Bench, but, journal, list } from './bench.ts';

beforeAll(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  vi.stubEnv('AWS_REGION', 'us-east-1');
});
afterAll(() => vi.unstubAllEnvs());

/** Most of a listing is waiting for polls that come back empty, so the tests wait side by side. */
const test = it.extend<{ faux: Bench; native: Bench }>({
  faux: async ({ task: _ }, use) => Bench.lend(await startFauxqs(), use),
  native: async ({ task: _ }, use) => Bench.lend(await startLocalAwsSqs(), use),
});

describe('a listing', () => {
  test.concurrent('shows each message once, gives all back, and raises each receive count by exactly one', async ({
    faux: bench,
  }) => {
    const ids = bench.fill('orders-dlq', 137);
    const source = bench.open();
    const first = await list(source);
    expect(first).toMatchObject({ seen: 137, about: 137, complete: true, allInFlight: null });
    expect(first.failures.map(({ id }) => id).sort()).toEqual(ids.map((id) => `orders-dlq/${id}`).sort());
    expect(bench.server.lying('orders-dlq').map(({ hidden, receiveCount }) => [hidden, receiveCount])).toEqual(
      Array(137).fill([false, 1]),
    );
    expect(source.held()).toEqual({ count: 0, until: null });
    expect((await list(source)).failures.every((failure) => failure.receive_count === 2)).toBe(true);
  });

  test.concurrent('ends at once when it has enough, is never called complete then, and gives all back', async ({
    faux: bench,
  }) => {
    bench.fill('orders-dlq', 60);
    const { failures, complete, seen } = await list(bench.open(), {}, 5);
    expect(failures).toHaveLength(5);
    expect([complete, seen]).toEqual([false, 5]);
    expect(bench.hidden()).toBe(0);
  });

  test.concurrent('gives a thousand back within two seconds of an interruption, the poll under way included', async ({
    faux: bench,
  }) => {
    bench.fill('orders-dlq', 1_500);
    const controller = new AbortController();
    let interruptedAt = 0;
    const releasing: number[] = [];
    const onProgress = (progress: ReadProgress) => {
      if (progress.releasing !== undefined) releasing.push(progress.releasing);
      else if (progress.seen >= 1_000 && interruptedAt === 0) {
        interruptedAt = Date.now();
        controller.abort();
      }
    };
    await expect(list(bench.open(), { signal: controller.signal, onProgress })).rejects.toBeInstanceOf(Interrupted);
    expect(Date.now() - interruptedAt).toBeLessThan(2_000);
    expect(bench.hidden()).toBe(0);
    expect(releasing.length).toBeGreaterThan(99);
    expect(releasing.at(-1)).toBe(0);
  });

  test.concurrent('gives all back when a receive fails half-way, and says why', async ({ faux: bench }) => {
    bench.fill('orders-dlq', 80);
    let calls = 0;
    const source = bench.open({}, (client) =>
      but(client, 'receive', (url, request) => {
        calls += 1;
        if (calls > 4) throw new SqsCallError('ReceiveMessage', 'refused', 'KMS.AccessDeniedException', '');
        return client.receive(url, request);
      }),
    );
    await expect(list(source)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(/kms:Decrypt/),
    });
    expect(bench.hidden()).toBe(0);
  });

  test.concurrent('gives all back when whoever looks at the messages throws', async ({ faux: bench }) => {
    bench.fill('orders-dlq', 30);
    const source = bench.open();
    const request: ReadRequest = {
      states: new Set(['failed']),
      allowReceive: false,
      signal: AbortSignal.timeout(9_000),
    };
    await expect(
      source.read(request, () => {
        throw new BabelqError('internal', 'broken');
      }),
    ).rejects.toThrow('broken');
    expect(bench.hidden()).toBe(0);
  });

  test.concurrent('tries again what a batch answer left out or refused, and says what stays hidden until when', async ({
    faux: bench,
  }) => {
    bench.fill('orders-dlq', 40);
    let stubborn = '';
    const source = bench.open({}, (client) =>
      but(client, 'changeVisibilityBatch', async (url, entries) => {
        stubborn ||= entries[0]?.receiptHandle ?? '';
        // One is never done, of the others some are done at the first try, and some are in neither list.
        const done = entries.filter(({ receiptHandle }, n) => receiptHandle !== stubborn && n < 3);
        const answer = await client.changeVisibilityBatch(url, done);
        const failed = entries
          .filter(({ receiptHandle }) => receiptHandle === stubborn)
          .map(({ id }) => ({ id, code: 'InternalError', message: '', senderFault: false }));
        return { ...answer, failed };
      }),
    );
    const { note, complete, seen } = await list(source);
    expect([seen, complete]).toEqual([40, true]);
    expect(note).toMatch(/^1 could not be given back and stay hidden until \d\d:\d\d:\d\d UTC/);
    expect(bench.hidden()).toBe(1);
    const { count, until } = source.held();
    expect(count).toBe(1);
    expect((until ?? 0) - Date.now()).toBeGreaterThan(50_000);
  });

  test.concurrent('does not trust one empty answer', async ({ faux: bench }) => {
    bench.fill('orders-dlq', 3);
    let calls = 0;
    const source = bench.open({}, (client) =>
      but(client, 'receive', async (url, request) => {
        calls += 1;
        return calls <= 3 ? [] : client.receive(url, request);
      }),
    );
    expect(await list(source)).toMatchObject({ seen: 3, complete: true });
  });

  test.concurrent('slows down where SQS throttles it, and still sees all', async ({ faux: bench }) => {
    bench.fill('orders-dlq', 90);
    let calls = 0;
    const source = bench.open({}, (client) =>
      but(client, 'receive', (url, request) => {
        calls += 1;
        if (calls % 3 === 0) throw new SqsCallError('ReceiveMessage', 'throttled', 'RequestThrottled', '');
        return client.receive(url, request);
      }),
    );
    expect(await list(source)).toMatchObject({ seen: 90, complete: true });
    expect(bench.hidden()).toBe(0);
  });

  test.concurrent('says that everything is in flight, and when to try again', async ({ faux: bench }) => {
    bench.fill('orders-dlq', 2);
    const { url } = await bench.server.createQueue('orders-dlq');
    const other = await connectSqs({ endpoint: bench.server.endpoint });
    await other.receive(url, { max: 10, waitSeconds: 1, visibilitySeconds: 600 });
    const { complete, allInFlight, note, seen } = await list(bench.open());
    expect([seen, complete]).toEqual([0, false]);
    expect(allInFlight).toEqual({ count: 2, retryInSeconds: 30 });
    expect(note).toMatch(/about 2 are in flight elsewhere/);
    other.close();
  });

  test.concurrent('is not called complete while somebody else hides a part', async ({ faux: bench }) => {
    bench.fill('orders-dlq', 12);
    const { url } = await bench.server.createQueue('orders-dlq');
    const other = await connectSqs({ endpoint: bench.server.endpoint });
    await other.receive(url, { max: 7, waitSeconds: 1, visibilitySeconds: 600 });
    const listed = await list(bench.open());
    expect(listed).toMatchObject({ seen: 5, complete: false, allInFlight: null });
    expect(listed.note).toMatch(/about 7 are in flight elsewhere/);
    other.close();
  });

  test.concurrent('of a FIFO queue shows the heads, says about how many it did not see, and gives back in order', async ({
    faux: bench,
  }) => {
    await bench.server.createQueue('f-dlq.fifo');
    bench.fill('f-dlq.fifo', 6, (n) => ({ groupId: n % 2 === 0 ? 'even' : 'odd' }));
    const listed = await list(bench.open({ queue: 'f-dlq.fifo' }));
    expect(listed).toMatchObject({ seen: 2, complete: false });
    expect(listed.note).toMatch(/only the first messages of each FIFO group can be seen: about 4 of about 6 were not/);
    expect(bench.server.lying('f-dlq.fifo').map(({ body, hidden }) => [body, hidden])).toEqual(
      [0, 2, 4, 1, 3, 5].map((n) => [`{"n":${n}}`, false]),
    );
  });

  test.concurrent('refuses a queue with a RedrivePolicy of its own, where each look counts, unless it is told', async ({
    faux: bench,
  }) => {
    await bench.server.createQueue('graveyard');
    await bench.server.createQueue('first-dlq', {}, { queue: 'graveyard', maxReceiveCount: 2 });
    bench.fill('first-dlq', 1);
    const source = bench.open({ queue: 'first-dlq' });
    const error = await list(source).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'refused', hint: expect.stringMatching(/--allow-receive/) });
    expect((error as BabelqError).message).toMatch(/after 2 receives SQS moves a message on to graveyard/);
    expect(bench.server.lying('first-dlq')[0]?.receiveCount).toBe(0);
    expect(await list(source, { allowReceive: true })).toMatchObject({ seen: 1 });
  });

  test.concurrent('reads nothing for a state that SQS does not have', async ({ faux: bench }) => {
    bench.fill('orders-dlq', 1);
    expect(await list(bench.open(), { states: new Set(['pending']) })).toMatchObject({ seen: 0, complete: true });
    expect(bench.server.lying('orders-dlq')[0]?.receiveCount).toBe(0);
  });
});

describe('a source', () => {
  test.concurrent('is found by name, URL and ARN, and is the same place by each', async ({ native: bench }) => {
    const places: string[] = [];
    const countArchived = async (place: string) => places.push(place);
    const arn = `arn:aws:sqs:us-east-1:${bench.server.account}:orders-dlq`;
    for (const queue of ['orders-dlq', arn, `${bench.server.endpoint}/${bench.server.account}/orders-dlq`]) {
      // The URL leads to the server by itself.
      const endpoint = queue.startsWith('http') ? {} : { endpoint: bench.server.endpoint };
      const deps = { journal: { ...journal, countArchived }, clock: wallClock };
      const source = openSqsSource({ queue, ...endpoint }, deps);
      bench.sources.push(source);
      expect([source.name, source.heldIn]).toEqual(['orders-dlq', 'orders-dlq']);
      await list(source, { states: new Set(['dismissed']) });
    }
    expect(places).toEqual(Array(3).fill(`${arn}@${new URL(bench.server.endpoint).host}`));
  });

  test.concurrent('says what it holds without reading a message', async ({ native: bench }) => {
    bench.fill('orders-dlq', 4);
    expect(await bench.open({ name: 'mine' }).facts(AbortSignal.timeout(9_000))).toEqual({
      name: 'mine',
      kind: 'sqs',
      queue: 'orders-dlq',
      fifo: false,
      visible: 4,
      in_flight: 0,
      delayed: 0,
      retention_seconds: 345_600,
      redrive_sources: ['orders'],
      error: null,
    });
    expect(bench.server.lying('orders-dlq').every(({ receiveCount }) => receiveCount === 0)).toBe(true);
  });

  test.concurrent('classifies by evidence: what SQS moved, and a target that the app names and that exists', async ({
    native: bench,
  }) => {
    bench.server.put('orders-dlq', {
      body: '{"any":1}',
      sourceArn: `arn:aws:sqs:us-east-1:${bench.server.account}:orders`,
    });
    const [failure] = (await list(bench.open())).failures;
    expect(failure).toMatchObject({ origin: 'sqs_native', reason: 'max_receives', retry_to: 'orders' });
    expect(failure?.retry_to_basis).toBe('source_arn');
  });

  test.concurrent('asks for a queue that a message names in its own account, by name alone', async ({
    native: bench,
  }) => {
    const asked: [string, string | undefined][] = [];
    const body = JSON.stringify({
      dead_letter: { reason: 'failed', original_queue: 'http://evil.example:1/999999999999/elsewhere' },
    });
    bench.server.put('orders-dlq', { body });
    const source = bench.open({}, (client) =>
      but(client, 'queueUrl', (name, account) => {
        asked.push([name, account]);
        return client.queueUrl(name, account);
      }),
    );
    await list(source);
    expect(asked).toContainEqual(['elsewhere', bench.server.account]);
    expect(asked.every(([, account]) => account === undefined || account === bench.server.account)).toBe(true);
  });

  test.concurrent('without ListDeadLetterSourceQueues only lacks evidence, and names the permission', async ({
    native: bench,
  }) => {
    bench.fill('orders-dlq', 1);
    const source = bench.open({}, (client) =>
      but(client, 'deadLetterSources', async () => {
        throw new SqsCallError('ListDeadLetterSourceQueues', 'refused', 'AccessDenied', '');
      }),
    );
    const { note, seen } = await list(source);
    expect(seen).toBe(1);
    expect(note).toMatch(/sqs:ListDeadLetterSourceQueues is missing/);
    expect((await source.facts(AbortSignal.timeout(9_000))).redrive_sources).toBeNull();
  });

  test.concurrent('that does not exist, or whose server is down, says so, and is asked again the next time', async ({
    native: bench,
  }) => {
    const source = bench.open({ queue: 'later-dlq' });
    await expect(list(source)).rejects.toMatchObject({ code: 'no_queue', message: expect.stringMatching(/later-dlq/) });
    await bench.server.createQueue('later-dlq');
    expect(await list(source)).toMatchObject({ seen: 0, complete: true });

    const down = bench.open({ endpoint: 'http://127.0.0.1:9' });
    await expect(list(down)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/127\.0\.0\.1:9/),
    });
  });

  test.concurrent('lists what its journal archived as dismissed, page by page, but what still lies on the queue once', async ({
    native: bench,
  }) => {
    const arn = `arn:aws:sqs:us-east-1:${bench.server.account}:orders`;
    const [still = ''] = bench.fill('orders-dlq', 1);
    const expiresAt = Date.UTC(2030, 0, 1);
    const kept = ['gone', still].map((nativeId, n): ArchivedMessage => {
      const systemAttributes = { SentTimestamp: '1749132727000', DeadLetterQueueSourceArn: arn };
      const message = { messageId: nativeId, body: '{}', attributes: {}, systemAttributes };
      const times = { archivedAt: 0, expiresAt, remembered: null, confirmed: nativeId === 'gone' };
      return { entry: n, run: 'r', source: 'orders-dlq', place: 'p', nativeId, message, ...times };
    });
    const archived = async (_: string, page: { after?: number }) =>
      page.after === undefined
        ? { messages: kept.slice(0, 1), next: 1 }
        : { messages: kept.slice(page.after), next: null };
    const deps = { journal: { ...journal, archived, countArchived: async () => 2 }, clock: wallClock };
    const source = openSqsSource({ queue: 'orders-dlq', endpoint: bench.server.endpoint }, deps);
    bench.sources.push(source);

    const dismissed = await list(source, { states: new Set(['dismissed']) });
    expect(dismissed).toMatchObject({ seen: 2, about: 2, complete: true });
    expect(dismissed.failures[0]).toMatchObject({
      id: 'orders-dlq/gone',
      state: 'dismissed',
      held_in: 'archive',
      reason: 'max_receives',
      expires_at: '2030-01-01T00:00:00.000Z',
      retry_to: 'orders',
      retryable: false,
    });
    expect(bench.server.lying('orders-dlq')[0]?.receiveCount).toBe(0);

    const both = await list(source, { states: new Set(['failed', 'dismissed']) });
    expect(both.failures.map(({ id, state }) => [id, state])).toEqual([
      [`orders-dlq/${still}`, 'failed'],
      ['orders-dlq/gone', 'dismissed'],
    ]);
  });

  it('refuses an address that is none before any I/O', () => {
    const deps = { journal, clock: wallClock };
    expect(() => openSqsSource({ queue: 'no such name' }, deps)).toThrow(/not a queue's name, URL or ARN/);
    expect(() => openSqsSource({ queue: 'q', redriveTo: 'a b' }, deps)).toThrow(/not a queue's name, URL or ARN/);
    expect(() => openSqsSource({ queue: 'q', endpoint: 'localhost:4566' }, deps)).toThrow(/not the URL of a server/);
  });
});
