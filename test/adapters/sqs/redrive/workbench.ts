import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { openJournal } from '../../../../src/adapters/journal/journal.ts';
import { connectSqs } from '../../../../src/adapters/sqs/aws-client.ts';
import type { SqsClient } from '../../../../src/adapters/sqs/client.ts';
import { Describer } from '../../../../src/adapters/sqs/describe.ts';
import { DeadLetterQueue } from '../../../../src/adapters/sqs/queue.ts';
import { actOnQueue } from '../../../../src/adapters/sqs/redrive/act.ts';
import type { RedriveDeps } from '../../../../src/adapters/sqs/redrive/context.ts';
import type { Action, ActionItem } from '../../../../src/model/action.ts';
import { Budget } from '../../../../src/model/budget.ts';
import type { WholeFailure } from '../../../../src/model/failure.ts';
import type { ActRequest, ActResult, Journal, Run, Selection } from '../../../../src/model/ports.ts';
import { type SqsServer, startFauxqs, startLocalAwsSqs } from '../../../support/servers.ts';
import { wallClock } from '../../../support/wall-clock.ts';

type Lying = ReturnType<SqsServer['lying']>[number];

interface Acted extends ActResult {
  items: ActionItem[];
  run: Run;
}

interface ActOptions extends Partial<Omit<ActRequest, 'action' | 'run'>> {
  action?: Action;
  /** The dead-letter queue; `orders-dlq` unless given. */
  queue?: string;
  deps?: Partial<RedriveDeps>;
  /** Stands between the engine and the real client. */
  between?: (client: SqsClient) => SqsClient;
  run?: Run;
}

/** A server with queues on it, a journal in a folder of its own, and the engine between them. */
export class Workbench {
  readonly server: SqsServer;
  readonly journal: Journal;
  readonly #folder: string;

  private constructor(server: SqsServer, folder: string) {
    this.server = server;
    this.#folder = folder;
    this.journal = openJournal({ path: join(folder, 'journal.db'), clock: wallClock, create: true });
  }

  static async open(emulator: SqsServer['name'] = 'local-aws-sqs'): Promise<Workbench> {
    process.env.AWS_ACCESS_KEY_ID = 'test';
    process.env.AWS_SECRET_ACCESS_KEY = 'test';
    const server = emulator === 'fauxqs' ? await startFauxqs() : await startLocalAwsSqs();
    return new Workbench(server, await mkdtemp(join(tmpdir(), 'babelq-')));
  }

  async close(): Promise<void> {
    await this.journal.close();
    await this.server.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Another journal on the same file, as another process has it. */
  anotherJournal(): Journal {
    return openJournal({ path: this.journal.location, clock: wallClock, create: true });
  }

  begin(action: Action = 'retry', journal: Journal = this.journal): Promise<Run> {
    return journal.begin({ action, by: 'test', note: null, asked: 'test' });
  }

  async act(options: ActOptions = {}): Promise<Acted> {
    const { action = 'retry', queue: name = 'orders-dlq', deps, between, run: given, ...rest } = options;
    const journal = deps?.journal ?? this.journal;
    const run = given ?? (await this.begin(action, journal));
    const items: ActionItem[] = [];
    const queue = await DeadLetterQueue.open(
      { queue: name, endpoint: this.server.endpoint, region: this.server.region },
      wallClock,
      async (connection) => {
        const client = await connectSqs(connection);
        return between ? between(client) : client;
      },
    );
    try {
      const describer = new Describer(queue, queue.facts({ source: 'orders', redriveTo: null, to: rest.to ?? null }));
      const request: ActRequest = {
        action,
        selection: everything(),
        run,
        bypass: false,
        pace: null,
        budget: new Budget(),
        allowReceive: false,
        signal: new AbortController().signal,
        ...rest,
        onItem: (item) => {
          items.push(item);
          rest.onItem?.(item);
        },
      };
      const result = await actOnQueue(queue, describer, request, { journal, clock: wallClock, ...deps });
      if (!given) await this.journal.end(run, result.interrupted ? 'interrupted' : 'finished');
      return { ...result, items, run };
    } finally {
      await queue.close();
    }
  }

  /** What the journal knows the dead-letter queue by. */
  async place(name = 'orders-dlq'): Promise<string> {
    const options = { queue: name, endpoint: this.server.endpoint, region: this.server.region };
    const queue = await DeadLetterQueue.open(options, wallClock);
    await queue.close();
    return queue.place;
  }

  lying(queue: string): Lying[] {
    return this.server.lying(queue);
  }

  /** What lies there once nothing is hidden: a server may take a moment to make visible what was given back. */
  visible(queue: string): Promise<Lying[]> {
    return vi.waitFor(() => {
      const lying = this.lying(queue);
      expect(lying.filter(({ hidden }) => hidden)).toEqual([]);
      return lying;
    });
  }

  bodies(queue: string): string[] {
    return this.lying(queue).map(({ body }) => body);
  }
}

export function everything(matches: (failure: WholeFailure) => boolean = () => true): Selection {
  return { kind: 'match', states: new Set(['failed']), matches, startedAt: Date.now() };
}

export function ids(...nativeIds: string[]): Selection {
  return { kind: 'ids', ids: new Map(nativeIds.map((id) => [id, { to: null }])) };
}

/** Stands before a client and changes some of its calls. */
export function wrapped(change: (client: SqsClient) => Partial<SqsClient>): (client: SqsClient) => SqsClient {
  return (client) => {
    const changed = change(client) as Record<PropertyKey, unknown>;
    return new Proxy(client, {
      get(target, key) {
        const own = changed[key];
        if (own !== undefined) return own;
        const value = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
}
