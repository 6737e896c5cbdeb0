import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Budget } from '../../src/model/budget.ts';
import { Interrupted } from '../../src/model/errors.ts';
import { nativeIdOf } from '../../src/model/ids.ts';
import type { Clock, Journal, Source } from '../../src/model/ports.ts';
import { actOn, ids, JumpingClock, readAll } from './drive-source.ts';

/** A place that holds failures, seen from its app's side. */
export interface SourceBed {
  open(deps: { journal: Journal; clock: Clock }): Source;
  /** A source over a place that isn't there. */
  openNowhere(deps: { journal: Journal; clock: Clock }): Source;
  /** Sets messages aside, one for each native id. */
  put(ids: readonly string[]): Promise<void>;
  /** Those that lie there as failed, sorted. */
  failed(): Promise<string[]>;
  /** Those that were given back to the app, sorted. */
  givenBack(): Promise<string[]>;
  journal(clock: Clock): Journal;
  close(): Promise<void>;
}

/** The beds' messages are dated from now. */
const NOW = Date.now();
const IDS = ['m1', 'm2', 'm3', 'm4', 'm5'];

/** What every source keeps, whatever system it reads: the least of what a new one is held to. */
export function sourceContract(name: string, make: () => Promise<SourceBed>): void {
  describe(`a source of ${name}`, () => {
    let bed: SourceBed;
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

    test('opening touches nothing, and a place that is not there is told by name at the first call', async () => {
      const lost = bed.openNowhere({ journal, clock });
      await expect(readAll(lost)).rejects.toMatchObject({
        name: 'BabelqError',
        source: lost.name,
        hint: expect.any(String),
      });
      await lost.close();
    });

    test('a reading hands on each message once, whole, and changes nothing', async () => {
      await bed.put(IDS);
      const { failures, complete, seen } = await readAll(source);
      expect(failures.map(nativeIdOf).sort()).toEqual(IDS);
      expect({ complete, seen }).toEqual({ complete: true, seen: IDS.length });
      for (const failure of failures) {
        expect(failure.source).toBe(source.name);
        expect(failure.retryable).toBe(failure.retry_blocked === null);
        expect(failure.size_bytes).toBe(Buffer.byteLength(failure.body ?? ''));
      }
      expect((await source.facts(new AbortController().signal)).visible).toBe(IDS.length);
      expect(await bed.failed()).toEqual(IDS);
    });

    test('a reading that was told enough stops, and is not called complete', async () => {
      await bed.put(IDS);
      let met = 0;
      const request = {
        states: new Set(['failed'] as const),
        allowReceive: false,
        signal: new AbortController().signal,
      };
      const { complete } = await source.read(request, () => {
        met += 1;
        return 'enough';
      });
      expect({ met, complete }).toEqual({ met: 1, complete: false });
    });

    test('a state that nobody asked for is not read', async () => {
      await bed.put(IDS);
      expect((await readAll(source, { states: new Set(['dismissed']) })).failures).toEqual([]);
    });

    test('an abort ends a reading as interrupted', async () => {
      await bed.put(IDS);
      await expect(readAll(source, { signal: AbortSignal.abort() })).rejects.toThrow(Interrupted);
    });

    test('a retry takes the ids that were named and nothing else, and tells of each once', async () => {
      await bed.put(IDS);
      const { items } = await actOn(source, journal, { action: 'retry', selection: ids('m2', 'm4', 'gone') });
      expect(items.map(({ id, outcome }) => [id, outcome]).sort()).toEqual([
        [`${source.name}/gone`, 'skipped'],
        [`${source.name}/m2`, 'done'],
        [`${source.name}/m4`, 'done'],
      ]);
      expect(await bed.failed()).toEqual(['m1', 'm3', 'm5']);
      expect(await bed.givenBack()).toEqual(['m2', 'm4']);
      expect((await journal.log({})).map(({ id, outcome }) => [id, outcome]).sort()).toEqual([
        [`${source.name}/m2`, 'done'],
        [`${source.name}/m4`, 'done'],
      ]);
    });

    test('a body that is another than the one that was shown is left', async () => {
      await bed.put(IDS);
      const shown = new Map([['m1', { to: null, digest: '0'.repeat(64) }]]);
      const { items } = await actOn(source, journal, { action: 'retry', selection: { kind: 'ids', ids: shown } });
      expect(items).toMatchObject([{ outcome: 'skipped', detail: expect.stringContaining('body') }]);
      expect(await bed.failed()).toEqual(IDS);
    });

    test('--max bounds what is changed', async () => {
      await bed.put(IDS);
      const states = new Set(['failed'] as const);
      const selection = { kind: 'match', states, matches: () => true, startedAt: NOW } as const;
      const { items } = await actOn(source, journal, { action: 'retry', selection, budget: new Budget(2) });
      expect(items.filter(({ outcome }) => outcome === 'done')).toHaveLength(2);
      expect(await bed.givenBack()).toHaveLength(2);
    });

    test('an interrupted retry changes nothing more, and says so', async () => {
      await bed.put(IDS);
      const selection = ids(...IDS);
      const { items, interrupted } = await actOn(source, journal, {
        action: 'retry',
        selection,
        signal: AbortSignal.abort(),
      }).catch((error: unknown) => {
        if (error instanceof Interrupted) return { items: [], interrupted: true };
        throw error;
      });
      expect(interrupted).toBe(true);
      expect(items.filter(({ outcome }) => outcome !== 'skipped')).toEqual([]);
      expect(await bed.failed()).toEqual(IDS);
    });

    test('nothing is changed before its intent is on disk', async () => {
      await bed.put(IDS);
      const broken = new Proxy(journal, {
        get(target, member) {
          if (member === 'intend') return () => Promise.reject(new Error('the disk is full'));
          const value: unknown = Reflect.get(target, member, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      const failing = bed.open({ journal: broken, clock });
      const { items, error } = await actOn(failing, journal, { action: 'retry', selection: ids('m1') });
      await failing.close();
      expect(error?.message).toContain('the disk is full');
      expect(items.map(({ outcome }) => outcome)).toEqual(['skipped']);
      expect(await bed.failed()).toEqual(IDS);
    });
  });
}
