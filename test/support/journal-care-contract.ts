/** What looking after any journal must do: what it says of it, and what it removes. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type JournalCare, KEPT_MS, nothingPrunable, type PruneScope } from '../../src/model/journal-care.ts';
import type { Clock, Intent, Journal, RunStart, Settlement } from '../../src/model/ports.ts';
import type { JournalHome } from './journal-contract.ts';
import { anIntent, aStart, PLACE } from './journal-samples.ts';

export interface CaredHome extends JournalHome {
  care(clock: Clock): JournalCare;
}

const DAY = 24 * 60 * 60 * 1000;

export function journalCareContract(name: string, kind: 'sqlite' | 'postgres', make: () => CaredHome): void {
  describe(`${name}, looked after`, () => {
    let home: CaredHome;
    let now: number;
    let journal: Journal;
    let care: JournalCare;
    const clock: Clock = { now: () => now, sleep: () => Promise.resolve() };

    beforeEach(() => {
      home = make();
      now = Date.UTC(2026, 10, 30, 14, 22, 11);
      journal = home.open(clock);
      care = home.care(clock);
    });
    afterEach(async () => {
      await care.close();
      await home.dispose();
    });

    async function act(
      action: RunStart['action'],
      nativeId: string,
      settlement: Omit<Settlement, 'entry'> | null,
      changes: Partial<Intent> = {},
    ): Promise<string> {
      const run = await journal.begin(aStart(action));
      const [entry] = await journal.intend(run, [anIntent(nativeId, changes)]);
      if (settlement !== null) {
        await journal.settle([{ entry: entry ?? 0, ...settlement }]);
        await journal.end(run, 'finished');
      }
      return run.id;
    }

    const scope = (changes: Partial<PruneScope> = {}): PruneScope => ({
      before: null,
      archived: false,
      unfinished: false,
      ...changes,
    });
    const counted = (changes = {}) => ({ ...nothingPrunable(), ...changes });
    const archived = async () =>
      (await journal.archived(PLACE, { limit: 100 })).messages.map(({ nativeId }) => nativeId);
    const logged = async () => (await journal.log({})).map(({ id }) => id.slice('orders/'.length));

    test('it says that nothing is there, and makes nothing', async () => {
      expect(await care.info()).toMatchObject({ kind, exists: false, runs: 0, schema_version: null });
      expect(await care.prunable(scope({ before: now }))).toEqual(nothingPrunable());
      expect((await care.info()).exists).toBe(false);
    });

    test('it is made on demand, once', async () => {
      expect(await care.create()).toMatchObject({ exists: true, runs: 0 });
      await act('retry', 'a', { state: 'done' });
      expect(await care.create()).toMatchObject({ exists: true, runs: 1 });
    });

    test('it counts what is there, and names each run that left something', async () => {
      const first = now;
      await act('retry', 'a', { state: 'done' });
      await act('dismiss', 'b', { state: 'done' });
      const dead = await act('retry', 'c', { state: 'uncertain' }, { message: null });
      const silent = await act('dismiss', 'd', null);
      await act('retry', 'e', { state: 'done' }, { edited: true });
      now += 2 * DAY;
      await act('dismiss', 'f', { state: 'done' });
      const alive = await act('retry', 'g', null);
      expect(await care.info()).toEqual({
        kind,
        location: journal.location,
        exists: true,
        schema_version: expect.any(Number),
        size_bytes: expect.any(Number),
        reusable_bytes: kind === 'sqlite' ? expect.any(Number) : null,
        runs: 7,
        entries: 7,
        first_at: new Date(first).toISOString(),
        last_at: new Date(now).toISOString(),
        unfinished: {
          entries: 3,
          runs: [
            { run: alive, alive: true, entries: 1, action: 'retry' },
            { run: silent, alive: false, entries: 1, action: 'dismiss' },
            { run: dead, alive: false, entries: 1, action: 'retry' },
          ].map((run) => ({
            by: 'ada@desk',
            started_at: new Date(run.alive ? now : first).toISOString(),
            last_heard_at: new Date(run.alive ? now : first).toISOString(),
            ...run,
          })),
        },
        archive: {
          messages: 3,
          oldest_at: new Date(first).toISOString(),
          next_deleted_at: new Date(first + 30 * DAY).toISOString(),
          originals: 1,
        },
      });
    });

    test('what is past its time goes, and nothing else unless it is asked for', async () => {
      await act('dismiss', 'old', { state: 'done' });
      await act('retry', 'lost', { state: 'uncertain' });
      await act('retry', 'sent', { state: 'done' });
      now += 20 * DAY;
      await act('dismiss', 'young', { state: 'done' });
      now += 11 * DAY;
      expect(await care.prunable(scope())).toEqual(counted({ expired: 2 }));
      expect(await care.prune(scope(), nothingPrunable())).toEqual(counted({ expired: 2 }));
      expect(await care.prunable(scope())).toEqual(nothingPrunable());
      expect([await archived(), await logged()]).toEqual([['young'], ['young', 'sent', 'lost', 'old']]);
      // The log, as far as it is of no more use: what has no known end stays.
      const log = scope({ before: now - 1 });
      expect(await care.prunable(log)).toEqual(counted({ entries: 2, runs: 2 }));
      expect(await care.prune(log, nothingPrunable())).toEqual(counted({ entries: 2, runs: 2 }));
      expect([await archived(), await logged()]).toEqual([['young'], ['young', 'lost']]);
      expect((await care.info()).unfinished.entries).toBe(1);
    });

    test('what could still be restored, and what has no known end, goes only where both are asked for', async () => {
      await act('dismiss', 'dismissed', { state: 'done' });
      await act('dismiss', 'begun', { state: 'uncertain' });
      await act('retry', 'edited', { state: 'done' }, { edited: true });
      await act('retry', 'unheard', { state: 'sent', newId: 'n' });
      now += DAY;
      await act('dismiss', 'later', { state: 'done' });
      const before = now;
      expect(await care.prunable(scope({ before }))).toEqual(nothingPrunable());
      const both = scope({ before, archived: true, unfinished: true });
      const found = counted({ archived: 2, unfinished: 2, runs: 0 });
      expect(await care.prunable(both)).toEqual(found);
      await expect(care.prune(both, counted({ archived: 1, unfinished: 2 }))).rejects.toMatchObject({
        code: 'refused',
      });
      await expect(care.prune(both, counted({ archived: 2, unfinished: 1 }))).rejects.toMatchObject({
        code: 'refused',
      });
      expect(await archived(), 'nothing was removed').toEqual(['dismissed', 'begun', 'later']);
      expect(await care.prune(both, found)).toEqual(found);
      expect(await archived()).toEqual(['later']);
      expect(await logged(), 'the log says still what was done').toEqual(['later', 'edited', 'dismissed']);
      expect(await journal.log({ unfinished: true })).toEqual([]);
      expect(await care.info()).toMatchObject({ unfinished: { entries: 0, runs: [] }, archive: { originals: 0 } });
    });

    test('what a living run is at is never taken', async () => {
      const run = await journal.begin(aStart('dismiss'));
      await journal.intend(run, [anIntent('a')]);
      for (let beats = 0; beats < 3; beats += 1) {
        now += 20 * DAY;
        await journal.beat(run);
      }
      const all = scope({ before: now, archived: true, unfinished: true });
      // Its message is past its time: that goes, as it would by itself.
      expect(await care.prunable(all)).toEqual(counted({ expired: 1 }));
      await care.prune(all, await care.prunable(all));
      expect(await journal.settle([{ entry: 1, state: 'done' }])).toBeUndefined();
      expect(KEPT_MS).toBe(30 * DAY);
    });
  });
}
