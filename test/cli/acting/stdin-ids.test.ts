import { expect, test } from 'vitest';
import { idsOf } from '../../../src/cli/acting/stdin-ids.ts';

test.each([
  ['one a line, blanks and repeats left out', 'orders/a\n\n  orders/b \r\norders/a\n', ['orders/a', 'orders/b']],
  ["the listing's ndjson", '{"id":"orders/a","queue":"q"}\n{"id":"orders/b"}\n', ['orders/a', 'orders/b']],
  [
    'the listing as one document',
    '{"failures":[{"id":"orders/a"},{"id":"orders/b"}],"sources":[]}',
    ['orders/a', 'orders/b'],
  ],
  ["a plan's items", '{"action":"retry","items":[{"id":"orders/a"}]}', ['orders/a']],
  ["the log's entries, laid out", JSON.stringify({ entries: [{ id: 'orders/a' }] }, null, 2), ['orders/a']],
  ['nothing', ' \n', []],
])('ids come from %s', (_, text, ids) => {
  expect(idsOf(text)).toEqual(ids);
});

test.each([
  ['{"id":"a"}\nnot json\n', 'line 2 is not JSON'],
  ['{"name":"a"}', 'an object has no id'],
])('what is neither is refused: %s', (text, why) => {
  expect(() => idsOf(text)).toThrow(why);
});
