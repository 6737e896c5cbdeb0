import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActionReport } from '../../src/model/action.ts';
import { BIN, Sandbox } from '../support/run-babelq.ts';
import { type SqsServer, startLocalAwsSqs } from '../support/servers.ts';
import { deadLettered } from '../support/shapes.ts';

const MESSAGES = 40;
let server: SqsServer;
let sandbox: Sandbox;

beforeAll(async () => {
  server = await startLocalAwsSqs();
  sandbox = new Sandbox(server.environment);
  await server.createQueue('orders-dlq');
  await server.createQueue('orders');
  for (let n = 0; n < MESSAGES; n += 1) {
    server.put('orders-dlq', deadLettered({ id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` }));
  }
});
afterAll(async () => {
  await server.close();
  sandbox.remove();
});

const hidden = () => server.lying('orders-dlq').filter((message) => message.hidden);

test('a reading stops when its time is over, lets go of everything, and says so', async () => {
  const { stdout, stderr, code } = await sandbox.run(['deliveries', '--sqs', 'orders-dlq', '--timeout', '1s']);
  expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
  expect(stderr).toContain('letting go of what is held');
  expect(stderr).toContain('It was not done when the time of --timeout 1s was over.');
  expect(hidden()).toEqual([]);
});

test('an action stops when its time is over: what it did is told, the rest lies where it was', async () => {
  const args = ['retry', '--all', '--yes', '--rate', '5', '--timeout', '3s', '--sqs', 'orders-dlq', '--json'];
  const { stdout, stderr, code } = await sandbox.run(args);
  expect(code).toBe(3);
  const { done, items } = JSON.parse(stdout) as ActionReport;
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(MESSAGES);
  expect(items.filter(({ outcome }) => outcome === 'done')).toHaveLength(done);
  expect(server.lying('orders')).toHaveLength(done);
  expect(server.lying('orders-dlq')).toHaveLength(MESSAGES - done);
  expect(hidden()).toEqual([]);
  expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error).toMatchObject({ code: 'timed_out' });
});

test('what is done in time is not touched by it', async () => {
  const { stdout, stderr, code } = await sandbox.run(['reasons', '--output', 'ids', '--timeout', '1h']);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  expect(stdout).toContain('poison\n');
});

test.each([['--timeout=1s'], ['SIGINT']])('ids that never end on stdin are not waited for after %s', async (how) => {
  const args = ['retry', '--stdin', '--yes', '--sqs', 'orders-dlq', ...(how === 'SIGINT' ? [] : [how])];
  const child = spawn(process.execPath, [BIN, ...args], { cwd: sandbox.home, env: { ...sandbox.env } });
  const ended = once(child, 'close');
  if (how === 'SIGINT') {
    // Its handlers are there when it has come to reading: then the pipe's end is taken from us.
    await new Promise<void>((taken) => child.stdin.write('4f2a91c3\n'.repeat(100_000), () => taken()));
    child.kill('SIGINT');
  }
  expect(await ended).toEqual([how === 'SIGINT' ? 130 : 1, null]);
});

test.each([
  ['0s', '--timeout needs some time'],
  ['soon', '--timeout needs a duration'],
])('--timeout %s is refused', async (limit, said) => {
  const { stderr, code } = await sandbox.run(['sources', '--sqs', 'orders-dlq', '--timeout', limit]);
  expect(code).toBe(2);
  expect(stderr).toContain(said);
});

test.each([
  ['import', ['import', 'pipe', '--yes']],
  ['a plan', ['retry', '--plan', 'pipe', '--yes']],
] as const)('%s from a pipe that nobody writes to ends with its time, and so does the process', async (_, args) => {
  const pipe = sandbox.path('pipe');
  execFileSync('sh', ['-c', 'rm -f "$1"; mkfifo "$1"', 'sh', pipe]);
  const writer = spawn('sh', ['-c', 'exec sleep 60 > "$1"', 'sh', pipe]);
  try {
    const { stderr, code } = await sandbox.run([...args, '--sqs', 'orders-dlq', '--timeout', '1s']);
    expect(code).toBe(1);
    expect(stderr).toContain('It was not done when the time of --timeout 1s was over.');
  } finally {
    writer.kill();
  }
});
