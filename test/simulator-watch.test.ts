import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { journalOver } from '../src/adapters/journal/journal.ts';
import { openSqsSource } from '../src/adapters/sqs/source.ts';
import type { ActionItem } from '../src/model/action.ts';
import { parseFilter } from '../src/model/filter.ts';
import type { ActionAsk } from '../src/model/operations/action-ask.ts';
import { planAction } from '../src/model/operations/plan-action.ts';
import { retryAndWatch } from '../src/model/operations/retry-watched.ts';
import { deadLettered, published } from './support/shapes.ts';
import { VirtualTime } from './support/simulator/clock.ts';
import { Faults, NO_FAULTS } from './support/simulator/faults.ts';
import { SimulatedProcess } from './support/simulator/process.ts';
import { Random } from './support/simulator/random.ts';
import { REGION, SimulatedSqs } from './support/simulator/sqs.ts';

const SCHEDULES = 400;
const HOUR = 3_600_000;

/** What the app does with one order: at which receive it ends, and how; `native` never ends, so SQS moves it. */
type Way = { end: 'handled' | 'set_aside' | 'native'; receives: number };

interface Played {
  items: ActionItem[];
  passed: boolean | null;
  /** Of each item, whether its message was on the dead-letter queue again by the end of all. */
  cameBack: Map<string, boolean>;
  held: number;
  hidden: number;
  quiet: boolean;
  enough: boolean;
}

/** An app, its queue and its dead-letter queue, other traffic, and somebody who retries and watches. All by one seed. */
async function play(seed: number): Promise<Played> {
  const random = new Random(seed);
  const time = new VirtualTime();
  const sqs = new SimulatedSqs(time, random.fork());
  const dlq = sqs.create('orders-dlq');
  const visibilitySeconds = random.pick([2, 10, 30, 120]);
  const maxReceiveCount = random.between(1, 5);
  const orders = sqs.create('orders', { visibilitySeconds, redrive: { target: dlq, maxReceiveCount } });
  let traffic = random.chance(0.3) ? random.between(1_000, 20_000) : null;
  const quiet = traffic === null;
  const ways = new Map<string, Way>();
  const idOf = (body: string) => /"order_id":\s*(\d+)/.exec(body)?.[1] ?? '';
  const wayOf = (id: string): Way => ways.get(id) ?? { end: 'handled', receives: 1 };

  const count = random.between(1, 8);
  const backOfSource = new Map<string, string>();
  for (let n = 0; n < count; n += 1) {
    const id = String(n);
    const end = random.weighted([
      ['handled', 6],
      ['set_aside', 2],
      ['native', 2],
    ] as const);
    ways.set(id, { end, receives: random.between(1, maxReceiveCount) });
    const make = random.chance(0.5) ? deadLettered : published;
    const shaped = make({ id: `f1e2d3c4-b5a6-4789-90ab-00000000000${n}`, data: `{"order_id":${n}}` });
    // Some have no id of their own: other apps' bodies, known by their bytes.
    const { body, attributes } = random.chance(0.25) ? { body: `{"order_id":${n}}`, attributes: {} } : shaped;
    const placed = dlq.place({ body, attributes }, { sentAt: time.now() - HOUR, sourceArn: orders.arn });
    backOfSource.set(`dlq/${placed.id}`, id);
  }

  let running = true;
  let pace = random.pick([300, 1_000, 4_000]);
  const app = () => {
    for (const { message, handle } of orders.receive(10, visibilitySeconds) ?? []) {
      const { end, receives } = wayOf(idOf(message.body));
      if (end === 'native' || message.receiveCount < receives) {
        if (random.chance(0.5)) orders.changeVisibility(handle, random.pick([0, 1, visibilitySeconds * 2]));
        continue;
      }
      if (end === 'set_aside') dlq.send({ body: setAside(message.body, time.now()), attributes: message.attributes });
      orders.delete(handle);
    }
    if (running) time.after(random.between(1, pace), app);
  };
  app();
  const produce = () => {
    if (traffic === null) return;
    orders.send({ body: `{"order_id":${random.between(1_000, 9_999)}}` });
    if (random.chance(0.3)) dlq.send({ body: `{"order_id":${random.between(1_000, 9_999)}}` });
    if (running) time.after(traffic, produce);
  };
  produce();

  const process = new SimulatedProcess('babelq', time);
  const client = process.client(sqs, new Faults(NO_FAULTS, null, time, random.fork()));
  const database = new Database(':memory:');
  const journal = process.journal(journalOver(database, process.clock));
  const deps = { journal, clock: process.clock, connect: async () => client };
  const source = openSqsSource({ name: 'dlq', queue: 'orders-dlq', redriveTo: 'orders', region: REGION }, deps);
  const items: ActionItem[] = [];
  const ask: ActionAsk = {
    action: 'retry',
    asked: { kind: 'filter', filter: parseFilter({}, ['failed']) },
    sources: [source],
    journal,
    clock: process.clock,
    by: 'somebody',
    note: null,
    allowReceive: false,
    signal: process.signal,
    onItem: (item) => items.push(item),
  };
  const least = maxReceiveCount * visibilitySeconds * 1000;
  const waitMs = random.pick([1_000, least, least * 2 + 30_000, least * 3 + 2 * 60_000]);
  const canary = random.chance(0.4) ? random.between(1, 3) : null;
  const { passed } = await time.run(
    (async () => {
      const plan = canary !== null || random.chance(0.5) ? (await planAction(ask)).plan : null;
      const acted = await retryAndWatch(ask, plan, { waitMs, canary });
      return { passed: acted.canary?.passed ?? null };
    })(),
  );
  const retried = new Map(items.map(({ id, new_id }) => [id, new_id]));
  const hidden = dlq.inFlight.length;
  // The app goes on, far beyond what anybody waits for, until it is through with everything.
  traffic = null;
  pace = 10_000;
  for (let minute = 0; minute < 120 && orders.messages.length > 0; minute += 1) await time.run(time.sleep(60_000));
  running = false;
  const lying = dlq.messages.map((message) => ({ id: message.id, order: idOf(message.body), sentAt: message.sentAt }));
  const cameBack = new Map(
    items.map(({ id }) => {
      const order = backOfSource.get(id);
      const original = id.slice(id.indexOf('/') + 1);
      const back = lying.some((one) => one.id === retried.get(id) || (one.order === order && one.id !== original));
      return [id, back];
    }),
  );
  database.close();
  return {
    items,
    passed,
    cameBack,
    held: source.held().count,
    hidden,
    quiet,
    enough: waitMs > least * 3,
  };
}

