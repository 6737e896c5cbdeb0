import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { journalOver } from '../../../src/adapters/journal/journal.ts';
import { pastOfPlan, unmetItem } from '../../../src/model/operations/past-plan.ts';
import { itemFor, type Plan } from '../../../src/model/plan.ts';
import type { Clock, Journal, Settlement } from '../../../src/model/ports.ts';
import { anIntent, aStart } from '../../support/journal-samples.ts';

let now: number;
let database: Database.Database;
let journal: Journal;
const clock: Clock = { now: () => now, sleep: () => Promise.resolve() };
beforeEach(() => {
  now = Date.UTC(2026, 10, 30);
  database = new Database(':memory:');
  journal = journalOver(database, clock);
});
afterEach(() => database.close());

async function begun(
  action: 'retry' | 'dismiss',
  id: string,
  settlement: Omit<Settlement, 'entry'> | null,
  to = 'orders',
) {
  const run = await journal.begin(aStart(action));
  const [entry] = await journal.intend(run, [anIntent(id, { to })]);
  if (settlement !== null) await journal.settle([{ entry: entry ?? 0, ...settlement }]);
  await journal.end(run, 'stopped');
  return run.id;
}

const planOf = (...ids: string[]): Plan => ({
  action: 'retry',
  madeAt: now,
  items: ids.map((id) => ({
    id: `orders/${id}`,
    source: 'orders',
    nativeId: id,
    reason: 'failed',
    queue: 'orders',
    to: 'orders',
    blocked: null,
  })),
});

test('what was done since is settled, what was done before is not, and another target is not the plan', async () => {
  await begun('retry', 'before', { state: 'done', newId: 'n0' });
  now += 1000;
  const plan = planOf('before', 'since', 'elsewhere', 'failed', 'open');
  now += 1000;
  const run = await begun('retry', 'since', { state: 'done', newId: 'n1' });
  await begun('retry', 'elsewhere', { state: 'done', newId: 'n2' }, 'repaired');
  await begun('retry', 'failed', { state: 'failed' });
  const { settled, begun: known } = await pastOfPlan(journal, plan);
  expect([...settled.keys()].sort()).toEqual(['orders/elsewhere', 'orders/since']);
  expect(settled.get('orders/since')).toMatchObject({
    outcome: 'done',
    new_id: 'n1',
    detail: expect.stringContaining(run),
  });
  expect(settled.get('orders/elsewhere')).toMatchObject({
    outcome: 'skipped',
    detail: expect.stringContaining('repaired'),
  });
  expect(known.size).toBe(0);
});

test('what was not met is told by what the journal knows, and is done only where it surely is', async () => {
  const plan = planOf('sent', 'doubtful', 'dismissed', 'unknown');
  await begun('retry', 'sent', { state: 'sent', newId: 'n1' });
  await begun('retry', 'doubtful', { state: 'uncertain' });
  await begun('dismiss', 'dismissed', { state: 'done' }, 'archive');
  const { settled, begun: known } = await pastOfPlan(journal, plan);
  expect(settled.size).toBe(0);
  const said = (id: string, sawAll: boolean) => {
    const item = itemFor(`orders/${id}`, null, 'skipped', { detail: 'Not met.' });
    const { outcome, detail } = unmetItem(item, plan, known.get(item.id), sawAll);
    return { outcome, detail };
  };
  expect(said('sent', true)).toMatchObject({
    outcome: 'done',
    detail: expect.stringContaining("doesn't lie here any more"),
  });
  expect(said('sent', false)).toEqual({ outcome: 'skipped', detail: 'Not met.' });
  expect(said('doubtful', true)).toEqual({ outcome: 'skipped', detail: 'Not met.' });
  expect(said('dismissed', true)).toMatchObject({
    outcome: 'skipped',
    detail: expect.stringMatching(/has dismissed it already/),
  });
  expect(said('unknown', true)).toEqual({ outcome: 'skipped', detail: 'Not met.' });
});
