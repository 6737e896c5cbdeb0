/** A short tour of the main job: the very bin a user has, run on the demo's servers. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startApps } from './apps.ts';
import type { World } from './world.ts';

const BIN = resolve(import.meta.dirname, '../dist/babelq.js');

interface Ran {
  stdout: string;
  code: number | null;
}

/** Runs the bin with its output as a user sees it; what it prints is kept as well. */
async function babelq(world: World, args: readonly string[], show: boolean): Promise<Ran> {
  if (show) type(args);
  const child = spawn(process.execPath, [BIN, ...args], {
    env: { ...process.env, ...world.environment },
    cwd: world.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (show) process.stdout.write(text);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => process.stdout.write(text));
  const code = await new Promise<number | null>((done, fail) => {
    child.on('error', fail);
    child.on('close', done);
  });
  return { stdout, code };
}

function type(args: readonly string[], rest = ''): void {
  process.stdout.write(`\n$ babelq ${args.map(quoted).join(' ')}${rest}\n`);
}

/** As a person would type it. */
function quoted(arg: string): string {
  return /^[\w./:=@-]+$/.test(arg) ? arg : `'${arg}'`;
}

function say(text: string): void {
  process.stdout.write(`\n# ${text}\n`);
}

/** @throws Error where a step did not do what it says */
export async function tour(world: World): Promise<void> {
  const { orderId: id, server } = world;
  const short = id.slice(0, 8);
  const show = (...args: string[]) => babelq(world, args, true);
  const bodiesOf = (queue: string) => server.lying(queue).map(({ body }) => body);
  const expectDone = (ran: Ran, what: string) => {
    if (ran.code !== 0) throw new Error(`${what} exited with ${ran.code}`);
  };

  say('Which dead-letter queues are there? With --write this becomes babelq.yaml.');
  expectDone(await show('sources', 'discover'), 'sources discover');
  say('The configuration here also has the parked messages of a jadpo app.');
  expectDone(await show('sources'), 'sources');
  say('Is anything wrong with one of them? Nothing is changed or received to find out; exit 1 says that there is.');
  const { code, stdout } = await show('doctor', '--source', 'orders');
  if (code !== 1 || !stdout.includes('retention'))
    throw new Error(`doctor found no retention, and exited with ${code}`);
  say('What failed, by cause: ids, numbers and times make no difference.');
  expectDone(await show('groups', '--limit', '6'), 'groups');
  say('One by one, the most urgent first.');
  expectDone(await show('deliveries', '--limit', '6'), 'deliveries');
  say('One of them: an order whose payment timed out.');
  expectDone(await show('inspect', `orders/${short}`), 'inspect');

  say('A retry changes nothing but what it must. The bytes before:');
  const before = (await babelq(world, ['inspect', id, '--raw'], false)).stdout;
  process.stdout.write(`${before}\n`);
  say('The payment service is back. First what, then do:');
  expectDone(await show('retry', short, '--dry-run'), 'retry --dry-run');
  expectDone(await show('retry', id, '--yes', '--reason-note', 'payment gateway is back'), 'retry');
  const after = bodiesOf('orders')[0];
  say('The bytes on the queue orders now: without dead_letter, attempts 0, everything else as it was.');
  process.stdout.write(`${after ?? '(not there)'}\n`);
  if (after !== before.replace(/,"dead_letter":\{.*?\}/, '').replace('"attempts":3', '"attempts":0')) {
    throw new Error('the retried message is not the stored one with dead_letter cut and attempts 0');
  }

  const dismissable = server.lying('orders-dlq').find(({ body }) => body.startsWith('<order'));
  if (dismissable === undefined) throw new Error('the message to dismiss is gone');
  say('This one nobody needs: set aside, and kept for 30 days.');
  expectDone(await show('dismiss', dismissable.messageId, '--yes', '--reason-note', 'sent by hand'), 'dismiss');
  if (bodiesOf('orders-dlq').includes(dismissable.body)) throw new Error('the dismissed message is still on its queue');
  expectDone(await show('deliveries', '--state', 'dismissed'), 'deliveries --state dismissed');
  say('It was needed after all.');
  expectDone(await show('restore', dismissable.messageId, '--yes'), 'restore');
  if (!bodiesOf('orders-dlq').includes(dismissable.body)) throw new Error('the restored message is not on its queue');
  say('Back on orders-dlq, byte for byte.');

  await planned(world);
  say('What was done, and by whom:');
  expectDone(await show('log', '--limit', '20'), 'log');
}

/** The rest of the incident: a plan that somebody can read, two of it first, and all once these are known to stay away. */
async function planned(world: World): Promise<void> {
  const matching = ['--source', 'orders', '--error', 'gateway timeout'];
  say('The other timeouts: first a plan, a file to be read, which is carried out once and to the letter.');
  const planning = ['retry', ...matching, '--dry-run', '--json'];
  type(planning, ' > plan.json');
  const plan = await babelq(world, planning, false);
  if (plan.code !== 0) throw new Error(`retry --dry-run --json exited with ${plan.code}`);
  writeFileSync(join(world.folder, 'plan.json'), plan.stdout);

  say('The apps run again. Two go first, and the others only if these are known to stay away. It takes some seconds.');
  const stop = await startApps(world);
  try {
    const note = ['--reason-note', 'INC-7, the gateway is back'];
    const ran = await babelq(
      world,
      ['retry', '--plan', 'plan.json', '--canary', '2', '--wait', '1m', '--yes', ...note],
      true,
    );
    if (ran.code !== 0) throw new Error(`retry --plan exited with ${ran.code}`);
  } finally {
    await stop();
  }
  say('A monitor agrees:');
  const checked = await babelq(world, ['check', ...matching], true);
  if (checked.code !== 0) throw new Error(`check exited with ${checked.code}`);
}

/** Opens the screens on the demo's servers, with the terminal handed over. */
export async function screens(world: World): Promise<void> {
  const child = spawn(process.execPath, [BIN], {
    env: { ...process.env, ...world.environment },
    cwd: world.folder,
    stdio: 'inherit',
  });
  await new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', done);
  });
}
