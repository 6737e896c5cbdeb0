import { expect, test } from 'vitest';
import { ParkedWatch } from '../../../src/model/watch/parked-watch.ts';
import { aFailure } from '../../support/failure.ts';
import { MemoryJournal, MemorySource } from '../../support/memory.ts';

test('a message that waits for longer than a tick takes is not said to need less time than it had', async () => {
  const waiting = aFailure({ id: 'warehouse/p1', source: 'warehouse', state: 'pending' });
  const said = async (waitedMs: number) => {
    const watch = new ParkedWatch({
      source: new MemorySource('warehouse', [waiting], new MemoryJournal()),
      sent: [{ source: 'warehouse', nativeId: 'p1', identity: 'one', queue: null, to: null, newId: null }],
      known: new Set(['warehouse/p1']),
      clock: { now: () => 1_000 + waitedMs, sleep: () => Promise.resolve() },
      firstSentAt: 1_000,
      signal: new AbortController().signal,
    });
    await watch.look(true);
    watch.settle();
    return watch.fates.get('warehouse/p1')?.detail;
  };
  expect(await said(3_000)).toMatch(/1 pending.*A wait of 15s would tell/);
  expect(await said(20_000)).toMatch(/not read it in 20s.*See whether it is running/);
});
