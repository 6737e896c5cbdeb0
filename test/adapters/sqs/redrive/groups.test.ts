import { expect, test } from 'vitest';
import { openSqsSource } from '../../../../src/adapters/sqs/source.ts';
import type { ActionItem } from '../../../../src/model/action.ts';
import { Budget } from '../../../../src/model/budget.ts';
import type { Journal } from '../../../../src/model/ports.ts';
import { VirtualTime } from '../../../support/simulator/clock.ts';
import { Faults, NO_FAULTS } from '../../../support/simulator/faults.ts';
import { memoryJournal } from '../../../support/simulator/journals.ts';
import { SimulatedProcess } from '../../../support/simulator/process.ts';
import { Random } from '../../../support/simulator/random.ts';
import { REGION, SimulatedSqs } from '../../../support/simulator/sqs.ts';

// Only here does one receive bring several messages of a FIFO group, as it does on SQS.

/** Has no room when it is asked first, and then has: as when another message gives its place back meanwhile. */
class Stingy extends Budget {
  #asked = 0;

  override take(wanted: number): number {
    this.#asked += 1;
    return this.#asked === 1 ? 0 : super.take(wanted);
  }
}

test('what --max leaves of a FIFO group is not overtaken by what comes after it', async () => {
  const time = new VirtualTime();
  const sqs = new SimulatedSqs(time, new Random(1));
  const dead = sqs.create('orders-dlq.fifo');
  const target = sqs.create('orders.fifo', { redrive: { target: dead, maxReceiveCount: 3 } });
  for (const body of ['a1', 'a2', 'a3']) dead.place({ body, groupId: 'a', deduplicationId: body });
  dead.place({ body: 'b1', groupId: 'b', deduplicationId: 'b1' });
  const client = new SimulatedProcess('babelq', time).client(sqs, new Faults(NO_FAULTS, null, time, new Random(2)));
  const journal: Journal = memoryJournal(time);
  const items: ActionItem[] = [];

  const acting = async () => {
    const source = openSqsSource(
      { queue: 'orders-dlq.fifo', region: REGION },
      { journal, clock: time, connect: async () => client },
    );
    const run = await journal.begin({ action: 'retry', by: 'somebody', note: null, asked: 'all' });
    return source.act({
      action: 'retry',
      selection: { kind: 'match', states: new Set(['failed']), matches: () => true, startedAt: time.now() },
      run,
      bypass: false,
      pace: null,
      budget: new Stingy(),
      allowReceive: false,
      signal: new AbortController().signal,
      onItem: (item) => items.push(item),
    });
  };
  await time.run(acting());

  expect(target.messages.map(({ body }) => body)).toEqual(['b1']);
  expect(dead.messages.map(({ body }) => body)).toEqual(['a1', 'a2', 'a3']);
  expect(dead.inFlight).toEqual([]);
  expect(items.map(({ outcome }) => outcome)).toEqual(['done']);
});
