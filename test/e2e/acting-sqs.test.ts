import { writeFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openJournal } from '../../src/adapters/journal/journal.ts';
import type { ActionReport } from '../../src/model/action.ts';
import type { WholeFailure } from '../../src/model/failure.ts';
import type { LogEntry } from '../../src/model/ports.ts';
import { Sandbox } from '../support/run-babelq.ts';
import { type SqsServer, startLocalAwsSqs } from '../support/servers.ts';
import { allShapes, deadLettered, published } from '../support/shapes.ts';

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

const SQS = ['--sqs', 'orders-dlq'];
const babelq = (...args: string[]) => sandbox.run([...args, ...SQS]);
const bodies = (queue: string) =>
  server
    .lying(queue)
    .map(({ body }) => body)
    .sort();
const hidden = () => server.lying('orders-dlq').filter((message) => message.hidden);

test('a retried message is in its queue with the stored bytes but for the reset, and gone from the dead-letter queue', async () => {
  const failed = deadLettered();
  const attributes = {
    ...failed.attributes,
    blob: { type: 'Binary.gzip', value: Buffer.from([0, 255]).toString('base64') },
  };
  const id = server.put('orders-dlq', { ...failed, attributes });
  const { stdout, code } = await babelq('retry', id.slice(0, 8), '--yes', '--json');
  expect(code).toBe(0);
  const { items } = JSON.parse(stdout) as ActionReport;
  expect(server.lying('orders-dlq')).toEqual([]);
  const [sent] = server.lying('orders');
  expect(sent?.body).toBe(
    failed.body.replace(/,"dead_letter":\{.*?\}(?=\}$)/, '').replace('"attempts":3', '"attempts":0'),
  );
  expect(sent?.attributes).toEqual(attributes);
  expect(items).toEqual([
    {
      id: `orders-dlq/${id}`,
      reason: 'failed',
      outcome: 'done',
      to: 'orders',
      new_id: sent?.messageId,
      returned: null,
      possible_double: false,
      detail: null,
    },
  ]);
});

test('what matches is retried and told by shape, what cannot be is skipped with why, the rest stays in sight', async () => {
  for (const { body, attributes } of allShapes('orders', Date.now() - 60_000))
    server.put('orders-dlq', { body, attributes });
  const { stdout, stderr, code } = await babelq('retry', '--reason', 'poison', '--yes');
  expect(code).toBe(3);
  expect(stdout).toContain('Retried 2 of 3 messages: 1 skipped.');
  expect(stdout).toContain('The body was lost before it got here');
  expect(stderr).toMatch(/babelq log --run \S+/);
  expect(stderr.match(/one pass/gi)).toHaveLength(1);
  expect(bodies('orders')).toContain('order=1042;total=99.90');
  expect(server.lying('orders-dlq')).toHaveLength(8);
  expect(hidden()).toEqual([]);
});

test('--to sends elsewhere, and --bypass marks what it sends', async () => {
  await server.createQueue('orders-repaired');
  server.put('orders-dlq', published());
  const { code } = await babelq('retry', '--all', '--to', 'orders-repaired', '--bypass', '--yes');
  expect(code).toBe(0);
  const [sent] = server.lying('orders-repaired');
  expect(sent?.body).toBe(published().body);
  expect(sent?.attributes['bq-replay-bypass']).toEqual({ type: 'String', value: '1' });
});

test('a dismissed message leaves the queue for the archive, and comes back byte for byte', async () => {
  const id = server.put('orders-dlq', deadLettered());
  const dismissed = await babelq('dismiss', id, '--yes');
  expect(dismissed).toMatchObject({ code: 0, stdout: 'Dismissed 1 message.\n' });
  expect(dismissed.stderr).toContain(`babelq restore orders-dlq/${id}`);
  expect(server.lying('orders-dlq')).toEqual([]);
  const archived = await sandbox.json<{ failures: WholeFailure[] }>(['deliveries', '--state', 'dismissed', ...SQS]);
  expect(archived.failures).toMatchObject([{ id: `orders-dlq/${id}`, state: 'dismissed', held_in: 'archive' }]);
  expect((await babelq('inspect', id, '--raw')).stdout).toBe(deadLettered().body);
  const restored = await babelq('restore', id.slice(0, 8), '--yes');
  expect(restored).toMatchObject({ code: 0, stdout: 'Restored 1 message.\n' });
  const [again] = server.lying('orders-dlq');
  expect(restored.stderr).toBe(`It is there again: orders-dlq/${again?.messageId}\n`);
  expect(server.lying('orders-dlq')).toMatchObject([
    { body: deadLettered().body, attributes: deadLettered().attributes },
  ]);
  const { entries } = await sandbox.json<{ entries: LogEntry[] }>(['log']);
  expect(entries).toMatchObject([
    { action: 'restore', outcome: 'done', to: 'orders-dlq', new_id: server.lying('orders-dlq')[0]?.messageId },
    { action: 'dismiss', outcome: 'done', to: 'archive' },
  ]);
});

