import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openSqsSource } from '../../../src/adapters/sqs/source.ts';
import { BabelqError, Interrupted } from '../../../src/model/errors.ts';
import { MemoryJournal } from '../../support/memory.ts';
import { type SqsServer, startFauxqs } from '../../support/servers.ts';
import { wallClock } from '../../support/wall-clock.ts';

let server: SqsServer;
beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  vi.stubEnv('AWS_REGION', 'us-east-1');
  server = await startFauxqs();
});
afterAll(async () => {
  await server.close();
  vi.unstubAllEnvs();
});

const open = (queue: string) =>
  openSqsSource({ queue, endpoint: server.endpoint }, { clock: wallClock, journal: new MemoryJournal().asJournal() });
const hidden = (queue: string) => server.lying(queue).flatMap((one) => (one.hidden ? [one.messageId] : []));
const request = (nativeIds: Iterable<string>, signal = new AbortController().signal) => ({
  nativeIds: new Set(nativeIds),
  allowReceive: false,
  signal,
});

describe('holding', () => {
  it('hides what was asked for and nothing else, says what it never met, and gives it back', async () => {
    await server.createQueue('held-dlq');
    const ids = Array.from({ length: 25 }, (_, n) => server.put('held-dlq', { body: `${n}` }));
    const source = open('held-dlq');
    const wanted = ids.slice(5, 12);
    const holding = await source.hold?.(request([...wanted, 'gone-0000']));
    expect(hidden('held-dlq').sort()).toEqual(wanted.toSorted());
    expect(holding).toMatchObject({
      count: 7,
      note: "1 of what is shown is not held: gone, or in somebody else's hands",
    });
    expect((holding?.endsAt ?? 0) - Date.now()).toBeLessThanOrEqual(12 * 3_600_000);
    expect(source.held().count).toBe(7);
    expect(await holding?.release()).toEqual({ stuck: 0 });
    expect([hidden('held-dlq'), source.held().count, holding?.count]).toEqual([[], 0, 0]);
    await source.close();
  });

  it('gives everything back where it is called off', async () => {
    await server.createQueue('off-dlq');
    for (let n = 0; n < 30; n += 1) server.put('off-dlq', { body: `${n}` });
    const source = open('off-dlq');
    const abort = new AbortController();
    const holding = source.hold?.({ ...request(['never'], abort.signal), onProgress: () => abort.abort() });
    await expect(holding).rejects.toThrow(Interrupted);
    expect(hidden('off-dlq')).toEqual([]);
    await source.close();
  });

  it('declines where each look counts towards the queue’s own RedrivePolicy', async () => {
    await server.createQueue('dead-dlq');
    await server.createQueue('own-dlq', {}, { queue: 'dead-dlq', maxReceiveCount: 2 });
    server.put('own-dlq', { body: 'x' });
    const source = open('own-dlq');
    await expect(source.hold?.(request(['x']))).rejects.toThrow(BabelqError);
    expect(server.lying('own-dlq').map(({ receiveCount }) => receiveCount)).toEqual([0]);
    await source.close();
  });
});
