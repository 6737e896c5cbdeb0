/**
 * `npm run bench [-- --json] [-- --only redrive,listing]`: babelq's built bin against the least that the SDK must do, on
 * the same server, in turn. Absolute rates depend on the machine; the ratios are what is promised.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Measured, measure, median } from './measure.ts';
import { type BenchServer, startServer } from './server.ts';

const BIN = resolve(import.meta.dirname, '../dist/babelq.js');
const BARE = resolve(import.meta.dirname, 'bare.ts');
const MESSAGES = 10_000;
const IN_FLIGHT = 8;
const ROUNDS = 3;

interface Figure {
  name: string;
  value: number;
  unit: string;
  /** The bound it must keep, where one is promised. */
  target?: { least?: number; most?: number };
}

const { values } = parseArgs({ options: { json: { type: 'boolean' }, only: { type: 'string' } } });
const folder = mkdtempSync(join(tmpdir(), 'babelq-bench-'));
const server = await startServer();
const figures: Figure[] = [];
let queues = 0;

const SUITES: Record<string, () => Promise<void>> = { redrive, listing, memory };
try {
  const chosen = values.only?.split(',') ?? Object.keys(SUITES);
  for (const name of chosen) {
    const suite = SUITES[name];
    if (suite === undefined) throw new Error(`No suite ${name}; there are ${Object.keys(SUITES).join(', ')}.`);
    await suite();
  }
} finally {
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
print();

/** A queue of its own for each run, seeded before the clock starts. */
async function seeded(messages: number): Promise<string> {
  queues += 1;
  const name = `bench-${queues}`;
  await server.seed(name, messages);
  return name;
}

function babelq(queue: string, args: readonly string[], bench: BenchServer): Promise<Measured> {
  return measure(process.execPath, [BIN, '--sqs', `${queue}-dlq`, ...args], {
    ...bench.environment,
    HOME: folder,
    XDG_STATE_HOME: folder,
    BABELQ_JOURNAL: join(folder, `${queue}.db`),
  });
}

const bare = (what: string, queue: string, messages: number, bench: BenchServer): Promise<Measured> =>
  measure(process.execPath, [BARE, what, queue, String(messages), String(IN_FLIGHT)], bench.environment);

async function redrive(): Promise<void> {
  const ratios: number[] = [];
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const plain = await bare('redrive', await seeded(MESSAGES), MESSAGES, server);
    const ours = await babelq(await seeded(MESSAGES), ['retry', '--all', '--yes'], server);
    ratios.push(plain.seconds / ours.seconds);
    rates.push(MESSAGES / ours.seconds);
  }
  figures.push(
    { name: `redrive of ${MESSAGES}, journal on`, value: median(rates), unit: 'messages/s' },
    { name: 'redrive, rate against a bare SDK loop', value: median(ratios), unit: '×', target: { least: 0.85 } },
  );
}

async function listing(): Promise<void> {
  const against = { list: [] as number[], 'list-and-release': [] as number[] };
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const what of ['list', 'list-and-release'] as const) {
      const plain = await bare(what, await seeded(MESSAGES), MESSAGES, server);
      const ours = await babelq(await seeded(MESSAGES), ['deliveries', '--limit', 'all', '--output', 'ids'], server);
      against[what].push(plain.seconds / ours.seconds);
      rates.push(MESSAGES / ours.seconds);
    }
  }
  figures.push(
    { name: `listing of ${MESSAGES}, given back`, value: median(rates), unit: 'messages/s' },
    {
      name: 'listing, rate against a bare loop that receives and gives back',
      value: median(against['list-and-release']),
      unit: '×',
      target: { least: 0.9 },
    },
    { name: 'listing, rate against a bare loop that only receives', value: median(against.list), unit: '×' },
  );
}

async function memory(): Promise<void> {
  const small = await babelq(await seeded(MESSAGES), ['retry', '--all', '--yes'], server);
  const large = await babelq(await seeded(10 * MESSAGES), ['retry', '--all', '--yes'], server);
  figures.push(
    { name: `peak memory, redrive of ${MESSAGES}`, value: small.peakMb, unit: 'MB' },
    { name: `peak memory, redrive of ${10 * MESSAGES}`, value: large.peakMb, unit: 'MB', target: { most: 200 } },
    {
      name: 'peak memory, ten times the messages',
      value: large.peakMb / small.peakMb,
      unit: '×',
      target: { most: 1.2 },
    },
  );
}

function print(): void {
  if (values.json === true) {
    process.stdout.write(`${JSON.stringify({ node: process.version, cpus: cpus().length, figures }, null, 2)}\n`);
    return;
  }
  process.stdout.write(`Node ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model ?? ''}\n\n`);
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
}
