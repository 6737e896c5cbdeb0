import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DeadLetterQueue } from '../../../src/adapters/sqs/queue.ts';
import { readQueue } from '../../../src/adapters/sqs/reading.ts';
import { startFauxqs } from '../../support/servers.ts';
import { wallClock } from '../../support/wall-clock.ts';

beforeAll(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  vi.stubEnv('AWS_REGION', 'us-east-1');
});
afterAll(() => vi.unstubAllEnvs());

describe('reading a queue', () => {
  it('stops before SQS gives nothing more out, calls that never complete, and gives all back', async () => {
    const server = await startFauxqs();
    await server.createQueue('dlq');
    for (let n = 0; n < 200; n += 1) server.put('dlq', { body: `${n}` });
    const queue = await DeadLetterQueue.open({ queue: 'dlq', endpoint: server.endpoint }, wallClock);
    let most = 0;
    const request = { signal: new AbortController().signal, onProgress: () => undefined, inFlightLimit: 150 };
    const reading = await readQueue(queue, wallClock, request, async () => {
      most = Math.max(most, server.lying('dlq').filter(({ hidden }) => hidden).length);
      return 'more';
    });
    expect(reading).toMatchObject({ end: 'full', complete: false, about: 200, allInFlight: null });
    expect(reading.notes.join()).toMatch(/be in flight, so what lies behind was not seen/);
    expect(most).toBeGreaterThanOrEqual(70);
    expect(most).toBeLessThanOrEqual(150);
    expect(server.lying('dlq').some(({ hidden }) => hidden)).toBe(false);
    await queue.close();
    await server.close();
  });
});
