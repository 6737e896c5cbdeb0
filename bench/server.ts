/** An emulator in a process of its own, so that it doesn't share a core with what is measured. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { startFaultProxy } from '../test/support/fault-proxy.ts';
import { type SqsServer, startFauxqs } from '../test/support/servers.ts';
import { deadLettered } from '../test/support/shapes.ts';

export interface BenchServer {
  readonly name: string;
  /** What a client needs in its environment to reach it. */
  readonly environment: Record<string, string>;
  /** The same from as far away as SQS is within its region: each answer takes AWAY_MS longer. */
  readonly away: Record<string, string>;
  /** The same again from so far away (ms), and how it is called from then on. */
  from(ms: number): Promise<{ environment: Record<string, string>; calls(): Promise<Calls> }>;
  /** Makes `<name>-dlq` with so many failed orders on it, and an empty `<name>`. Answers their URLs. */
  seed(name: string, messages: number): Promise<{ dlq: string; target: string }>;
  count(queue: string): Promise<Counted>;
  /** Resolves when a queue came to a state, as the server itself sees it. */
  until(queue: string, state: 'empty' | 'all hidden'): Promise<void>;
  close(): void;
}

export const AWAY_MS = 20;

interface Counted {
  lying: number;
  hidden: number;
  twice: number;
}

interface Calls {
  count: number;
  /** How many were under way at once at most. */
  most: number;
}

type Asked =
  | { what: 'seed'; name: string; messages: number }
  | { what: 'until'; queue: string; state: 'empty' | 'all hidden' }
  | { what: 'count'; queue: string }
  | { what: 'from'; ms: number }
  | { what: 'calls'; ms: number };
type Answered = { nth: number; answer: unknown };

/** How often it looks whether a state has come: rarely enough to cost nothing, often enough for seconds. */
const LOOK_MS = 25;
const pause = () => new Promise((resolve) => setTimeout(resolve, LOOK_MS));

export async function startServer(): Promise<BenchServer> {
  const child = fork(import.meta.filename, ['serve'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [ready] = (await once(child, 'message')) as [Pick<BenchServer, 'name' | 'environment' | 'away'>];
  let asked = 0;
  const waiting = new Map<number, (answer: never) => void>();
  child.on('message', ({ nth, answer }: Answered) => waiting.get(nth)?.(answer as never));
  const ask = <T>(question: Asked) => {
    asked += 1;
    child.send({ nth: asked, ...question });
    return new Promise<T>((resolve) => waiting.set(asked, resolve));
  };
  return {
    ...ready,
    seed: (name, messages) => ask({ what: 'seed', name, messages }),
    until: (queue, state) => ask({ what: 'until', queue, state }),
    count: (queue) => ask({ what: 'count', queue }),
    from: async (ms) => ({
      environment: await ask({ what: 'from', ms }),
      calls: () => ask({ what: 'calls', ms }),
    }),
    close: () => child.kill(),
  };
}

async function serve(): Promise<void> {
  const server = await startFauxqs();
  const made = new Map<number, Calls>();
  const from = async (ms: number) => {
    const calls: Calls = { count: 0, most: 0 };
    made.set(ms, calls);
    let under = 0;
    const onDone = () => {
      under -= 1;
    };
    const plan = () => {
      calls.count += 1;
      under += 1;
      calls.most = Math.max(calls.most, under);
      return { kind: 'delay', ms, onDone } as const;
    };
    return (await startFaultProxy(server, { plan })).environment;
  };
  const answers: { [What in Asked['what']]: (asked: Asked & { what: What }) => unknown } = {
    seed: (asked) => seed(server, asked),
    until: (asked) => until(server, asked),
    count: ({ queue }) => counted(server, queue),
    from: ({ ms }) => from(ms),
    calls: ({ ms }) => made.get(ms),
  };
  process.on('message', async ({ nth, ...asked }: { nth: number } & Asked) => {
    const answer = await answers[asked.what](asked as never);
    process.send?.({ nth, answer } satisfies Answered);
  });
  process.send?.({ name: server.name, environment: server.environment, away: await from(AWAY_MS) });
}

async function seed(server: SqsServer, { name, messages }: { name: string; messages: number }) {
  const dlq = await server.createQueue(`${name}-dlq`);
  const target = await server.createQueue(name);
  const failedAt = Date.now() - 3_600_000;
  for (let nth = 0; nth < messages; nth += 1) {
    const id = `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;
    const order = deadLettered({
      queue: name,
      data: `{"order_id":${nth},"note":"${'x'.repeat(600)}"}`,
      id,
      trace: id,
      createdAt: failedAt - 3000,
      deadLetter: {
        // Few of one kind among many of another, for what filters.
        reason: nth % 10 === 9 ? 'unknown_urn' : 'failed',
        error: `Gateway timeout for order ${nth}`,
        exception: 'GatewayTimeout',
        failedAt,
      },
    });
    server.put(`${name}-dlq`, order);
  }
  return { dlq: dlq.url, target: target.url };
}

/** What lies on a queue now, and how many bodies of it are there more than once. */
function counted(server: SqsServer, queue: string): Counted {
  const lying = server.lying(queue);
  const twice = lying.length - new Set(lying.map(({ body }) => body)).size;
  return { lying: lying.length, hidden: lying.filter(({ hidden }) => hidden).length, twice };
}

async function until(server: SqsServer, { queue, state }: { queue: string; state: string }): Promise<null> {
  for (;;) {
    const lying = server.lying(queue);
    if (state === 'empty' ? lying.length === 0 : lying.every(({ hidden }) => hidden)) return null;
    await pause();
  }
}

if (process.argv[2] === 'serve') await serve();
