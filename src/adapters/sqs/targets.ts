import { BabelqError } from '../../model/errors.ts';
import type { Clock } from '../../model/ports.ts';
import type { KnownQueue, KnownQueues } from '../../model/sqs-message.ts';
import { type QueueAddress, readAddress } from './address.ts';
import { SqsCallError, type SqsClient } from './client.ts';
import type { Connections } from './connections.ts';
import { isDenied } from './errors.ts';
import { readAttributes } from './queue-attributes.ts';

/** A queue that messages may be sent to. */
export interface TargetQueue extends KnownQueue {
  readonly name: string;
  /** The client that reaches it: its region may be another than the source's. */
  readonly client: SqsClient;
  /** Null where it doesn't exist. */
  readonly url: string | null;
  /** False where nothing may be asked about it, so that `exists` and the like are only supposed. */
  readonly asked: boolean;
}

/** How long an answer counts: a target may be made, or vanish, while the screens are open. */
const FRESH_MS = 60_000;
/** Names come out of messages, which are anybody's text: past so many, no more are asked for. */
const MOST_NAMES = 500;

/** The source's own account and region, and the words for its errors. */
interface Home {
  readonly url: string;
  readonly account: string | null;
  readonly region: string | null;
  explain(error: SqsCallError, queue: string): BabelqError;
}

/**
 * What is known of the queues that messages may go to. A bare name is asked for in the source's own account and region;
 * only what `--to` or `redrive_to` says leads anywhere else.
 */
export class Targets {
  readonly #connections: Connections;
  readonly #home: Home;
  readonly #clock: Clock;
  readonly #asked = new Map<string, { at: number; answer: Promise<TargetQueue>; known: TargetQueue | null }>();

  constructor(connections: Connections, home: Home, clock: Clock) {
    this.#connections = connections;
    this.#home = home;
    this.#clock = clock;
  }

  /** What `look` found out. */
  readonly known: KnownQueues = (queue) => {
    const known = this.#asked.get(queue)?.known;
    return known?.asked ? known : undefined;
  };

  /**
   * Asks for queues that aren't known yet, so that `known` can tell of them; of those that may not be asked about it
   * tells nothing.
   * @throws BabelqError where the service can't be asked
   */
  async look(queues: Iterable<string>): Promise<void> {
    await Promise.all(
      Array.from(queues, async (queue) => {
        if (!this.#asked.has(queue) && this.#asked.size >= MOST_NAMES) return;
        try {
          await this.find(queue);
        } catch (error) {
          if (!(error instanceof BabelqError && error.code === 'forbidden')) throw error;
        }
      }),
    );
  }

  /**
   * A queue by its name, or by what `--to` or `redrive_to` says. One that doesn't exist is an answer too.
   * @throws BabelqError `config` where it is no queue's name, URL or ARN, `forbidden`, `unreachable` and the like
   */
  async find(queue: string): Promise<TargetQueue> {
    const now = this.#clock.now();
    const asked = this.#asked.get(queue);
    if (asked && now - asked.at < FRESH_MS) return asked.answer;
    const entry = { at: now, answer: this.#ask(queue), known: asked?.known ?? null };
    this.#asked.set(queue, entry);
    try {
      entry.known = await entry.answer;
      return entry.known;
    } catch (error) {
      // What couldn't be asked now is asked again.
      if (this.#asked.get(queue) === entry) this.#asked.delete(queue);
      throw error;
    }
  }

  async #ask(queue: string): Promise<TargetQueue> {
    const address = readAddress(queue);
    const { name } = address;
    try {
      const client = await this.#connections.to(address);
      const supposed = { name, client, fifo: name.endsWith('.fifo'), maximumMessageSize: null };
      const { url, asked } = await this.#urlOf(address, client);
      if (url === null) return { ...supposed, url, exists: false, asked: true };
      try {
        const { fifo, maximumMessageSize } = readAttributes(await client.queueAttributes(url), name);
        return { name, client, url, fifo, maximumMessageSize, exists: true, asked: true };
      } catch (error) {
        if (isMissing(error)) return { ...supposed, url: null, exists: false, asked: true };
        // Who may only send to a queue can't ask about it.
        if (isDenied(error)) return { ...supposed, url, exists: true, asked };
        throw error;
      }
    } catch (error) {
      throw error instanceof SqsCallError ? this.#home.explain(error, name) : error;
    }
  }

  async #urlOf(address: QueueAddress, client: SqsClient): Promise<{ url: string | null; asked: boolean }> {
    if (address.url !== null) return { url: address.url, asked: false };
    const account = address.account ?? this.#home.account;
    try {
      return { url: await client.queueUrl(address.name, account ?? undefined), asked: true };
    } catch (error) {
      if (isMissing(error)) return { url: null, asked: true };
      const here = account === this.#home.account && (address.region ?? this.#home.region) === this.#home.region;
      // Without sqs:GetQueueUrl: a queue beside the source's is addressed like it.
      if (isDenied(error) && here) return { url: this.#home.url.replace(/[^/]+$/, address.name), asked: false };
      throw error;
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof SqsCallError && error.code === 'QueueDoesNotExist';
}
