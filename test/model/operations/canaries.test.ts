import { expect, test } from 'vitest';
import { chooseCanaries } from '../../../src/model/operations/retry-watched.ts';
import type { PlannedItem } from '../../../src/model/plan.ts';

const item = (nativeId: string, rest: Partial<PlannedItem> = {}): PlannedItem => ({
  id: `orders/${nativeId}`,
  source: 'orders',
  nativeId,
  reason: 'failed',
  queue: 'orders',
  to: 'orders',
  blocked: null,
  ...rest,
});
const names = (items: readonly PlannedItem[]) => items.map(({ nativeId }) => nativeId);
const standard = [{ name: 'orders', heldIn: 'orders-dlq' }];

test('canaries are of every kind in turn, and the rest keeps its order', () => {
  const items = ['a', 'b', 'c', 'd']
    .map((id) => item(id))
    .concat(item('p', { reason: 'poison' }), item('q', { to: 'x' }));
  const { first, rest } = chooseCanaries({ action: 'retry', items }, 4, standard);
  expect(names(first.items)).toEqual(['a', 'b', 'p', 'q']);
  expect(names(rest.items)).toEqual(['c', 'd']);
});

test('of a FIFO queue they are its first ones: nothing of a group is overtaken', () => {
  const items = [item('a'), item('b'), item('p', { reason: 'poison' })];
  const { first, rest } = chooseCanaries({ action: 'retry', items }, 2, [
    { name: 'orders', heldIn: 'orders-dlq.fifo' },
  ]);
  expect(names(first.items)).toEqual(['a', 'b']);
  expect(names(rest.items)).toEqual(['p']);
});

test('what cannot be done, or is done already, is no canary, and goes with them to be told', () => {
  const items = [item('x', { blocked: 'Lost.' }), item('done'), item('a'), item('b')];
  const { first, rest } = chooseCanaries({ action: 'retry', items }, 1, standard, new Set(['orders/done']));
  expect(names(first.items)).toEqual(['x', 'done', 'a']);
  expect(names(rest.items)).toEqual(['b']);
});

test('more canaries than messages are all of them', () => {
  const { first, rest } = chooseCanaries({ action: 'retry', items: [item('a')] }, 5, standard);
  expect([first.items.length, rest.items.length]).toEqual([1, 0]);
});
