import { readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ActionItem, ActionReport } from '../../src/model/action.ts';
import { createJadpoFile, parkedRow } from '../support/jadpo-table.ts';
import { Sandbox } from '../support/run-babelq.ts';
import { type SqsServer, startLocalAwsSqs } from '../support/servers.ts';
import { deadLettered } from '../support/shapes.ts';

let server: SqsServer;
let sandbox: Sandbox;

beforeEach(async () => {
  server = await startLocalAwsSqs();
  sandbox = new Sandbox(server.environment);
  await server.createQueue('orders-dlq');
  await server.createQueue('orders', {}, { queue: 'orders-dlq', maxReceiveCount: 3 });
});
afterEach(async () => {
  await server.close();
  sandbox.remove();
});

const babelq = (...args: string[]) => sandbox.run([...args, '--sqs', 'orders-dlq']);
const order = (n: number) => deadLettered({ id: `00000000-0000-4000-8000-00000000000${n}` });
const put = (n: number) => server.put('orders-dlq', order(n));

/** Makes a plan with a dry run, as a runbook does, and gives it as it was written. */
async function plan(...args: string[]): Promise<ActionReport> {
  const { stdout, stderr, code } = await sandbox.run([...args, '--dry-run', '--json']);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  writeFileSync(sandbox.path('plan.json'), stdout);
  return JSON.parse(stdout) as ActionReport;
}

function byId(stdout: string): Record<string, ActionItem> {
  const { items } = JSON.parse(stdout) as ActionReport;
  return Object.fromEntries(items.map((item) => [item.id.slice(item.id.indexOf('/') + 1), item]));
}

test('a plan is carried out to the letter: nothing that came later, and what is gone is skipped and said', async () => {
  const [first, second, gone] = [put(1), put(2), put(3)];
  const made = await plan('retry', '--reason', 'failed', '--sqs', 'orders-dlq');
  expect(made).toMatchObject({ dry_run: true, run: null, matched: 3, plan: { version: 1, to: null, bypass: false } });
  expect(made.items[0]).toMatchObject({
    outcome: 'planned',
    to: 'orders',
    queue: 'orders',
    state: 'failed',
    body_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    possible_double: false,
  });
  expect((await babelq('dismiss', gone, '--yes')).code).toBe(0);
  const later = put(4);

  const { stdout, code } = await babelq('retry', '--plan', 'plan.json', '--yes', '--json');
  expect(code).toBe(3);
  expect(server.lying('orders')).toHaveLength(2);
  expect(server.lying('orders-dlq').map(({ messageId }) => messageId)).toEqual([later]);
  const items = byId(stdout);
  expect(Object.keys(items).sort()).toEqual([first, second, gone].sort());
  expect(items[gone]).toMatchObject({
    outcome: 'skipped',
    detail: expect.stringMatching(/has dismissed it already\.$/),
  });
});

test('a plan that was carried out is done: exit 0, and nothing is sent again', async () => {
  put(1);
  put(2);
  await plan('retry', '--all', '--sqs', 'orders-dlq');
  const half = await babelq('retry', '--plan', 'plan.json', '--yes', '--max', '1', '--json');
  expect(JSON.parse(half.stdout)).toMatchObject({ done: 1, skipped: 1 });
  expect(half.code).toBe(3);
  const rest = await babelq('retry', '--plan', 'plan.json', '--yes', '--json');
  expect({ code: rest.code, ...JSON.parse(rest.stdout) }).toMatchObject({ code: 0, matched: 2, done: 2 });
  const again = await babelq('retry', '--plan', 'plan.json', '--yes', '--json');
  expect({ code: again.code, ...JSON.parse(again.stdout) }).toMatchObject({ code: 0, matched: 2, done: 2, run: null });
  const sent = server.lying('orders').map(({ messageId }) => messageId);
  expect(sent).toHaveLength(2);
  expect(
    Object.values(byId(again.stdout))
      .map(({ new_id }) => new_id)
      .sort(),
  ).toEqual(sent.sort());
  const words = await babelq('retry', '--plan', 'plan.json', '--yes');
  expect(words.stdout).toMatch(
    /^Retried 2 messages, all of them by an earlier run\.\n {2}1 done: Run \S+ has retried it already\./,
  );
});

test("a plan's own terms hold: its --to and its --bypass, whatever evidence says by then", async () => {
  await server.createQueue('orders-repaired');
  put(1);
  await plan('retry', '--all', '--to', 'orders-repaired', '--bypass', '--sqs', 'orders-dlq');
  expect((await babelq('retry', '--plan', 'plan.json', '--yes')).code).toBe(0);
  expect(server.lying('orders')).toEqual([]);
  expect(server.lying('orders-repaired')).toMatchObject([{ attributes: { 'bq-replay-bypass': { value: '1' } } }]);
});

