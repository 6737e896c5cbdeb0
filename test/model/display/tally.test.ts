import { expect, test } from 'vitest';
import type { ActionItem } from '../../../src/model/action.ts';
import { Tally } from '../../../src/model/display/tally.ts';
import { itemFor } from '../../../src/model/plan.ts';

const item = (id: string, outcome: ActionItem['outcome'], detail: string | null = null) =>
  itemFor(id, 'failed', outcome, { detail });

test('every outcome but a plain done is told, grouped by why, with ids to type', () => {
  const tally = new Tally();
  tally.add(item('orders/1', 'done'));
  tally.add(item('orders/2', 'done', 'An old replay marker was taken off.'));
  tally.add(item('orders/3', 'skipped', 'Not found.'));
  tally.add(item('orders/4', 'skipped', 'Not found.'));
  tally.add(item('orders/5', 'uncertain', 'Sent; its delete was not confirmed.'));
  expect(tally.lines('retry')).toEqual([
    'Retried 2 of 5 messages: 2 skipped, 1 uncertain.',
    '  1 done: An old replay marker was taken off. orders/2',
    '  2 skipped: Not found. orders/3, orders/4',
    '  1 uncertain: Sent; its delete was not confirmed. orders/5',
  ]);
  expect(tally.counts).toEqual({ matched: 5, done: 2, skipped: 2, failed: 0, uncertain: 1 });
});

test('a hundred thousand different troubles are a page of text, every one counted, none of it hostile', () => {
  const tally = new Tally();
  for (let n = 0; n < 100_000; n++) tally.add(item(`orders/\u001b[2J${n}`, 'failed', `Refused: \u001b]52;${n}`));
  const lines = tally.lines('dismiss');
  expect(lines[0]).toBe('Dismissed 0 of 100,000 messages: 100,000 failed.');
  expect(lines.at(-1)).toBe('  and 99,980 messages for other reasons');
  expect(lines.length).toBeLessThan(25);
  expect(lines.join('\n')).not.toContain('\u001b');
});

test('what may be there twice is told of what was done, too', () => {
  const tally = new Tally();
  tally.add(item('orders/1', 'done'));
  for (const id of ['orders/2', 'orders/3']) tally.add({ ...item(id, 'done'), possible_double: true });
  tally.add({ ...item('orders/4', 'planned'), possible_double: true });
  expect(tally.lines('retry').slice(1)).toEqual([
    '  2 done: Possibly double: how an earlier run with it ended is not known. orders/2, orders/3',
  ]);
});
