import { once } from 'node:events';
import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Random } from './simulator/random.ts';

/** What can happen to a call on its way. */
export type Fault = (
  | { kind: 'error'; status: 500 | 503 } //        answered so, and not done
  | { kind: 'error_after'; status: 500 | 503 } //  answered so, though it was done
  | { kind: 'throttle' } //                        refused for coming too fast
  | { kind: 'cut' } //                             the connection breaks before the server hears of it
  | { kind: 'cut_after' } //                       done, but no answer, or half of one
  | { kind: 'refuse_some' } //                     some entries of a batch are not done and come back as Failed
  | { kind: 'omit_some' } //                       some entries, done or not, are in neither list of the answer
  | { kind: 'delay'; ms: number }
  | { kind: 'trickle'; ms: number } //             the answer's body comes in small pieces
  | { kind: 'none' }
) & {
  /** Called with the server's answer, when nothing of it was passed on yet; for `none` and `delay`, when the answer is out. */
  onDone?: (answer: string) => void;
};
export type FaultKind = Exclude<Fault['kind'], 'none'>;

interface Call {
  /** The API action: `SendMessageBatch`. */
  action: string;
  /** How many calls came before it, of this action and of all. */
  nth: number;
  nthOfAll: number;
  /** How many entries its batch has; 0 where it is none. */
  entries: number;
}
/** Decides what happens to a call; null lets it through. */
export type Plan = (call: Call) => Fault | null;

/** An HTTP proxy in front of an SQS-compatible server, for clients that live in another process. */
export interface FaultProxy {
  readonly endpoint: string;
  /** What a client's process needs in its environment to come through here. */
  readonly environment: Readonly<Record<string, string>>;
  /** May be changed at any time; holds from the next call on. */
  plan: Plan;
  /** What it did, by kind, and how many calls of each action came through. */
  readonly did: Readonly<Record<FaultKind, number>>;
  readonly calls: ReadonlyMap<string, number>;
  /** Like a server that is stopped: open connections break and new ones are refused. */
  goDown(): void;
  comeBack(): Promise<void>;
  /** Resolves when no call is under way at the server: a poll whose client died takes messages until then. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

interface Options {
  plan?: Plan;
  /** For choices within a fault: which entries, how much of an answer. */
  seed?: number;
  /** A long poll that brings nothing ends after so long (ms), whatever it asked for. */
  longestPoll?: number;
}

const KINDS = [
  'error',
  'error_after',
  'throttle',
  'cut',
  'cut_after',
  'refuse_some',
  'omit_some',
  'delay',
  'trickle',
] as const satisfies readonly FaultKind[];

/** Two ways in which SQS says it. */
const THROTTLED = ['com.amazonaws.sqs#RequestThrottled', 'com.amazon.coral.availability#ThrottlingException'];
const JSON_TYPE = 'application/x-amz-json-1.0';

/**
 * Chooses faults by chance, the same for the same seed and order of calls: `{ SendMessageBatch: { cut: 0.1 } }`. What `*`
 * gives holds for all actions that don't say otherwise.
 */
export function seededPlan(seed: number, rates: Record<string, Partial<Record<FaultKind, number>>>): Plan {
  const random = new Random(seed);
  return ({ action }) => {
    for (const [kind, rate] of Object.entries({ ...rates['*'], ...rates[action] }) as [FaultKind, number][]) {
      if (!random.chance(rate)) continue;
      if (kind === 'error' || kind === 'error_after') return { kind, status: random.pick([500, 503]) };
      if (kind === 'delay' || kind === 'trickle') return { kind, ms: random.between(20, 300) };
      return { kind };
    }
    return null;
  };
}

