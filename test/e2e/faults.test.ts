import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ActionItem } from '../../src/model/action.ts';
import type { LogEntry } from '../../src/model/ports.ts';
import { type Fault, type FaultKind, type Plan, seededPlan } from '../support/fault-proxy.ts';
import { type RanAction, Scene } from '../support/scene.ts';
import { type SqsServer, startFauxqs } from '../support/servers.ts';

let server: SqsServer;
beforeAll(async () => {
  server = await startFauxqs();
});
afterAll(() => server.close());

const SEED = Number(process.env.FAULT_SEED ?? 20261130);
const MESSAGES = 300;
let scenes = 0;

async function sceneWith(messages: number, options: { plan?: Plan; longestPoll?: number; fifo?: boolean } = {}) {
  scenes += 1;
  const scene = await Scene.open(server, `faults-${scenes}`, { seed: SEED + scenes, ...options });
  scene.fill(messages);
  return scene;
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((tick) => setTimeout(tick, 5));
};

/** What a lost answer of a receive hid comes back, without its minute being waited for. */
function withLostReceivesBack(scene: () => Scene, plan: Plan): Plan {
  return (call) => {
    const fault = plan(call);
    const isLost = fault?.kind === 'cut_after' || fault?.kind === 'error_after';
    if (call.action !== 'ReceiveMessage' || !isLost) return fault;
    return { ...fault, onDone: (answer) => setTimeout(() => void giveBack(scene(), answer), 500) };
  };
}

async function giveBack(scene: Scene, answer: string): Promise<void> {
  const { Messages = [] } = JSON.parse(answer) as { Messages?: { MessageId: string }[] };
  await server.expire(
    scene.dlq,
    Messages.map(({ MessageId }) => MessageId),
  );
}

/** Holds what was told of every message against where it is; answers what was told to be uncertain. */
async function holdsTrue(scene: Scene, { code, report, stderr }: RanAction): Promise<ActionItem[]> {
  if (report === null) throw new Error(`It exited ${code} without a report: ${stderr}`);
  const whereabouts = await scene.whereabouts();
  const { items } = report;
  expect(new Set(items.map(({ id }) => id)).size, 'one item a message').toBe(items.length);
  for (const { id, outcome, possible_double, new_id } of items) {
    const where = whereabouts.get(scene.identityOf(id));
    const said = { id, outcome, possible_double, new_id };
    const once = possible_double ? expect.any(Number) : 1;
    if (outcome === 'done') expect({ ...said, ...where }).toMatchObject({ ...said, onDlq: 0, atTarget: once });
    if (outcome === 'failed' || outcome === 'skipped') {
      expect({ ...said, ...where }).toMatchObject({ onDlq: 1, ...(!possible_double && { atTarget: 0 }) });
    }
    // What has a new id was sent: only its delete is uncertain.
    if (outcome === 'uncertain' && new_id !== null) expect({ ...said, ...where }).toMatchObject({ atTarget: once });
  }
  const told = (wanted: string) => items.filter(({ outcome }) => outcome === wanted).length;
  expect(report).toMatchObject({
    matched: items.length,
    done: told('done'),
    skipped: told('skipped'),
    failed: told('failed'),
    uncertain: told('uncertain'),
  });
  const changed = report.done + report.uncertain > 0;
  const short = report.done < items.length;
  expect(code, stderr).toBe(short ? (changed ? 3 : 1) : 0);
  return items;
}

/** Every message somewhere, and twice only where that was said. */
async function nothingLost(scene: Scene, said: readonly ActionItem[]): Promise<void> {
  const mayBeTwice = new Set(
    said
      .filter(({ outcome, possible_double }) => possible_double || outcome === 'uncertain')
      .map(({ id }) => scene.identityOf(id)),
  );
  for (const [id, { onDlq, atTarget, archived }] of await scene.whereabouts()) {
    const copies = onDlq + atTarget + archived;
    expect(copies, id).toBeGreaterThan(0);
    if (copies > 1) expect(mayBeTwice.has(id), `${id} is there ${copies} times, unsaid`).toBe(true);
  }
}

