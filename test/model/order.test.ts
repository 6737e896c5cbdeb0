import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byUrgency, newestFirst } from '../../src/model/order.ts';
import { finishBeside, sortInSteps } from '../../src/model/steps.ts';
import { aFailure } from '../support/failure.ts';

const day = (n: number | null) => (n === null ? null : `2026-11-${String(n).padStart(2, '0')}T00:00:00.000Z`);

describe('the order of a listing', () => {
  it('is expiring soonest, then newest, then unknown', () => {
    const of = (id: string, expires: number | null, failed: number | null, sent: number | null = null) =>
      aFailure({ id, expires_at: day(expires), failed_at: day(failed), sent_at: day(sent) });
    const failures = [
      of('no time', null, null),
      of('old', null, 3),
      of('new', null, 9),
      of('sent', null, null, 5),
      of('later', 20, 9),
      of('soon', 12, 1),
      of('soon, newer', 12, 2),
    ];
    expect(failures.sort(byUrgency).map(({ id }) => id)).toEqual([
      'soon, newer',
      'soon',
      'later',
      'new',
      'sent',
      'old',
      'no time',
    ]);
  });

  it('is the same however the failures came', () => {
    const some = fc.constantFrom(null, 1, 2, 3);
    const failure = fc
      .record({ id: fc.string(), expires: some, failed: some })
      .map(({ id, expires, failed }) =>
        aFailure({ id, expires_at: day(expires), failed_at: day(failed), sent_at: null }),
      );
    const failures = fc.uniqueArray(failure, { selector: ({ id }) => id, maxLength: 12 });
    const shuffled = failures.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    for (const order of [byUrgency, newestFirst]) {
      fc.assert(
        fc.property(shuffled, ([a, b]) => {
          expect([...b].sort(order)).toEqual([...a].sort(order));
        }),
      );
    }
  });
});

it('a long reading is put into that order beside others, who get their turn', async () => {
  const failures = Array.from({ length: 20_000 }, (_, at) => aFailure({ id: `orders/${(at * 7919) % 20_000}` }));
  let turns = 0;
  const sorted = await finishBeside(sortInSteps(failures, byUrgency), async () => {
    turns += 1;
  });
  expect(turns).toBeGreaterThan(2);
  expect(sorted).toEqual(failures.toSorted(byUrgency));
});
