/**
 * `npm run bench [-- --json] [-- --only redrive,listing,memory,against]`: babelq's built bin against the least that the
 * SDK must do, and against what people use today, in turn on the same server. Rates depend on the machine; the ratios
 * are what is promised.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Command, type Measured, measure, median } from './measure.ts';
import { OTHERS, type Queue } from './others.ts';
import { AWAY_MS, startServer } from './server.ts';

const BIN = resolve(import.meta.dirname, '../dist/babelq.js');
const BARE = resolve(import.meta.dirname, 'bare.ts');
const MESSAGES = 10_000;
/** The others move one message at a time. */
const MESSAGES_AGAINST = 2000;
/** As many calls side by side as babelq makes at most, redriving and reading. */
const IN_FLIGHT = { redrive: 16, list: 8, 'list-and-release': 8 };

interface Figure {
  name: string;
  value: number;
  unit: string;
  /** The bound it must keep, where one is promised. */
  target?: { least?: number; most?: number };
}

const { values } = parseArgs({
  options: { json: { type: 'boolean' }, only: { type: 'string' }, rounds: { type: 'string', default: '5' } },
});
const rounds = Number(values.rounds);
const folder = mkdtempSync(join(tmpdir(), 'babelq-bench-'));
const server = await startServer();
const figures: Figure[] = [];
const notes: string[] = [];
let queues = 0;

/** A queue of its own for each run, seeded before the clock starts. */
async function seeded(messages: number, environment = server.environment): Promise<Queue> {
  queues += 1;
  const name = `bench-${queues}`;
  return { name, ...(await server.seed(name, messages)), environment };
}

const babelq = ({ name, environment }: Queue, args: readonly string[]): Command => ({
  command: process.execPath,
  args: [BIN, '--sqs', `${name}-dlq`, ...args],
  environment: {
    ...environment,
    HOME: folder,
    XDG_STATE_HOME: folder,
    BABELQ_JOURNAL: join(folder, `${name}.db`),
  },
});

const bare = (what: keyof typeof IN_FLIGHT, { name, environment }: Queue): Command => ({
  command: process.execPath,
  args: [BARE, what, name, String(IN_FLIGHT[what])],
  environment,
});

const RETRY = ['retry', '--all', '--yes'];
const LIST = ['deliveries', '--limit', 'all', '--output', 'ids'];

type Side = (queue: Queue) => Command;

/** Runs both in turn, round after round, and answers how many times as fast the second was, each time. */
async function inTurn(
  messages: number,
  first: Side,
  second: Side,
  state?: 'empty' | 'all hidden',
  environment = server.environment,
): Promise<{ ratios: number[]; seconds: number[] }> {
  const ratios: number[] = [];
  const seconds: number[] = [];
  const timed = async (side: Side): Promise<Measured> => {
    const queue = await seeded(messages, environment);
    return measure(side(queue), state && server.until(`${queue.name}-dlq`, state));
  };
  for (let round = 0; round < rounds; round += 1) {
    const theirs = await timed(first);
    const ours = await timed(second);
    ratios.push(theirs.seconds / ours.seconds);
    seconds.push(ours.seconds);
  }
  return { ratios, seconds };
}

async function redrive(): Promise<void> {
  const theirs: Side = (queue) => bare('redrive', queue);
  const ours: Side = (queue) => babelq(queue, RETRY);
  // Until the last message has moved: without the long poll that then tells both that nothing is left.
  const near = await inTurn(MESSAGES, theirs, ours, 'empty');
  const away = await inTurn(MESSAGES, theirs, ours, 'empty', server.away);
  const target = { least: 0.85 };
  figures.push(
    { name: `redrive of ${MESSAGES}, journal on`, value: MESSAGES / median(near.seconds), unit: 'messages/s' },
    { name: 'redrive, rate against a bare SDK loop', value: median(near.ratios), unit: '×', target },
    { name: `redrive, ${AWAY_MS} ms away`, value: MESSAGES / median(away.seconds), unit: 'messages/s' },
    { name: `the same against a bare SDK loop, ${AWAY_MS} ms away`, value: median(away.ratios), unit: '×', target },
  );
}

async function listing(): Promise<void> {
  const ours: Side = (queue) => babelq(queue, LIST);
  const whole = await inTurn(MESSAGES, (queue) => bare('list-and-release', queue), ours);
  const received = await inTurn(MESSAGES, (queue) => bare('list', queue), ours, 'all hidden');
  figures.push(
    { name: `listing of ${MESSAGES}`, value: MESSAGES / median(received.seconds), unit: 'messages/s' },
    {
      name: 'listing, rate against a bare loop that receives and gives back',
      value: median(whole.ratios),
      unit: '×',
      target: { least: 0.9 },
    },
    {
      name: 'the same, until the last message was received',
      value: median(received.ratios),
      unit: '×',
      target: { least: 0.9 },
    },
  );
}

async function memory(): Promise<void> {
  const peak = async (messages: number, args: readonly string[]) => {
    const queue = await seeded(messages);
    return (await measure(babelq(queue, args))).peakMb;
  };
  const small = await peak(MESSAGES, RETRY);
  const large = await peak(10 * MESSAGES, RETRY);
  figures.push(
    { name: `peak memory, redrive of ${MESSAGES}`, value: small, unit: 'MB' },
    { name: `peak memory, redrive of ${10 * MESSAGES}`, value: large, unit: 'MB', target: { most: 200 } },
    { name: 'peak memory, ten times the messages', value: large / small, unit: '×', target: { most: 1.2 } },
  );
}

async function against(): Promise<void> {
  for (const other of OTHERS) {
    try {
      await other.install();
    } catch (error) {
      notes.push(`${other.name} was left out, as it can't be installed here: ${(error as Error).message}`);
      continue;
    }
    const ours: Side = (queue) => babelq(queue, RETRY);
    const { ratios } = await inTurn(MESSAGES_AGAINST, (queue) => other.redrive(queue), ours, 'empty');
    figures.push({ name: `times as fast as ${other.name}`, value: median(ratios), unit: '×' });
  }
}

function print(): void {
  const [cpu] = cpus();
  if (values.json === true) {
    const machine = { node: process.version, cpus: cpus().length, cpu: cpu?.model, server: server.name };
    process.stdout.write(`${JSON.stringify({ ...machine, rounds, figures, notes }, null, 2)}\n`);
    return;
  }
  process.stdout.write(
    `Node ${process.version}, ${cpus().length} × ${cpu?.model}, ${server.name}, medians of ${rounds}\n\n`,
  );
  for (const { name, value, unit, target } of figures) {
    const bound =
      target?.least !== undefined
        ? `at least ${target.least}: ${value >= target.least ? 'met' : 'MISSED'}`
        : target?.most !== undefined
          ? `at most ${target.most}: ${value <= target.most ? 'met' : 'MISSED'}`
          : '';
    process.stdout.write(
      `${name.padEnd(64)} ${value.toFixed(value < 10 ? 2 : 0).padStart(7)} ${unit.padEnd(11)} ${bound}\n`,
    );
  }
  for (const note of notes) process.stdout.write(`\n${note}\n`);
}

const SUITES: Record<string, () => Promise<void>> = { redrive, listing, memory, against };
try {
  for (const name of values.only?.split(',') ?? Object.keys(SUITES)) {
    const suite = SUITES[name];
    if (suite === undefined) throw new Error(`No suite ${name}; there are ${Object.keys(SUITES).join(', ')}.`);
    await suite();
  }
} finally {
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
print();