type Rates = Parameters<typeof seededPlan>[1];
const EVERYWHERE = (kind: FaultKind, rate: number): Rates => ({ '*': { [kind]: rate } });
const BATCHES = (kind: FaultKind, rate: number): Rates => ({
  SendMessageBatch: { [kind]: rate },
  DeleteMessageBatch: { [kind]: rate },
  ChangeMessageVisibilityBatch: { [kind]: rate },
});
const MIXED: Rates = {
  '*': { error: 0.02, throttle: 0.02, cut: 0.02, cut_after: 0.02, error_after: 0.02, delay: 0.05 },
  SendMessageBatch: { refuse_some: 0.1, omit_some: 0.05, cut_after: 0.05, throttle: 0.05, trickle: 0.05 },
  DeleteMessageBatch: { refuse_some: 0.1, omit_some: 0.1, cut_after: 0.05, cut: 0.05 },
};

describe('a redrive through a server or network that', () => {
  it.concurrent('is stopped half-way: says so, journals what is open, and a second run finishes', {
    timeout: 120_000,
  }, async () => {
    const scene = await sceneWith(200, { longestPoll: 300 });
    scene.proxy.plan = ({ action, nth }) =>
      action === 'SendMessageBatch' && nth === 8 ? { kind: 'cut_after', onDone: () => scene.proxy.goDown() } : null;
    const first = await scene.act(['retry', '--all', '--yes']);
    const items = await holdsTrue(scene, first);
    expect(first.code).toBe(3);
    const host = new URL(scene.proxy.endpoint).host;
    expect(JSON.parse(lastLine(first.stderr))).toEqual({
      error: {
        code: 'unreachable',
        message: expect.toBeOneOf(
          // Whichever call was the last to find nobody there.
          [scene.dlq, scene.target].map(
            (queue) =>
              `No connection to SQS for ${queue} (us-east-1, account 000000000000, at ${host}): ${host} refused it.`,
          ),
        ),
        hint: `Check that the server at ${host} is up, and the endpoint in the configuration or AWS_ENDPOINT_URL.`,
        source: scene.dlq,
      },
    });
    const open = await scene.sandbox.json<{ entries: LogEntry[] }>([
      ...['log', '--unfinished', '--journal', scene.sandbox.path('journal.db')],
    ]);
    const uncertain = items.filter(({ outcome }) => outcome === 'uncertain').map(({ id }) => id);
    expect(uncertain.length).toBeGreaterThan(0);
    expect(new Set(open.entries.map(({ id }) => id))).toEqual(new Set(uncertain));

    await scene.proxy.comeBack();
    scene.proxy.plan = () => null;
    await scene.letTimePass();
    const second = await scene.act(['retry', '--all', '--yes']);
    items.push(...(await holdsTrue(scene, second)));
    expect(second.code, second.stderr).toBe(0);
    expect(server.lying(scene.dlq)).toEqual([]);
    await nothingLost(scene, items);
    await scene.close();
  });

  it.concurrent.each<[string, Rates, FaultKind[]]>([
    ['answers 500 and 503', EVERYWHERE('error', 0.1), ['error']],
    ['does it and answers 500 or 503', EVERYWHERE('error_after', 0.1), ['error_after']],
    ['throttles', EVERYWHERE('throttle', 0.1), ['throttle']],
    ['breaks connections', EVERYWHERE('cut', 0.1), ['cut']],
    ['does it and loses the answer', EVERYWHERE('cut_after', 0.1), ['cut_after']],
    ['refuses some entries of a batch', BATCHES('refuse_some', 0.3), ['refuse_some']],
    ['leaves some entries of a batch out of its answer', BATCHES('omit_some', 0.3), ['omit_some']],
    ['is slow', { '*': { delay: 0.3, trickle: 0.3 } }, ['delay', 'trickle']],
    ['does any of that', MIXED, []],
  ])('%s: nothing is lost, and what is told is true', async (_, rates, kinds) => {
    const scene: Scene = await sceneWith(MESSAGES, {
      longestPoll: 300,
      plan: withLostReceivesBack(() => scene, seededPlan(SEED, rates)),
    });
    const first = await scene.act(['retry', '--all', '--yes']);
    const items = await holdsTrue(scene, first);
    await nothingLost(scene, items);
    for (const kind of kinds) expect(scene.proxy.did[kind], kind).toBeGreaterThan(0);
    expect(Object.values(scene.proxy.did).reduce((sum, count) => sum + count)).toBeGreaterThan(5);

    scene.proxy.plan = () => null;
    await scene.letTimePass();
    if (server.lying(scene.dlq).length > 0) {
      const second = await scene.act(['retry', '--all', '--yes']);
      items.push(...(await holdsTrue(scene, second)));
      expect(second.code, second.stderr).toBe(0);
    }
    expect(server.lying(scene.dlq)).toEqual([]);
    await nothingLost(scene, items);
    await scene.close();
  });

  it('loses every answer to a FIFO send: the repeats are dropped, and each message is there once, in order', async () => {
    let lost = 0;
    const scene = await sceneWith(60, {
      fifo: true,
      plan: ({ action }) => (action === 'SendMessageBatch' && lost++ % 2 === 0 ? { kind: 'cut_after' } : null),
    });
    const ran = await scene.act(['retry', '--all', '--yes']);
    await holdsTrue(scene, ran);
    expect(ran).toMatchObject({ code: 0, report: { done: 60 } });
    for (const { atTarget } of (await scene.whereabouts()).values()) expect(atTarget).toBe(1);
    const ofGroup = new Map<string | null, number>();
    for (const { body, groupId } of server.lying(scene.target)) {
      const { order_id } = (JSON.parse(body) as { data: { order_id: number } }).data;
      expect(order_id).toBeGreaterThan(ofGroup.get(groupId) ?? -1);
      ofGroup.set(groupId, order_id);
    }
    await scene.close();
  });
});

