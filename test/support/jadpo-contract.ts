import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ActionItem } from '../../src/model/action.ts';
import { Budget, Pace } from '../../src/model/budget.ts';
import { Interrupted } from '../../src/model/errors.ts';
import type { State, WholeFailure } from '../../src/model/failure.ts';
import { STATES } from '../../src/model/failure.ts';
import { nativeIdOf } from '../../src/model/ids.ts';
import { carryOut } from '../../src/model/operations/act.ts';
import { planAction } from '../../src/model/operations/plan-action.ts';
import type { ActRequest, Clock, Journal, ReadResult, Source } from '../../src/model/ports.ts';
import { actOn, ids, JumpingClock, readAll } from './drive-source.ts';
import { type ParkedRow, parkedExamples, parkedRow as parkedNow } from './jadpo-table.ts';

/** A store with jadpo's reference table, seen from the app's side. */
export interface JadpoBed {
  /** Its texts can't hold U+0000. */
  readonly withoutNul?: true;
  open(deps: { journal: Journal; clock: Clock }): Source;
  insert(rows: readonly ParkedRow[]): Promise<void>;
  /** All rows, by id. */
  rows(): Promise<ParkedRow[]>;
  set(id: string, change: Partial<ParkedRow>): Promise<void>;
  remove(id: string): Promise<void>;
  journal(clock: Clock): Journal;
  close(): Promise<void>;
}

export const matching = (
  states: State[],
  startedAt: number,
  matches: (failure: WholeFailure) => boolean = () => true,
): ActRequest['selection'] => ({ kind: 'match', states: new Set(states), matches, startedAt });

/** The journal itself, with something happening right after each intent is on disk. */
export function interposed(journal: Journal, afterIntent: () => Promise<void>): Journal {
  return new Proxy(journal, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'intend') return value.bind(target);
      return async (...given: Parameters<Journal['intend']>) => {
        const entries = await target.intend(...given);
        await afterIntent();
        return entries;
      };
    },
  });
}

const NOW = Date.parse('2026-11-30T15:00:00.000Z');

/** Parked an hour before the clock of these tests. */
const parkedRow = (row: Parameters<typeof parkedNow>[0]) =>
  parkedNow({ parked_at: '2026-11-30T14:02:11.034Z', ...row });

const outcomes = (items: readonly ActionItem[]): [string, string, string | null][] =>
  items.map(({ id, outcome, detail }) => [id, outcome, detail]);

