import { expect, type TestContext, test, vi } from 'vitest';
import type { ActionReport } from '../../src/model/action.ts';
import type { LogEntry } from '../../src/model/ports.ts';
import { refusal, startAnswering } from '../support/answering-server.ts';
import { Sandbox } from '../support/run-babelq.ts';
import { type Seed, type SqsServer, startFauxqs, startLocalAwsSqs } from '../support/servers.ts';
import { deadLettered, published } from '../support/shapes.ts';

interface World {
  server: SqsServer;
  sandbox: Sandbox;
  /** What SQS itself moved to the dead-letter queue. */
  lay(count: number, seed?: Partial<Seed>): void;
}

async function open({ onTestFinished }: TestContext, start = startLocalAwsSqs): Promise<World> {
  const server = await start();
  const sandbox = new Sandbox(server.environment);
  onTestFinished(async () => {
    await server.close();
    sandbox.remove();
  });
  await server.createQueue('orders-dlq');
  await server.createQueue('orders', {}, { queue: 'orders-dlq', maxReceiveCount: 3 });
  return {
    server,
    sandbox,
    lay: (count, seed) => {
      for (let n = 0; n < count; n += 1) {
        const sourceArn = `arn:aws:sqs:${server.region}:${server.account}:orders`;
        server.put('orders-dlq', { body: `{"orderId":"A-${n}"}`, sourceArn, ...seed });
      }
    },
  };
}

const NATIVE = ['retry', '--native', '--all', '--sqs', 'orders-dlq'];
const bodies = (server: SqsServer, queue: string) =>
  server
    .lying(queue)
    .map(({ body }) => body)
    .sort();

test.concurrent('a whole queue is moved as it is, after a look, and the run is in the log', async (context) => {
  const { expect } = context;
  const { server, sandbox, lay } = await open(context);
  lay(3);
  const laid = bodies(server, 'orders-dlq');
  const { stdout, stderr, code } = await sandbox.run([...NATIVE, '--yes', '--reason-note', 'INC-7']);
  expect({ stdout, code }).toEqual({
    stdout: "SQS's move task is complete: about 3 of about 3 moved from orders-dlq to orders.\n",
    code: 0,
  });
  expect(stderr).toContain(`orders-dlq → orders (arn:aws:sqs:us-east-1:${server.account}:orders)`);
  expect(stderr).toContain('Looked at 3 of about 3: max_receives 3.');
  expect(stderr).toContain('What arrives while it runs moves too. There is no record by message');
  expect(bodies(server, 'orders')).toEqual(laid);
  expect(server.lying('orders-dlq')).toEqual([]);
  const { entries } = await sandbox.json<{ entries: LogEntry[] }>(['log']);
  const detail = expect.stringContaining('about 3 of about 3 moved');
  expect(entries).toMatchObject([{ action: 'retry', outcome: 'done', to: 'orders', note: 'INC-7', detail }]);
  expect(await sandbox.json(['log', '--unfinished'])).toEqual({ entries: [] });
});

test.concurrent('a dry run looks and moves nothing; --to names another destination', async (context) => {
  const { expect } = context;
  const { server, sandbox, lay } = await open(context);
  await server.createQueue('repaired');
  lay(2);
  const dry = await sandbox.run([...NATIVE, '--to', 'repaired', '--rate', '100', '--dry-run']);
  expect(dry.code).toBe(0);
  expect(dry.stdout).toContain('Would move about 2 messages; nothing was changed.');
  expect(dry.stdout).toMatch(/orders-dlq → repaired \(arn:\S+:repaired\), 100 a second/);
  expect(server.lying('orders-dlq').filter(({ hidden }) => !hidden)).toHaveLength(2);
  const ran = await sandbox.run([...NATIVE, '--to', 'repaired', '--rate', '100', '--yes', '--json']);
  expect(JSON.parse(ran.stdout)).toMatchObject({ action: 'retry', run: expect.any(String), done: 2, items: [] });
  expect(server.lying('repaired')).toHaveLength(2);
});

