/** babelq and others in turn on dead-letter queues of the same server. */
import { join, resolve } from 'node:path';
import { type Command, type Measured, measure } from './measure.ts';
import type { Queue } from './others.ts';
import type { Bench } from './report.ts';
import { type BenchServer, startServer } from './server.ts';

export const BIN = resolve(import.meta.dirname, '../dist/babelq.js');
const BARE = resolve(import.meta.dirname, 'bare.ts');
export const MESSAGES = 10_000;
/** As many calls side by side as babelq makes at most, redriving and reading. */
const IN_FLIGHT = { redrive: 16, list: 8, 'list-and-release': 8, receive: 8 };

export const RETRY = ['retry', '--all', '--yes'];
export const LIST = ['deliveries', '--limit', 'all', '--output', 'ids'];

export type Side = (queue: Queue) => Command;

export interface OnSqs extends Bench {
  readonly server: BenchServer;
  /** A queue of its own for each run, seeded before the clock starts. */
  seeded(messages: number, environment?: Record<string, string>): Promise<Queue>;
  babelq(queue: Queue, args: readonly string[]): Command;
  bare(what: keyof typeof IN_FLIGHT, queue: Queue): Command;
  /** Runs both in turn, round after round, and answers how many times as fast the second was, each time. */
  inTurn(first: Side, second: Side, how: InTurn): Promise<{ ratios: number[]; seconds: number[] }>;
}

interface InTurn {
  messages: number;
  /** The clock stops when the queue is so; without, when the program ends. */
  until?: 'empty' | 'all hidden';
  environment?: Record<string, string>;
}

/** Runs a suite against a server that is there for as long. */
export async function onSqs<T>(bench: Bench, suite: (on: OnSqs) => Promise<T>): Promise<T> {
  const server = await startServer();
  let queues = 0;
  const seeded: OnSqs['seeded'] = async (messages, environment = server.environment) => {
    queues += 1;
    const name = `bench-${queues}`;
    return { name, ...(await server.seed(name, messages)), environment };
  };
  const inTurn: OnSqs['inTurn'] = async (first, second, { messages, until, environment }) => {
    const ratios: number[] = [];
    const seconds: number[] = [];
    const timed = async (side: Side): Promise<Measured> => {
      const queue = await seeded(messages, environment);
      return measure(side(queue), until && server.until(`${queue.name}-dlq`, until));
    };
    for (let round = 0; round < bench.rounds; round += 1) {
      const theirs = await timed(first);
      const ours = await timed(second);
      ratios.push(theirs.seconds / ours.seconds);
      seconds.push(ours.seconds);
    }
    return { ratios, seconds };
  };
  try {
    return await suite({
      ...bench,
      server,
      seeded,
      inTurn,
      babelq: ({ name, environment }, args) => ({
        command: process.execPath,
        args: [BIN, '--sqs', `${name}-dlq`, ...args],
        environment: {
          ...environment,
          HOME: bench.folder,
          XDG_STATE_HOME: bench.folder,
          BABELQ_JOURNAL: join(bench.folder, `${name}.db`),
        },
      }),
      bare: (what, { name, environment }) => ({
        command: process.execPath,
        args: [BARE, what, name, String(IN_FLIGHT[what])],
        environment,
      }),
    });
  } finally {
    server.close();
  }
}