export async function startFaultProxy(
  server: { endpoint: string; environment: Readonly<Record<string, string>> },
  options: Options = {},
): Promise<FaultProxy> {
  const proxy = new RunningProxy(server, options);
  await proxy.comeBack();
  return proxy;
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

class RunningProxy implements FaultProxy {
  plan: Plan;
  readonly did = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<FaultKind, number>;
  readonly calls = new Map<string, number>();
  readonly #upstream: URL;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 });
  readonly #random: Random;
  readonly #longestPoll: number | null;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #under = 0;
  #onIdle: (() => void)[] = [];

  constructor(
    { endpoint, environment }: { endpoint: string; environment: Readonly<Record<string, string>> },
    { plan = () => null, seed = 1, longestPoll }: Options,
  ) {
    this.#upstream = new URL(endpoint);
    this.#environment = environment;
    this.plan = plan;
    this.#random = new Random(seed);
    this.#longestPoll = longestPoll ?? null;
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get environment(): Readonly<Record<string, string>> {
    return { ...this.#environment, AWS_ENDPOINT_URL: this.endpoint };
  }

  goDown(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async comeBack(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async idle(): Promise<void> {
    if (this.#under > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  async close(): Promise<void> {
    if (this.#server.listening) this.goDown();
    await this.idle();
    this.#agent.destroy();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A client that goes away is what these tests are about.
    response.on('error', () => {});
    let body: Buffer;
    try {
      body = Buffer.concat(await request.toArray());
    } catch {
      return;
    }
    const action = String(request.headers['x-amz-target'] ?? '').replace(/^AmazonSQS\./, '');
    const { Entries } = JSON.parse(body.toString() || '{}') as { Entries?: unknown[] };
    const nth = this.calls.get(action) ?? 0;
    const nthOfAll = [...this.calls.values()].reduce((sum, count) => sum + count, 0);
    this.calls.set(action, nth + 1);
    const fault = this.plan({ action, nth, nthOfAll, entries: Entries?.length ?? 0 }) ?? { kind: 'none' };
    const isForBatches = fault.kind === 'refuse_some' || fault.kind === 'omit_some';
    if (fault.kind !== 'none' && !(isForBatches && Entries === undefined)) this.did[fault.kind] += 1;
    try {
      await this.#carry(fault, action, request, body, response);
    } catch {
      // The server broke the connection: so does this one.
      response.destroy();
    }
  }

  async #carry(
    fault: Fault,
    action: string,
    request: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
  ): Promise<void> {
    const send = () => this.#forward(action, request, body);
    switch (fault.kind) {
      case 'error':
        return answer(response, errorAnswer(fault.status));
      case 'error_after':
        fault.onDone?.((await send()).body.toString());
        return answer(response, errorAnswer(fault.status));
      case 'throttle':
        return answer(response, refusal(400, this.#random.pick(THROTTLED), 'Request is throttled.'));
      case 'cut':
        response.destroy();
        return;
      case 'cut_after': {
        const { status, headers, body: text } = await send();
        fault.onDone?.(text.toString());
        if (this.#random.chance(0.5)) response.destroy();
        else response.writeHead(status, headers).write(text.subarray(0, text.length / 2), () => response.destroy());
        return;
      }
      case 'refuse_some':
      case 'omit_some':
        return answer(response, await this.#sift(fault.kind, action, request, body));
      case 'delay': {
        await pause(fault.ms);
        const late = await send();
        await answer(response, late);
        return fault.onDone?.(late.body.toString());
      }
      case 'trickle':
        return trickle(response, await send(), fault.ms);
      case 'none': {
        const said = await send();
        await answer(response, said);
        return fault.onDone?.(said.body.toString());
      }
    }
  }

  /** Picks entries out of a batch: they aren't done, or (of those to be omitted) half of them are. */
  async #sift(
    kind: 'refuse_some' | 'omit_some',
    action: string,
    request: IncomingMessage,
    body: Buffer,
  ): Promise<Answer> {
    const asked = JSON.parse(body.toString()) as { Entries?: { Id: string }[] };
    if (asked.Entries === undefined) return this.#forward(action, request, body);
    const picked = new Set(this.#random.shuffled(asked.Entries).slice(0, Math.ceil(asked.Entries.length / 3)));
    const notDone = kind === 'refuse_some' ? picked : new Set([...picked].filter(() => this.#random.chance(0.5)));
    const rest = asked.Entries.filter((entry) => !notDone.has(entry));
    const forwarded =
      rest.length === 0
        ? { status: 200, headers: { 'content-type': JSON_TYPE }, body: Buffer.from('{"Successful":[]}') }
        : await this.#forward(action, request, Buffer.from(JSON.stringify({ ...asked, Entries: rest })));
    if (forwarded.status !== 200) return forwarded;
    const said = JSON.parse(forwarded.body.toString()) as { Successful?: { Id: string }[]; Failed?: { Id: string }[] };
    const ids = new Set([...picked].map(({ Id }) => Id));
    const kept = (list: { Id: string }[] = []) => list.filter(({ Id }) => !ids.has(Id));
    const refused =
      kind === 'omit_some'
        ? []
        : [...ids].map((Id) => ({
            Id,
            Code: this.#random.pick(['InternalError', 'ServiceUnavailable']),
            Message: 'An internal error occurred.',
            SenderFault: false,
          }));
    return {
      ...forwarded,
      body: Buffer.from(
        JSON.stringify({ ...said, Successful: kept(said.Successful), Failed: [...kept(said.Failed), ...refused] }),
      ),
    };
  }

  async #forward(action: string, request: IncomingMessage, body: Buffer): Promise<Answer> {
    this.#under += 1;
    try {
      if (action !== 'ReceiveMessage' || this.#longestPoll === null) return await this.#ask(request, body);
      const poll = Buffer.from(JSON.stringify({ ...JSON.parse(body.toString()), WaitTimeSeconds: 0 }));
      const first = await this.#ask(request, poll);
      if (first.body.includes('"ReceiptHandle"')) return first;
      await pause(this.#longestPoll);
      // Nobody waits for it any more.
      if (request.socket.destroyed) return first;
      return await this.#ask(request, poll);
    } finally {
      this.#under -= 1;
      if (this.#under === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    }
  }

  async #ask({ headers }: IncomingMessage, body: Buffer): Promise<Answer> {
    const { hostname, port, host } = this.#upstream;
    const asking = httpRequest({
      hostname,
      port,
      method: 'POST',
      path: '/',
      agent: this.#agent,
      headers: { ...headers, host, connection: 'keep-alive', 'content-length': body.length },
    });
    asking.end(body);
    const [answered] = (await once(asking, 'response')) as [IncomingMessage];
    const text = Buffer.concat(await answered.toArray());
    return {
      status: answered.statusCode ?? 502,
      headers: { 'content-type': answered.headers['content-type'] ?? JSON_TYPE },
      body: text,
    };
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function refusal(status: number, type: string, message: string): Answer {
  return {
    status,
    headers: {
      'content-type': JSON_TYPE,
      'x-amzn-query-error': `${type.slice(type.indexOf('#') + 1)};${status < 500 ? 'Sender' : 'Receiver'}`,
    },
    body: Buffer.from(JSON.stringify({ __type: type, message })),
  };
}

/** SQS itself speaks JSON; what a load balancer in front of it says is a page. */
function errorAnswer(status: 500 | 503): Answer {
  if (status === 500) return refusal(500, 'com.amazonaws.sqs#InternalFailure', 'An internal error occurred.');
  return {
    status,
    headers: { 'content-type': 'text/html' },
    body: Buffer.from('<html><body><h1>503 Service Unavailable</h1></body></html>'),
  };
}

async function answer(response: ServerResponse, { status, headers, body }: Answer): Promise<void> {
  if (response.destroyed) return;
  response.writeHead(status, { ...headers, 'content-length': body.length });
  await new Promise<void>((done) => {
    response.on('close', done);
    response.end(body, done);
  });
}

async function trickle(response: ServerResponse, { status, headers, body }: Answer, ms: number): Promise<void> {
  const pieces = 10;
  const size = Math.max(1, Math.ceil(body.length / pieces));
  response.writeHead(status, { ...headers, 'content-length': body.length });
  for (let at = 0; at < body.length && !response.destroyed; at += size) {
    response.write(body.subarray(at, at + size));
    await pause(ms / pieces);
  }
  response.end();
}
