import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ActionReport } from '../../src/model/action.ts';
import type { LogEntry } from '../../src/model/ports.ts';
import { createJadpoFile, parkedExamples, parkedRow } from '../support/jadpo-table.ts';
import { BIN, Sandbox } from '../support/run-babelq.ts';
import { HAS_TMUX, TmuxTerminal } from '../support/tmux.ts';

let sandbox: Sandbox;

beforeEach(() => {
  sandbox = new Sandbox();
  createJadpoFile(sandbox.path('warehouse.sqlite'), [
    ...parkedExamples(Date.now()),
    parkedRow({ id: 'p99', status: 'pending' }),
  ]);
});
afterEach(() => sandbox.remove());

const WAREHOUSE = ['--jadpo', 'warehouse.sqlite'];
const babelq = (...args: string[]) => sandbox.run([...args, ...WAREHOUSE]);

function states(): Record<string, string> {
  const database = new Database(sandbox.path('warehouse.sqlite'), { readonly: true });
  const rows = database.prepare('SELECT id, status FROM jadpo_parked_messages ORDER BY id').all();
  database.close();
  return Object.fromEntries((rows as { id: string; status: string }[]).map(({ id, status }) => [id, status]));
}

test('the document of an action has its counts and every item', async () => {
  const { stdout, code } = await babelq('retry', 'p12', 'p99', 'nope', '--yes', '--json');
  expect(code).toBe(3);
  const report = JSON.parse(stdout) as ActionReport;
  expect(report).toEqual({
    action: 'retry',
    run: expect.any(String),
    dry_run: false,
    matched: 3,
    done: 1,
    skipped: 2,
    failed: 0,
    uncertain: 0,
    sources: [{ name: 'warehouse', seen: 1, complete: true, note: null, error: null }],
    items: expect.any(Array),
  });
  const items = Object.fromEntries(report.items.map((item) => [item.id, item]));
  expect(items['warehouse/p12']).toEqual({
    id: 'warehouse/p12',
    reason: 'unreadable',
    outcome: 'done',
    to: null,
    new_id: null,
    returned: null,
    possible_double: false,
    detail: null,
  });
  expect(items['warehouse/p99']).toMatchObject({ outcome: 'skipped', detail: expect.stringContaining('pending') });
  expect(items.nope).toMatchObject({ reason: null, outcome: 'skipped', detail: 'Not found.' });
});

test('a dry run shows the plan, exits 0 and changes nothing, not even the journal', async () => {
  const before = states();
  const { stdout, code } = await babelq('dismiss', 'p12', 'nope', '--dry-run', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ dry_run: true, run: null, matched: 2, done: 0, skipped: 1 });
  const words = await babelq('dismiss', '--all', '--dry-run');
  expect(words.stdout).toContain('Would dismiss 4 messages; nothing was changed.');
  expect(states()).toEqual(before);
  expect((await sandbox.run(['log', '--json'])).stdout).toBe('{"entries":[]}\n');
});

test('filters take what matches, in one pass that says so', async () => {
  const { stdout, stderr, code } = await babelq('retry', '--reason', 'un*', '--queue', 'warehouse_*', '--yes');
  expect({ stdout, code }).toEqual({ stdout: 'Retried 3 messages.\n', code: 0 });
  expect(stderr).toContain('One pass');
  expect(states()).toEqual({ p11: 'pending', p12: 'pending', p13: 'pending', p14: 'failed', p99: 'pending' });
});

test('a listing that the usual limit cuts says how to see all of it, and one that was asked to be short does not', async () => {
  const rows = Array.from({ length: 1001 }, (_, n) => parkedRow({ id: `r${n}` }));
  createJadpoFile(sandbox.path('many.sqlite'), rows);
  const list = (...args: string[]) => sandbox.run(['deliveries', '--jadpo', 'many.sqlite', ...args]);
  expect((await list()).stderr).toContain('--limit all');
  expect((await list('--limit', '5')).stderr).not.toContain('--limit all');
  expect((await list('--limit', 'all')).stderr).not.toContain('--limit all');
});

test('--max bounds what is done', async () => {
  expect(JSON.parse((await babelq('retry', '--all', '--max', '2', '--yes', '--json')).stdout).done).toBe(2);
  expect(Object.values(states()).filter((state) => state === 'pending')).toHaveLength(3);
});

test.each([['ids'], ['ndjson'], ['json']])("a listing's %s can be piped into an action", async (output) => {
  const listing = await babelq('deliveries', '--reason', 'unreadable', '--state', 'failed', '--output', output);
  const { stdout, code } = await sandbox.run(['dismiss', '--stdin', '--yes', ...WAREHOUSE], { input: listing.stdout });
  expect({ stdout, code }).toEqual({ stdout: 'Dismissed 2 messages.\n', code: 0 });
  expect(states()).toMatchObject({ p12: 'dismissed', p13: 'dismissed', p11: 'failed' });
});

test('what was dismissed is undone by the log of its run', async () => {
  const { run } = JSON.parse((await babelq('dismiss', '--all', '--yes', '--json')).stdout) as ActionReport;
  expect(Object.values(states()).filter((state) => state === 'dismissed')).toHaveLength(4);
  const ids = await sandbox.run(['log', '--run', run ?? '', '--output', 'ids']);
  const restored = await sandbox.run(['restore', '--stdin', '--yes', ...WAREHOUSE], { input: ids.stdout });
  expect({ stdout: restored.stdout, code: restored.code }).toEqual({ stdout: 'Restored 4 messages.\n', code: 0 });
  expect(Object.values(states()).filter((state) => state === 'failed')).toHaveLength(4);
});

