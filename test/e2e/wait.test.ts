import Database from 'better-sqlite3';
import { expect, onTestFinished, type TestContext, test, vi } from 'vitest';
import type { ActionReport } from '../../src/model/action.ts';
import { Consumer, type Handled } from '../support/consumer.ts';
import { createJadpoFile, parkedRow } from '../support/jadpo-table.ts';
import { atATerminal } from '../support/person.ts';
import { Sandbox } from '../support/run-babelq.ts';
import { type SqsServer, startLocalAwsSqs } from '../support/servers.ts';
import { deadLettered, published } from '../support/shapes.ts';

const SQS = ['--sqs', 'orders-dlq'];
const order = (n: number) => `f1e2d3c4-b5a6-4789-90ab-0000000000${String(n).padStart(2, '0')}`;

/** A server of its own with `orders` and its dead-letter queue, and whoever is there: so that the tests wait side by side. */
class World {
  readonly server: SqsServer;
  readonly sandbox: Sandbox;
  readonly #consumers: Consumer[] = [];

  private constructor(server: SqsServer) {
    this.server = server;
    this.sandbox = new Sandbox(server.environment);
  }

  static async open({ onTestFinished }: TestContext, visibilitySeconds = 1): Promise<World> {
    const world = new World(await startLocalAwsSqs());
    onTestFinished(() => world.#close());
    await world.server.createQueue('orders-dlq');
    const policy = { queue: 'orders-dlq', maxReceiveCount: 2 };
    await world.server.createQueue('orders', { VisibilityTimeout: String(visibilitySeconds) }, policy);
    return world;
  }

  babelq(...args: string[]) {
    return this.sandbox.run([...args, ...SQS]);
  }

  /** Lays so many failed orders on the dead-letter queue; answers their MessageIds. */
  lay(count: number, make: typeof deadLettered = deadLettered): string[] {
    return Array.from({ length: count }, (_, n) => {
      const { body, attributes } = make({ id: order(n), data: `{"order_id":${n}}` });
      return this.server.put('orders-dlq', { body, attributes, sentAt: Date.now() - 3_600_000 });
    });
  }

  /** An app on `orders` that does with each order what is said of it, and handles the others. */
  async app(of: Record<number, Handled> = {}): Promise<void> {
    await this.consume(({ body }) => {
      const { data } = JSON.parse(body) as { data: { order_id: number } };
      return of[data.order_id] ?? 'handled';
    });
  }

  async consume(handle: (message: { body: string }) => Handled): Promise<void> {
    this.#consumers.push(await Consumer.start(this.server, 'orders', handle));
  }

  async #close(): Promise<void> {
    await Promise.all(this.#consumers.map((consumer) => consumer.stop()));
    await this.server.close();
    this.sandbox.remove();
  }
}

const unknown = { setAside: { reason: 'unknown_urn', error: 'No handler' } };

function reportOf({ stdout }: { stdout: string }): ActionReport & { returnedOf(id: string): unknown } {
  const report = JSON.parse(stdout) as ActionReport;
  return { ...report, returnedOf: (id) => report.items.find((item) => item.id === `orders-dlq/${id}`)?.returned };
}

test.concurrent('what an app handles stays away, what it sets aside again comes back with its reason: exit 5', async (context) => {
  const { expect } = context;
  const world = await World.open(context);
  const { server } = world;
  const [good = '', bad = ''] = world.lay(2);
  await world.app({ 1: unknown });
  const ran = await world.babelq('retry', '--all', '--wait', '20s', '--yes', '--json');
  expect(ran).toMatchObject({ code: 5 });
  const report = reportOf(ran);
  expect(report).toMatchObject({ matched: 2, done: 2, skipped: 0 });
  expect([report.returnedOf(good), report.returnedOf(bad)]).toEqual([false, true]);
  const [back] = server.lying('orders-dlq');
  const item = report.items.find(({ returned }) => returned);
  expect(item?.detail).toBe(`It came back as orders-dlq/${back?.messageId}: unknown_urn.`);
  expect(back?.hidden).toBe(false);
  expect(ran.stderr).toMatch(/1 stayed away, 1 came back, after \d+s/);
});

test.concurrent('what SQS moves back by maxReceiveCount is known by its MessageId, whatever its body', async (context) => {
  const { expect } = context;
  const world = await World.open(context);
  const { server } = world;
  const body = '{"orderId":"A-17"}';
  // Two of the same bytes: only their ids tell them apart.
  const first = server.put('orders-dlq', { body, sentAt: Date.now() - 3_600_000 });
  server.put('orders-dlq', { body, sentAt: Date.now() - 3_600_000 });
  await world.consume(() => 'left');
  const ran = await world.babelq('retry', first, '--to', 'orders', '--wait', '20s', '--yes', '--json');
  expect(ran.code).toBe(5);
  const [item] = reportOf(ran).items;
  expect(item).toMatchObject({ returned: true, detail: `It came back as orders-dlq/${item?.new_id}: max_receives.` });
});

test.concurrent('it is read once more only where it can tell something, and ends as soon as all is known', async (context) => {
  const { expect } = context;
  const world = await World.open(context);
  world.lay(3, published);
  await world.app();
  const began = Date.now();
  const ran = await world.babelq('retry', '--all', '--wait', '10m', '--yes');
  expect(ran.code).toBe(0);
  expect(Date.now() - began).toBeLessThan(25_000);
  expect(ran.stdout).toMatch(/^Retried 3 messages\.\nAll 3 stayed away, after \d+s\.\n\n/);
  expect(ran.stdout).toMatch(
    /\d{4}-\d\d-\d\d [\d:]{8} to [\d:]{8} UTC: ana@desk retried 3 messages of orders-dlq with babelq, run \S+\. All 3 stayed away, after \d+s\.\n$/,
  );
  expect(ran.stderr).toContain('orders-dlq is read again for that: each reading counts as a receive.');
  expect(ran.stderr).toContain('orders-dlq was read 2 times for that.');
});

test.concurrent('where nothing consumes, or the time is too short, it is null with why and what time would do', async (context) => {
  const { expect } = context;
  const world = await World.open(context, 30);
  const { server } = world;
  const [id = ''] = world.lay(1);
  const short = await world.babelq('retry', id, '--wait', '1s', '--yes', '--json');
  expect(short.code).toBe(0);
  expect(short.stderr).toContain('A wait of 1s is too short to tell who stays away');
  const [item] = reportOf(short).items;
  expect(item?.returned).toBe(null);
  expect(item?.detail).toMatch(
    /^1 still lies in orders, .*Is its consumer running\? .*2 receives, each hidden for 30s/,
  );

  await world.app();
  await vi.waitFor(() => expect(server.lying('orders')).toEqual([]), 10_000);
  const [again = ''] = world.lay(1);
  const early = await world.babelq('retry', again, '--wait', '1s', '--yes', '--json');
  expect(reportOf(early).items[0]).toMatchObject({
    returned: null,
    detail: 'Coming back from orders takes at least 1m (2 receives, each hidden for 30s): a wait of 1m5s would tell.',
  });
});

test.concurrent('a person sees before the question what is watched, what goes first, and whether the time can be enough', async (context) => {
  const { expect } = context;
  const world = await World.open(context, 30);
  const { server, sandbox } = world;
  world.lay(4);
  process.env.AWS_REGION = server.region;
  const url = `${server.endpoint}/${server.account}/orders-dlq`;
  const args = ['retry', '--all', '--canary', '1', '--wait', '1s', '--sqs', url];
  const env = { HOME: sandbox.home, XDG_STATE_HOME: sandbox.path('state') };
  const { stderr, code } = await atATerminal(args, 'n\n', { env, cwd: sandbox.home });
  expect(code).toBe(1);
  expect(stderr).toContain('One of them goes first; the other 3 only if it is known to stay away.');
  expect(stderr).toContain('Then orders-dlq is watched for up to 1s: it is read again for that');
  expect(stderr).toContain('too short to tell who stays away: coming back from orders takes at least 1m');
  expect(stderr).toContain('Retry 4 messages?');
  expect(server.lying('orders')).toEqual([]);
});

test.concurrent('what goes to a queue whose failures come elsewhere is never said to stay away', async (context) => {
  const { expect } = context;
  const world = await World.open(context);
  const { server } = world;
  await server.createQueue('repaired-dlq');
  await server.createQueue('repaired', { VisibilityTimeout: '1' }, { queue: 'repaired-dlq', maxReceiveCount: 1 });
  world.lay(1);
  const ran = await world.babelq('retry', '--all', '--to', 'repaired', '--wait', '2s', '--yes', '--json');
  expect(reportOf(ran).items[0]).toMatchObject({
    returned: null,
    detail: 'What fails in repaired goes to repaired-dlq: it is not seen here.',
  });
});

test.concurrent('the rest follows canaries that stay away', async (context) => {
  const { expect } = context;
  const world = await World.open(context);
  world.lay(6);
  let handled = 0;
  await world.consume(() => {
    handled += 1;
    return handled === 6 ? unknown : 'handled';
  });
  const ran = await world.babelq('retry', '--reason', 'failed', '--canary', '2', '--wait', '20s', '--yes', '--json');
  expect(ran.code).toBe(5);
  expect(reportOf(ran)).toMatchObject({ matched: 6, done: 6, skipped: 0 });
  expect(reportOf(ran).items.filter(({ returned }) => returned === false)).toHaveLength(5);
  expect(ran.stderr).toContain('The 2 messages that went first stayed away');
  expect(ran.stderr).toContain('2 messages went first. Watching for up to 20s');
});

test.concurrent('a canary that comes back keeps the rest where it is: exit 5, with which and why', async (context) => {
  const { expect } = context;
  const world = await World.open(context);
  const { server, sandbox } = world;
  const ids = world.lay(5);
  await world.app({ 0: unknown, 1: unknown, 2: unknown, 3: unknown, 4: unknown });
  const ran = await world.babelq('retry', '--all', '--canary', '2', '--wait', '20s', '--yes', '--reason-note', 'INC-7');
  expect(ran.code).toBe(5);
  expect(ran.stdout).toContain('Retried 2 of 5 messages: 3 skipped.');
  expect(ran.stdout).toContain('3 skipped: Not begun: of the canaries 2 came back.');
  expect(ran.stdout).toMatch(/2 came back: unknown_urn {2}orders-dlq\/[0-9a-f-]{36} \(now orders-dlq\/[0-9a-f-]{36}\)/);
  expect(ran.stdout).toMatch(/2 went first, and the rest was held back\. .*unknown_urn 2.*Why: INC-7\.\n$/);
  expect(server.lying('orders-dlq')).toHaveLength(5);
  const untouched = server.lying('orders-dlq').filter(({ messageId }) => ids.includes(messageId));
  expect(untouched).toHaveLength(3);
  const log = await sandbox.run(['log', '--json']);
  expect(new Set(JSON.parse(log.stdout).entries.map(({ run }: { run: string }) => run)).size).toBe(1);
});

test.concurrent('canaries of which it cannot be told are no leave to go on', async (context) => {
  const { expect } = context;
  const world = await World.open(context);
  const { server } = world;
  world.lay(3);
  const ran = await world.babelq('retry', '--all', '--canary', '1', '--wait', '1s', '--yes', '--json');
  expect(ran.code).toBe(5);
  const { items } = reportOf(ran);
  expect(items.filter(({ outcome }) => outcome === 'skipped').map(({ detail }) => detail)).toEqual([
    "Not begun: of the canaries of 1 it can't be told.",
    "Not begun: of the canaries of 1 it can't be told.",
  ]);
  expect(server.lying('orders')).toHaveLength(1);
});

test.concurrent('Ctrl+C ends the waiting cleanly: what was retried is told, and what came of it is null', async (context) => {
  const { expect } = context;
  const world = await World.open(context);
  const { server, sandbox } = world;
  world.lay(3);
  const running = sandbox.start(['retry', '--all', '--canary', '1', '--wait', '10m', '--yes', '--json', ...SQS]);
  await running.said('Watching for up to 10m');
  running.kill('SIGINT');
  const ran = await running.done;
  expect(ran.code).toBe(130);
  const { items, done, skipped } = reportOf(ran);
  expect({ done, skipped }).toEqual({ done: 1, skipped: 2 });
  expect(items.find(({ outcome }) => outcome === 'done')).toMatchObject({ returned: null });
  expect(items.find(({ outcome }) => outcome === 'skipped')?.detail).toContain('interrupted');
  expect(server.lying('orders-dlq').filter(({ hidden }) => hidden)).toEqual([]);
});

test.concurrent('jadpo: the tick keeps one, parks one again with its new reason, under another key too, and has not read the last', async (context) => {
  const { expect } = context;
  const world = await World.open(context);
  const { sandbox } = world;
  const file = sandbox.path('warehouse.sqlite');
  createJadpoFile(
    file,
    ['kept', 'again', 'moved', 'waits'].map((id) => parkedRow({ id })),
  );
  const running = sandbox.start(['retry', '--all', '--wait', '3s', '--yes', '--json', '--jadpo', 'warehouse.sqlite']);
  await running.said('Watching for up to 3s');
  const database = new Database(file, { timeout: 5000 });
  database.transaction(() => {
    const now = new Date().toISOString();
    database.prepare(`DELETE FROM jadpo_parked_messages WHERE id = 'kept'`).run();
    database
      .prepare(
        `UPDATE jadpo_parked_messages SET status = 'failed', reason = 'unlisted_type', problems = '[]' WHERE id = 'again'`,
      )
      .run();
    database
      .prepare(`UPDATE jadpo_parked_messages SET id = 'moved-2', status = 'failed', parked_at = ? WHERE id = 'moved'`)
      .run(now);
  })();
  database.close();
  const ran = await running.done;
  expect(ran.code).toBe(5);
  const items = Object.fromEntries(reportOf(ran).items.map(({ id, returned, detail }) => [id, { returned, detail }]));
  expect(items).toMatchObject({
    'warehouse/kept': { returned: false, detail: null },
    'warehouse/again': { returned: true, detail: 'It was parked again: unlisted_type.' },
    'warehouse/moved': {
      returned: true,
      detail: 'It was parked again as warehouse/moved-2: unreadable (total: required).',
    },
    'warehouse/waits': { returned: null, detail: expect.stringMatching(/1 pending.*A wait of \S+ would tell/) },
  });
});

test.each([
  [['--canary', '3'], '--canary needs --wait'],
  [['--wait', 'soon'], '--wait needs a duration'],
  [['--wait', '0s'], '--wait needs a duration above 0'],
  [['--wait', '1m', '--canary', '0'], '--canary needs a whole number above 0'],
])('retry %j is refused with what to do instead', async (args, said) => {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.remove());
  const { code, stderr, stdout } = await sandbox.run(['retry', '--all', '--yes', ...args, ...SQS]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(said);
});
