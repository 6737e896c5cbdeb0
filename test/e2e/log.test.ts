import { existsSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActionReport } from '../../src/model/action.ts';
import type { LogEntry } from '../../src/model/ports.ts';
import { createJadpoFile, parkedExamples } from '../support/jadpo-table.ts';
import { Sandbox } from '../support/run-babelq.ts';
import { type SqsServer, startLocalAwsSqs } from '../support/servers.ts';
import { deadLettered } from '../support/shapes.ts';

const META = 'b1e2d3c4-b5a6-4789-90ab-cdef01234567';
let server: SqsServer;
let sandbox: Sandbox;

beforeAll(async () => {
  server = await startLocalAwsSqs();
  sandbox = new Sandbox(server.environment);
  await server.createQueue('orders-dlq');
  await server.createQueue('orders', {}, { queue: 'orders-dlq', maxReceiveCount: 3 });
  createJadpoFile(sandbox.path('warehouse.sqlite'), parkedExamples(Date.now()));
});
afterAll(async () => {
  await server.close();
  sandbox.remove();
});

test('what happened to a message is told from its first retry to now, under every id it had', async () => {
  const act = async (action: string, id: string, env: Record<string, string> = {}) => {
    const args = [action, id, '--yes', '--json', '--sqs', 'orders-dlq'];
    const { stdout, stderr } = await sandbox.run(args, { env });
    const { items } = JSON.parse(stdout || expect.fail(stderr)) as ActionReport;
    return items[0]?.new_id ?? '';
  };
  const first = server.put('orders-dlq', deadLettered({ id: META }));
  const sent = await act('retry', first);
  // Its app dead-letters it again: a new message with the same envelope.
  const again = server.put('orders-dlq', deadLettered({ id: META }));
  await act('dismiss', again, { BABELQ_OPERATOR: 'bob@desk' });
  const restored = await act('restore', again);
  const story = async (...args: string[]) => (await sandbox.json<{ entries: LogEntry[] }>(['log', ...args])).entries;
  const told = (await story()).map(({ action, id }) => `${action} ${id}`);
  expect(told).toEqual([`restore orders-dlq/${again}`, `dismiss orders-dlq/${again}`, `retry orders-dlq/${first}`]);
  for (const name of [
    first,
    first.slice(0, 8),
    `orders-dlq/${first}`,
    sent,
    again,
    restored,
    restored.slice(0, 9),
    META,
  ]) {
    expect(
      (await story(name)).map(({ action, id }) => `${action} ${id}`),
      name,
    ).toEqual(told);
  }
  expect((await story(META, '--by', 'bob@desk')).map(({ action }) => action)).toEqual(['dismiss']);
  expect((await story(META, '--before', '1h')).length).toBe(0);
  expect(await sandbox.run(['log', 'nope'])).toMatchObject({ code: 0, stdout: '' });
  const table = await sandbox.run(['log', first]);
  expect(table.stdout.split('\n')[0]).toMatch(/^WHEN +RUN +ACTION +ID +OUTCOME +TO +NEW ID +BY$|NOTE/);
  expect(table.stdout).toContain(sent);
});

test('where the configuration asks for a reason, nothing is done without one', async () => {
  writeFileSync(sandbox.path('strict.yaml'), 'sources:\n  - { jadpo: ./warehouse.sqlite }\nrequire_note: true\n');
  const babelq = (...args: string[]) => sandbox.run([...args, '--config', 'strict.yaml']);
  for (const note of [[], ['--reason-note', ' ']]) {
    const { stdout, stderr, code } = await babelq('retry', 'p12', '--yes', ...note);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toContain('require_note');
    expect(stderr).toContain('--reason-note');
  }
  expect((await babelq('retry', 'p12', '--dry-run')).code).toBe(0);
  expect((await sandbox.run(['log', 'warehouse/p12', '--json'])).stdout).toBe('{"entries":[]}\n');
  expect((await babelq('retry', 'p12', '--yes', '--reason-note', 'the event was mended')).code).toBe(0);
  const { entries } = await sandbox.json<{ entries: LogEntry[] }>(['log', 'p12']);
  expect(entries).toMatchObject([{ id: 'warehouse/p12', note: 'the event was mended', by: 'ana@desk' }]);
});