it('dismisses and restores through all of it: every message is in one place or the other, byte for byte', async () => {
  const scene: Scene = await sceneWith(MESSAGES, { longestPoll: 300 });
  const stored = new Map(server.lying(scene.dlq).map(({ messageId, body }) => [scene.identityOf(messageId), body]));
  const said: ActionItem[] = [];
  for (const verb of ['dismiss', 'restore'] as const) {
    const isThrough = (await through(scene, verb, seededPlan(SEED, MIXED), said)).code === 0;
    if (!isThrough) expect(await through(scene, verb, () => null, said)).toMatchObject({ code: 0 });
    const where = [...(await scene.whereabouts()).values()];
    if (verb === 'dismiss') expect(where.every(({ onDlq, archived }) => onDlq === 0 && archived === 1)).toBe(true);
    else expect(where.every(({ onDlq, archived }) => onDlq > 0 && archived === 0)).toBe(true);
  }
  for (const { messageId, body } of server.lying(scene.dlq)) expect(body).toBe(stored.get(scene.identityOf(messageId)));
  await scene.close();
});

async function through(scene: Scene, verb: string, plan: Plan, said: ActionItem[]): Promise<RanAction> {
  scene.proxy.plan = withLostReceivesBack(() => scene, plan);
  const ran = await scene.act([verb, '--all', '--yes']);
  expect([0, 3], ran.stderr).toContain(ran.code);
  said.push(...(ran.report?.items ?? []));
  await nothingLost(scene, said);
  await scene.letTimePass();
  return ran;
}

