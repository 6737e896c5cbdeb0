import { expect, test } from 'vitest';
import type { BabelqError } from '../../src/model/errors.ts';
import { planOf, readPlan } from '../../src/model/plan-file.ts';

const ITEM = {
  id: 'orders/4f2a',
  reason: 'failed',
  outcome: 'planned',
  to: 'orders',
  queue: 'orders',
  state: 'failed',
  body_sha256: 'a'.repeat(64),
};
const TERMS = { version: 1, made_at: '2026-11-30T14:02:11.034Z', to: null, bypass: false, set: [], unset: [] };
const PLAN = { action: 'retry', dry_run: true, plan: TERMS, items: [ITEM] };
const SOURCES = [
  { name: 'orders', kind: 'sqs' as const },
  { name: 'warehouse', kind: 'jadpo' as const },
];

function read(document: unknown) {
  const text = document === undefined ? '' : typeof document === 'string' ? document : JSON.stringify(document);
  return planOf(readPlan(text, 'plan.json', 'retry'), 'plan.json', 'retry', SOURCES);
}

test('a plan is read back as it was made, but for what it could not do', () => {
  const parked = { ...ITEM, id: 'warehouse/p12', to: null, queue: 'warehouse_queue' };
  const plan = read({ ...PLAN, run: null, extra: 1, items: [ITEM, ITEM, { ...ITEM, outcome: 'skipped' }, parked] });
  expect(plan).toEqual({
    action: 'retry',
    madeAt: Date.parse(TERMS.made_at),
    items: [
      {
        id: 'orders/4f2a',
        source: 'orders',
        nativeId: '4f2a',
        reason: 'failed',
        queue: 'orders',
        to: 'orders',
        state: 'failed',
        digest: ITEM.body_sha256,
        blocked: null,
      },
      expect.objectContaining({ source: 'warehouse', nativeId: 'p12', to: null }),
    ],
  });
  const file = readPlan(JSON.stringify({ ...PLAN, items: [{ ...ITEM, outcome: 'skipped' }] }), 'plan.json', 'retry');
  expect(file).toMatchObject({ items: [], left: 1 });
});

const changed = (item: Record<string, unknown>) => ({ ...PLAN, items: [{ ...ITEM, ...item }] });

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'plan.json is not a plan: it is empty.'],
  ['lines', '{"id":"a"}\n{"id":"b"}', 'it is not one JSON document'],
  ['a list', [], 'it is not an object'],
  ['a listing', { failures: [], sources: [] }, 'it has no action and items'],
  ['a report', { ...PLAN, dry_run: false }, 'it tells how a run went'],
  ['another action', { ...PLAN, action: 'dismiss' }, 'plan.json is a plan to dismiss, not to retry.'],
  ['no action of ours', { ...PLAN, action: 'purge' }, 'its action is none of'],
  ['a newer layout', { ...PLAN, plan: { ...TERMS, version: 2 } }, 'written by a newer babelq'],
  ['no layout', { ...PLAN, plan: { ...TERMS, version: '1' } }, 'plan.version is not 1'],
  ['no terms', { ...PLAN, plan: undefined }, 'it has no member plan'],
  ['no time', { ...PLAN, plan: { ...TERMS, made_at: 'noon' } }, 'plan.made_at is not a time'],
  ['a target of its own that is no text', { ...PLAN, plan: { ...TERMS, to: 1 } }, 'plan.to is not a text or null'],
  ['a marker that is no flag', { ...PLAN, plan: { ...TERMS, bypass: 'no' } }, 'plan.bypass is not true or false'],
  ['an edit that is none', { ...PLAN, plan: { ...TERMS, set: 'a=1' } }, 'plan.set is not a list of texts'],
  ['no list', { ...PLAN, items: {} }, 'items is not a list'],
  ['an item that is none', { ...PLAN, items: [ITEM, 'x'] }, 'items[1] is not an object'],
  ['no id', changed({ id: '' }), 'items[0].id is not a text'],
  ['a lost target', changed({ to: null }), '"orders/4f2a" has no to'],
  ['a target that is no text', changed({ to: 7 }), 'items[0].to is not a text or null'],
  ['a made-up state', changed({ state: 'lost' }), 'items[0].state is none of failed, pending, dismissed'],
  ['a made-up outcome', changed({ outcome: 'done' }), 'items[0].outcome is neither planned nor skipped'],
  ['no digest', changed({ body_sha256: undefined }), 'items[0].body_sha256 is not a SHA-256'],
  ['two targets for one', { ...PLAN, items: [ITEM, { ...ITEM, to: 'x' }] }, 'is in it twice, to two places'],
  ['a source that is not here', changed({ id: 'other/1' }), 'has messages of other, and there is no source of that'],
])('%s is not taken for a plan', (_, document, why) => {
  let error: BabelqError | null = null;
  try {
    read(document);
  } catch (thrown) {
    error = thrown as BabelqError;
  }
  expect(error).toMatchObject({ exit: 2, message: expect.stringContaining(why), hint: expect.stringMatching(/\S/) });
});
