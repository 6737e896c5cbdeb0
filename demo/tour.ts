/** A short tour of the main job: the very bin a user has, run on the demo's servers. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { World } from './world.ts';

const BIN = resolve(import.meta.dirname, '../dist/babelq.js');

interface Ran {
  stdout: string;
  code: number | null;
}

/** Runs the bin with its output as a user sees it; what it prints is kept as well. */
async function babelq(world: World, args: readonly string[], show: boolean): Promise<Ran> {
  if (show) process.stdout.write(`\n$ babelq ${args.map(quoted).join(' ')}\n`);
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

  say('Three dead-letter queues on SQS and the parked messages of a jadpo app.');
  expectDone(await show('sources'), 'sources');
  say('What failed, the most urgent first.');
  expectDone(await show('deliveries', '--limit', '12'), 'deliveries');
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
  say('Back on orders-dlq, byte for byte. What was done, and by whom:');
  expectDone(await show('log'), 'log');
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
