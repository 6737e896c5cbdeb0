import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Fault, Plan } from '../support/fault-proxy.ts';
import { Scene } from '../support/scene.ts';
import { type SqsServer, startFauxqs } from '../support/servers.ts';
import { Random } from '../support/simulator/random.ts';

/** `KILL_SEED=… npx vitest run test/e2e/kill.test.ts` repeats a run's choices. */
const SEED = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000);
const KILLS = Number(process.env.KILLS ?? 100);
const SCENES = 4;
const MESSAGES = 30;

let server: SqsServer;
beforeAll(async () => {
  server = await startFauxqs();
});
afterAll(() => server.close());

type Verb = 'retry' | 'dismiss' | 'restore';

const CALLS: Readonly<Record<Verb, readonly string[]>> = {
  retry: ['ReceiveMessage', 'SendMessageBatch', 'SendMessageBatch', 'DeleteMessageBatch', 'DeleteMessageBatch'],
  dismiss: ['ReceiveMessage', 'DeleteMessageBatch', 'DeleteMessageBatch'],
  restore: ['SendMessageBatch'],
};

/** Kills at one of a call's three moments, or at any time at all: while it starts, or writes to its journal. */
function killPlan(verb: Verb, random: Random, kill: () => void): Plan {
  if (random.chance(0.15)) setTimeout(kill, random.between(50, 500));
  const at = random.pick(CALLS[verb]);
  let left = random.between(0, 2);
  const moment = random.pick(['before', 'done', 'answered'] as const);
  const later = random.between(0, 20);
  return ({ action }): Fault | null => {
    if (action !== at || left-- > 0) return null;
    if (moment === 'done') return { kind: 'cut_after', onDone: kill };
    if (moment === 'answered') return { kind: 'none', onDone: () => setTimeout(kill, later) };
    kill();
    return { kind: 'cut' };
  };
}

/** Nothing lost, at any moment; and what is there twice is in the journal as something that it isn't sure of. */
async function holds(scene: Scene): Promise<{ archived: number; onDlq: number }> {
  const whereabouts = await scene.whereabouts();
  const doubted = await scene.doubted();
  const wrong: string[] = [];
  const sum = { archived: 0, onDlq: 0 };
  for (const [id, { onDlq, atTarget, archived }] of whereabouts) {
    const copies = onDlq + atTarget + archived;
    if (copies === 0) wrong.push(`${id} is lost`);
    if (copies > 1 && !doubted.has(id)) {
      wrong.push(`${id} is there ${copies} times, unsaid: ${onDlq} on the DLQ, ${atTarget} sent, ${archived} archived`);
    }
    sum.archived += archived;
    sum.onDlq += onDlq;
  }
  expect(wrong).toEqual([]);
  return sum;
}

/**
 * Starts one action after the other and kills it, so that each next run finds what a dead one left.
 * @returns how many were killed in the middle of something
 */
async function killAgainAndAgain(scene: Scene, random: Random, verbs: readonly Verb[], kills: number): Promise<number> {
  let killed = 0;
  let inTheMiddle = 0;
  for (let runs = 0; killed < kills; runs += 1) {
    if (runs > 3 * kills) throw new Error('Hardly any run is killed.');
    const { archived, onDlq } = await holds(scene);
    if (onDlq < MESSAGES / 2) scene.fill(MESSAGES - onDlq);
    const verb = random.pick(verbs.filter((one) => one !== 'restore' || archived > 0));
    const openBefore = await scene.unfinished();
    const running = scene.start([verb, '--all', '--yes']);
    scene.proxy.plan = killPlan(verb, random, () => running.kill('SIGKILL'));
    const { code, stderr } = await scene.ended(running);
    scene.proxy.plan = () => null;
    if (code === null) killed += 1;
    else expect([0, 3], stderr).toContain(code);
    await scene.proxy.idle();
    expect(scene.hiddenSeconds).toBeLessThan(60.1);
    await scene.letTimePass();
    expect(scene.hidden).toBe(0);
    if ([...(await scene.unfinished())].some((one) => !openBefore.has(one))) inTheMiddle += 1;
  }
  return inTheMiddle;
}

/**
 * Without being killed: everything ends at the target. Of copies that a repeated restoration made a retry takes one at
 * a time, since they have the same id in their envelopes.
 */
