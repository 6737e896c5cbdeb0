import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortIds } from '../../../src/model/display/short-ids.ts';
import { IdSearch, wantedId } from '../../../src/model/ids.ts';

const SOURCES = ['orders', 'warehouse', 'a'];
// Few different characters, so that starts are shared and sources hold the same keys.
const uuid = fc
  .array(fc.constantFrom('0', '1'), { minLength: 32, maxLength: 32 })
  .map((digits) => digits.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'));
const key = fc.oneof(uuid, fc.stringMatching(/^[1p]{1,3}$/), fc.constantFrom('orders/1', 'a/b', 'warehouse/'));
const listing = fc.uniqueArray(
  fc.record({ source: fc.constantFrom(...SOURCES), native: key }).map(({ source, native }) => ({
    source,
    id: `${source}/${native}`,
  })),
  { selector: ({ id }) => id, minLength: 1, maxLength: 30 },
);

test('every id that is shown, typed back, means its own message and no other', () => {
  fc.assert(
    fc.property(listing, (failures) => {
      const shown = shortIds(failures, SOURCES);
      const search = new IdSearch<string>(shown.map((id) => wantedId(id, SOURCES)));
      for (const failure of failures) search.meet(failure, () => failure.id);
      expect(search.end([]).map(({ found }) => found?.id)).toEqual(failures.map(({ id }) => id));
    }),
  );
});

test('of a UUID eight characters are enough, and more are shown only where they are needed', () => {
  const ids = (natives: string[]) => natives.map((native) => ({ source: 'orders', id: `orders/${native}` }));
  const one = '4f2a91c3-0000-4000-8000-000000000001';
  const two = '4f2a91c3-0000-4000-8000-000000000002';
  expect(shortIds(ids([one]), SOURCES)).toEqual(['4f2a91c3']);
  expect(shortIds(ids([one, two, 'p12']), SOURCES)).toEqual([one, two, 'p12']);
});
