import { readFileSync, writeFileSync } from 'node:fs';
import stringWidth from 'string-width';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Failure, WholeFailure } from '../../src/model/failure.ts';
import type { SourceReport } from '../../src/model/operations/survey.ts';
import { createJadpoFile, parkedExamples, parkedRow } from '../support/jadpo-table.ts';
import { Sandbox } from '../support/run-babelq.ts';
import { type SqsServer, startLocalAwsSqs } from '../support/servers.ts';
import { allShapes, deadLettered } from '../support/shapes.ts';

interface Document {
  failures: Failure[];
  sources: SourceReport[];
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const HOSTILE = 'a\u001b]52;c;eA==\u0007b\u009b2Jc\u202ed';
const now = Date.now();

let server: SqsServer;
let sandbox: Sandbox;

beforeAll(async () => {
  server = await startLocalAwsSqs();
  sandbox = new Sandbox(server.environment);
  await server.createQueue('orders-dlq');
  await server.createQueue('empty-dlq');
  await server.createQueue('orders', {}, { queue: 'orders-dlq', maxReceiveCount: 3 });
  for (const { shape, body, attributes } of allShapes('orders', now - 2 * HOUR)) {
    const native = shape === 'b' ? { sourceArn: `arn:aws:sqs:us-east-1:${server.account}:orders` } : {};
    server.put('orders-dlq', { body, attributes, ...native, sentAt: now - 2 * HOUR });
  }
  server.put('orders-dlq', { ...deadLettered({ urn: 'urn:babel:orders:soon' }), sentAt: now - 4 * DAY + 5.5 * HOUR });
  server.put('orders-dlq', { body: HOSTILE });
  createJadpoFile(sandbox.path('warehouse.sqlite'), [
    ...parkedExamples(now),
    parkedRow({ id: 'p99', status: 'pending', parked_at: new Date(now - HOUR).toISOString() }),
  ]);
  writeFileSync(
    sandbox.path('babelq.yaml'),
    'sources:\n  - { name: orders, sqs: orders-dlq }\n  - { name: warehouse, jadpo: ./warehouse.sqlite }\nredact: [data.order_id]\n',
  );
});
afterAll(async () => {
  await server.close();
  sandbox.remove();
});

/** Nothing of the dead-letter queue is hidden from anybody. */
const nothingHeld = () => expect(server.lying('orders-dlq').filter(({ hidden }) => hidden)).toEqual([]);

test('one list has every shape and every parked message, with its reason, origin and target', async () => {
  const { failures, sources } = await sandbox.json<Document>(['deliveries']);
  expect(sources).toEqual([
    { name: 'orders', kind: 'sqs', listed: 12, about: 12, complete: true, note: null, error: null },
    { name: 'warehouse', kind: 'jadpo', listed: 5, about: 5, complete: true, note: null, error: null },
  ]);
  const told = failures.map(({ origin, state, reason, reason_basis, queue, retry_to, retry_to_basis }) =>
    [origin, state, reason, reason_basis, queue, retry_to, retry_to_basis].join(' '),
  );
  expect(told.sort()).toEqual(
    [
      'sqs_app failed failed recorded orders orders original_queue',
      'sqs_app failed failed recorded orders orders original_queue',
      'sqs_native failed max_receives inferred orders orders source_arn',
      'sqs_app failed unsupported_schema_version inferred orders orders policy',
      'sqs_app failed unsupported_schema_version inferred orders orders policy',
      'sqs_app failed poison recorded orders orders original_queue',
      'sqs_app failed poison recorded orders orders original_queue',
      'sqs_app failed poison recorded orders orders original_queue',
      'sqs_app failed unknown_urn recorded orders orders original_queue',
      'sqs_app failed expired recorded orders orders original_queue',
      'sqs_native failed max_receives inferred orders orders policy',
      'sqs_native failed max_receives inferred orders orders policy',
      'jadpo failed unlisted_type recorded warehouse_queue  ',
      'jadpo failed unreadable recorded warehouse_queue  ',
      'jadpo failed unreadable recorded warehouse_queue  ',
      'jadpo failed too_large recorded warehouse_queue  ',
      'jadpo pending unreadable recorded warehouse_queue  ',
    ].sort(),
  );
  // Two whose body was lost before it got here, and one that its app is to read again already.
  expect(failures.filter(({ retryable }) => !retryable)).toHaveLength(3);
  nothingHeld();
});

test('the table says what hurts most first, with ids that can be typed back, and nothing hostile', async () => {
  const { stdout, stderr, code } = await sandbox.run(['deliveries']);
  expect(code).toBe(0);
  const [title = '', first = '', ...rest] = stdout.trimEnd().split('\n');
  expect(title.split(/ {2,}/)).toEqual('ID STATE QUEUE SUBJECT REASON TRIES FAILED EXPIRES ERROR'.split(' '));
  expect(first).toMatch(
    /^[0-9a-f]{8} {2}failed {3}orders +urn:babel:orders:soon +failed +3 .* in 5h +Payment gateway timeout {2}GatewayTimeout$/,
  );
  expect(rest).toHaveLength(16);
  expect(rest.at(-1)).toContain('p14');
  expect(stdout).toContain('sent 2h ago');
  expect(stdout).toMatch(/p12 .*4m ago +– +total: required/);
  expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  expect(stderr).toContain('17 failures: orders 12 of about 12, warehouse 5 of about 5. 1 expires within 6 hours.');
  const id = /babelq inspect (\S+)/.exec(stderr)?.[1] ?? '';
  const { failures } = await sandbox.json<Document>(['inspect', id]);
  expect(failures[0]?.subject).toBe('urn:babel:orders:soon');
});

test('the other outputs hold the same failures, and only stdout has data', async () => {
  const warehouse = ['--source', 'warehouse'];
  const { failures } = await sandbox.json<Document>(['deliveries', ...warehouse]);
  const ndjson = await sandbox.run(['deliveries', '--output', 'ndjson', ...warehouse]);
  const lines = ndjson.stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(failures);
  const ids = await sandbox.run(['--output', 'ids', ...warehouse, 'list', '--quiet']);
  expect(ids).toEqual({ stdout: failures.map(({ id }) => `${id}\n`).join(''), stderr: '', code: 0 });
  const csv = await sandbox.run(['deliveries', '--output', 'csv', '--quiet', ...warehouse]);
  const [header, ...rows] = csv.stdout.trimEnd().split('\r\n');
  expect(header).toBe('id,state,queue,subject,reason,attempts,failed_at,sent_at,expires_at,error');
  expect(rows.map((row) => row.split(',')[0])).toEqual(failures.map(({ id }) => id));
});

test('bodies come only where they are asked for, redacted where the configuration says so', async () => {
  const bare = await sandbox.json<Document>(['deliveries', '--source', 'warehouse']);
  expect(bare.failures.some((failure) => 'body' in failure)).toBe(false);
  const { failures } = await sandbox.json<{ failures: WholeFailure[] }>(['deliveries', '--with-body']);
  const hostile = failures.find(({ body }) => body === HOSTILE);
  expect(hostile?.size_bytes).toBe(Buffer.byteLength(HOSTILE));
  const soon = failures.find(({ subject }) => subject === 'urn:babel:orders:soon');
  expect(JSON.parse(soon?.body ?? '').data).toEqual({ order_id: '[redacted]' });
  expect(soon?.redacted).toBe(true);
});

test.each([
  [['--reason', 'poison', '--reason', 'un*'], 10],
  [['--subject', 'urn:babel:orders:*', '--reason', 'failed', '--where', 'data.order_id=1042', '--error', 'TIMEOUT'], 2],
  [['--source', 'warehouse', '--queue', 'ware*', '--state', 'pending'], 1],
  [['--source', 'warehouse', '--origin', 'sqs_native'], 0],
  [['--source', 'warehouse', '--message-id', '9917'], 1],
  [['--source', 'warehouse', '--since', '30m'], 2],
  [['--source', 'warehouse', '--before', '2h'], 1],
  [['--source', 'warehouse', '--limit', '3'], 3],
  [['--source', 'warehouse', '--state', 'dismissed'], 0],
] as const)('babelq deliveries %j lists %i', async (args, count) => {
  const { failures } = await sandbox.json<Document>(['deliveries', ...args]);
  expect(failures).toHaveLength(count);
  nothingHeld();
});

test('a listing cut by its limit says so', async () => {
  const { sources } = await sandbox.json<Document>(['deliveries', '--limit', '3', '--source', 'orders']);
  expect(sources).toMatchObject([{ listed: 3, complete: false, note: expect.stringContaining('scanned') }]);
});

test('an empty queue is said to be empty, and is no error', async () => {
  const { stdout, stderr, code } = await sandbox.run(['deliveries', '--sqs', 'empty-dlq']);
  expect({ stdout, code }).toEqual({ stdout: '', code: 0 });
  expect(stderr).toContain('No failures: empty-dlq 0 of about 0.');
});

test('sources have their counts, and reading them receives nothing', async () => {
  const before = server.lying('orders-dlq').map(({ receiveCount }) => receiveCount);
  const { sources } = await sandbox.json<{ sources: unknown[] }>(['sources']);
  expect(sources).toEqual([
    {
      name: 'orders',
      kind: 'sqs',
      queue: 'orders-dlq',
      fifo: false,
      visible: 12,
      in_flight: 0,
      delayed: 0,
      retention_seconds: 345600,
      redrive_sources: ['orders'],
      error: null,
    },
    expect.objectContaining({ name: 'warehouse', kind: 'jadpo', queue: 'jadpo_parked_messages', visible: 4 }),
  ]);
  expect(server.lying('orders-dlq').map(({ receiveCount }) => receiveCount)).toEqual(before);
  expect((await sandbox.run(['sources'])).stdout).toMatch(/^NAME .*\norders +sqs +orders-dlq +12 +0 +0 +4d +orders\n/);
});

test('inspect tells why, what to mend, where a retry goes, and the body, with nothing hostile', async () => {
  const all = server.lying('orders-dlq');
  const soon = all.find(({ body }) => body.includes('orders:soon'))?.messageId ?? '';
  const { stdout, code } = await sandbox.run(['inspect', soon]);
  expect(code).toBe(0);
  for (const text of [
    `orders/${soon}`,
    'failed (recorded)',
    "The app's handler failed on every attempt it allows.",
    'Payment gateway timeout',
    'Mend what the error names',
    'orders (its dead_letter record names it)',
    'in 5h',
    'bq-schema-version  1  (Number)',
    '"order_id": "[redacted]"',
  ]) {
    expect(stdout).toContain(text);
  }
  const pages = await sandbox.run(['inspect', ...all.map(({ messageId }) => messageId)]);
  for (const { messageId } of all) expect(pages.stdout).toContain(messageId);
  expect(pages.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  nothingHeld();
});

test('inspect --raw gives the stored bytes and nothing else, whatever is redacted elsewhere', async () => {
  for (const { messageId, body } of server.lying('orders-dlq').filter(({ body }) => /orders:soon|\u001b/.test(body))) {
    expect(await sandbox.run(['inspect', messageId, '--raw'])).toEqual({ stdout: body, stderr: '', code: 0 });
  }
});

test('inspect --json has the body, the attributes and the history', async () => {
  const { failures } = await sandbox.json<{ failures: (WholeFailure & { history: unknown[] })[] }>([
    'inspect',
    'p12',
    '--source',
    'warehouse',
  ]);
  expect(failures).toMatchObject([
    {
      id: 'warehouse/p12',
      body: expect.stringContaining('DHL'),
      attributes: {},
      history: [],
      problems: [{ field: 'total' }],
    },
  ]);
});

test('an id may be a prefix; one that fits two or none is told', async () => {
  const warehouse = ['--source', 'warehouse'];
  const two = await sandbox.run(['inspect', 'p1', ...warehouse]);
  expect(two.code).toBe(2);
  expect(two.stderr).toContain('p1 could be any of these: warehouse/p11, warehouse/p12, warehouse/p13, warehouse/p14.');
  const none = await sandbox.run(['inspect', 'nope']);
  expect(none).toMatchObject({ code: 4, stdout: '' });
  expect(none.stderr).toContain('No message has the id nope.');
  expect(none.stderr).not.toContain('No source');
  const elsewhere = await sandbox.run(['inspect', 'nosuch/abc']);
  expect(elsewhere.stderr).toMatch(/No source here is named nosuch: there are .*orders.*warehouse/);
  const some = await sandbox.run(['inspect', 'warehouse/p12', 'nope', '--output', 'ids', ...warehouse]);
  expect(some).toMatchObject({ code: 1, stdout: 'warehouse/p12\n' });
});

test('in a pipe no line is cut, and colours come only when they are forced', async () => {
  const forced = await sandbox.run(['deliveries', '--source', 'orders'], { env: { FORCE_COLOR: '1' } });
  expect(forced.stdout).toContain('\u001b[31min 5h');
  expect(Math.max(...forced.stdout.split('\n').map((line) => stringWidth(line)))).toBeGreaterThan(100);
  expect(forced.stdout).not.toContain('…');
  const warehouse = ['deliveries', '--source', 'warehouse'];
  const titles = await sandbox.run(warehouse, { env: { FORCE_COLOR: '1' } });
  expect(titles.stdout).toContain('\u001b');
  const refused = await sandbox.run([...warehouse, '--no-color'], { env: { FORCE_COLOR: '1' } });
  expect(refused.stdout).not.toContain('\u001b');
});

test('a listing of a SQLite file loads only what it uses, and few files', async () => {
  const alone = new Sandbox();
  const told = alone.path('loaded.json');
  const watch = alone.path('watch.cjs');
  writeFileSync(
    watch,
    `const { writeFileSync } = require('node:fs');
process.on('exit', () => writeFileSync(${JSON.stringify(told)}, JSON.stringify([process.moduleLoadList, Object.keys(require.cache)])));`,
  );
  const args = ['deliveries', '--json', '--jadpo', sandbox.path('warehouse.sqlite')];
  expect(await alone.run(args, { env: { NODE_OPTIONS: `--require=${watch}` } })).toMatchObject({
    code: 0,
    stderr: '',
  });
  const [builtins, files] = JSON.parse(readFileSync(told, 'utf8')) as [string[], string[]];
  // Each of these takes milliseconds, of some fifty.
  expect(builtins.filter((name) => /^NativeModule (?:crypto|fs\/promises|http|child_process)$/.test(name))).toEqual([]);
  expect(files.map((file) => file.split('/').at(-1))).toEqual(['watch.cjs', expect.stringMatching(/\.node$/)]);
  alone.remove();
});
