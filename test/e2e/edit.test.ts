import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ActionReport } from '../../src/model/action.ts';
import { createJadpoFile, parkedRow } from '../support/jadpo-table.ts';
import { atATerminal } from '../support/person.ts';
import { Sandbox } from '../support/run-babelq.ts';
import { type SqsServer, startLocalAwsSqs } from '../support/servers.ts';
import { published } from '../support/shapes.ts';

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
const DATA = '{"order_id":9007199254740993,"currency":"EURO","total":99.90}';
const order = (data = DATA, n = 0) => published({ data, id: `00000000-0000-4000-8000-00000000000${n}` });
const bodies = (queue: string) => server.lying(queue).map(({ body }) => body);

/** An editor that is a shell script: `$1` is the file. */
function editor(script: string): Record<string, string> {
  const path = sandbox.path('editor');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o700);
  return { EDITOR: `${path} "an argument" --`, VISUAL: '' };
}

test('a scripted mend changes the members that it names in all that match, and not a byte more', async () => {
  server.put('orders-dlq', order(DATA, 1));
  server.put('orders-dlq', order(DATA.replace('}', ',"coupon":"X1"}'), 2));
  server.put('orders-dlq', order(DATA.replace('EURO', 'EUR'), 3));
  const mend = ['--where', 'data.currency=EURO', '--set', 'data.currency=EUR', '--unset', 'data.coupon'];
  const { stdout, code } = await sandbox.run(['retry', ...mend, '--yes', ...SQS]);
  expect(code).toBe(0);
  expect(stdout).toContain('Retried 2 messages.');
  expect(stdout).toContain('1 done: Edited: data.currency set, data.coupon removed.');
  const mended = DATA.replace('EURO', 'EUR');
  expect(bodies('orders').sort()).toEqual([order(mended, 1).body, order(mended, 2).body]);
  expect(bodies('orders-dlq')).toEqual([order(mended, 3).body]);
  const log = await sandbox.run(['log', '--json']);
  expect(log.stdout).toContain('"detail":"Edited: data.currency set."');
});

test('an edit that changes nothing in a message is said to, before it is sent and after', async () => {
  server.put('orders-dlq', order(DATA, 1));
  const unset = ['--unset', 'data.nope'];
  const dry = await sandbox.run(['retry', '--all', ...unset, '--dry-run', ...SQS]);
  expect(dry.stdout).toContain('In 1 of these the edit changes nothing: sent as it is.');
  const { stdout } = await sandbox.run(['retry', '--all', ...unset, '--yes', ...SQS]);
  expect(stdout).toMatch(/^Retried 1 message\.\n {2}1 done: Not edited: the edit changes nothing in it\./);
  expect(bodies('orders')).toEqual([order(DATA, 1).body]);
});

test('a mend is part of a plan: what was read is what is done', async () => {
  server.put('orders-dlq', order());
  const made = await sandbox.run(['retry', '--all', '--set', 'data.currency=EUR', '--dry-run', '--json', ...SQS]);
  expect(JSON.parse(made.stdout)).toMatchObject({
    plan: { set: ['data.currency=EUR'], unset: [] },
    items: [{ outcome: 'planned', detail: 'Edited: data.currency set.' }],
  });
  writeFileSync(sandbox.path('plan.json'), made.stdout);
  expect((await sandbox.run(['retry', '--plan', 'plan.json', '--yes', ...SQS])).code).toBe(0);
  expect(bodies('orders')).toEqual([order(DATA.replace('EURO', 'EUR')).body]);
});

test('what an editor saves is sent, from a file that is private and gone after', async () => {
  const id = server.put('orders-dlq', order());
  const env = editor(`stat -c '%a %n' "$3" "$(dirname "$3")" > seen; cp "$3" was; sed -i 's/"EURO"/"EUR"/' "$3"`);
  const { stdout, stderr, code } = await sandbox.run(['retry', id, '--edit', '--yes', ...SQS], { env });
  expect({ stderr, code }).toMatchObject({ code: 0 });
  expect(stdout).toContain('1 done: Edited: its body, by hand.');
  expect(stderr).toMatch(/ {2}- {5}"currency": "EURO",\n {2}\+ {5}"currency": "EUR",/);
  const was = readFileSync(sandbox.path('was'), 'utf8');
  expect(was.split('\n')).toContain('    "order_id": 9007199254740993,');
  expect(bodies('orders')).toEqual([order(DATA.replace('EURO', 'EUR')).body]);
  const [[fileMode, file = ''] = [], [folderMode] = []] = readFileSync(sandbox.path('seen'), 'utf8')
    .split('\n')
    .map((line) => line.split(' '));
  expect([fileMode, folderMode]).toEqual(['600', '700']);
  expect(existsSync(dirname(file))).toBe(false);
});