describe('Ctrl+C', () => {
  const HELD = 1000;

  it.each([
    ['at once', null],
    ['through a network with 50 ms latency', { kind: 'delay', ms: 50 } satisfies Fault],
    // A busy machine may take longer once.
  ])(
    'in a listing that holds a thousand messages releases them all within two seconds, %s',
    { retry: 2 },
    async (_, latency) => {
      const scene = await sceneWith(HELD);
      scene.proxy.plan = () => latency;
      const running = scene.start(['deliveries', '--limit', 'all']);
      await until(() => scene.hidden === HELD);
      const at = performance.now();
      running.kill('SIGINT');
      await until(() => scene.hidden === 0);
      expect(performance.now() - at).toBeLessThan(2000);
      expect(await running.done).toMatchObject({ code: 130, stdout: '' });
      expect(scene.hidden).toBe(0);
      for (const { receiveCount } of server.lying(scene.dlq)) expect(receiveCount).toBe(1);
      await scene.close();
    },
  );

  it('twice leaves at once, and says how many stay hidden for how long', { retry: 2 }, async () => {
    const scene = await sceneWith(HELD);
    scene.proxy.plan = ({ action }) => (action === 'ChangeMessageVisibilityBatch' ? { kind: 'delay', ms: 4000 } : null);
    const running = scene.start(['deliveries', '--limit', 'all']);
    await until(() => scene.hidden === HELD);
    running.kill('SIGINT');
    await until(() => (scene.proxy.calls.get('ChangeMessageVisibilityBatch') ?? 0) > 0);
    const at = performance.now();
    running.kill('SIGINT');
    const { code, stderr } = await running.done;
    expect(performance.now() - at).toBeLessThan(500);
    expect(code).toBe(130);
    const [, held, seconds] =
      /Still hidden from everyone: at least ([\d,]+) messages of \S+ for up to (\d+) s\./.exec(stderr) ?? [];
    expect(Number(held?.replace(',', '')), stderr).toBe(scene.hidden);
    expect(Number(seconds)).toBeGreaterThanOrEqual(Math.floor(scene.hiddenSeconds));
    expect(Number(seconds)).toBeLessThanOrEqual(61);
    await scene.close();
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'in a redrive (%s) finishes what was begun and gives back the rest',
    async (signal) => {
      const scene = await sceneWith(MESSAGES, { longestPoll: 300 });
      let running: ReturnType<Scene['start']> | null = null;
      scene.proxy.plan = ({ action, nth }) =>
        action === 'SendMessageBatch' && nth === 9 ? { kind: 'none', onDone: () => running?.kill(signal) } : null;
      running = scene.start(['retry', '--all', '--yes']);
      const ran = await scene.ended(running);
      expect(ran.code).toBe(signal === 'SIGINT' ? 130 : 143);
      expect(ran.report).toMatchObject({ failed: 0, uncertain: 0 });
      expect(ran.report?.done).toBeGreaterThanOrEqual(90);
      expect(server.lying(scene.target)).toHaveLength(ran.report?.done ?? 0);
      expect(server.lying(scene.dlq)).toHaveLength(MESSAGES - (ran.report?.done ?? 0));
      expect(scene.hidden).toBe(0);
      await nothingLost(scene, ran.report?.items ?? []);
      await scene.close();
    },
  );
});

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}

it('Ctrl+C ends at once a retry that waits for a count which never comes', { timeout: 60_000 }, async () => {
  const scene = await sceneWith(3);
  // How often it asks before it receives: the last time for the count that it begins with.
  let asks = 0;
  const asked = () => scene.proxy.calls.get('GetQueueAttributes') ?? 0;
  scene.proxy.plan = ({ action, nth }) => {
    if (action === 'ReceiveMessage' && nth === 0) asks = asked();
    return null;
  };
  expect((await scene.act(['retry', '--all', '--yes'])).code).toBe(0);
  const before = asked();
  scene.proxy.plan = ({ action, nth }) =>
    action === 'GetQueueAttributes' && nth === before + asks - 1 ? { kind: 'delay', ms: 30_000 } : null;
  const running = scene.start(['retry', '--all', '--yes']);
  await until(() => asked() === before + asks);
  const at = Date.now();
  running.kill('SIGINT');
  expect(await running.done).toMatchObject({ code: 130 });
  expect(Date.now() - at).toBeLessThan(3_000);
  await scene.close();
});
