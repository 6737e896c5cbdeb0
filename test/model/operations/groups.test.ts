import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GROUP_MEMBERS } from '../../../src/model/failure.ts';
import { parseFilter } from '../../../src/model/filter.ts';
import { fingerprint } from '../../../src/model/fingerprint.ts';
import { type FailureGroup, Grouping, groups, parseGroupBy } from '../../../src/model/operations/groups.ts';
import { aFailure } from '../../support/failure.ts';
import { MemoryJournal, MemorySource } from '../../support/memory.ts';

const time = fc.option(
  fc.integer({ min: 0, max: 5 }).map((n) => new Date(Date.UTC(2026, 10, 30, n)).toISOString()),
  { nil: null },
);
const failures = fc
  .array(
    fc.record({
      reason: fc.constantFrom('failed', 'poison', '__proto__'),
      queue: fc.constantFrom('orders', 'mail', null),
      error: fc.constantFrom('a', 'b'),
      failed_at: time,
      sent_at: time,
    }),
    { maxLength: 40 },
  )
  .map((all) => all.map((members, n) => aFailure({ ...members, id: `orders/${n}` })));

function grouped(all: Parameters<Grouping['add']>[0][], by: Parameters<typeof parseGroupBy>[0]): FailureGroup[] {
  const grouping = new Grouping(parseGroupBy(by, '--by'));
  for (const failure of all) grouping.add(failure);
  return grouping.groups();
}

describe('groups', () => {
  it('come out the same in whatever order the failures are met', () => {
    const orders = failures.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(orders, ([all, shuffled]) => {
        expect(grouped(shuffled, ['reason,queue'])).toEqual(grouped(all, ['reason,queue']));
      }),
    );
  });

  it('count each failure once, under a key that it has, most first', () => {
    fc.assert(
      fc.property(failures, fc.subarray([...GROUP_MEMBERS], { minLength: 1 }), (all, by) => {
        const found = grouped(all, by);
        expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(all.length);
        expect(found.map(({ count }) => count)).toEqual(found.map(({ count }) => count).sort((a, b) => b - a));
        for (const { key, count, first_failed_at, last_failed_at, sample_ids } of found) {
          const members = all.filter((failure) => by.every((member) => failure[member] === key[member]));
          const times = members.flatMap(({ failed_at, sent_at }) => failed_at ?? sent_at ?? []).sort();
          expect(Object.keys(key)).toEqual(by);
          expect(count).toBe(members.length);
          expect([first_failed_at, last_failed_at]).toEqual([times[0] ?? null, times.at(-1) ?? null]);
          expect(sample_ids).toHaveLength(Math.min(5, count));
          expect(members.map(({ id }) => id)).toEqual(expect.arrayContaining(sample_ids));
        }
      }),
    );
  });

  it('name the newest, and say what went wrong as the newest says it', () => {
    const at = (hour: number, error: string) =>
      aFailure({ id: `orders/${hour}`, error, exception: null, failed_at: `2026-11-30T0${hour}:00:00.000Z` });
    const all = [at(3, 'c'), at(7, 'g'.repeat(2000)), at(1, 'a'), at(5, 'e'), at(6, 'f'), at(2, 'b'), at(4, 'd')];
    expect(grouped(all, ['reason'])).toEqual([
      {
        key: { reason: 'failed' },
        count: 7,
        first_failed_at: '2026-11-30T01:00:00.000Z',
        last_failed_at: '2026-11-30T07:00:00.000Z',
        time_basis: 'failed_at',
        sample: 'g'.repeat(1000),
        sample_ids: ['orders/7', 'orders/6', 'orders/5', 'orders/4', 'orders/3'],
      },
    ]);
  });

  it('say which times they are by', () => {
    const sent = aFailure({ failed_at: null });
    const never = aFailure({ failed_at: null, sent_at: null });
    const basis = (...all: ReturnType<typeof aFailure>[]) => grouped(all, ['origin'])[0]?.time_basis;
    expect([basis(sent), basis(sent, aFailure()), basis(aFailure(), never), basis(never)]).toEqual([
      'sent_at',
      'both',
      'failed_at',
      null,
    ]);
  });

  it('show two thousand failures that are three errors as three, from a reading that keeps none of them', async () => {
    const error = (n: number) =>
      [`order ${n} timed out after ${n * 7} ms`, `no route to 10.0.${n % 256}.7:5432`, `card 'x${n}' declined`][
        n % 3
      ] ?? '';
    const all = Array.from({ length: 2000 }, (_, n) => {
      const failure = aFailure({ id: `orders/${n}`, error: error(n) });
      return { ...failure, fingerprint: fingerprint(failure) };
    });
    const source = new MemorySource('orders', all, new MemoryJournal());
    const result = await groups({
      redact: [],
      sources: [source],
      filter: parseFilter({ reason: ['failed'] }, ['failed']),
      by: null,
      allowReceive: false,
      clock: { now: () => Date.now(), sleep: async () => {} },
      signal: new AbortController().signal,
    });
    expect(result.groups.map(({ count }) => count)).toEqual([667, 667, 666]);
    expect(Object.keys(result.groups[0]?.key ?? {})).toEqual([
      'fingerprint',
      'reason',
      'subject',
      'exception',
      'origin',
    ]);
    expect(result.sources).toMatchObject([{ listed: 2000, complete: true }]);
  });

  it('are refused by what is no member', () => {
    expect(() => parseGroupBy(['reason,lost'], '--by')).toThrow(
      expect.objectContaining({ code: 'usage', hint: expect.stringContaining('fingerprint, reason, queue') }),
    );
  });
});