async function finish(scene: Scene): Promise<void> {
  for (let runs = 0; runs < 50; runs += 1) {
    const { archived, onDlq } = await holds(scene);
    if (archived + onDlq === 0) break;
    const { code, stderr } = await scene.act([archived > 0 ? 'restore' : 'retry', '--all', '--yes']);
    expect([0, 3], stderr).toContain(code);
  }
  for (const [id, where] of await scene.whereabouts()) {
    expect({ id, ...where }).toEqual({ id, onDlq: 0, archived: 0, atTarget: expect.toSatisfy((copies) => copies > 0) });
  }
}

it(`loses nothing and doubles nothing unsaid in a hundred kills over retry, dismiss and restore (KILL_SEED=${SEED})`, {
  retry: 0,
  timeout: 180_000,
}, async () => {
  const random = new Random(SEED);
  const inTheMiddle = await Promise.all(
    Array.from({ length: SCENES }, async (_, nth) => {
      const fifo = nth === 0;
      const scene = await Scene.open(server, `killed-${nth}`, { fifo, longestPoll: 60, seed: SEED + nth });
      const verbs: readonly Verb[] = fifo ? ['retry'] : ['retry', 'dismiss', 'restore'];
      const open = await killAgainAndAgain(scene, random.fork(), verbs, Math.ceil(KILLS / SCENES));
      await finish(scene);
      // The repeat of a send that was done carries the same deduplication id.
      if (fifo) for (const { atTarget } of (await scene.whereabouts()).values()) expect(atTarget).toBe(1);
      await scene.close();
      return open;
    }),
  );
  // The kills are worth something only where they come in the middle of something.
  expect(inTheMiddle.reduce((sum, open) => sum + open)).toBeGreaterThan(KILLS / 4);
});

it('leaves alone what a killed run was at until its heartbeat is a minute old, and then finishes it', {
  retry: 0,
}, async () => {
  const scene = await Scene.open(server, 'fresh', { longestPoll: 60 });
  scene.fill(20);
  const running = scene.start(['retry', '--all', '--yes']);
  scene.proxy.plan = ({ action }) =>
    action === 'SendMessageBatch' ? { kind: 'cut_after', onDone: () => running.kill('SIGKILL') } : null;
  expect((await scene.ended(running)).code).toBeNull();
  scene.proxy.plan = () => null;
  await scene.proxy.idle();
  await server.expire(scene.dlq);
  const sent = server.lying(scene.target).length;
  expect(sent).toBeGreaterThan(0);
  await scene.whereabouts();
  const begun = (await scene.doubted()).size;

  const log = ['log', '--unfinished', '--journal', scene.sandbox.path('journal.db')];
  const { stderr } = await scene.sandbox.run(log);
  expect(stderr).toContain(`under way, or killed less than a minute ago, with ${begun} messages begun.`);

  const early = await scene.act(['retry', '--all', '--yes']);
  expect(early).toMatchObject({ code: begun === 20 ? 1 : 3, report: { done: 20 - begun, skipped: begun } });
  expect(server.lying(scene.target)).toHaveLength(sent + 20 - begun);

  await scene.letTimePass();
  expect(await scene.sandbox.run([...log, '--output', 'ids'])).toMatchObject({
    stdout: expect.stringMatching(/^(?:\S+\n)+$/),
    stderr: expect.stringContaining('What has no new id may have been sent'),
  });
  const late = await scene.act(['retry', '--all', '--yes']);
  expect(late).toMatchObject({ code: 0, report: { done: begun, skipped: 0 } });
  for (const { possible_double } of late.report?.items ?? []) expect(possible_double).toBe(true);
  await finish(scene);
  await scene.close();
});

it.each(['one journal', 'two journals'])(
  'lets two at once on one queue share the work, with %s',
  { retry: 0 },
  async (journals) => {
    const scene = await Scene.open(server, `shared-${journals.replace(' ', '-')}`, { longestPoll: 60 });
    scene.fill(400);
    const both = await Promise.all([
      scene.act(['retry', '--all', '--yes']),
      scene.act(['retry', '--all', '--yes'], journals === 'one journal' ? 0 : 1),
    ]);
    let done = 0;
    for (const { code, report, stderr } of both) {
      expect(code, stderr).toBe(0);
      expect(report).toMatchObject({ failed: 0, uncertain: 0, skipped: 0 });
      done += report?.done ?? 0;
    }
    expect(done).toBe(400);
    for (const [id, where] of await scene.whereabouts()) {
      expect({ id, ...where }).toEqual({ id, onDlq: 0, atTarget: 1, archived: 0 });
    }
    await scene.close();
  },
);