/** What every store of parked messages must do, whichever database it is in. */
export function jadpoContract(name: string, make: () => Promise<JadpoBed>): void {
  describe(`parked messages in ${name}`, () => {
    let bed: JadpoBed;
    let clock: JumpingClock;
    let journal: Journal;
    let source: Source;

    beforeEach(async () => {
      bed = await make();
      clock = new JumpingClock(NOW);
      journal = bed.journal(clock);
      source = bed.open({ journal, clock });
    });
    afterEach(async () => {
      await source.close();
      await journal.close();
      await bed.close();
    });

    test('each of the three reasons is a whole failure, named as jadpo names it', async () => {
      await bed.insert(parkedExamples(NOW));
      const { failures, seen, about, complete } = await readAll(source);
      expect({ seen, about, complete }).toEqual({ seen: 4, about: 4, complete: true });
      expect(failures.map(({ id, reason, title }) => [id, reason, title])).toEqual([
        ['warehouse/p11', 'unlisted_type', 'queue warehouse_queue · message 9914'],
        ['warehouse/p12', 'unreadable', 'queue warehouse_queue · OrderShipped'],
        ['warehouse/p13', 'unreadable', 'queue warehouse_queue'],
        ['warehouse/p14', 'too_large', 'queue warehouse_queue · StockCounted'],
      ]);
      const body = '{"id":9917,"type":"order.shipped","data":{"order_id":1043,"carrier":"DHL"}}';
      expect(failures[1]).toEqual({
        id: 'warehouse/p12',
        source: 'warehouse',
        origin: 'jadpo',
        state: 'failed',
        reason: 'unreadable',
        reason_basis: 'recorded',
        queue: 'warehouse_queue',
        held_in: 'jadpo_parked_messages',
        retry_to: null,
        retry_to_basis: null,
        subject: 'OrderShipped',
        title: 'queue warehouse_queue · OrderShipped',
        error: null,
        exception: null,
        problems: [{ field: 'total', rule: 'required' }],
        attempts: null,
        receive_count: null,
        failed_at: '2026-11-30T14:56:00.000Z',
        sent_at: null,
        expires_at: null,
        message_id: '9917',
        trace_id: null,
        lang: null,
        schema_version: null,
        fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
        size_bytes: body.length,
        retryable: true,
        retry_blocked: null,
        body,
        body_base64: null,
        attributes: {},
        system_attributes: {},
      });
    });

    test('only the states asked for are read, and each says whether it can be retried', async () => {
      await bed.insert([
        parkedRow({ id: 'a' }),
        parkedRow({ id: 'b', status: 'pending' }),
        parkedRow({ id: 'c', status: 'dismissed', status_at: '2026-11-20T00:00:00.000Z' }),
      ]);
      const open = await readAll(source, { states: new Set<State>(['failed', 'pending']) });
      expect(open.failures.map(({ state, retry_blocked }) => [state, retry_blocked])).toEqual([
        ['failed', null],
        ['pending', "It is already pending: the app's next tick reads it."],
      ]);
      expect(open.about).toBe(2);
      const gone = await readAll(source, { states: new Set<State>(['dismissed']) });
      expect(gone.failures.map(({ expires_at, retryable }) => [expires_at, retryable])).toEqual([
        ['2026-12-20T00:00:00.000Z', false],
      ]);
      const facts = await source.facts(new AbortController().signal);
      expect(facts).toMatchObject({ name: 'warehouse', queue: 'jadpo_parked_messages', visible: 1, in_flight: 1 });
    });

    test('a table longer than a page is read once through, and stops where it is told to', async () => {
      const names = Array.from({ length: 1203 }, (_, n) => `r${String(n).padStart(5, '0')}`);
      await bed.insert(names.map((id) => parkedRow({ id })));
      const { failures, complete } = await readAll(source);
      expect(failures.map(nativeIdOf)).toEqual(names);
      expect(complete).toBe(true);
      const upTo = async (limit: number): Promise<ReadResult> => {
        let met = 0;
        const signal = new AbortController().signal;
        return source.read({ states: new Set(STATES), allowReceive: false, signal }, () => {
          met += 1;
          return met >= limit ? 'enough' : 'more';
        });
      };
      expect(await upTo(500)).toMatchObject({ seen: 500, about: 1203, complete: false });
      expect(await upTo(1203)).toMatchObject({ seen: 1203, complete: true });
    });

    test('an abort between pages ends a reading', async () => {
      await bed.insert(Array.from({ length: 1203 }, (_, n) => parkedRow({ id: `r${n}` })));
      const abort = new AbortController();
      let seen = 0;
      const reading = source.read({ states: new Set(STATES), allowReceive: false, signal: abort.signal }, () => {
        seen += 1;
        abort.abort();
        return 'more';
      });
      await expect(reading).rejects.toThrow(Interrupted);
      expect(seen).toBeLessThan(1203);
    });

    test('an id is taken exactly first, else as a prefix, and its characters mean nothing else', async () => {
      const names = ['ab', 'ab%', 'ab%c', 'ab_', 'abc', 'aB', "x'y", 'x"y'];
      await bed.insert(names.map((id) => parkedRow({ id })));
      const meant = async (...wanted: string[]): Promise<string[]> =>
        (await readAll(source, { nativeIdPrefixes: wanted })).failures.map(nativeIdOf).sort();
      expect(await meant('ab')).toEqual(['ab']);
      expect(await meant('ab%')).toEqual(['ab%']);
      expect(await meant('x')).toEqual(['x"y', "x'y"]);
      expect(await meant('a')).toEqual(['aB', 'ab', 'ab%', 'ab%c', 'ab_', 'abc']);
      expect(await meant("x'y", 'x', '_b', '%')).toEqual(['x"y', "x'y"]);
      expect(await meant()).toEqual([]);
    });

    test('retry makes exactly the named rows pending, and changes nothing but the status and its time', async () => {
      await bed.insert(['a', 'b', 'c'].map((id) => parkedRow({ id })));
      const before = await bed.rows();
      const { items, complete, error } = await actOn(source, journal, { action: 'retry', selection: ids('a', 'c') });
      expect({ complete, error }).toEqual({ complete: true, error: null });
      expect(items).toEqual(
        ['a', 'c'].map((id) => ({
          id: `warehouse/${id}`,
          reason: 'unreadable',
          outcome: 'done',
          to: null,
          new_id: null,
          returned: null,
          possible_double: false,
          detail: null,
        })),
      );
      const changed = { status: 'pending', status_at: '2026-11-30T15:00:00.000Z' };
      expect(await bed.rows()).toEqual(before.map((row) => (row.id === 'b' ? row : { ...row, ...changed })));
    });

    test('dismiss and restore go there and back, each with the time from which the app counts', async () => {
      await bed.insert([parkedRow({ id: 'a' }), parkedRow({ id: 'b', status: 'pending' })]);
      await actOn(source, journal, { action: 'dismiss', selection: ids(['a', 'failed'], ['b', 'pending']) });
      expect((await bed.rows()).map(({ status, status_at }) => [status, status_at])).toEqual([
        ['dismissed', '2026-11-30T15:00:00.000Z'],
        ['dismissed', '2026-11-30T15:00:00.000Z'],
      ]);
      const [dismissed] = (await readAll(source)).failures;
      expect(dismissed?.expires_at).toBe('2026-12-30T15:00:00.000Z');
      clock.time += 1000;
      const { items } = await actOn(source, journal, { action: 'restore', selection: ids('a') });
      expect(items.map(({ outcome }) => outcome)).toEqual(['done']);
      expect((await bed.rows()).map(({ status, status_at }) => [status, status_at])).toEqual([
        ['failed', '2026-11-30T15:00:01.000Z'],
        ['dismissed', '2026-11-30T15:00:00.000Z'],
      ]);
    });

    test('what changed since it was shown is told and left as it is', async () => {
      await bed.insert([
        parkedRow({ id: 'a', status: 'pending' }),
        parkedRow({ id: 'b', status: 'dismissed' }),
        parkedRow({ id: 'd', status: 'pending' }),
      ]);
      const before = await bed.rows();
      const retried = await actOn(source, journal, {
        action: 'retry',
        selection: ids(['a', 'failed'], ['b', 'failed'], ['c', 'failed']),
      });
      expect(outcomes(retried.items)).toEqual([
        ['warehouse/a', 'skipped', 'It is already pending: it changed meanwhile.'],
        ['warehouse/b', 'skipped', 'It changed meanwhile: it was failed, and is dismissed now.'],
        ['warehouse/c', 'skipped', 'Gone: the app kept it, or its row was deleted.'],
      ]);
      const dismissed = await actOn(source, journal, { action: 'dismiss', selection: ids(['d', 'failed']) });
      expect(outcomes(dismissed.items)).toEqual([
        ['warehouse/d', 'skipped', 'It changed meanwhile: it was failed, and is pending now.'],
      ]);
      const restored = await actOn(source, journal, { action: 'restore', selection: ids('a') });
      expect(outcomes(restored.items)).toEqual([
        ['warehouse/a', 'skipped', "It isn't dismissed: its state is pending."],
      ]);
      expect(await bed.rows()).toEqual(before);
    });

    test('a plan holds each row to the state that it showed', async () => {
      await bed.insert(['a', 'b', 'c'].map((id) => parkedRow({ id, status: id === 'c' ? 'pending' : 'failed' })));
      const ask = {
        action: 'dismiss' as const,
        asked: { kind: 'ids' as const, ids: ['a', 'b', 'warehouse/c'] },
        sources: [source],
        journal,
        clock,
        by: 'ada@ops',
        note: null,
        allowReceive: false,
        signal: new AbortController().signal,
      };
      const { plan } = await planAction(ask);
      expect(plan.items.map(({ nativeId, state, blocked }) => [nativeId, state, blocked])).toEqual([
        ['a', 'failed', null],
        ['b', 'failed', null],
        ['c', 'pending', null],
      ]);
      // While the person reads it, somebody retries one.
      await bed.set('b', { status: 'pending' });
      const { report } = await carryOut(ask, plan);
      expect(report).toMatchObject({ matched: 3, done: 2, skipped: 1 });
      expect((await bed.rows()).map(({ status }) => status)).toEqual(['dismissed', 'pending', 'dismissed']);
    });

    test('what changes in the very moment between reading and writing is never overwritten', async () => {
      await bed.insert(['a', 'b', 'c', 'd'].map((id) => parkedRow({ id })));
      const racing = bed.open({
        journal: interposed(journal, async () => {
          // The intent is on disk, the rows are not changed yet: now the app and another operator come by.
          expect((await bed.rows()).map(({ status }) => status)).toEqual(['failed', 'failed', 'failed', 'failed']);
          await bed.set('a', { status: 'pending', status_at: '2026-11-30T14:59:59.000Z' });
          await bed.set('b', { status: 'dismissed', status_at: '2026-11-30T14:59:59.000Z' });
          await bed.remove('c');
        }),
        clock,
      });
      const budget = new Budget(4);
      const { items } = await actOn(racing, journal, { action: 'retry', selection: ids('a', 'b', 'c', 'd'), budget });
      await racing.close();
      expect(outcomes(items)).toEqual([
        ['warehouse/a', 'skipped', 'It is already pending: it changed meanwhile.'],
        ['warehouse/b', 'skipped', 'It changed meanwhile: it was failed, and is dismissed now.'],
        ['warehouse/c', 'skipped', 'Gone: the app kept it, or its row was deleted.'],
        ['warehouse/d', 'done', null],
      ]);
      expect(budget.left).toBe(3);
      expect((await bed.rows()).map(({ id, status, status_at }) => [id, status, status_at])).toEqual([
        ['a', 'pending', '2026-11-30T14:59:59.000Z'],
        ['b', 'dismissed', '2026-11-30T14:59:59.000Z'],
        ['d', 'pending', '2026-11-30T15:00:00.000Z'],
      ]);
      const log = await journal.log({});
      expect(log.map(({ id, outcome }) => [id, outcome]).sort()).toEqual([
        ['warehouse/a', 'failed'],
        ['warehouse/b', 'failed'],
        ['warehouse/c', 'failed'],
        ['warehouse/d', 'done'],
      ]);
    });

    test('an action on what matches takes what was there at its start, and nothing later', async () => {
      await bed.insert([
        parkedRow({ id: 'a' }),
        parkedRow({ id: 'b', queue: 'other_queue' }),
        parkedRow({ id: 'c', parked_at: '2026-11-30T15:00:00.001Z' }),
        parkedRow({ id: 'd', status_at: '2026-11-30T15:00:00.001Z' }),
        parkedRow({ id: 'e', status: 'pending' }),
        parkedRow({ id: 'f', parked_at: '2026-11-30T15:00:00.000Z' }),
      ]);
      const selection = matching(['failed'], NOW, ({ queue }) => queue === 'warehouse_queue');
      const { items, seen, complete } = await actOn(source, journal, { action: 'retry', selection });
      expect(items.map(({ id, outcome }) => [id, outcome])).toEqual([
        ['warehouse/a', 'done'],
        ['warehouse/f', 'done'],
      ]);
      expect({ seen, complete }).toEqual({ seen: 5, complete: true });
      expect((await bed.rows()).filter(({ status }) => status === 'pending').map(({ id }) => id)).toEqual([
        'a',
        'e',
        'f',
      ]);
    });

    test('--max bounds what is changed, not what is looked at', async () => {
      await bed.insert([
        parkedRow({ id: 'a', status: 'pending' }),
        ...['b', 'c', 'd', 'e'].map((id) => parkedRow({ id })),
      ]);
      const named = await actOn(source, journal, {
        action: 'retry',
        selection: ids('a', 'b', 'c', 'd'),
        budget: new Budget(2),
      });
      expect(outcomes(named.items).map(([id, outcome]) => [id, outcome])).toEqual([
        ['warehouse/a', 'skipped'],
        ['warehouse/b', 'done'],
        ['warehouse/c', 'done'],
        ['warehouse/d', 'skipped'],
      ]);
      const matched = await actOn(source, journal, {
        action: 'dismiss',
        selection: matching(['failed'], clock.now()),
        budget: new Budget(1),
      });
      expect(matched.items.map(({ id, outcome }) => [id, outcome])).toEqual([['warehouse/d', 'done']]);
      expect(matched.complete).toBe(false);
    });

    test('--rate is kept to, in small steps', async () => {
      await bed.insert(Array.from({ length: 60 }, (_, n) => parkedRow({ id: `r${n}` })));
      const started = clock.now();
      const steps: number[] = [];
      const result = await actOn(source, journal, {
        action: 'retry',
        selection: matching(['failed'], started),
        pace: new Pace(20, clock),
        onProgress: ({ done }) => steps.push(done),
      });
      expect(result.items).toHaveLength(60);
      // 60 messages at 20 a second, of which the first may go at once.
      expect(clock.now() - started).toBeGreaterThanOrEqual(2800);
      expect(Math.max(...steps.map((done, index) => done - (steps[index - 1] ?? 0)))).toBeLessThanOrEqual(4);
    });

    test('an interruption ends between chunks, and every id is told once', async () => {
      const names = Array.from({ length: 4203 }, (_, n) => `r${String(n).padStart(5, '0')}`);
      await bed.insert(names.map((id) => parkedRow({ id })));
      const abort = new AbortController();
      const { items, interrupted, error } = await actOn(source, journal, {
        action: 'retry',
        selection: ids(...names),
        signal: abort.signal,
        onProgress: () => abort.abort(),
      });
      expect({ interrupted, error }).toEqual({ interrupted: true, error: null });
      expect(items.map(({ id }) => id).sort()).toEqual(names.map((id) => `warehouse/${id}`));
      const done = new Set(items.filter(({ outcome }) => outcome === 'done').map(({ id }) => id));
      expect(done.size).toBeGreaterThan(0);
      expect(done.size).toBeLessThan(names.length);
      for (const { id, status } of await bed.rows()) expect(status === 'pending').toBe(done.has(`warehouse/${id}`));
      expect(await journal.log({ unfinished: true })).toEqual([]);
    });

    test('a journal that can no longer be written stops the run before anything else is changed', async () => {
      await bed.insert(Array.from({ length: 2403 }, (_, n) => parkedRow({ id: `r${String(n).padStart(5, '0')}` })));
      let chunks = 0;
      const failing = bed.open({
        journal: new Proxy(journal, {
          get(target, name) {
            const value: unknown = Reflect.get(target, name, target);
            if (typeof value !== 'function') return value;
            if (name !== 'intend') return value.bind(target);
            return async (...given: Parameters<Journal['intend']>) => {
              chunks += 1;
              if (chunks > 1) await target.close();
              return target.intend(...given);
            };
          },
        }),
        clock,
      });
      const run = await journal.begin({ action: 'retry', by: 'ada@ops', note: null, asked: 'a test' });
      const items: ActionItem[] = [];
      const result = await failing.act({
        action: 'retry',
        selection: matching(['failed'], NOW),
        run,
        bypass: false,
        pace: null,
        budget: new Budget(),
        allowReceive: false,
        signal: new AbortController().signal,
        onItem: (item) => items.push(item),
      });
      await failing.close();
      expect(result.error).not.toBeNull();
      const done = items.filter(({ outcome }) => outcome === 'done').length;
      expect(done).toBe(1000);
      expect((await bed.rows()).filter(({ status }) => status === 'pending')).toHaveLength(done);
    });

    test('what a run that died left open is finished by the next: the row itself says how it ended', async () => {
      await bed.insert(['a', 'b', 'c', 'd'].map((id) => parkedRow({ id })));
      // It dies right after its rows are changed, before it can say so.
      const dying = bed.open({
        journal: new Proxy(journal, {
          get(target, name) {
            const value: unknown = Reflect.get(target, name, target);
            if (typeof value !== 'function') return value;
            return name === 'settle' ? async () => Promise.reject(new Error('killed')) : value.bind(target);
          },
        }),
        clock,
      });
      await actOn(dying, journal, { action: 'retry', selection: ids('a', 'b', 'c') });
      await dying.close();
      await bed.set('b', { status: 'failed' });
      await bed.remove('c');
      clock.time += 120_000;
      expect(await journal.log({ unfinished: true })).toHaveLength(3);
      await actOn(source, journal, { action: 'retry', selection: ids('d') });
      expect(await journal.log({ unfinished: true })).toEqual([]);
      const ends = (await journal.log({})).map(({ id, outcome }) => [id, outcome]);
      expect(ends.sort()).toEqual([
        ['warehouse/a', 'done'],
        ['warehouse/b', 'overtaken'],
        ['warehouse/c', 'overtaken'],
        ['warehouse/d', 'done'],
      ]);
    });

    test('--to is refused, and --bypass is said to do nothing', async () => {
      await bed.insert([parkedRow({ id: 'a' })]);
      const elsewhere = actOn(source, journal, { action: 'retry', selection: ids('a'), to: 'orders' });
      await expect(elsewhere).rejects.toMatchObject({ code: 'usage', source: 'warehouse' });
      expect((await bed.rows())[0]?.status).toBe('failed');
      const bypassed = await actOn(source, journal, { action: 'retry', selection: ids('a'), bypass: true });
      expect(bypassed.note).toContain('--bypass');
      expect(bypassed.items[0]?.outcome).toBe('done');
    });

    test('problems show field and rule and nothing else, and hostile ones do no harm', async () => {
      const hostile: [string, unknown][] = [
        [
          '[{"field":"total","rule":"required","value":"4111 1111","__proto__":{"x":1}}]',
          [{ field: 'total', rule: 'required' }],
        ],
        [
          '[{"field":7,"rule":"x"},{"rule":"x"},null,"x",[],{"field":"a\\u001b[2J","rule":"b"}]',
          [{ field: 'a\u001b[2J', rule: 'b' }],
        ],
        ['{"field":"a","rule":"b"}', []],
        ['not json', []],
        ['', []],
        [`${'['.repeat(100_000)}`, []],
      ];
      await bed.insert(hostile.map(([problems], n) => parkedRow({ id: `h${n}`, problems })));
      const { failures } = await readAll(source);
      expect(failures.map(({ problems }) => problems)).toEqual(hostile.map(([, expected]) => expected));
    });

    test('failures with the same problems have one fingerprint, whatever the order', async () => {
      await bed.insert([
        parkedRow({ id: 'a', problems: '[{"field":"total","rule":"required"},{"field":"sku","rule":"text"}]' }),
        parkedRow({ id: 'b', problems: '[{"field":"sku","rule":"text"},{"field":"total","rule":"required"}]' }),
        parkedRow({ id: 'c', problems: '[{"field":"sku","rule":"text"}]' }),
      ]);
      const [a, b, c] = (await readAll(source)).failures.map(({ fingerprint }) => fingerprint);
      expect(a).toBe(b);
      expect(a).not.toBe(c);
    });

    test('it tells what its table has, and since when a row has been waiting for the app', async () => {
      const status_at = '2026-11-30T14:30:00.000Z';
      const later = '2026-11-30T14:40:00.000Z';
      await bed.insert([
        parkedRow({ id: 'a', status: 'pending', status_at: later }),
        parkedRow({ id: 'b', status: 'pending', status_at }),
        parkedRow({ id: 'c' }),
      ]);
      const before = await bed.rows();
      const found = await source.diagnose?.({ signal: new AbortController().signal, received: null });
      expect(found).toEqual({
        kind: 'jadpo',
        table: 'jadpo_parked_messages',
        trouble: null,
        unmapped: ['error'],
        unused: [],
        statusTime: true,
        readOnly: false,
        pending: 2,
        pendingSince: status_at,
        notes: [],
      });
      expect(await bed.rows()).toEqual(before);
    });

    test('hostile text in every column is handed on as it is', async () => {
      const nul = bed.withoutNul ? '' : '\u0000';
      const nasty = `'; DROP TABLE jadpo_parked_messages; --\u001b]52;c;aGk=\u0007\u202e"${nul}end`;
      const row = parkedRow({
        id: `k${nasty}`,
        queue: nasty,
        event: nasty,
        message_id: nasty,
        reason: nasty,
        body: nasty,
      });
      await bed.insert([row]);
      const [failure] = (await readAll(source)).failures;
      expect(failure).toMatchObject({
        id: `warehouse/k${nasty}`,
        queue: nasty,
        subject: nasty,
        reason: nasty,
        body: nasty,
      });
      const { items } = await actOn(source, journal, { action: 'dismiss', selection: ids(`k${nasty}`) });
      expect(items[0]?.outcome).toBe('done');
      expect(await bed.rows()).toEqual([{ ...row, status: 'dismissed', status_at: '2026-11-30T15:00:00.000Z' }]);
    });
  });
}