test.each([
  ['is not JSON', 'echo broken >> "$3"', 'it is not JSON: see line'],
  ['holds what SQS does not take', `printf '{"a":"\\357\\277\\277"}' > "$3"`, 'control characters'],
  ['is not UTF-8', `printf '\\377' > "$3"`, 'it is not UTF-8'],
  ['was not touched', 'true', 'The body was left as it was'],
  ['was emptied', ': > "$3"', 'The body was left as it was'],
  ['was given up', `sed -i 's/EURO/EUR/' "$3"; exit 1`, 'ended with an error (1)'],
  ['has no editor', null, 'There is no /nowhere/vi here'],
])('what is saved and %s is not sent: exit 1, and the message lies where it was', async (_, script, why) => {
  const id = server.put('orders-dlq', order());
  const env: Record<string, string> = script === null ? { VISUAL: '/nowhere/vi' } : editor(script);
  const { stdout, stderr, code } = await sandbox.run(['retry', id, '--edit', '--yes', ...SQS], { env });
  expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
  expect(stderr).toContain(why);
  expect(bodies('orders-dlq')).toEqual([order().body]);
  expect(bodies('orders')).toEqual([]);
});

test('a person sees the difference and is asked, and redacted members are not shown', async () => {
  writeFileSync(sandbox.path('babelq.yaml'), 'sources: [{ sqs: orders-dlq }]\nredact: [data.total]\n');
  const id = server.put('orders-dlq', order());
  const env = { ...sandbox.env, ...editor(`sed -i -e 's/"EURO"/"EUR"/' -e 's/99.90/12.50/' "$3"`) };
  const where = { env, cwd: sandbox.home };
  const before = { ...process.env };
  Object.assign(process.env, server.environment);
  try {
    const no = await atATerminal(['retry', id, '--edit', '--no-color'], 'n\n', where);
    expect(no.code).toBe(1);
    expect(no.stderr).toMatch(
      /\+ {5}"currency": "EUR",[\s\S]*Edited before they are sent[\s\S]*Retry 1 message\? \[y\/N\]/,
    );
    expect(no.stderr).toContain('Nothing was changed.');
    expect(no.stderr).not.toMatch(/99\.90|12\.50/);
    expect(bodies('orders')).toEqual([]);
    expect((await atATerminal(['retry', id, '--edit'], 'y\n', where)).code).toBe(0);
    expect(bodies('orders')).toEqual([order(DATA.replace('EURO', 'EUR').replace('99.90', '12.50')).body]);
  } finally {
    process.env = before;
  }
});

test("a parked message's body is not edited, and why is said", async () => {
  createJadpoFile(sandbox.path('warehouse.sqlite'), [parkedRow({ id: 'p1' })]);
  const warehouse = ['--jadpo', 'warehouse.sqlite'];
  const env = editor('touch opened');
  for (const args of [
    ['p1', '--edit'],
    ['--all', '--set', 'a=1'],
    ['p1', '--unset', 'a'],
  ]) {
    const { stdout, code } = await sandbox.run(['retry', ...args, '--yes', '--json', ...warehouse], { env });
    expect(code).toBe(1);
    const { items } = JSON.parse(stdout) as ActionReport;
    expect(items).toMatchObject([
      { outcome: 'skipped', detail: expect.stringContaining("A parked message is its app's") },
    ]);
  }
  expect(existsSync(sandbox.path('opened'))).toBe(false);
});

test.each([
  [['--all', '--edit'], '--edit takes one message'],
  [['a', 'b', '--edit'], '--edit takes one message'],
  [['a', '--edit', '--set', 'x=1'], "--edit and --set can't go together."],
  [['a', '--edit', '--dry-run'], "--edit and --dry-run can't go together."],
  [['a', '--set', 'x'], '--set needs a path, = and a value'],
])('wrong usage: %j', async (args, why) => {
  const ran = await sandbox.run(['retry', ...args, '--yes', ...SQS]);
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(why) });
});