function setAside(body: string, now: number): string {
  const record = {
    reason: 'failed',
    error: null,
    exception: null,
    failed_at: now,
    original_queue: 'orders',
    attempts: 1,
  };
  // Written anew with spaces, as some SDK might.
  return JSON.stringify({ ...JSON.parse(body), dead_letter: record }, null, 1);
}

test('nothing that is said to stay away comes back, and what is said to be back is', { timeout: 120_000 }, async () => {
  const total = { true: 0, false: 0, null: 0, passed: 0, stopped: 0 };
  for (let seed = 1; seed <= SCHEDULES; seed += 1) {
    const { items, passed, cameBack, held, hidden, quiet, enough } = await play(seed);
    const wrong = items.filter(
      ({ id, returned, outcome }) => outcome === 'done' && returned !== null && returned !== cameBack.get(id),
    );
    expect({ seed, wrong, held, hidden }).toEqual({ seed, wrong: [], held: 0, hidden: 0 });
    for (const { outcome, returned } of items) if (outcome === 'done') total[`${returned}` as 'true'] += 1;
    if (passed !== null) total[passed ? 'passed' : 'stopped'] += 1;
    if (passed === false) {
      const canaries = items.filter(({ outcome }) => outcome === 'done');
      expect({ seed, safe: canaries.every(({ returned }) => returned === false) }).toEqual({ seed, safe: false });
    }
    // Where nothing else goes on and there is time enough, it is known of every one that has an id of its own.
    if (quiet && enough && passed !== false) {
      const unknown = items.filter(({ outcome, returned }) => outcome === 'done' && returned === null);
      expect({
        seed,
        unknown: unknown.map(({ detail }) => detail).filter((detail) => !detail?.startsWith('Messages without')),
      }).toEqual({ seed, unknown: [] });
    }
  }
  // It is worth something only where all of it happens.
  for (const number of Object.values(total)) expect(number).toBeGreaterThan(20);
});
