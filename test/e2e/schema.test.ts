import { writeFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActionReport } from '../../src/model/action.ts';
import { createJadpoFile, parkedExamples, parkedRow } from '../support/jadpo-table.ts';
import { Sandbox } from '../support/run-babelq.ts';
import { type SqsServer, startLocalAwsSqs } from '../support/servers.ts';
import { allShapes, deadLettered } from '../support/shapes.ts';

const NAMES = [
  ...[
    'deliveries',
    'inspect',
    'action',
    'groups',
    'sources',
    'discover',
    'log',
    'check',
    'doctor',
    'reasons',
    'export',
    'config',
  ],
  ...['journal_info', 'journal_prune', 'journal_backup', 'error'],
];
const now = Date.now();
let server: SqsServer;
let sandbox: Sandbox;
/** By document, and by what a line of its ndjson is. */
const validators = new Map<string, ValidateFunction>();
let orderId: string;

beforeAll(async () => {
  server = await startLocalAwsSqs();
  sandbox = new Sandbox(server.environment);
  await server.createQueue('orders-dlq');
  await server.createQueue('orders', {}, { queue: 'orders-dlq', maxReceiveCount: 3 });
  await server.createQueue('quarantine');
  for (const { body, attributes } of allShapes('orders', now - 7_200_000))
    server.put('orders-dlq', { body, attributes });
  orderId = server.put('orders-dlq', deadLettered({ id: 'a0000000-0000-4000-8000-000000000001' }));
  createJadpoFile(sandbox.path('warehouse.sqlite'), [
    ...parkedExamples(now),
    parkedRow({ id: 'p99', status: 'pending' }),
  ]);
  writeFileSync(
    sandbox.path('babelq.yaml'),
    `sources:
  - { name: orders, sqs: orders-dlq }
  - { name: warehouse, jadpo: ./warehouse.sqlite }
  - { name: gone, jadpo: ./gone.sqlite }
redact: [data.order_id]
`,
  );
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  for (const name of NAMES) {
    const schema = await sandbox.json<{ $id: string; $defs?: Record<string, unknown> }>(['schema', name]);
    validators.set(name, ajv.compile(schema));
    for (const line of Object.keys(schema.$defs ?? {})) {
      const validate = ajv.getSchema(`${schema.$id}#/$defs/${line}`);
      if (validate) validators.set(`${name} ${line}`, validate as ValidateFunction);
    }
  }
});
afterAll(async () => {
  await server.close();
  sandbox.remove();
});

function expectValid(name: string, text: string): unknown {
  const validate = validators.get(name) ?? expect.fail(`there is no schema ${name}`);
  const document: unknown = JSON.parse(text);
  expect(validate(document) ? [] : validate.errors).toEqual([]);
  return document;
}

const BOTH = ['--source', 'orders', '--source', 'warehouse'];
/** Where SQS adds nothing to the question: reading it takes seconds. */
const WAREHOUSE = ['--source', 'warehouse'];