test('restore goes by when it was dismissed, however long ago it failed', async () => {
  server.put('orders-dlq', deadLettered());
  await babelq('dismiss', '--all', '--yes');
  expect(await babelq('restore', '--before', '1h', '--yes')).toMatchObject({ code: 4 });
  expect(await babelq('restore', '--since', '1h', '--dry-run')).toMatchObject({ code: 0 });
  expect(await babelq('restore', '--since', '1h', '--yes')).toMatchObject({ stdout: 'Restored 1 message.\n' });
});

test('a machine whose clock was wrong once loses nothing of the archive, and restores all of it', async () => {
  const shifted = (hours: number) => {
    const path = sandbox.path(`shift${hours}.cjs`);
    writeFileSync(path, `const { now } = Date; Date.now = () => now() + ${hours * 3_600_000};`);
    return { env: { NODE_OPTIONS: `--require=${path}` } };
  };
  const ids = [server.put('orders-dlq', deadLettered()), server.put('orders-dlq', deadLettered({ id: 'another' }))];
  const act = (args: string[], hours: number) => sandbox.run([...args, '--yes', ...SQS], shifted(hours));
  expect(await act(['dismiss', ids[0] ?? ''], 2)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`A new journal was made for it: ${sandbox.path('state/babelq/journal.db')}.`),
  });
  // Forty days ahead, by which its time would be over.
  expect(await act(['dismiss', ids[1] ?? ''], 40 * 24)).toMatchObject({ code: 0 });
  expect((await act(['restore', '--all', '--max', '1'], 40 * 24)).stdout).toContain('Restored 1 message.');
  expect((await act(['restore', '--all'], 0)).stdout).toContain('Restored 1 message.');
  const there = server.lying('orders-dlq').map(({ messageId }) => messageId);
  // Forty days behind: over as soon as it is done.
  expect((await act(['dismiss', ...there], -40 * 24)).stdout).toContain('Dismissed 2 messages.');
  expect((await act(['restore', '--all'], 0)).stdout).toContain('Restored 2 messages.');
});

test('what a run that ended in the middle may have sent is told before it is sent again', async () => {
  const id = server.put('orders-dlq', deadLettered());
  const path = sandbox.path('state/babelq/journal.db');
  const clock = { now: () => Date.now(), sleep: async () => {} };
  const journal = openJournal({ path, clock, create: true, env: sandbox.env });
  const run = await journal.begin({ action: 'retry', by: 'ana@desk', note: null, asked: 'all' });
  const place = `arn:aws:sqs:${server.region}:${server.account}:orders-dlq@${new URL(server.endpoint).host}`;
  const message = { messageId: id, ...deadLettered(), systemAttributes: {} };
  const rest = { reason: 'failed', queue: 'orders', subject: null, to: 'orders', deduplicationId: null };
  const intent = { source: 'orders-dlq', place, nativeId: id, identity: id, possibleDouble: false, remembered: null };
  await journal.intend(run, [{ ...intent, ...rest, message }]);
  await journal.close();
  const database = new Sqlite(path);
  database.prepare('UPDATE runs SET beat_at = 0').run();
  database.close();

  const planned = await babelq('retry', '--all', '--dry-run', '--json');
  expect(JSON.parse(planned.stdout)).toMatchObject({ items: [{ outcome: 'planned', possible_double: true }] });
  const { stdout } = await babelq('retry', id, '--dry-run');
  expect(stdout).toContain('1 message may have been sent by an earlier run');
  expect(JSON.parse((await babelq('retry', id, '--yes', '--json')).stdout)).toMatchObject({
    items: [{ outcome: 'done', possible_double: true }],
  });
});

