import { expect, test } from 'vitest';
import { carryOutMove } from '../../../src/model/operations/move.ts';
import type { MoveTask } from '../../../src/model/ports.ts';
import { MemoryJournal, MemorySource } from '../../support/memory.ts';
import { memoryJournal } from '../../support/simulator/journals.ts';

test('of a move task that its server lists no more, as some do with one that was cancelled, it says what to do', async () => {
  let looks = 0;
  const running: MoveTask = {
    handle: 'h',
    status: 'RUNNING',
    destination_arn: 'arn:aws:sqs:eu-central-1:1:orders',
    moved: 40,
    to_move: 100,
    failure: null,
    started_at: 1,
  };
  const moveTasks = {
    list: async () => (++looks === 2 ? [running] : []),
    arnOf: async (name: string) => ({ name, arn: `arn:aws:sqs:eu-central-1:1:${name}`, fifo: false }),
    start: async () => 'h',
    cancel: async () => {},
  };
  const clock = { now: () => Date.now(), sleep: () => new Promise<void>((done) => setImmediate(done)) };
  const journal = memoryJournal(clock);
  const moved = await carryOutMove(
    {
      source: Object.assign(new MemorySource('orders', [], new MemoryJournal()), { moveTasks }),
      journal,
      clock,
      by: 'ana',
      note: null,
      allowReceive: false,
      signal: new AbortController().signal,
    },
    {
      from: 'orders-dlq',
      to: { name: 'orders', arn: running.destination_arn ?? '' },
      seen: 100,
      about: 100,
      reasons: [],
      rate: null,
    },
  );
  expect(moved).toMatchObject({ outcome: 'uncertain', moved: 40, toMove: 100 });
  expect(moved.detail).toMatch(/SQS does not list it, .*when it was last seen\./);
  expect(moved.detail).toMatch(/cancelled elsewhere: what still lies on orders-dlq .* can be retried again\.$/);
  await journal.close();
});