test('the log says what was done, by whom and why, and inspect has it as history', async () => {
  await babelq('dismiss', 'p12', '--yes', '--reason-note', 'no longer shipped');
  await babelq('restore', 'p12', '--yes');
  const { entries } = await sandbox.json<{ entries: LogEntry[] }>(['log']);
  expect(entries).toMatchObject([
    { action: 'restore', id: 'warehouse/p12', outcome: 'done', by: 'ana@desk', note: null },
    { action: 'dismiss', id: 'warehouse/p12', outcome: 'done', by: 'ana@desk', note: 'no longer shipped' },
  ]);
  const one = await sandbox.json<{ entries: LogEntry[] }>(['log', 'warehouse/p12', '--limit', '1', '--by', 'ana@desk']);
  expect(one.entries).toHaveLength(1);
  const none = await sandbox.json<{ entries: LogEntry[] }>(['log', '--unfinished', '--since', '1h']);
  expect(none.entries).toEqual([]);
  const page = await babelq('inspect', 'p12');
  expect(page.stdout).toMatch(/History\n.*restore done by ana@desk.*\n.*dismiss done by ana@desk.*no longer shipped/);
  const table = await sandbox.run(['log']);
  expect(table.stdout).toMatch(/^WHEN +RUN +ACTION +ID +OUTCOME/);
});

test('what matches nothing is exit 4, and what is on stdin may be nothing', async () => {
  for (const run of [
    babelq('retry', '--reason', 'nope', '--yes'),
    babelq('retry', '--reason', 'nope', '--dry-run'),
    sandbox.run(['retry', '--stdin', '--yes', ...WAREHOUSE], { input: '\n' }),
  ]) {
    expect(await run).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('nothing was changed') });
  }
});

test('ids that are ambiguous or cannot be done touch nothing', async () => {
  const before = states();
  const ambiguous = await babelq('dismiss', 'p1', '--yes');
  expect(ambiguous.code).toBe(2);
  expect(ambiguous.stderr).toContain('warehouse/p11, warehouse/p12');
  const missing = await babelq('dismiss', 'nope', '--yes');
  expect(missing).toMatchObject({
    code: 4,
    stdout: '',
    stderr: expect.stringContaining('No message has the id nope.'),
  });
  const failed = await babelq('restore', 'p12', '--yes');
  expect(failed.stderr).toContain('No dismissed message has the id p12.');
  const source = await babelq('dismiss', 'warehouse/', '--yes');
  expect(source.code).toBe(2);
  expect(states()).toEqual(before);
});

test('the items come in the other outputs too', async () => {
  const ndjson = await babelq('retry', 'p11', '--yes', '--output', 'ndjson');
  expect(JSON.parse(ndjson.stdout)).toMatchObject({ id: 'warehouse/p11', outcome: 'done' });
  const csv = await babelq('retry', 'p12', '--yes', '--output', 'csv', '--quiet');
  expect(csv.stdout.split('\r\n').slice(0, 2)).toEqual([
    'id,reason,outcome,to,new_id,returned,possible_double,detail',
    'warehouse/p12,unreadable,done,,,,false,',
  ]);
  const ids = await babelq('retry', 'p13', 'p99', '--yes', '--output', 'ids', '--quiet');
  expect(ids).toMatchObject({ stdout: 'warehouse/p13\n', code: 3 });
});

test("a row that is newer than this machine's clock is left, and that is told", async () => {
  createJadpoFile(sandbox.path('ahead.sqlite'), [
    parkedRow({ id: 'now' }),
    parkedRow({ id: 'ahead', parked_at: new Date(Date.now() + 90_000).toISOString() }),
  ]);
  const { stdout, stderr, code } = await sandbox.run(['retry', '--all', '--yes', '--jadpo', 'ahead.sqlite']);
  expect({ stdout, code }).toEqual({ stdout: 'Retried 1 message.\n', code: 0 });
  expect(stderr).toContain('ahead: 1 that matched came after the start, by the times in the table, and were left');
});

describe.skipIf(!HAS_TMUX)('at a terminal', () => {
  test('what was typed before the question is no answer to it, with Enter or without', async () => {
    const env = { ...sandbox.env, NODE: process.execPath, BIN };
    const terminal = new TmuxTerminal({ columns: 100, rows: 30, cwd: sandbox.home, env });
    try {
      for (const typed of ['y\n', 'y']) {
        terminal.type('"$NODE" "$BIN" dismiss p12 --jadpo warehouse.sqlite\n');
        terminal.type(typed);
        await terminal.waitFor('[y/N]');
        terminal.press('Enter');
        await terminal.waitFor('Nothing was changed.');
        terminal.type('clear\n');
        await terminal.waitFor(/^[$#] *$/m);
      }
      expect(states().p12).toBe('failed');
      terminal.type('"$NODE" "$BIN" dismiss p12 --jadpo warehouse.sqlite\n');
      await terminal.waitFor('[y/N]');
      terminal.type('y\n');
      await terminal.waitFor('Dismissed 1 message.');
    } finally {
      terminal.close();
    }
  });
});
