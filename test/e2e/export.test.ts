import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ActionReport } from '../../src/model/action.ts';
import type { ExportLine } from '../../src/model/export-line.ts';
import type { WholeFailure } from '../../src/model/failure.ts';
import { createJadpoFile, parkedRow } from '../support/jadpo-table.ts';
import { Sandbox } from '../support/run-babelq.ts';
import { type SqsServer, startFauxqs, startLocalAwsSqs } from '../support/servers.ts';
import { allShapes, deadLettered, published } from '../support/shapes.ts';

let server: SqsServer;
let sandbox: Sandbox;
afterEach(async () => {
  await server.close();
  sandbox.remove();
});

const SQS = ['--sqs', 'orders-dlq'];
const file = () => sandbox.path('out.ndjson');
const linesOf = (text: string): ExportLine[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ExportLine);

async function exported(...args: string[]): Promise<ExportLine[]> {
  const { stdout, stderr, code } = await sandbox.run(['export', ...args]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  writeFileSync(file(), stdout);
  return linesOf(stdout);
}

async function imported(...args: string[]): Promise<ActionReport & { code: number | null }> {
  const { stdout, code } = await sandbox.run(['import', 'out.ndjson', '--yes', '--json', ...args]);
  return { ...(JSON.parse(stdout) as ActionReport), code };
}

/** As somebody who purges the queue. */
async function purge(queue: string): Promise<void> {
  const call = async (action: string, body: object) => {
    const answer = await fetch(server.endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` },
      body: JSON.stringify({ QueueUrl: `${server.endpoint}/${server.account}/${queue}`, ...body }),
    });
    return (await answer.json().catch(() => ({}))) as { Messages?: { ReceiptHandle: string }[] };
  };
  while (server.lying(queue).length > 0) {
    const { Messages = [] } = await call('ReceiveMessage', { MaxNumberOfMessages: 10, VisibilityTimeout: 60 });
    for (const { ReceiptHandle } of Messages) await call('DeleteMessage', { ReceiptHandle });
  }
}

/** What a message is, whatever its id. */
const contents = (queue: string) =>
  server
    .lying(queue)
    .map(({ body, attributes, groupId }) => ({ body, attributes, groupId }))
    .sort((a, b) => (a.body < b.body ? -1 : 1));

describe('on standard queues', () => {
  beforeEach(async () => {
    server = await startLocalAwsSqs();
    sandbox = new Sandbox(server.environment);
    await server.createQueue('orders-dlq');
    await server.createQueue('orders', {}, { queue: 'orders-dlq', maxReceiveCount: 3 });
  });

  test('what was exported and lost is put back byte for byte, with binary attributes and groups', async () => {
    const all = allShapes('orders', Date.now() - 60_000);
    const binary = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('base64');
    for (const [n, { body, attributes }] of all.entries()) {
      server.put('orders-dlq', {
        body,
        attributes: n === 0 ? { ...attributes, blob: { type: 'Binary.png', value: binary } } : attributes,
        ...(n === 1 && { groupId: 'fair' }),
      });
    }
    server.put('orders-dlq', { body: '\u{1f600}\u2028\u202e \t\r\n"\\', attributes: {} });
    const before = contents('orders-dlq');
    const lines = await exported(...SQS);
    expect(lines).toHaveLength(all.length + 1);
    expect(lines[0]).toEqual({
      failure: expect.objectContaining({
        source: 'orders-dlq',
        body_base64: null,
        system_attributes: expect.anything(),
      }),
      exported_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      redacted: false,
    });
    expect(server.lying('orders-dlq').filter(({ hidden }) => hidden)).toEqual([]);
    await purge('orders-dlq');
    const report = await imported(...SQS);
    expect(report).toMatchObject({ action: 'import', code: 0, matched: before.length, done: before.length });
    expect(report.items[0]).toMatchObject({ to: 'orders-dlq', outcome: 'done', new_id: expect.any(String) });
    expect(contents('orders-dlq')).toEqual(before);
  });

  test('what a message loses by being put there anew, babelq remembers of it', async () => {
    const sourceArn = `arn:aws:sqs:${server.region}:${server.account}:orders`;
    const sentAt = Date.now() - 3_600_000;
    server.put('orders-dlq', { body: 'order=1', sourceArn, sentAt });
    const [line] = await exported(...SQS);
    await purge('orders-dlq');
    const { items } = await imported(...SQS);
    const { failures } = await sandbox.json<{ failures: WholeFailure[] }>(['deliveries', ...SQS]);
    const { reason, queue, retry_to, sent_at } = line?.failure ?? ({} as WholeFailure);
    expect(failures).toMatchObject([{ id: `orders-dlq/${items[0]?.new_id}`, reason, queue, retry_to, sent_at }]);
    expect(sent_at).toBe(new Date(sentAt).toISOString());
    const log = await sandbox.run(['log', '--json']);
    expect(log.stdout).toContain('"action":"import"');
  });

  test('nothing is put there twice unless it is told, wherever it is by now', async () => {
    const [lying, retried, dismissed] = [1, 2, 3].map((n) =>
      server.put('orders-dlq', deadLettered({ id: `00000000-0000-4000-8000-00000000000${n}` })),
    ) as [string, string, string];
    await exported(...SQS);
    await sandbox.run(['retry', retried, '--yes', ...SQS]);
    await sandbox.run(['dismiss', dismissed, '--yes', ...SQS]);
    const first = await imported(...SQS);
    expect(first).toMatchObject({ code: 1, matched: 3, skipped: 3 });
    const details = Object.fromEntries(first.items.map(({ id, detail }) => [id.slice('orders-dlq/'.length), detail]));
    expect(details[lying]).toMatch(/^It lies on orders-dlq still\. --again/);
    expect(details[retried]).toMatch(/^Run \S+ has retried it, to orders as \S+\. --again/);
    expect(details[dismissed]).toMatch(/^Run \S+ has dismissed it: babelq restore brings it back\. --again/);
    expect(server.lying('orders-dlq')).toHaveLength(1);

    await server.createQueue('quarantine');
    expect(await imported(...SQS, '--to', 'quarantine', '--again')).toMatchObject({ code: 0, done: 3 });
    const again = await imported(...SQS, '--to', 'quarantine');
    expect(again).toMatchObject({ code: 1, skipped: 3 });
    expect(again.items[0]?.detail).toMatch(/^Run \S+ put it there as \S+\. --again/);
    expect(server.lying('quarantine')).toHaveLength(3);
  });

  test('a dry run says what would be done and does nothing, and a pipe can be imported', async () => {
    await server.createQueue('quarantine');
    server.put('orders-dlq', deadLettered());
    await exported(...SQS);
    const args = ['import', '-', '--to', 'quarantine', '--again', ...SQS];
    const input = readFileSync(file(), 'utf8');
    const dry = await sandbox.run([...args, '--dry-run'], { input });
    expect(dry).toMatchObject({ code: 0 });
    expect(dry.stdout).toMatch(
      /^Would import 1 message; nothing was changed\.\n {2}1 {2}orders {2}failed {2}→ quarantine\n/,
    );
    expect(dry.stdout).toContain('1 of them have a dead_letter record, which stays');
    expect(await sandbox.run(args, { input })).toMatchObject({ code: 2, stdout: '' });
    expect(server.lying('quarantine')).toEqual([]);
    const done = await sandbox.run([...args, '--yes'], { input: `\n${input}${input}` });
    expect(done.code).toBe(3);
    expect(done.stdout).toContain('Imported 1 of 2 messages: 1 skipped.');
    expect(done.stdout).toContain('It is in the file already, in line 2.');
    expect(server.lying('quarantine')).toMatchObject([{ body: deadLettered().body }]);
  });

  test('what can be read once only, as a shell puts it in for <(zcat …), is imported whole', async () => {
    server.put('orders-dlq', deadLettered());
    await exported(...SQS);
    await purge('orders-dlq');
    const pipe = sandbox.path('pipe');
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', pipe]);
    const writer = spawn('sh', ['-c', 'cat "$1" > "$2"', 'sh', file(), pipe]);
    const { stdout, code } = await sandbox.run(['import', pipe, '--yes', ...SQS]);
    writer.kill();
    expect({ stdout, code }).toEqual({ stdout: 'Imported 1 message.\n', code: 0 });
    expect(server.lying('orders-dlq')).toMatchObject([{ body: deadLettered().body }]);
  });

  test('what was blanked is marked, and not imported', async () => {
    writeFileSync(sandbox.path('babelq.yaml'), 'sources: [{ sqs: orders-dlq }]\nredact: [data.email]\n');
    server.put('orders-dlq', published({ data: '{"email":"a@b.c"}' }));
    server.put('orders-dlq', { body: 'order=1' });
    const plain = await exported();
    expect(plain.map(({ redacted }) => redacted)).toEqual([false, false]);
    const { stdout, stderr } = await sandbox.run(['export', '--redact']);
    expect(stdout).not.toContain('a@b.c');
    expect(stderr).toContain('1 of the bodies are not JSON: nothing in them was blanked.');
    writeFileSync(file(), stdout);
    await purge('orders-dlq');
    const report = await imported();
    expect(report).toMatchObject({ code: 3, done: 1, skipped: 1 });
    expect(report.items.find(({ outcome }) => outcome === 'skipped')?.detail).toContain('were blanked');
    expect(contents('orders-dlq').map(({ body }) => body)).toEqual(['order=1']);
    expect(await sandbox.run(['export', '--redact', ...SQS, '--config', '/dev/null'])).toMatchObject({ code: 2 });
  });

  test('the original of what was sent edited can be had, and put back where it is told', async () => {
    const order = published({ data: '{"currency":"EURO"}' });
    const id = server.put('orders-dlq', order);
    await sandbox.run(['retry', id, '--set', 'data.currency=EUR', '--yes', ...SQS]);
    expect(
      (await sandbox.json<{ failures: unknown[] }>(['deliveries', '--state', 'dismissed', ...SQS])).failures,
    ).toEqual([]);
    expect((await sandbox.run(['restore', '--all', '--yes', ...SQS])).code).toBe(4);
    const lines = await exported('--edited', ...SQS);
    expect(lines).toMatchObject([
      { failure: { id: `orders-dlq/${id}`, body: order.body, attributes: order.attributes } },
    ]);
    expect(await exported(id, '--edited', ...SQS)).toHaveLength(1);
    expect(await imported(...SQS)).toMatchObject({ code: 1, skipped: 1 });
    expect(await imported(...SQS, '--again')).toMatchObject({ code: 0, done: 1 });
    expect(contents('orders-dlq').map(({ body }) => body)).toEqual([order.body]);
  });

  test('filters, ids and limits choose what is exported; what matches nothing is exit 4', async () => {
    const id = server.put('orders-dlq', deadLettered());
    server.put('orders-dlq', { body: 'order=1' });
    expect(await exported(id.slice(0, 8), ...SQS)).toMatchObject([{ failure: { id: `orders-dlq/${id}` } }]);
    expect(await exported('--reason', 'failed', ...SQS)).toHaveLength(1);
    expect(await exported('--all', '--limit', '1', ...SQS)).toHaveLength(1);
    const missing = await sandbox.run(['export', id, '00000000-none', ...SQS]);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('00000000-none') });
    expect(linesOf(missing.stdout)).toHaveLength(1);
    for (const args of [['--reason', 'nope'], ['00000000-none'], ['--edited']]) {
      expect(await sandbox.run(['export', ...args, ...SQS])).toMatchObject({ code: 4, stdout: '' });
    }
    expect(await sandbox.run(['export', '--output', 'csv', ...SQS])).toMatchObject({ code: 2, stdout: '' });
    const unreachable = await sandbox.run(['export', '--sqs', 'nope-dlq', '--json']);
    expect(unreachable).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^\{"error":\{"code":"no_queue"/),
    });
  });

  test.each([
    ['nothing', '', 4, 'There is no message in out.ndjson'],
    ['what is no JSON', '{"failure":{}}\nx', 2, 'out.ndjson, line 1 is not of an export: failure.id is not a text.'],
    ['a listing', '{"failures":[],"sources":[]}', 2, 'out.ndjson, line 1 is not of an export: it has no failure.'],
    ['a text that is no UTF-8', Buffer.from([0x7b, 0xff]), 2, 'line 1 is not UTF-8'],
  ])('a file of %s puts nothing anywhere', async (_, content, code, why) => {
    writeFileSync(file(), content);
    const ran = await sandbox.run(['import', 'out.ndjson', '--yes', ...SQS]);
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(why) });
    expect(server.lying('orders-dlq')).toEqual([]);
  });

  test('where a file can go is said: no source of that name, no queue, no file, no SQS', async () => {
    server.put('orders-dlq', deadLettered());
    await exported(...SQS);
    await server.createQueue('other-dlq');
    const elsewhere = await imported('--sqs', 'other-dlq');
    expect(elsewhere).toMatchObject({ code: 1, skipped: 1 });
    expect(elsewhere.items[0]?.detail).toContain('There is no SQS source orders-dlq here');
    const noQueue = await sandbox.run(['import', 'out.ndjson', '--to', 'nope', '--yes', ...SQS]);
    expect(noQueue).toMatchObject({ code: 1, stderr: expect.stringContaining('The queue nope does not exist') });
    expect(await sandbox.run(['import', 'nope.ndjson', '--yes', ...SQS])).toMatchObject({ code: 2 });
    createJadpoFile(sandbox.path('w.sqlite'), []);
    const jadpo = await sandbox.run(['import', 'out.ndjson', '--yes', '--jadpo', 'w.sqlite']);
    expect(jadpo).toMatchObject({ code: 2, stderr: expect.stringContaining('Messages are put on SQS queues only') });
  });

  test('what a jadpo app parked is exported whole; bytes that are no text stay in the file', async () => {
    await server.createQueue('quarantine');
    createJadpoFile(sandbox.path('w.sqlite'), [parkedRow({ id: 'p1', body: '{"n":1.0}' }), parkedRow({ id: 'p2' })]);
    const bytes = Buffer.from([0x7b, 0xff, 0x00]);
    const database = new Database(sandbox.path('w.sqlite'));
    database.prepare(`UPDATE jadpo_parked_messages SET body = ? WHERE id = 'p2'`).run(bytes);
    database.close();
    const lines = await exported('--jadpo', 'w.sqlite');
    expect(lines).toMatchObject([
      { failure: { id: 'w/p1', body: '{"n":1.0}', body_base64: null } },
      { failure: { id: 'w/p2', body: null, body_base64: bytes.toString('base64') } },
    ]);
    const report = await imported('--to', 'quarantine', ...SQS);
    expect(report).toMatchObject({ code: 3, done: 1, skipped: 1 });
    expect(report.items.find(({ id }) => id === 'w/p2')?.detail).toContain('not UTF-8 text');
    expect(contents('quarantine').map(({ body }) => body)).toEqual(['{"n":1.0}']);
  });

  test('a queue of which not all can be seen is not added to', async () => {
    server.put('orders-dlq', deadLettered());
    await exported(...SQS);
    await fetch(server.endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.ReceiveMessage' },
      body: JSON.stringify({ QueueUrl: `${server.endpoint}/${server.account}/orders-dlq`, VisibilityTimeout: 60 }),
    });
    const ran = await sandbox.run(['import', 'out.ndjson', '--yes', ...SQS]);
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Not all of orders-dlq') });
    expect(server.lying('orders-dlq')).toHaveLength(1);
  });
});

test('on FIFO the order within a group is that of the file', async () => {
  server = await startFauxqs();
  sandbox = new Sandbox(server.environment);
  await server.createQueue('orders-dlq.fifo');
  await server.createQueue('copy.fifo');
  server.put('orders-dlq.fifo', { body: 'first', groupId: 'a' });
  const [line] = await exported('--sqs', 'orders-dlq.fifo');
  if (line === undefined) throw new Error('nothing was exported');
  const lines = Array.from({ length: 24 }, (_, n) => {
    const id = `orders-dlq.fifo/00000000-0000-4000-8000-0000000000${10 + n}`;
    const system_attributes = { ...line.failure.system_attributes, MessageGroupId: n % 3 === 0 ? 'a' : 'b' };
    return JSON.stringify({ ...line, failure: { ...line.failure, id, body: `body ${10 + n}`, system_attributes } });
  });
  writeFileSync(file(), lines.join('\n'));
  const report = await imported('--to', 'copy.fifo', '--sqs', 'orders-dlq.fifo');
  expect(report).toMatchObject({ code: 0, done: 24 });
  for (const group of ['a', 'b']) {
    const there = server.lying('copy.fifo').filter(({ groupId }) => groupId === group);
    expect(there.map(({ body }) => body)).toEqual(there.map(({ body }) => body).sort());
    expect(there).toHaveLength(group === 'a' ? 8 : 16);
  }
});
