import Database from 'better-sqlite3';
import stringWidth from 'string-width';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createJadpoFile, parkedExamples, parkedRow } from '../../support/jadpo-table.ts';
import { atATerminal } from '../../support/person.ts';
import { Sandbox } from '../../support/run-babelq.ts';

let sandbox: Sandbox;
let env: Record<string, string>;

beforeEach(() => {
  sandbox = new Sandbox();
  env = { HOME: sandbox.home, XDG_STATE_HOME: sandbox.path('state'), TERM: 'xterm', BABELQ_OPERATOR: 'ana@desk' };
  createJadpoFile(sandbox.path('warehouse.sqlite'), [
    ...parkedExamples(Date.now()),
    parkedRow({ id: 'p99', status: 'pending' }),
  ]);
});
afterEach(() => sandbox.remove());

const babelq = (args: readonly string[], answer: string | null, columns?: number) =>
  atATerminal([...args, '--jadpo', 'warehouse.sqlite'], answer, {
    env,
    cwd: sandbox.home,
    ...(columns !== undefined && { columns }),
  });

function states(): Record<string, string> {
  const database = new Database(sandbox.path('warehouse.sqlite'), { readonly: true });
  const rows = database.prepare('SELECT id, status FROM jadpo_parked_messages ORDER BY id').all();
  database.close();
  return Object.fromEntries((rows as { id: string; status: string }[]).map(({ id, status }) => [id, status]));
}

test('what would be done is shown with counts and why not, and a yes does exactly that', async () => {
  const { stdout, stderr, code } = await babelq(['retry', 'p12', 'p13', 'p99'], 'y\n');
  expect(stderr).toContain("  2  warehouse_queue  unreadable  → its app's next tick");
  expect(stderr).toContain("Can't be done, and stays as it is: 1 message.");
  expect(stderr).toContain('The app reads them at its next tick');
  expect(stderr).toContain('Retry 2 messages?');
  expect(stdout).toContain('Retried 2 of 3 messages: 1 skipped.');
  expect(code).toBe(3);
  expect(states()).toEqual({ p11: 'failed', p12: 'pending', p13: 'pending', p14: 'failed', p99: 'pending' });
});

test.each([
  ['a no', 'n\n', 1],
  ['just enter', '\n', 1],
  ['anything else', 'yep\n', 1],
  ['Ctrl+C', null, 130],
] as const)('%s changes nothing', async (_, answer, code) => {
  const before = states();
  const sat = await babelq(['dismiss', '--all'], answer);
  expect(sat.stderr).toContain('Dismiss 4 messages?');
  expect(sat.code).toBe(code);
  expect(sat.stdout).toBe('');
  expect(states()).toEqual(before);
});

test('with --yes a person is not asked', async () => {
  const { stderr, code } = await babelq(['dismiss', 'p12', '--yes'], 'n\n');
  expect(code).toBe(0);
  expect(stderr).not.toContain('[y/N]');
  expect(stderr).toContain('To undo it: babelq restore warehouse/p12');
  expect(states().p12).toBe('dismissed');
});

test('where nothing can be done there is no question, and it says why', async () => {
  const { stdout, stderr, code } = await babelq(['retry', 'p99'], 'y\n');
  expect(stderr).not.toContain('[y/N]');
  expect(stdout).toMatch(/Retried 0 of 1 message: 1 skipped\.\n.*pending/);
  expect(code).toBe(1);
});

test.each([60, 80, 100])('at %i columns the list fits the terminal', async (columns) => {
  const { stdout } = await babelq(['deliveries', '--no-color'], null, columns);
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(6);
  for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
});

test('on a terminal there are colours, and NO_COLOR takes them away', async () => {
  expect((await babelq(['deliveries'], null)).stdout).toContain('\u001b[2m');
  env.NO_COLOR = '1';
  const plain = await babelq(['deliveries'], null);
  expect(plain.stdout + plain.stderr).not.toContain('\u001b[2m');
});