describe('the documents are what their schemas say', () => {
  test.each([
    ['deliveries', ['deliveries'], 1],
    ['deliveries', ['deliveries', '--with-body', ...BOTH], 0],
    ['deliveries', ['deliveries', '--reason', 'nothing', ...WAREHOUSE], 0],
    ['inspect', ['inspect', 'p12', ...WAREHOUSE], 0],
    ['groups', ['groups'], 1],
    ['groups', ['groups', '--by', 'queue,exception', ...WAREHOUSE], 0],
    ['sources', ['sources'], 1],
    ['log', ['log'], 0],
    ['check', ['check'], 5],
    ['check', ['check', '--reason', '*', ...BOTH, '--max', '100'], 0],
    ['check', ['check', '--source', 'gone'], 1],
    ['discover', ['sources', 'discover', 'orders*', '--jadpo', 'warehouse.sqlite'], 0],
    ['doctor', ['doctor'], 1],
    ['reasons', ['reasons'], 0],
    ['config', ['config', 'show'], 0],
    ['journal_info', ['journal', 'info', '--journal', 'none.db'], 0],
    ['journal_prune', ['journal', 'prune', '--before', '60d', '--dry-run'], 0],
    ['action', ['retry', '--all', '--dry-run', ...WAREHOUSE], 0],
    [
      'action',
      ['retry', '--reason', 'failed', '--set', 'data.a=1', '--unset', 'data.b', '--dry-run', '--source', 'orders'],
      0,
    ],
  ] as const)('%s: babelq %j', async (name, args, code) => {
    const ran = await sandbox.run([...args, '--json']);
    expect(ran).toMatchObject({ code, stderr: '' });
    expectValid(name, ran.stdout);
  });

  test('of a life: retried, dismissed, restored, skipped, inspected and logged', async () => {
    const act = async (...args: string[]) => {
      const { stdout } = await sandbox.run([...args, '--yes', '--json', ...BOTH, '--reason-note', 'a test']);
      return expectValid('action', stdout) as ActionReport;
    };
    expect(await act('dismiss', orderId, 'p12', 'nope')).toMatchObject({ done: 2, skipped: 1 });
    const restored = await act('restore', '--all');
    expect(restored.done).toBe(2);
    const id = restored.items.find(({ new_id }) => new_id !== null)?.new_id ?? '';
    expectValid('inspect', (await sandbox.run(['inspect', id, ...BOTH, '--json'])).stdout);
    expectValid('deliveries', (await sandbox.run(['deliveries', '--state', 'dismissed', ...BOTH, '--json'])).stdout);
    expect(await act('retry', id, 'p12')).toMatchObject({ done: 2 });
    const { stdout: file } = await sandbox.run(['export', '--state', 'failed', '--limit', '2', ...BOTH]);
    for (const args of [['--dry-run'], ['--yes', '--reason-note', 'a test']]) {
      const to = ['import', '-', '--to', 'quarantine', '--again', '--json', ...BOTH, ...args];
      expectValid('action', (await sandbox.run(to, { input: file })).stdout);
    }
    const log = expectValid('log', (await sandbox.run(['log', '--json'])).stdout);
    expect(log).toMatchObject({ entries: { length: 10 } });
    expectValid('journal_info', (await sandbox.run(['journal', 'info', '--json'])).stdout);
    expectValid('journal_backup', (await sandbox.run(['journal', 'backup', 'copy.db', '--json'])).stdout);
  });

  test('of a retry that was watched, and of a move by SQS itself', async () => {
    const watched = await sandbox.run(['retry', 'p11', '--wait', '1s', '--yes', '--json', ...WAREHOUSE]);
    expect(expectValid('action', watched.stdout)).toMatchObject({ items: [{ returned: null }] });
    await server.createQueue('moved-dlq');
    await server.createQueue('moved', {}, { queue: 'moved-dlq', maxReceiveCount: 3 });
    server.put('moved-dlq', { body: '{}' });
    const args = ['retry', '--native', '--all', '--to', 'moved', '--dry-run', '--json', '--sqs', 'moved-dlq'];
    const native = await sandbox.run(args);
    expect(expectValid('action', native.stdout)).toMatchObject({ matched: 1, done: 0, items: [] });
  });

  test.each([
    ['deliveries failure', ['deliveries', ...WAREHOUSE]],
    ['inspect failure', ['inspect', 'p13', 'p14', ...WAREHOUSE]],
    ['groups group', ['groups', ...WAREHOUSE]],
    ['sources source', ['sources', ...BOTH]],
    ['check count', ['check', '--max', '99', ...BOTH]],
    ['check count', ['check', '--max', '99', '--reason', '*', ...WAREHOUSE]],
    ['discover source', ['sources', 'discover', '--jadpo', 'warehouse.sqlite']],
    ['doctor finding', ['doctor']],
    ['log entry', ['log']],
    ['reasons reason', ['reasons']],
    ['config setting', ['config', 'show']],
    ['export', ['export', ...WAREHOUSE]],
    ['action item', ['dismiss', '--all', '--dry-run', ...WAREHOUSE]],
  ] as const)('a line of ndjson: %s', async (name, args) => {
    const { stdout, code } = await sandbox.run([...args, '--output', 'ndjson']);
    expect(code).toBe(args[0] === 'doctor' ? 1 : 0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expectValid(name, line);
  });

  test.each([
    [['inspect', 'nope', ...WAREHOUSE], 4],
    [['inspect', 'p1', ...WAREHOUSE], 2],
    [['retry', 'p12'], 2],
    [['check', '--max', 'x'], 2],
    [['schema', 'deliverys'], 2],
  ] as const)('an error: babelq %j', async (args, code) => {
    const ran = await sandbox.run([...args, '--json']);
    expect(ran).toMatchObject({ code, stdout: '' });
    expectValid('error', ran.stderr);
  });

  test('with nothing between a schema and what it leaves out: a member too few or too many is refused', async () => {
    const document = JSON.parse((await sandbox.run(['deliveries', ...WAREHOUSE, '--json'])).stdout);
    const validate = validators.get('deliveries');
    const { reason: _, ...short } = document.failures[0];
    expect(validate?.(document)).toBe(true);
    expect(validate?.({ ...document, failures: [short] })).toBe(false);
    expect(validate?.({ ...document, failures: [{ ...document.failures[0], more: 1 }] })).toBe(false);
    expect(validate?.({ ...document, failures: [{ ...document.failures[0], failed_at: 'yesterday' }] })).toBe(false);
  });
});

test('the same failures come out in the same order, however often they are asked for', async () => {
  const failures = [...allShapes('orders', now), ...allShapes('orders', now - 1000)];
  const commands = [
    ['deliveries', '--output', 'ids'],
    ['groups', '--json'],
    ['groups', '--by', 'source,reason', '--output', 'csv'],
    ['check', '--reason', '*', '--max', '99', '--json'],
    ['retry', '--all', '--dry-run', '--output', 'ids'],
  ];
  const same = async (command: readonly string[], nth: number) => {
    const queue = `order-${nth}-dlq`;
    await server.createQueue(queue);
    for (const { body, attributes } of failures) server.put(queue, { body, attributes });
    const args = [...command, '--sqs', queue];
    const [once, again] = [await sandbox.run(args), await sandbox.run(args)];
    expect(once.stdout, command.join(' ')).not.toBe('');
    expect(again.stdout, command.join(' ')).toBe(once.stdout);
  };
  await Promise.all(commands.map(same));
});