test.concurrent('Ctrl+C cancels the task, and says what was moved', async (context) => {
  const { expect } = context;
  const { server, sandbox, lay } = await open(context);
  lay(20);
  const running = sandbox.start([...NATIVE, '--rate', '1', '--yes', '--json']);
  await vi.waitFor(() => expect(server.lying('orders').length).toBeGreaterThan(0), 20_000);
  running.kill('SIGINT');
  const { stdout, stderr, code } = await running.done;
  expect(code).toBe(130);
  const { done, failed } = JSON.parse(stdout) as ActionReport;
  expect(done).toBe(server.lying('orders').length);
  expect(done + failed).toBe(20);
  expect(stderr).toContain('The move task was cancelled: about');
  // Nothing goes on moving.
  const again = await sandbox.run([...NATIVE, '--dry-run']);
  expect(again.code).toBe(0);
});

test.concurrent('a limit of time cancels the task too, and exits 3 where something was moved', async (context) => {
  const { expect } = context;
  const { server, sandbox, lay } = await open(context);
  lay(60);
  const { code, stderr } = await sandbox.run([...NATIVE, '--rate', '1', '--yes', '--timeout', '12s']);
  expect(server.lying('orders').length, stderr).toBeGreaterThan(0);
  expect(code, stderr).toBe(3);
});

test.concurrent('a task that is under way already is said, and no other is started', async (context) => {
  const { expect } = context;
  const { server, sandbox, lay } = await open(context);
  lay(20);
  const running = sandbox.start([...NATIVE, '--rate', '1', '--yes']);
  await vi.waitFor(() => expect(server.lying('orders').length).toBeGreaterThan(0), 20_000);
  const { code, stderr } = await sandbox.run([...NATIVE, '--yes']);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /A move task is under way on orders-dlq already since \S+: about \d+ of about 20 moved to orders/,
  );
  expect(stderr).toContain('aws sqs cancel-message-move-task --task-handle');
  running.kill('SIGINT');
  await running.done;
});

