import { expect, test } from 'vitest';
import type { SqsClient } from '../../../../src/adapters/sqs/client.ts';
import { openSqsSource } from '../../../../src/adapters/sqs/source.ts';
import { parseFilter } from '../../../../src/model/filter.ts';
import { carryOut } from '../../../../src/model/operations/act.ts';
import { deadLettered } from '../../../support/shapes.ts';
import { VirtualTime } from '../../../support/simulator/clock.ts';
import { Faults, NO_FAULTS } from '../../../support/simulator/faults.ts';
import { memoryJournal } from '../../../support/simulator/journals.ts';
import { SimulatedProcess } from '../../../support/simulator/process.ts';
import { Random } from '../../../support/simulator/random.ts';
import { REGION, SimulatedSqs } from '../../../support/simulator/sqs.ts';

/** A service that answers every call after the same time. */
class Even extends Faults {
  readonly #ms: number;

  constructor(time: VirtualTime, ms: number) {
    super(NO_FAULTS, null, time, new Random(1));
    this.#ms = ms;
  }

  override fateOf() {
    return { there: this.#ms / 2, back: this.#ms / 2, acted: true, trouble: null };
  }
}

/** Redrives everything from so far away, and says how long that took until the last message was deleted. */
async function redriven(messages: number, ms: number) {
  const time = new VirtualTime();
  const sqs = new SimulatedSqs(time, new Random(1));
  const dlq = sqs.create('orders-dlq');
  const orders = sqs.create('orders', { redrive: { target: dlq, maxReceiveCount: 3 } });
  for (let n = 0; n < messages; n += 1) {
    const id = `f1e2d3c4-b5a6-4789-90ab-${String(n).padStart(12, '0')}`;
    const { body, attributes } = deadLettered({ id, data: `{"order_id":${n}}` });
    dlq.place({ body, attributes }, { sentAt: time.now() - 3_600_000, sourceArn: orders.arn });
  }
  const process = new SimulatedProcess('one', time);
  const seen = { calls: 0, most: 0, underWay: 0, lastDelete: 0 };
  const counting =
    (name: keyof SqsClient, client: SqsClient) =>
    async (...given: never[]) => {
      seen.calls += 1;
      seen.underWay += 1;
      seen.most = Math.max(seen.most, seen.underWay);
      try {
        return await (client[name] as (...given: never[]) => Promise<unknown>)(...given);
      } finally {
        seen.underWay -= 1;
        if (name === 'deleteBatch') seen.lastDelete = time.now();
      }
    };
  const client = process.client(sqs, new Even(time, ms));
  const counted = {
    ...client,
    receive: counting('receive', client),
    sendBatch: counting('sendBatch', client),
    deleteBatch: counting('deleteBatch', client),
  } as SqsClient;
  const journal = memoryJournal(process.clock);
  const deps = { journal, clock: process.clock, connect: async () => counted };
  const source = openSqsSource({ name: 'dlq', queue: 'orders-dlq', region: REGION }, deps);
  const began = time.now();
  const acted = await time.run(
    carryOut(
      {
        action: 'retry',
        asked: { kind: 'filter', filter: parseFilter({}, ['failed']) },
        sources: [source],
        journal,
        clock: process.clock,
        by: 'ana',
        note: null,
        allowReceive: false,
        signal: process.signal,
        onItem: () => {},
        onProgress: () => {},
        bypass: false,
      },
      null,
    ),
  );
  await time.run(source.close());
  expect(acted.report.done).toBe(messages);
  return { ...seen, took: seen.lastDelete - began };
}

test.each([
  { ms: 20, messages: 2_500, atOnce: 16 },
  { ms: 100, messages: 10_000, atOnce: 50 },
])('from $ms ms away a redrive takes what its calls take, as many at once as pay', async ({ ms, messages, atOnce }) => {
  const { took, calls, most } = await redriven(messages, ms);
  expect(most).toBeGreaterThanOrEqual(atOnce);
  expect(took).toBeLessThan(((calls * ms) / most) * 1.3);
});
