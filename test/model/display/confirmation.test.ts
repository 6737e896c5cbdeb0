import { expect, test } from 'vitest';
import type { Action } from '../../../src/model/action.ts';
import { confirmation } from '../../../src/model/display/confirmation.ts';
import type { SourcePart } from '../../../src/model/operations/parts.ts';
import type { PlannedItem } from '../../../src/model/plan.ts';

const part = (name: string, rest: Partial<SourcePart> = {}): SourcePart => ({
  name,
  seen: 10,
  complete: true,
  note: null,
  allInFlight: null,
  error: null,
  ...rest,
});

function items(count: number, rest: Partial<PlannedItem> = {}): PlannedItem[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `orders/${n}`,
    source: 'orders',
    nativeId: String(n),
    reason: 'failed',
    queue: 'orders',
    to: 'orders',
    blocked: null,
    ...rest,
  }));
}

const facts = {
  sources: [
    { name: 'orders', kind: 'sqs' },
    { name: 'warehouse', kind: 'jadpo' },
  ] as const,
  parts: [part('orders'), part('warehouse')],
  bypass: false,
};
const jadpo = { source: 'warehouse', queue: 'warehouse_queue', reason: 'unreadable', to: null };

test('no message can widen the counts out of sight by what it says of itself', () => {
  const long = 'x'.repeat(5000);
  const plan = {
    action: 'retry' as Action,
    items: [...items(3), ...items(1, { reason: long, queue: long }), ...items(1, { blocked: long })],
  };
  const { lines } = confirmation(plan, facts);
  expect(lines).toContain(`  3  ${'orders'.padEnd(80)}  ${'failed'.padEnd(40)}  → orders`);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(250);
});

test('the counts are by queue, reason and target, and what cannot be done stands apart with why', () => {
  const plan = {
    action: 'retry' as Action,
    items: [
      ...items(3),
      ...items(1200, { reason: 'unknown_urn' }),
      ...items(2, { to: null, blocked: 'No target is known.' }),
      ...items(500, jadpo),
    ],
  };
  const { question, lines, doable } = confirmation(plan, facts);
  expect(question).toBe('Retry 1,703 messages?');
  expect(doable).toBe(1703);
  expect(lines).toEqual([
    '  1,200  orders           unknown_urn  → orders',
    "    500  warehouse_queue  unreadable   → its app's next tick",
    '      3  orders           failed       → orders',
    '',
    "Can't be done, and stays as it is: 2 messages.",
    '  2  orders  failed  No target is known.',
    '',
    'warehouse: The app reads 20 retried messages a tick: 500 take at least 25 ticks, about 4 minutes.',
  ]);
});

test('the skip marker is said of the messages that get it, and said not to apply to those that cannot', () => {
  const { lines } = confirmation(
    { action: 'retry', items: [...items(1), ...items(1, jadpo)] },
    { ...facts, bypass: true },
  );
  expect(lines.join('\n')).toContain('They are marked bq-replay-bypass');
  expect(lines).toContain('warehouse: a bypass does not apply to parked messages.');
  const plain = confirmation({ action: 'retry', items: items(1, jadpo) }, facts);
  expect(plain.lines.join('\n')).not.toContain('bypass');
});

test('a dismissal says where what it takes is kept, and how it is undone', () => {
  const plan = { action: 'dismiss' as Action, items: [...items(1, { to: 'archive' }), ...items(1, jadpo)] };
  const text = confirmation(plan, facts).lines.join('\n');
  expect(text).toContain('archive for 30 days');
  expect(text).toContain('babelq restore');
  expect(text).toContain('the app deletes them in 30 days');
});

test('what the first pass did not see is said before anyone says yes', () => {
  const parts = [
    part('orders', { complete: false, note: 'scanned 400 of about 12,000' }),
    part('billing', { complete: false, allInFlight: { count: 37, retryInSeconds: 30 } }),
  ];
  const { lines } = confirmation({ action: 'retry', items: items(1) }, { ...facts, parts });
  expect(lines).toContain('orders: scanned 400 of about 12,000.');
  expect(lines).toContain('billing: 0 seen, 37 in flight, try again in 30 s.');
});

test('a message cannot write to the terminal through its queue, reason or target', () => {
  const hostile = { queue: '\u001b[2Jq', reason: 'r\u202e', to: 't\u009b1m' };
  const { lines } = confirmation({ action: 'retry', items: items(1, hostile) }, facts);
  expect(lines[0]).toBe('  1  \\x1b[2Jq  r\\u{202e}  → t\\x9b1m');
});

test('the question counts what --max lets be done, and says that the others stay', () => {
  const plan = { action: 'retry' as const, items: items(13) };
  const limited = confirmation(plan, { ...facts, max: 5, rate: 1 });
  expect([limited.question, limited.doable]).toEqual(['Retry 5 messages?', 5]);
  expect(limited.lines.join('\n')).toContain('Only the first 5 of these that are met, as limited.');
  expect(limited.lines.join('\n')).toContain('At 1 a second this takes about 5s.');
  expect(confirmation(plan, { ...facts, max: 13 }).lines.join('\n')).not.toContain('Only the first');
});

test('a target in another account or region is told apart from one beside it', () => {
  const plan = {
    action: 'retry' as Action,
    items: [...items(2, { elsewhere: 'account 210987654321, eu-west-1' }), ...items(1)],
  };
  expect(confirmation(plan, facts).lines).toEqual([
    '  2  orders  failed  → orders (account 210987654321, eu-west-1)',
    '  1  orders  failed  → orders',
  ]);
});

test('what an earlier run may have sent is said before it is sent again', () => {
  const plan = {
    action: 'retry' as Action,
    items: [...items(2, { possibleDouble: true }), ...items(1), ...items(1, { possibleDouble: true, blocked: 'No.' })],
  };
  expect(confirmation(plan, facts).lines.join('\n')).toContain('2 messages may have been sent by an earlier run');
  expect(confirmation({ ...plan, items: items(1) }, facts).lines.join('\n')).not.toContain('may have been');
});
