/**
 * What every journal must do, whatever keeps it. A journal is tested as the processes that share it see it: each `open` is
 * another process, and one that is never closed has crashed.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Clock, Intent, Journal, LogEntry, Run, RunStart, Settlement } from '../../src/model/ports.ts';
import { aMessage, anIntent, aStart, FACTS, PLACE } from './journal-samples.ts';

export interface JournalHome {
  /** The journal as another process sees it. */
  open(clock: Clock): Journal;
  dispose(): Promise<void>;
}

const SECOND = 1000;
const DAY = 24 * 60 * 60 * SECOND;
const someOf = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 1, maxLength: 4 });

export function journalContract(name: string, make: () => JournalHome): void {
  describe(name, () => {
    let home: JournalHome;
    let now: number;
    let journal: Journal;
    const clock: Clock = { now: () => now, sleep: () => Promise.resolve() };

    beforeEach(() => {
      home = make();
      now = Date.UTC(2026, 10, 30, 14, 22, 11);
      journal = home.open(clock);
    });
    afterEach(() => home.dispose());

    async function intend(run: Run, ...intents: Intent[]): Promise<number[]> {
      const entries = await journal.intend(run, intents);
      return entries.map((entry) => entry ?? expect.fail('an intent was refused'));
    }

    /** Begins a run, intends one message and settles it. */
    async function act(
      action: RunStart['action'],
      nativeId: string,
      settlement: Omit<Settlement, 'entry'> | null,
      changes: Partial<Intent> = {},
    ): Promise<{ run: Run; entry: number }> {
      const run = await journal.begin(aStart(action));
      const [entry = 0] = await intend(run, anIntent(nativeId, changes));
      if (settlement !== null) await journal.settle([{ entry, ...settlement }]);
      return { run, entry };
    }

    async function recall(nativeId: string, run: Run | null = null, place = PLACE) {
      const [recalled] = await journal.recall(place, [{ nativeId, identity: `identity of ${nativeId}` }], run);
      return recalled ?? expect.fail('nothing was recalled');
    }

    async function archivedIds(place = PLACE): Promise<string[]> {
      const { messages } = await journal.archived(place, { limit: 100 });
      expect(await journal.countArchived(place)).toBe(messages.length);
      return messages.map(({ nativeId }) => nativeId);
    }

    const outcomes = (entries: LogEntry[]) => entries.map(({ id, outcome }) => `${id} ${outcome}`);

    describe('runs', () => {
      test('are named by the time they began, distinct and typeable', async () => {
        const ids = new Set<string>();
        for (let n = 0; n < 20; n += 1) ids.add((await journal.begin(aStart('retry'))).id);
        expect(ids.size).toBe(20);
        for (const id of ids) expect(id).toMatch(/^20261130-142211-[a-z2-9]{4}$/);
        now += SECOND;
        const later = await journal.begin(aStart('retry'));
        expect([...ids].every((id) => id < later.id)).toBe(true);
        expect(later).toMatchObject({ ...aStart('retry'), startedAt: now });
      });

      test('count as dead after a minute without a heartbeat, and not before', async () => {
        const { run } = await act('retry', 'a', null);
        journal = home.open(clock);
        now += 59 * SECOND;
        expect((await recall('a')).unfinished).toMatchObject({ run: run.id, alive: true });
        await home.open(clock).beat(run);
        now += 59 * SECOND;
        expect((await recall('a')).unfinished?.alive).toBe(true);
        now += SECOND;
        expect((await recall('a')).unfinished?.alive).toBe(false);
      });

      test('are dead once they ended, and never somebody else to themselves', async () => {
        const { run } = await act('retry', 'a', null);
        expect((await recall('a', run)).unfinished?.alive).toBe(false);
        await journal.end(run, 'stopped');
        expect((await recall('a')).unfinished?.alive).toBe(false);
      });

      test('that the journal does not know can record nothing', async () => {
        const stranger: Run = { ...aStart('retry'), id: '20261130-142211-zzzz', startedAt: now, newest: 0 };
        await expect(journal.intend(stranger, [anIntent('a')])).rejects.toMatchObject({ code: 'internal' });
        expect(await journal.log({})).toEqual([]);
      });
    });

    describe('what is recalled', () => {
      test('of a message never met is nothing', async () => {
        await act('retry', 'a', null);
        const nothing = { last: null, unfinished: null, finished: null, remembered: null, sentInRun: false };
        expect(await recall('b')).toEqual(nothing);
        expect(await recall('a', null, `${PLACE}2`)).toEqual(nothing);
      });

      test('of one that was begun is everything that is needed to go on', async () => {
        const { run, entry } = await act('retry', 'a', null, { deduplicationId: 'd', to: 'elsewhere' });
        const unfinished = {
          entry,
          run: run.id,
          action: 'retry',
          state: 'intended',
          to: 'elsewhere',
          newId: null,
          deduplicationId: 'd',
          alive: true,
        };
        expect(await recall('a')).toMatchObject({ last: entry, unfinished, finished: null });
        await journal.settle([{ entry, state: 'sent', newId: 'n' }]);
        expect((await recall('a')).unfinished).toEqual({ ...unfinished, state: 'sent', newId: 'n' });
        await journal.settle([{ entry, state: 'done' }]);
        expect(await recall('a')).toMatchObject({
          last: entry,
          unfinished: null,
          finished: { run: run.id, action: 'retry', to: 'elsewhere', newId: 'n' },
        });
      });

      test('comes in the order asked, message by message', async () => {
        const { run } = await act('retry', 'b', null);
        const recalled = await journal.recall(
          PLACE,
          ['a', 'b', 'c'].map((nativeId) => ({ nativeId, identity: nativeId })),
          run,
        );
        expect(recalled.map(({ unfinished }) => unfinished !== null)).toEqual([false, true, false]);
      });

      test('of a restored message is what it lost, under its new id and on its place only', async () => {
        const { entry } = await act('dismiss', 'a', { state: 'done' });
        await act('restore', 'a', { state: 'done', newId: 'a2' }, { restores: entry });
        expect((await recall('a2')).remembered).toEqual(FACTS);
        expect((await recall('a')).remembered).toBeNull();
        expect((await recall('a2', null, `${PLACE}2`)).remembered).toBeNull();
      });

      test('says of a copy that this run has sent its like, where it may have', async () => {
        const copy = { identity: 'identity of copy' };
        for (const [state, sent] of [
          ['sent', true],
          ['done', true],
          ['uncertain', true],
          ['failed', false],
          ['void', false],
        ] as const) {
          const { run } = await act('retry', `first ${state}`, { state }, { ...copy, place: `${PLACE}-${state}` });
          const other = await journal.begin(aStart('retry'));
          expect((await recall('copy', run, `${PLACE}-${state}`)).sentInRun, state).toBe(sent);
          expect((await recall('copy', other, `${PLACE}-${state}`)).sentInRun).toBe(false);
          expect((await recall('copy', null, `${PLACE}-${state}`)).sentInRun).toBe(false);
          expect((await recall('copy', run)).sentInRun).toBe(false);
        }
        const { run } = await act('retry', 'copy', { state: 'done' });
        expect((await recall('copy', run)).sentInRun, 'the very message is not its own copy').toBe(false);
        const dismissing = await act('dismiss', 'first', { state: 'done' }, { ...copy, place: `${PLACE}3` });
        expect((await recall('copy', dismissing.run, `${PLACE}3`)).sentInRun, 'a dismissal sends nothing').toBe(false);
      });
    });

    describe('an intent', () => {
      test('overtakes what a dead run left of the same message, and of no other', async () => {
        await act('retry', 'a', { state: 'uncertain' });
        await act('retry', 'b', { state: 'uncertain' });
        await act('retry', 'a', null, { place: `${PLACE}2` });
        now += 61 * SECOND;
        const { run, entry } = await act('retry', 'a', null, { possibleDouble: true });
        expect((await recall('a', run)).unfinished).toMatchObject({ entry, state: 'intended' });
        expect(outcomes(await journal.log({}))).toEqual([
          'orders/a under_way',
          'orders/a uncertain',
          'orders/b uncertain',
          'orders/a overtaken',
        ]);
        await journal.settle([{ entry, state: 'done' }]);
        expect((await recall('a')).unfinished, 'nothing is left of the older one').toBeNull();
      });

      test('is refused while a living run is at that message; the others of the call are not', async () => {
        await act('retry', 'a', null);
        journal = home.open(clock);
        const run = await journal.begin(aStart('retry'));
        const [a, b] = await journal.intend(run, [anIntent('a'), anIntent('b')]);
        expect([a, typeof b]).toEqual([null, 'number']);
        expect(outcomes(await journal.log({}))).toEqual(['orders/b under_way', 'orders/a under_way']);
      });

      test('of two processes at once is one’s only', async () => {
        const journals = [home.open(clock), home.open(clock), home.open(clock)];
        const runs = await Promise.all(journals.map((one) => one.begin(aStart('retry'))));
        const claims = await Promise.all(
          journals.map((one, index) => one.intend(runs[index] ?? expect.fail(), [anIntent('a')])),
        );
        expect(claims.flat().filter((entry) => entry !== null)).toHaveLength(1);
      });

      test('is refused where something was begun with the message since it was recalled', async () => {
        const { last } = await recall('a');
        const { entry } = await act('retry', 'a', { state: 'done' });
        const run = await journal.begin(aStart('retry'));
        expect(await journal.intend(run, [anIntent('a', { last })])).toEqual([null]);
        expect(await journal.intend(run, [anIntent('a', { last: entry })])).toEqual([expect.any(Number)]);
      });

      test('takes a message that its own run met again', async () => {
        const { run } = await act('retry', 'a', { state: 'uncertain' });
        await intend(run, anIntent('a', { possibleDouble: true }));
        expect(outcomes(await journal.log({}))).toEqual(['orders/a under_way', 'orders/a overtaken']);
      });
    });

    describe('a settlement', () => {
      test('never makes what is known less', async () => {
        const { entry } = await act('retry', 'a', { state: 'sent', newId: 'n', detail: 'slow' });
        await journal.settle([{ entry, state: 'uncertain' }]);
        expect((await recall('a')).unfinished).toMatchObject({ state: 'sent', newId: 'n' });
        await journal.settle([{ entry, state: 'done' }]);
        for (const state of ['sent', 'uncertain', 'failed', 'void'] as const) await journal.settle([{ entry, state }]);
        expect(await journal.log({})).toMatchObject([{ outcome: 'done', new_id: 'n', detail: 'slow' }]);
      });

      test('of an overtaken entry tells of a send that was heard of late, and doesn’t reopen it for less', async () => {
        const { entry } = await act('retry', 'a', null);
        now += 61 * SECOND;
        await act('retry', 'a', { state: 'done' });
        await journal.settle([{ entry, state: 'uncertain' }]);
        expect((await recall('a')).unfinished).toBeNull();
        await journal.settle([{ entry, state: 'sent', newId: 'late' }]);
        expect((await recall('a')).unfinished).toMatchObject({ entry, state: 'sent', newId: 'late' });
      });

      test('that fails undoes its own call and no other that came with it', async () => {
        const run = await journal.begin(aStart('retry'));
        const [a = 0, b = 0] = await intend(run, anIntent('a'), anIntent('b'));
        const settled = await Promise.allSettled([
          journal.settle([{ entry: a, state: 'done' }]),
          journal.settle([
            { entry: b, state: 'done' },
            { entry: 999_999, state: 'done' },
          ]),
          journal.intend(run, [anIntent('c')]),
        ]);
        expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect(outcomes(await journal.log({}))).toEqual(['orders/c under_way', 'orders/b under_way', 'orders/a done']);
      });
    });

    test('what comes in one call becomes what it would become piece by piece', async () => {
      const step = fc.oneof(
        fc.record({
          action: fc.constantFrom('retry', 'dismiss'),
          ids: someOf(fc.constantFrom('a', 'b', 'c', 'd', 'e')),
        }),
        fc.record({
          from: fc.nat(2),
          settled: someOf(
            fc.record({
              count: fc.integer({ min: 1, max: 2 }),
              state: fc.constantFrom('done', 'done', 'sent', 'failed', 'uncertain', 'void'),
              detail: fc.constantFrom(undefined, 'slow'),
              newId: fc.constantFrom(undefined, undefined, 'new'),
            }),
          ),
        }),
      );
      let nth = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
          nth += 1;
          const come: unknown[] = [];
          for (const source of [`together-${nth}`, `apart-${nth}`]) {
            const runs = {
              retry: await journal.begin(aStart('retry')),
              dismiss: await journal.begin(aStart('dismiss')),
            };
            const split = <T>(all: T[]): T[][] => (source.startsWith('apart') ? all.map((one) => [one]) : [all]);
            const entries: (number | null)[] = [];
            const refused: boolean[] = [];
            for (const one of steps) {
              if ('ids' in one) {
                const intents = one.ids.map((id) =>
                  anIntent(id, {
                    source,
                    place: source,
                    message: one.action === 'dismiss' || id < 'c' ? aMessage(id) : null,
                  }),
                );
                for (const part of split(intents)) entries.push(...(await journal.intend(runs[one.action], part)));
                refused.push(...entries.slice(-intents.length).map((entry) => entry === null));
              } else {
                const open = entries.filter((entry) => entry !== null).slice(one.from);
                const settlements = one.settled.flatMap(({ count, state, detail, newId }) =>
                  open
                    .splice(0, count)
                    .map((entry): Settlement => ({ entry, state, ...(detail && { detail }), ...(newId && { newId }) })),
                );
                for (const part of split(settlements)) await journal.settle(part);
              }
            }
            const told = (await journal.log({ sources: [source] })).map(
              ({ id: _, run: __, source: ___, ...rest }) => rest,
            );
            const { messages } = await journal.archived(source, { limit: 100 });
            come.push({
              refused,
              told,
              archived: messages.map(({ nativeId, confirmed, message }) => ({ nativeId, confirmed, message })),
              inOrder: entries.filter((entry) => entry !== null).every((entry, at, all) => entry > (all[at - 1] ?? 0)),
            });
          }
          expect(come[0]).toEqual(come[1]);
          expect(come[0]).toMatchObject({ inOrder: true });
        }),
        { numRuns: 60 },
      );
    });

    describe('the archive', () => {
      test('keeps what was dismissed, and says whether its delete was confirmed', async () => {
        await act('dismiss', 'intended', null);
        await act('dismiss', 'uncertain', { state: 'uncertain' });
        const { run, entry } = await act('dismiss', 'done', { state: 'done' });
        await act('dismiss', 'failed', { state: 'failed' });
        await act('dismiss', 'void', { state: 'void' });
        await act('dismiss', 'row', { state: 'done' }, { message: null });
        await act('retry', 'retried', null);
        await act('dismiss', 'elsewhere', { state: 'done' }, { place: `${PLACE}2` });
        expect(await archivedIds()).toEqual(['intended', 'uncertain', 'done']);
        expect(await archivedIds(`${PLACE}2`)).toEqual(['elsewhere']);
        const { messages } = await journal.archived(PLACE, { limit: 100 });
        expect(messages.map(({ confirmed }) => confirmed)).toEqual([false, false, true]);
        expect(messages[2]).toEqual({
          entry,
          run: run.id,
          source: 'orders',
          place: PLACE,
          nativeId: 'done',
          message: aMessage('done'),
          remembered: { ...FACTS, archivedUntil: new Date(now + 30 * DAY).toISOString() },
          archivedAt: now,
          expiresAt: now + 30 * DAY,
          confirmed: true,
        });
      });

      test('gives back every byte of any message', async () => {
        const run = await journal.begin(aStart('dismiss'));
        let count = 0;
        const text = fc.string({ unit: 'grapheme' });
        const attributes = fc.dictionary(text, fc.record({ type: text, value: text }));
        await fc.assert(
          fc.asyncProperty(text, attributes, fc.dictionary(text, text), async (body, attrs, systemAttributes) => {
            count += 1;
            const message = aMessage(`m${count}`, { body, attributes: attrs, systemAttributes });
            const [entry = 0] = await intend(run, anIntent(`m${count}`, { message }));
            const { messages } = await journal.archived(PLACE, { after: entry - 1, limit: 1 });
            expect(messages[0]?.message).toEqual(message);
          }),
          { numRuns: 50 },
        );
      });

      test('comes in pages, oldest first, whole though some leave meanwhile', async () => {
        const ids = Array.from({ length: 7 }, (_, n) => `m${n}`);
        for (const id of ids) await act('dismiss', id, { state: 'done' });
        const seen: string[] = [];
        let after: number | null = 0;
        while (after !== null) {
          const page: Awaited<ReturnType<Journal['archived']>> = await journal.archived(PLACE, { after, limit: 3 });
          for (const { nativeId, entry } of page.messages) {
            seen.push(nativeId);
            await act('restore', nativeId, { state: 'done' }, { restores: entry });
          }
          after = page.next;
        }
        expect(seen).toEqual(ids);
        expect(await journal.archived(PLACE, { limit: 3 })).toEqual({ messages: [], next: null });
      });

      test('finds ids by how they begin, each once, whatever characters they hold', async () => {
        for (const id of ['4f2a', '4f2b', '4%', '4_', '5*', '\u{10FFFD}']) await act('dismiss', id, { state: 'done' });
        const begin = async (...nativeIdPrefixes: string[]) => {
          const { messages } = await journal.archived(PLACE, { limit: 100, nativeIdPrefixes });
          return messages.map(({ nativeId }) => nativeId);
        };
        expect(await begin('4f2')).toEqual(['4f2a', '4f2b']);
        expect(await begin('4f2a', '4f', '5*')).toEqual(['4f2a', '4f2b', '5*']);
        expect(await begin('4%')).toEqual(['4%']);
        expect(await begin('4?', '[45]*')).toEqual([]);
        expect(await begin('')).toHaveLength(6);
        expect(await begin()).toEqual([]);
      });

      test('lets go after thirty days, when runs of two days say so', async () => {
        await act('dismiss', 'a', { state: 'done' });
        now += 30 * DAY;
        await journal.begin(aStart('retry'));
        expect(await archivedIds()).toEqual(['a']);
        now += DAY;
        await journal.begin(aStart('retry'));
        expect(await archivedIds()).toEqual([]);
        expect(outcomes(await journal.log({})), 'the log keeps what was done').toEqual(['orders/a done']);
      });

      test('a clock that is wrong once takes nothing, whatever is done by it', async () => {
        await act('dismiss', 'a', { state: 'done' });
        now += 40 * DAY;
        await journal.begin(aStart('retry'));
        await journal.begin(aStart('restore'));
        now -= 39 * DAY;
        await journal.begin(aStart('retry'));
        expect(await archivedIds()).toEqual(['a']);
      });

      test('a run knows the newest entry when it began, so that what came later is told without a clock', async () => {
        expect((await journal.begin(aStart('restore'))).newest).toBe(0);
        const { entry } = await act('dismiss', 'a', { state: 'done' });
        now -= DAY;
        const run = await journal.begin(aStart('restore'));
        expect(run.newest).toBe(entry);
        const later = await act('dismiss', 'b', { state: 'done' });
        expect(later.entry).toBeGreaterThan(run.newest);
      });

      test('keeps a message that is dismissed again once, as it was last', async () => {
        await act('dismiss', 'a', { state: 'done' });
        const { entry } = await act('dismiss', 'a', { state: 'done' });
        const { messages } = await journal.archived(PLACE, { limit: 100 });
        expect(messages.map((message) => message.entry)).toEqual([entry]);
      });

      test('keeps the original of what was sent edited for thirty days, apart from what was dismissed', async () => {
        await act('retry', 'plain', { state: 'done', newId: 'n1' });
        await act('retry', 'edited', { state: 'done', newId: 'n2', detail: 'Edited: a set.' }, { edited: true });
        const { entry } = await act('retry', 'later', { state: 'sent', newId: 'n3' }, { edited: true });
        await act('retry', 'failed', { state: 'failed' }, { edited: true });
        expect(await archivedIds()).toEqual([]);
        const originals = async () => {
          const { messages } = await journal.archived(PLACE, { limit: 100, edited: true });
          return messages.map(({ nativeId, message }) => [nativeId, message]);
        };
        const kept = ['edited', 'later'].map((id) => [id, aMessage(id)]);
        expect(await originals()).toEqual(kept);
        // Another run finishes what this one left, and knows nothing of an edit.
        await journal.settle([{ entry, state: 'done' }]);
        expect(await originals()).toEqual(kept);
        expect((await journal.log({ limit: 3 })).at(-1)).toMatchObject({
          id: 'orders/edited',
          detail: 'Edited: a set.',
        });
        now += 30 * DAY;
        await journal.begin(aStart('retry'));
        expect(await originals()).toEqual(kept);
        now += DAY;
        await journal.begin(aStart('retry'));
        expect(await originals()).toEqual([]);
      });

      test('lets go of a dismissal that was never confirmed when its message is met and retried', async () => {
        await act('dismiss', 'a', null);
        now += 61 * SECOND;
        await act('retry', 'a', null);
        expect(await archivedIds()).toEqual([]);
      });
    });

    describe('a restoration', () => {
      test('takes the message out of the archive when it is sent, and not before', async () => {
        const { entry } = await act('dismiss', 'a', { state: 'done' });
        const run = await journal.begin(aStart('restore'));
        const [restoring = 0] = await intend(run, anIntent('a', { restores: entry }));
        expect(await archivedIds()).toEqual(['a']);
        await journal.settle([{ entry: restoring, state: 'uncertain' }]);
        expect(await archivedIds()).toEqual(['a']);
        await journal.settle([{ entry: restoring, state: 'sent', newId: 'a2' }]);
        expect(await archivedIds()).toEqual([]);
        expect(await journal.log({ unfinished: true }), 'nothing is left to be done').toEqual([]);
        expect((await journal.log({}))[0]).toMatchObject({ action: 'restore', outcome: 'done', new_id: 'a2' });
      });

      test('that failed leaves it in the archive, to be tried again', async () => {
        const { entry } = await act('dismiss', 'a', { state: 'done' });
        await act('restore', 'a', { state: 'failed' }, { restores: entry });
        expect(await archivedIds()).toEqual(['a']);
        await act('restore', 'a', { state: 'done' }, { restores: entry });
        expect(await archivedIds()).toEqual([]);
      });

      test('that was never answered leaves it there, and the next one overtakes it', async () => {
        const { entry } = await act('dismiss', 'a', { state: 'done' });
        const crashed = await act('restore', 'a', null, { restores: entry });
        journal = home.open(clock);
        expect(
          await journal.intend(await journal.begin(aStart('restore')), [anIntent('a', { restores: entry })]),
        ).toEqual([null]);
        now += 61 * SECOND;
        expect(await archivedIds()).toEqual(['a']);
        expect((await recall('a')).unfinished).toMatchObject({ entry: crashed.entry, action: 'restore', alive: false });
        await act('restore', 'a', { state: 'done' }, { restores: entry, possibleDouble: true });
        expect(await archivedIds()).toEqual([]);
        expect(outcomes(await journal.log({}))).toEqual(['orders/a done', 'orders/a overtaken', 'orders/a done']);
      });

      test('of a dismissal that was never confirmed keeps the archive’s copy until it is sent', async () => {
        const { entry } = await act('dismiss', 'a', { state: 'uncertain' });
        now += 61 * SECOND;
        const restoring = await act('restore', 'a', null, { restores: entry });
        expect(await archivedIds()).toEqual(['a']);
        await journal.settle([{ entry: restoring.entry, state: 'done' }]);
        expect(await archivedIds()).toEqual([]);
        expect((await recall('a')).unfinished).toBeNull();
        expect(outcomes(await journal.log({}))).toEqual(['orders/a done', 'orders/a overtaken']);
      });

      test('of what has left the archive is refused', async () => {
        const { entry } = await act('dismiss', 'a', { state: 'done' });
        await act('restore', 'a', { state: 'done' }, { restores: entry });
        const run = await journal.begin(aStart('restore'));
        expect(await journal.intend(run, [anIntent('a', { restores: entry })])).toEqual([null]);
      });
    });

    describe('an import', () => {
      const imported = (id: string) => journal.imported(PLACE, [id, 'another']);

      test('is known by the id that was exported, whether it was done or only begun', async () => {
        const { run } = await act('import', 'a', { state: 'done', newId: 'n1' }, { message: null });
        const { run: dead } = await act('import', 'b', null, { message: null });
        await act('import', 'c', { state: 'failed' }, { message: null });
        expect(await imported('a')).toEqual([{ run: run.id, newId: 'n1' }, null]);
        expect(await imported('b')).toEqual([{ run: dead.id, newId: null }, null]);
        expect(await imported('c')).toEqual([null, null]);
        expect(await journal.imported(`${PLACE}2`, ['a'])).toEqual([null]);
        expect((await journal.log({ run: run.id }))[0]).toMatchObject({
          action: 'import',
          id: 'orders/a',
          new_id: 'n1',
        });
      });

      test('is one process’s only, unless it is told to be done again', async () => {
        const [one, two] = [await journal.begin(aStart('import')), await home.open(clock).begin(aStart('import'))];
        const intent = anIntent('a', { message: null });
        expect(await journal.intend(one, [intent])).toEqual([expect.any(Number)]);
        expect(await home.open(clock).intend(two, [intent])).toEqual([null]);
        expect(await journal.intend(two, [{ ...intent, again: true }])).toEqual([expect.any(Number)]);
      });

      test('says nothing of the message that it was exported from, and all of the one that it put there', async () => {
        await act('import', 'a', { state: 'done', newId: 'n1' }, { message: null });
        expect(await recall('a')).toEqual({
          last: null,
          unfinished: null,
          finished: null,
          remembered: null,
          sentInRun: false,
        });
        expect((await recall('n1')).remembered).toEqual(FACTS);
        const run = await journal.begin(aStart('retry'));
        expect(await journal.intend(run, [anIntent('a', { last: null })])).toEqual([expect.any(Number)]);
      });
    });

    describe('the log', () => {
      test('tells each entry whole', async () => {
        const run = await journal.begin(aStart('retry', { by: 'bob@desk', note: 'after the fix' }));
        const [entry = 0] = await intend(run, anIntent('a', { possibleDouble: true }));
        await journal.settle([{ entry, state: 'failed', detail: 'The queue refused it.' }]);
        expect(await journal.log({})).toEqual([
          {
            run: run.id,
            action: 'retry',
            id: 'orders/a',
            source: 'orders',
            reason: 'failed',
            queue: 'orders',
            subject: 'urn:babel:orders:created',
            to: 'orders',
            new_id: null,
            outcome: 'failed',
            possible_double: true,
            at: '2026-11-30T14:22:11.000Z',
            by: 'bob@desk',
            note: 'after the fix',
            detail: 'The queue refused it.',
          },
        ]);
      });

      test('says what a dead run left as uncertain, and lists only that as unfinished', async () => {
        for (const state of ['uncertain', 'sent', 'done', 'failed', 'void'] as const)
          await act('retry', state, { state });
        await act('retry', 'intended', null);
        const left = ['orders/intended', 'orders/sent', 'orders/uncertain'];
        const under = (await journal.log({})).filter(({ outcome }) => outcome === 'under_way').map(({ id }) => id);
        expect([under, await journal.log({ unfinished: true })]).toEqual([left, []]);
        now += 61 * SECOND;
        await act('retry', 'new', null);
        const unfinished = await journal.log({ unfinished: true });
        expect(unfinished.map(({ id, outcome }) => [id, outcome])).toEqual(left.map((id) => [id, 'uncertain']));
        for (const id of ['intended', 'sent', 'uncertain']) {
          const entry = (await recall(id)).unfinished?.entry ?? expect.fail();
          await journal.settle([{ entry, state: 'done' }]);
        }
        expect(await journal.log({ unfinished: true })).toEqual([]);
      });

      test('is narrowed by run, id, time, person and number, all at once, newest first', async () => {
        const first = await act('retry', 'a', { state: 'done' });
        const noon = now;
        now += 3600 * SECOND;
        const run = await journal.begin(aStart('dismiss', { by: 'bob@desk' }));
        await intend(run, anIntent('b'), anIntent('c'), anIntent('a'));
        const ids = async (query: Parameters<Journal['log']>[0]) => (await journal.log(query)).map(({ id }) => id);
        expect(await ids({})).toEqual(['orders/a', 'orders/c', 'orders/b', 'orders/a']);
        expect(await ids({ limit: 2 })).toEqual(['orders/a', 'orders/c']);
        expect(await ids({ run: first.run.id })).toEqual(['orders/a']);
        expect(await ids({ run: '20261130-15' })).toEqual(['orders/a', 'orders/c', 'orders/b']);
        expect(await ids({ run: '%' })).toEqual([]);
        expect(await ids({ by: 'bob@desk', ids: ['orders/a', 'orders/b'] })).toEqual(['orders/a', 'orders/b']);
        expect(await ids({ since: noon, before: now })).toEqual(['orders/a']);
        expect(await ids({ since: now, limit: 1 })).toEqual(['orders/a']);
        expect(await ids({ before: noon })).toEqual([]);
        expect(await ids({ ids: [] })).toEqual([]);
      });

      test('finds an id wherever its source ends, and the restoration that gave a message its id', async () => {
        const { entry } = await act('dismiss', 'x/y', { state: 'done' }, { source: 'team/orders' });
        await act('restore', 'x/y', { state: 'done', newId: 'z' }, { source: 'team/orders', restores: entry });
        const actions = async (id: string) => (await journal.log({ ids: [id] })).map(({ action }) => action);
        expect(await actions('team/orders/x/y')).toEqual(['restore', 'dismiss']);
        expect(await actions('team/orders/z')).toEqual(['restore']);
        expect(await actions('orders/z')).toEqual([]);
        expect(await actions('x/y')).toEqual([]);
      });
    });

    test('what a run has surely retried is told with what it can be found by again, and nothing else is', async () => {
      const run = await journal.begin(aStart('retry'));
      const entries = await intend(run, ...['a', 'b', 'c', 'd'].map((nativeId) => anIntent(nativeId)));
      const [a = 0, b = 0, c = 0] = entries;
      await journal.settle([
        { entry: b, state: 'sent', newId: 'new-b' },
        { entry: a, state: 'done', newId: 'new-a' },
        { entry: c, state: 'failed' },
      ]);
      await act('retry', 'of another run', { state: 'done' });
      const { source, queue, to } = anIntent('a');
      expect(await home.open(clock).sent(run)).toEqual(
        ['a', 'b'].map((id) => ({
          source,
          nativeId: id,
          identity: `identity of ${id}`,
          queue,
          to,
          newId: `new-${id}`,
        })),
      );
    });

    describe('the story of a message', () => {
      const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
      const story = async (text: string) =>
        (await journal.log({ story: [text] })).map(({ id, action }) => `${action} ${id}`);
      const META = 'f1e2d3c4-b5a6-4789-90ab-cdef01234567';

      test('goes from its first retry to now, under every id it had, from any of them', async () => {
        const own = { identity: META };
        await act('retry', uuid(1), { state: 'done', newId: uuid(2) }, own);
        // The app dead-lettered it again: a new message, the same envelope.
        const { entry } = await act('dismiss', uuid(3), { state: 'done' }, own);
        await act('restore', uuid(3), { state: 'done', newId: uuid(4) }, { ...own, restores: entry });
        await act('retry', uuid(4), { state: 'done', newId: uuid(5) }, { ...own, source: 'mail', place: 'elsewhere' });
        await act('retry', uuid(9), { state: 'done', newId: uuid(8) }, { identity: 'another' });
        const told = [
          `retry mail/${uuid(4)}`,
          `restore orders/${uuid(3)}`,
          `dismiss orders/${uuid(3)}`,
          `retry orders/${uuid(1)}`,
        ];
        for (const n of [1, 2, 3, 4, 5]) expect(await story(uuid(n)), `from ${n}`).toEqual(told);
        expect(await story(`orders/${uuid(3)}`)).toEqual(told);
        expect(await story(META)).toEqual(told);
        expect((await journal.log({ story: [uuid(1)], limit: 1 })).map(({ id }) => id)).toEqual([`mail/${uuid(4)}`]);
        expect(await story(`mail/${uuid(9)}`)).toEqual([]);
      });

      test('is followed by ids where the body is all there is, since others may have the same', async () => {
        const same = { identity: 'a'.repeat(64) };
        await act('retry', uuid(1), { state: 'done', newId: uuid(2) }, same);
        await act('retry', uuid(2), { state: 'done', newId: uuid(3) }, same);
        await act('retry', uuid(7), { state: 'done', newId: uuid(8) }, same);
        expect(await story(uuid(3))).toEqual([`retry orders/${uuid(2)}`, `retry orders/${uuid(1)}`]);
        expect(await story(uuid(8))).toEqual([`retry orders/${uuid(7)}`]);
      });

      test('of a row stays in its table, and a start of an id must fit one message', async () => {
        const row = (source: string) => ({ source, place: `${source}.db`, identity: 'p12', message: null });
        await act('retry', 'p12', { state: 'done' }, row('warehouse'));
        await act('retry', 'p12', { state: 'done' }, row('depot'));
        await act('retry', 'p13', { state: 'done' }, { ...row('depot'), identity: 'p13' });
        expect(await story('depot/p12')).toEqual(['retry depot/p12']);
        expect(await story('p13')).toEqual(['retry depot/p13']);
        expect(await story('warehouse/p1')).toEqual(['retry warehouse/p12']);
        for (const text of ['p12', 'p1', 'depot/p1']) {
          await expect(story(text)).rejects.toMatchObject({
            code: 'ambiguous_id',
            message: expect.stringContaining('depot/p12'),
          });
        }
        expect(await story('%')).toEqual([]);
      });
    });

    test('what one process recorded another knows, without the first being closed', async () => {
      const { entry } = await act('dismiss', 'a', { state: 'done' });
      journal = home.open(clock);
      expect(await archivedIds()).toEqual(['a']);
      await act('restore', 'a', { state: 'done' }, { restores: entry });
      expect(await home.open(clock).countArchived(PLACE)).toBe(0);
    });

    test('a closed journal refuses, and closing twice is fine', async () => {
      const pending = journal.begin(aStart('retry'));
      await journal.close();
      await journal.close();
      await expect(pending, 'what was begun before is finished').resolves.toMatchObject({ action: 'retry' });
      await expect(journal.log({})).rejects.toMatchObject({ code: 'internal' });
    });
  });
}
