import { expect, test } from 'vitest';
import { IdSearch, wantedId } from '../../src/model/ids.ts';

const search = (ids: readonly string[]) =>
  new IdSearch<string>(
    ids.map((id) => wantedId(id, ['parked'])),
    true,
  );
const meet = (one: IdSearch<string>, native: string) =>
  one.meet({ id: `parked/${native}`, source: 'parked' }, () => native);

test('a whole id that is gone is not taken for another that begins with it', () => {
  const one = search(['parked/p1']);
  meet(one, 'p12');
  expect(one.satisfied).toBe(false);
  expect(one.end([]).map(({ found }) => found)).toEqual([undefined]);
});

test('the search is over as soon as all are found, whatever the ids look like', () => {
  const one = search(['parked/p1', 'parked/p12']);
  meet(one, 'p12');
  expect(one.satisfied).toBe(false);
  meet(one, 'p1');
  expect(one.satisfied).toBe(true);
});

test('a hundred thousand ids are found among as many messages at once', () => {
  const natives = Array.from({ length: 100_000 }, (_, at) => `p${at}`);
  const one = search(natives.map((native) => `parked/${native}`));
  const from = performance.now();
  for (const native of natives) meet(one, native);
  expect(one.satisfied).toBe(true);
  // Looking through all ids for each message would take minutes.
  expect(performance.now() - from).toBeLessThan(10_000);
});