test.concurrent('it refuses where a move would do harm, says why, and changes nothing', async (context) => {
  const { expect } = context;
  const { server, sandbox, lay } = await open(context);
  const refused = async (...args: string[]) => {
    const { code, stdout, stderr } = await sandbox.run([...NATIVE, '--yes', ...args]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(server.lying('orders')).toEqual([]);
    return stderr;
  };
  lay(1);
  await server.createQueue('orders.fifo');
  expect(await refused('--to', 'orders.fifo')).toContain('FIFO');
  server.put('orders-dlq', deadLettered());
  expect(await refused()).toContain('1 was set aside by an app');
  expect(await refused()).toContain('Retry without --native');

  await server.createQueue('shared-dlq');
  for (const name of ['a', 'b']) await server.createQueue(name, {}, { queue: 'shared-dlq', maxReceiveCount: 3 });
  for (const name of ['a', 'b'])
    server.put('shared-dlq', { body: '{}', sourceArn: `arn:aws:sqs:${server.region}:${server.account}:${name}` });
  const shared = await sandbox.run(['retry', '--native', '--all', '--yes', '--sqs', 'shared-dlq']);
  expect(shared.stderr).toMatch(/different queues: [ab] 1, [ab] 1\. A move task has one destination/);

  await server.createQueue('attempted-dlq');
  await server.createQueue('attempted', {}, { queue: 'attempted-dlq', maxReceiveCount: 3 });
  server.put('attempted-dlq', {
    ...published({ queue: 'attempted', attempts: 2 }),
    sourceArn: `arn:aws:sqs:${server.region}:${server.account}:attempted`,
  });
  const attempted = await sandbox.run(['retry', '--native', '--all', '--yes', '--sqs', 'attempted-dlq']);
  expect(attempted.stderr).toContain('1 must be changed to be handled again');

  await server.createQueue('lonely');
  server.put('lonely', { body: '{}' });
  const lonely = await sandbox.run(['retry', '--native', '--all', '--yes', '--sqs', 'lonely', '--to', 'orders']);
  expect(lonely.stderr).toContain('lonely is not the dead-letter queue of another queue');
});

test.concurrent('an empty queue is nothing to move: exit 4; a server without move tasks says so', async (context) => {
  const { expect } = context;
  const { sandbox } = await open(context);
  expect(await sandbox.run([...NATIVE, '--yes'])).toMatchObject({ code: 4, stdout: '' });
  const faux = await open(context, startFauxqs);
  faux.server.put('orders-dlq', { body: '{}' });
  const { code, stderr } = await faux.sandbox.run([...NATIVE, '--to', 'orders', '--yes']);
  expect(code).toBe(1);
  expect(stderr).toContain('has no move tasks (ListMessageMoveTasks)');
});

test.concurrent('a missing permission is named, before anything is moved', async (context) => {
  const { expect } = context;
  const server = await startAnswering((call) => {
    switch (call) {
      case 'GetQueueUrl':
        return { status: 200, body: '{"QueueUrl":"http://x/123456789012/orders-dlq"}' };
      case 'GetQueueAttributes':
        return { status: 200, body: '{"Attributes":{"QueueArn":"arn:aws:sqs:us-east-1:123456789012:orders-dlq"}}' };
      case 'ListMessageMoveTasks':
        return refusal('com.amazon.coral.service#AccessDeniedException', 'No.', 403);
      default:
        return { status: 200, body: '{"queueUrls":["http://x/123456789012/orders"]}' };
    }
  });
  const keys = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: 'us-east-1' };
  const sandbox = new Sandbox({ AWS_ENDPOINT_URL: server.endpoint, ...keys });
  context.onTestFinished(async () => {
    sandbox.remove();
    await server.close();
  });
  const { code, stderr } = await sandbox.run([...NATIVE, '--yes']);
  expect(code).toBe(1);
  expect(stderr).toContain('sqs:ListMessageMoveTasks is missing');
  expect(stderr).toContain('sqs:StartMessageMoveTask, sqs:ListMessageMoveTasks and sqs:CancelMessageMoveTask');
  expect(server.calls).not.toContain('StartMessageMoveTask');
});

test.each([
  [['retry', '--native', '--yes'], 'needs --all'],
  [['retry', '--native', '--all', '--reason', 'failed', '--yes'], '--native and filters'],
  [['retry', '--native', 'abc', '--yes'], '--native and ids'],
  [['retry', '--native', '--all', '--bypass', '--max', '3', '--yes'], '--native and --max, --bypass'],
  [['retry', '--native', '--all', '--wait', '1m', '--yes'], '--native and --wait'],
  [['retry', '--native', '--all', '--rate', '501', '--yes'], '1 to 500 messages a second'],
  [['retry', '--native', '--all', '--rate', '0.5', '--yes'], '1 to 500 messages a second'],
  [['retry', '--native', '--all'], 'nobody here to confirm'],
])('%j is refused before anything is touched', async (args, said) => {
  const sandbox = new Sandbox({ AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: 'http://127.0.0.1:9' });
  const { code, stdout, stderr } = await sandbox.run([...args, '--sqs', 'orders-dlq']);
  sandbox.remove();
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(said);
});

test('one queue at a time, and SQS only', async () => {
  const sandbox = new Sandbox({ AWS_REGION: 'us-east-1' });
  const all = ['retry', '--native', '--all', '--yes'];
  const two = await sandbox.run([...all, '--sqs', 'a-dlq', '--sqs', 'b-dlq']);
  expect(two.stderr).toContain('--native moves one dead-letter queue, and 2 sources are meant.');
  const jadpo = await sandbox.run([...all, '--jadpo', 'x.db']);
  expect(jadpo).toMatchObject({ code: 2, stderr: expect.stringContaining('is not on SQS') });
  sandbox.remove();
});
