import { connectSqs } from '../../../src/adapters/sqs/aws-client.ts';
import type { SqsClient } from '../../../src/adapters/sqs/client.ts';
import { openSqsSource, type SqsSourceOptions } from '../../../src/adapters/sqs/source.ts';
import type { WholeFailure } from '../../../src/model/failure.ts';
import type { Journal, ReadRequest, ReadResult, Source } from '../../../src/model/ports.ts';
import type { Seed, SqsServer } from '../../support/servers.ts';
import { wallClock } from '../../support/wall-clock.ts';

/** A journal that knows nothing, for sources that only look. */
export const journal = {
  location: ':none:',
  recall: async (_place: string, messages: readonly unknown[]) =>
    messages.map(() => ({ last: null, unfinished: null, finished: null, remembered: null, sentInRun: false })),
  archived: async () => ({ messages: [], next: null }),
  countArchived: async () => 0,
} as Partial<Journal> as Journal;

/** A server with `orders-dlq`, the dead-letter queue of `orders`, and the sources opened on it. */
export class Bench {
  readonly server: SqsServer;
  readonly sources: Source[] = [];

  private constructor(server: SqsServer) {
    this.server = server;
  }

  static async lend(server: SqsServer, use: (bench: Bench) => Promise<void>): Promise<void> {
    const bench = new Bench(server);
    await server.createQueue('orders-dlq');
    await server.createQueue('orders', {}, { queue: 'orders-dlq', maxReceiveCount: 3 });
    await use(bench);
    for (const source of bench.sources) await source.close();
    await server.close();
  }

  /** @param between stands between the source and the real client */
  open(options: Partial<SqsSourceOptions> = {}, between: (client: SqsClient) => SqsClient = (same) => same): Source {
    const source = openSqsSource(
      { queue: 'orders-dlq', endpoint: this.server.endpoint, ...options },
      { journal, clock: wallClock, connect: async (how) => between(await connectSqs(how)) },
    );
    this.sources.push(source);
    return source;
  }

  fill(queue: string, count: number, seed: (n: number) => Partial<Seed> = () => ({})): string[] {
    return Array.from({ length: count }, (_, n) => this.server.put(queue, { body: `{"n":${n}}`, ...seed(n) }));
  }

  hidden(queue = 'orders-dlq'): number {
    return this.server.lying(queue).filter(({ hidden }) => hidden).length;
  }
}

export async function list(
  source: Source,
  wish: Partial<ReadRequest> = {},
  limit = Number.POSITIVE_INFINITY,
): Promise<ReadResult & { failures: WholeFailure[] }> {
  const failures: WholeFailure[] = [];
  const request: ReadRequest = {
    states: new Set(['failed']),
    allowReceive: false,
    signal: new AbortController().signal,
    ...wish,
  };
  const result = await source.read(request, (failure) => (failures.push(failure) >= limit ? 'enough' : 'more'));
  return { failures, ...result };
}

/** A client whose named call does something else. */
export function but<K extends keyof SqsClient>(client: SqsClient, name: K, instead: SqsClient[K]): SqsClient {
  return new Proxy(client, {
    get: (target, key) => {
      if (key === name) return instead;
      const value = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
