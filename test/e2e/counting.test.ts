import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Checked } from '../../src/model/operations/check.ts';
import type { Grouped } from '../../src/model/operations/groups.ts';
import { createJadpoFile, parkedExamples, parkedRow } from '../support/jadpo-table.ts';
import { Sandbox } from '../support/run-babelq.ts';
import { type SqsServer, startFauxqs, startLocalAwsSqs } from '../support/servers.ts';
import { deadLettered } from '../support/shapes.ts';

const HOUR = 3_600_000;
const HOSTILE = 'say "no"\\\n\u001b]52;c;eA==\u0007';
const now = Date.now();
let server: SqsServer;
let fifo: SqsServer;
let sandbox: Sandbox;

function order(n: number, reason: string, error: string, hoursAgo: number) {
  return deadLettered({
    id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    deadLetter: { reason, error, exception: null, failedAt: now - hoursAgo * HOUR },
  });
}

beforeAll(async () => {
  server = await startLocalAwsSqs();
  fifo = await startFauxqs();
  sandbox = new Sandbox(server.environment);
  await server.createQueue('orders-dlq');
  await server.createQueue('empty-dlq');
  for (let n = 0; n < 12; n += 1) {
    server.put('orders-dlq', order(n, 'failed', `order ${n} timed out after ${n * 31} ms`, 1 + n));
  }
  for (let n = 12; n < 15; n += 1) server.put('orders-dlq', order(n, HOSTILE, `card 'x${n}' declined`, 30));
  createJadpoFile(sandbox.path('warehouse.sqlite'), [
    ...parkedExamples(now),
    parkedRow({ id: 'p99', status: 'pending' }),
  ]);
  writeFileSync(
    sandbox.path('babelq.yaml'),
    'sources:\n  - { name: orders, sqs: orders-dlq }\n  - { name: warehouse, jadpo: ./warehouse.sqlite }\n',
  );
  await fifo.createQueue('mail-dlq.fifo');
  for (let n = 0; n < 30; n += 1) {
    fifo.put('mail-dlq.fifo', { ...order(n, 'failed', 'bounced', 1), groupId: 'mail', deduplicationId: `${n}` });
  }
});
afterAll(async () => {
  await Promise.all([server.close(), fifo.close()]);
  sandbox.remove();
});

const receives = () => Math.max(...server.lying('orders-dlq').map(({ receiveCount }) => receiveCount));

test('groups put one cause together, most first, and a fingerprint leads to its failures', async () => {
  const { groups, sources } = await sandbox.json<Grouped>(['groups', '--source', 'orders']);
  expect(groups.map(({ count, key }) => [count, key.reason])).toEqual([
    [12, 'failed'],
    [3, HOSTILE],
  ]);
  expect(groups[0]).toMatchObject({
    first_failed_at: new Date(now - 12 * HOUR).toISOString(),
    last_failed_at: new Date(now - HOUR).toISOString(),
    time_basis: 'failed_at',
    sample: 'order 0 timed out after 0 ms',
    sample_ids: { length: 5 },
  });
  expect(sources).toMatchObject([{ name: 'orders', listed: 15, complete: true, error: null }]);
  const print = groups[0]?.key.fingerprint ?? '';
  const ids = await sandbox.run(['deliveries', '--fingerprint', print, '--output', 'ids', '--source', 'orders']);
  expect(ids.stdout.trimEnd().split('\n')).toHaveLength(12);
  expect(ids.stdout.split('\n')).toEqual(expect.arrayContaining(groups[0]?.sample_ids ?? []));
});