test('a log without lines says whether nothing was done, or nothing of what was asked for', async () => {
  const said = async (...args: string[]) => (await sandbox.run(['log', ...args])).stderr;
  expect(await said('--journal', 'none.db')).toContain('There is no journal there yet');
  expect(await said('--unfinished', '--journal', 'none.db')).not.toContain('Nothing is unfinished');
  expect(await said('nope')).toContain('Nothing of that is in the journal (');
  expect(await said('--unfinished')).toContain('Nothing is unfinished');
});

test('--source keeps the log to what was done on that source', async () => {
  const id = server.put('orders-dlq', deadLettered({ id: 'c1e2d3c4-b5a6-4789-90ab-cdef01234567' }));
  await sandbox.run(['retry', id, '--yes', '--sqs', 'orders-dlq']);
  await sandbox.run(['dismiss', 'p13', '--yes', '--jadpo', 'warehouse.sqlite']);
  const sources = async (...args: string[]) => {
    const { entries } = await sandbox.json<{ entries: LogEntry[] }>(['log', ...args]);
    return [...new Set(entries.map(({ source }) => source))].toSorted();
  };
  expect(await sources()).toEqual(['orders-dlq', 'warehouse']);
  expect(await sources('--source', 'warehouse')).toEqual(['warehouse']);
});

test('a journal that was named wrong is told wherever it would have known of a message', async () => {
  await server.createQueue('quiet-dlq');
  const dismissed = ['--state', 'dismissed', '--sqs', 'quiet-dlq'];
  const cases = [
    [0, 'deliveries', ...dismissed],
    [0, 'groups', ...dismissed],
    [0, 'check', ...dismissed],
    [4, 'inspect', 'nope', '--sqs', 'quiet-dlq'],
    [4, 'export', 'nope', '--sqs', 'quiet-dlq'],
    [4, 'retry', 'nope', '--yes', '--sqs', 'quiet-dlq'],
    [4, 'dismiss', 'nope', '--yes', '--sqs', 'quiet-dlq'],
    [4, 'restore', 'nope', '--yes', '--sqs', 'quiet-dlq'],
    [4, 'restore', '--all', '--yes', '--sqs', 'quiet-dlq'],
    [4, 'restore', 'nope', '--yes', '--json', '--sqs', 'quiet-dlq'],
    [4, 'restore', 'nope', '--yes', '--jadpo', 'warehouse.sqlite'],
  ] as const;
  const all = cases.map(async ([code, ...args]) => {
    const ran = await sandbox.run([...args, '--journal', 'none.db']);
    expect(ran.code, args.join(' ')).toBe(code);
    expect(ran.stderr, args.join(' ')).toContain('There is no journal there yet: what was dismissed is not known here');
    expect(existsSync(sandbox.path('none.db')), `${args.join(' ')} begins none`).toBe(false);
  });
  await Promise.all(all);
});

test('why a message was not found for certain is told where it is told that it was not', async () => {
  const id = server.put('orders-dlq', deadLettered({ id: META }));
  writeFileSync(sandbox.path('broken.db'), 'no database at all '.repeat(100));
  const cause = /Not found, but not all of orders-dlq could be seen \(The journal .*broken\.db.*\)/;
  const at = ['--yes', '--sqs', 'orders-dlq', '--journal', 'broken.db'];
  const table = await sandbox.run(['retry', id, ...at]);
  expect(table.code).toBe(1);
  expect(table.stdout).toMatch(cause);
  const { items } = JSON.parse((await sandbox.run(['retry', id, '--json', ...at])).stdout) as ActionReport;
  expect(items).toMatchObject([{ outcome: 'skipped', detail: expect.stringMatching(cause) as string }]);
});