test('a target in another account or region is named with it, and a URL that leads to another server refused', async () => {
  server.put('orders-dlq', deadLettered());
  const arn = 'arn:aws:sqs:eu-west-1:210987654321:orders';
  expect((await babelq('retry', '--all', '--to', arn, '--dry-run')).stdout).toContain(
    '→ orders (account 210987654321, eu-west-1)',
  );
  const url = 'https://sqs.eu-west-1.amazonaws.com/210987654321/orders';
  for (const args of [['--yes'], ['--dry-run'], ['--native', '--yes']]) {
    const refused = await babelq('retry', '--all', '--to', url, ...args);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('The URL of orders leads to sqs.eu-west-1.amazonaws.com');
  }
  expect(await sandbox.run(['import', '-', '--yes', '--to', url, ...SQS], { input: '' })).toMatchObject({ code: 4 });
  expect(await sandbox.run(['deliveries', '--sqs', url])).toMatchObject({ code: 2 });
  expect(bodies('orders-dlq')).toHaveLength(1);
});

test('a dry run of a retry touches nothing', async () => {
  server.put('orders-dlq', deadLettered());
  const { stdout, code } = await babelq('retry', '--all', '--dry-run');
  expect(code).toBe(0);
  expect(stdout).toContain('Would retry 1 message; nothing was changed.\n  1  orders  failed  → orders');
  expect(bodies('orders-dlq')).toEqual([deadLettered().body]);
  expect(bodies('orders')).toEqual([]);
  expect(hidden()).toEqual([]);
});

test('where somebody else holds everything it says so, and how long to wait', async () => {
  server.put('orders-dlq', deadLettered());
  const receive = await fetch(server.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.ReceiveMessage' },
    body: JSON.stringify({ QueueUrl: `${server.endpoint}/${server.account}/orders-dlq`, VisibilityTimeout: 60 }),
  });
  expect(receive.status).toBe(200);
  const listing = await babelq('deliveries');
  expect(listing.code).toBe(0);
  expect(listing.stderr).toMatch(/0 seen, 1 in flight, try again in \d+ s/);
  const retry = await babelq('retry', '--all', '--yes');
  expect(retry.code).toBe(1);
  expect(retry.stderr).toContain('0 seen, 1 in flight');
  // Of some it does what it can, and the document says that there was more.
  server.put('orders-dlq', deadLettered({ id: 'another' }));
  const some = await babelq('retry', '--all', '--yes', '--json');
  expect(some.code).toBe(0);
  const note = expect.stringContaining('about 1 are in flight elsewhere');
  expect(JSON.parse(some.stdout)).toMatchObject({
    done: 1,
    sources: [{ name: 'orders-dlq', seen: 1, complete: false, note, error: null }],
  });
});

test('Ctrl+C in the middle of a run ends it cleanly: what was begun is told, the rest is in sight again', async () => {
  for (let n = 0; n < 60; n++)
    server.put('orders-dlq', published({ id: `0b9c8d7e-6f5a-4b3c-9d2e-1f0a9b8c7d${10 + n}` }));
  const running = sandbox.start(['retry', '--all', '--rate', '10', '--yes', ...SQS]);
  await vi.waitFor(() => expect(server.lying('orders').length).toBeGreaterThan(4), 10_000);
  running.kill('SIGINT');
  const { stdout, stderr, code } = await running.done;
  expect(code).toBe(130);
  expect(stderr).toContain('Stopping:');
  expect(stderr).toContain('what was not begun stays as it was');
  const sent = server.lying('orders').length;
  expect(stdout).toContain(`Retried ${sent} `);
  expect(sent).toBeLessThan(60);
  expect(server.lying('orders-dlq')).toHaveLength(60 - sent);
  expect(hidden()).toEqual([]);
});

test('an empty queue is nothing to act on: exit 4', async () => {
  expect(await babelq('retry', '--all', '--yes')).toMatchObject({ code: 4, stdout: '' });
});