test('groups by what was asked have those members only, in every output', async () => {
  const by = ['groups', '--by', 'source,reason', '--state', 'failed', '--limit', '2'];
  const { groups } = await sandbox.json<Grouped>(by);
  expect(groups.map(({ key }) => key)).toEqual([
    { source: 'orders', reason: 'failed' },
    { source: 'orders', reason: HOSTILE },
  ]);
  const table = await sandbox.run(by);
  expect(table.stdout.split('\n')[0]?.split(/ {2,}/)).toEqual('COUNT SOURCE REASON FIRST LAST ERROR'.split(' '));
  expect(table.stdout).toMatch(/^ +12 {2}orders {2}failed +12h ago {2}1h ago +order 0 timed out/m);
  expect(table.stderr).toContain(
    '5 groups of 19 failures: orders 15 of about 15, warehouse 4 of about 4. The 2 largest',
  );
  expect(table.stdout + table.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  const parked = [...by, '--source', 'warehouse', '--output'];
  const csv = await sandbox.run([...parked, 'csv', '--quiet']);
  expect(csv.stdout.split('\r\n').slice(0, 2)).toEqual([
    'source,reason,count,first_failed_at,last_failed_at,time_basis,sample,sample_ids',
    expect.stringMatching(/^warehouse,unreadable,2,.*Z,.*Z,failed_at,total: required,warehouse\/p12 warehouse\/p13$/),
  ]);
  expect((await sandbox.run([...parked, 'ids'])).stdout).toBe('warehouse/p12\nwarehouse/p11\n');
});

test('groups of nothing are none, and a source in trouble hides no other', async () => {
  expect(await sandbox.run(['groups', '--sqs', 'empty-dlq', '--quiet'])).toEqual({ stdout: '', stderr: '', code: 0 });
  const { stdout, stderr, code } = await sandbox.run([
    'groups',
    '--jadpo',
    'gone.sqlite',
    '--jadpo',
    'warehouse.sqlite',
  ]);
  expect(code).toBe(1);
  expect(stdout).toContain('OrderShipped');
  expect(stderr).toContain('gone: There is no file');
});

test('a check by counts receives nothing, and is an alarm from one above its limit', async () => {
  const before = receives();
  const alarm = await sandbox.run(['check', '--json']);
  expect(alarm).toMatchObject({ code: 5, stderr: '' });
  expect(JSON.parse(alarm.stdout)).toMatchObject({ matched: 20, by_reason: null, read: false, max: 0 });
  expect((await sandbox.run(['check', '--max', '19'])).code).toBe(5);
  expect(await sandbox.run(['check', '--max', '20', '--state', 'failed,pending'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^OK: about 20 failures match \(limit 20\)\.\n/),
    stderr: '',
  });
  expect((await sandbox.json<Checked>(['check', '--state', 'pending', '--max', '1'])).matched).toBe(1);
  expect(await sandbox.run(['check', '--sqs', 'empty-dlq'])).toMatchObject({ code: 0 });
  expect(receives()).toBe(before);
});

test('a check of what only the messages tell says that it reads, and counts by reason', async () => {
  const told = await sandbox.run(['check', '--older-than', '10h']);
  expect(told.code).toBe(5);
  expect(told.stderr).toContain('Reading the messages');
  expect(told.stdout).toMatch(/^FAILING: 6 failures match \(limit 0\)\.\nCOUNT {2}SOURCE {2}REASON\n/);
  expect(told.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  const found = await sandbox.json<Checked>(['check', '--expires-within', '5d', '--source', 'orders', '--max', '99']);
  expect(found.by_reason).toEqual({ failed: 12, [HOSTILE]: 3 });
  expect((await sandbox.run(['check', '--source', 'warehouse', '--expires-within', '90d'])).code).toBe(0);
});

test("a check writes what a node exporter's textfile folder takes, whatever a reason holds", async () => {
  const { stdout, code } = await sandbox.run([
    'check',
    '--reason',
    '*',
    '--source',
    'orders',
    '--output',
    'prometheus',
    '--quiet',
  ]);
  expect(code).toBe(5);
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toContain('babelq_failures{source="orders"} 15');
  expect(lines).toContain('babelq_failures_by_reason{source="orders",reason="failed"} 12');
  expect(lines).toContain(
    String.raw`babelq_failures_by_reason{source="orders",reason="say \"no\"\\\\n\\x1b]52;c;eA==\\x07"} 3`,
  );
  const sample = /^[a-z_]+(\{[a-z]+="([^"\\\n]|\\["\\n])*"(,[a-z]+="([^"\\\n]|\\["\\n])*")*\})? \d+$/;
  for (const line of lines) expect(line).toMatch(line.startsWith('#') ? /^# (HELP|TYPE) babelq_\w+ / : sample);
  const series = lines.filter((line) => !line.startsWith('#')).map((line) => line.replace(/ \d+$/, ''));
  expect(new Set(series).size).toBe(series.length);
  const down = await sandbox.run(['check', '--jadpo', 'gone.sqlite', '--output', 'prometheus']);
  expect(down).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no file') });
  expect(down.stdout).toContain('babelq_source_up{source="gone"} 0\n');
  expect(down.stdout).not.toContain('babelq_failures{');
});

test('a check that could not see everything says no OK', async () => {
  const env = fifo.environment;
  const args = ['check', '--sqs', 'mail-dlq.fifo', '--older-than', '2h'];
  const { stdout, stderr, code } = await sandbox.run(args, { env });
  expect(code).toBe(1);
  expect(stdout).toBe('UNKNOWN: 0 failures match (limit 0).\n');
  expect(stderr).toContain('Not all of mail-dlq.fifo could be seen, so more than 0 may match.');
  // By counts alone it knows.
  expect((await sandbox.run(['check', '--sqs', 'mail-dlq.fifo', '--max', '30'], { env })).code).toBe(0);
});

test.each([
  [['check', '--older-than', 'long'], '--older-than needs a duration', '--older-than 90s'],
  [['check', '--max', '-1'], '--max needs a whole number, not "-1".', '--max 100'],
  [['check', '--output', 'ids'], 'babelq check has no --output ids.', 'table, json, ndjson, csv, prometheus'],
  [['deliveries', '--output', 'prometheus'], 'babelq deliveries has no --output prometheus.', 'It has table'],
  [['groups', '--by', 'colour'], '--by can\'t be "colour".', 'fingerprint, reason'],
] as const)('babelq %j is refused with what to do instead', async (args, said, hint) => {
  const { stdout, stderr, code } = await sandbox.run(args);
  expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
  expect(stderr).toContain(said);
  expect(stderr).toContain(hint);
});
