import { expect, test } from 'vitest';
import { parseFilter } from '../../../src/model/filter.ts';
import type { ActionAsk } from '../../../src/model/operations/action-ask.ts';
import { planAction } from '../../../src/model/operations/plan-action.ts';
import { chooseCanaries } from '../../../src/model/operations/retry-watched.ts';
import type { PlannedItem } from '../../../src/model/plan.ts';
import { aFailure } from '../../support/failure.ts';
import { MemoryJournal, MemorySource } from '../../support/memory.ts';

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

test('a plan has the messages of a FIFO queue in the order in which they lie there, whatever order they were named in', async () => {
  const journal = new MemoryJournal();
  const fifo = (id: string, sequence: string) =>
    aFailure({ id: `orders/${id}`, source: 'orders', system_attributes: { SequenceNumber: sequence } });
  // The numbers are longer than any that JavaScript can tell apart.
  const lying = [
    fifo('c', '18849496460467696130'),
    aFailure({ id: 'orders/x', source: 'orders' }),
    fifo('a', '18849496460467696128'),
    fifo('b', '18849496460467696129'),
  ];
  const source = new MemorySource('orders', lying, journal);
  const ask: ActionAsk = {
    action: 'retry',
    asked: { kind: 'ids', ids: ['orders/c', 'orders/x', 'orders/b', 'orders/a'], whole: true },
    sources: [source],
    journal: journal.asJournal(),
    clock: { now: Date.now, sleep: async () => {} },
    by: 'test',
    note: null,
    allowReceive: false,
    signal: new AbortController().signal,
  };
  expect(names((await planAction(ask)).plan.items)).toEqual(['a', 'x', 'b', 'c']);
  const all = await planAction({ ...ask, asked: { kind: 'filter', filter: parseFilter({}, ['failed']) } });
  expect(names(all.plan.items)).toEqual(['a', 'b', 'c', 'x']);
});