test('what would go elsewhere by now is skipped, and a dry run of the plan says so before', async () => {
  await server.createQueue('orders-new');
  const id = put(1);
  const config = (to: string) =>
    writeFileSync(sandbox.path('babelq.yaml'), `sources:\n  - sqs: orders-dlq\n    redrive_to: ${to}\n`);
  config('orders');
  await plan('retry', '--all');
  config('orders-new');
  const detail = 'It was to go to orders, and now would go to orders-new.';
  const review = await sandbox.run(['retry', '--plan', 'plan.json', '--dry-run', '--json']);
  expect(review.code).toBe(0);
  expect(byId(review.stdout)[id]).toMatchObject({ outcome: 'skipped', detail });
  const { stdout, code } = await sandbox.run(['retry', '--plan', 'plan.json', '--yes', '--json']);
  expect(code).toBe(1);
  expect(byId(stdout)[id]).toMatchObject({ outcome: 'skipped', detail });
  expect(server.lying('orders-dlq')).toHaveLength(1);
});

test('dismissals and restorations are planned and carried out alike, from stdin too', async () => {
  const kept = put(1);
  await plan('dismiss', '--all', '--sqs', 'orders-dlq');
  put(2);
  const input = readFileSync(sandbox.path('plan.json'), 'utf8');
  const dismissed = await sandbox.run(['dismiss', '--plan', '-', '--yes', '--sqs', 'orders-dlq'], { input });
  expect(dismissed).toMatchObject({ code: 0, stdout: 'Dismissed 1 message.\n' });
  expect(server.lying('orders-dlq')).toHaveLength(1);
  const made = await plan('restore', '--all', '--sqs', 'orders-dlq');
  expect(made.items).toMatchObject([{ id: `orders-dlq/${kept}`, state: 'dismissed', to: 'orders-dlq' }]);
  expect(await babelq('restore', '--plan', 'plan.json', '--yes')).toMatchObject({
    code: 0,
    stdout: 'Restored 1 message.\n',
  });
  expect((await babelq('restore', '--plan', 'plan.json', '--yes')).code).toBe(0);
  expect(server.lying('orders-dlq')).toHaveLength(2);
});

describe('on a jadpo table', () => {
  const warehouse = ['--jadpo', 'warehouse.sqlite'];
  const change = (sql: string) => {
    const database = new Database(sandbox.path('warehouse.sqlite'));
    database.exec(sql);
    database.close();
  };
  const states = () => {
    const database = new Database(sandbox.path('warehouse.sqlite'), { readonly: true });
    const rows = database.prepare('SELECT id, status FROM jadpo_parked_messages').all();
    database.close();
    return Object.fromEntries((rows as { id: string; status: string }[]).map(({ id, status }) => [id, status]));
  };

  test('a row whose state or whose body is another by then is left', async () => {
    createJadpoFile(sandbox.path('warehouse.sqlite'), [
      parkedRow({ id: 'p1', body: '{"n":1}' }),
      parkedRow({ id: 'p2', body: '{"n":2}' }),
      parkedRow({ id: 'p3', body: '{"n":3}' }),
    ]);
    await plan('retry', '--all', ...warehouse);
    change(`UPDATE jadpo_parked_messages SET status = 'dismissed' WHERE id = 'p1'`);
    change(`UPDATE jadpo_parked_messages SET body = '{"n":9}', body_sha256 = 'x' WHERE id = 'p2'`);
    const { stdout, code } = await sandbox.run(['retry', '--plan', 'plan.json', '--yes', '--json', ...warehouse]);
    expect(code).toBe(3);
    expect(byId(stdout)).toMatchObject({
      p1: { outcome: 'skipped', detail: 'It changed meanwhile: it was failed, and is dismissed now.' },
      p2: { outcome: 'skipped', detail: 'Its body is another than the one that was planned.' },
      p3: { outcome: 'done' },
    });
    expect(states()).toEqual({ p1: 'dismissed', p2: 'failed', p3: 'pending' });
  });

  test('a message that was parked again since is not retried twice by one plan, and is by a new one', async () => {
    createJadpoFile(sandbox.path('warehouse.sqlite'), [parkedRow({ id: 'p1' })]);
    await plan('retry', '--all', ...warehouse);
    const carryOut = () => sandbox.run(['retry', '--plan', 'plan.json', '--yes', ...warehouse]);
    expect((await carryOut()).code).toBe(0);
    change(`UPDATE jadpo_parked_messages SET status = 'failed'`);
    expect((await carryOut()).code).toBe(0);
    expect(states()).toEqual({ p1: 'failed' });
    await plan('retry', '--all', ...warehouse);
    expect((await carryOut()).code).toBe(0);
    expect(states()).toEqual({ p1: 'pending' });
  });
});

test('a file that is no plan is wrong usage, and says what is wrong with it', async () => {
  put(1);
  writeFileSync(sandbox.path('plan.json'), '{"failures":[]}');
  for (const [args, why] of [
    [['--plan', 'plan.json'], 'plan.json is not a plan: it has no action and items.'],
    [['--plan', 'nope.json'], '--plan nope.json: there is no such file.'],
    [['x', '--plan', 'plan.json', '--to', 'orders'], "--plan and ids, --to can't go together."],
  ] as const) {
    const ran = await babelq('retry', ...args, '--yes');
    expect(ran).toMatchObject({ stdout: '', code: 2, stderr: expect.stringContaining(why) });
  }
  expect(server.lying('orders-dlq')).toHaveLength(1);
});
