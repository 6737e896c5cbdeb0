import { BabelqError } from '../../model/errors.ts';
import type { Clock } from '../../model/ports.ts';
import type { QueueFacts } from '../../model/sqs-message.ts';
import { SqsCallError, type SqsClient } from './client.ts';
import { type Connect, Connections, type QueueOptions } from './connections.ts';
import { explain, isDenied } from './errors.ts';
import type { Held } from './held.ts';
import { journalPlace, supposedArn } from './place.ts';
import { type QueueAttributes, readAttributes } from './queue-attributes.ts';
import { Targets } from './targets.ts';

/** What the source's configuration and the command say beside the queue itself. */
export interface FactsRequest {
  source: string;
  redriveTo: string | null;
  to: string | null;
}

/** A dead-letter queue that was found, with what is known of it and of the queues around it. */
export class DeadLetterQueue {
  readonly client: SqsClient;
  readonly url: string;
  readonly name: string;
  readonly arn: string;
  readonly account: string;
  readonly region: string;
  readonly fifo: boolean;
  /** What the journal knows it by. */
  readonly place: string;
  /** URLs of the queues whose RedrivePolicy points here; null where that couldn't be asked. */
  readonly redriveSources: readonly string[] | null;
  /** Why `redriveSources` is null, in one sentence. */
  readonly redriveSourcesNote: string | null;
  readonly targets: Targets;
  /** As of the last `refresh`. */
  attributes: QueueAttributes;
  readonly #connections: Connections;
  #held: Held[] = [];

  private constructor(
    found: {
      client: SqsClient;
      url: string;
      name: string;
      arn: string;
      attributes: QueueAttributes;
      redriveSources: { urls: string[] | null; note: string | null };
    },
    connections: Connections,
    clock: Clock,
  ) {
    this.client = found.client;
    this.url = found.url;
    this.name = found.name;
    this.arn = found.arn;
    const [, , , region, account] = found.arn.split(':');
    this.region = region ?? '';
    this.account = account ?? '';
    this.attributes = found.attributes;
    this.fifo = found.attributes.fifo;
    this.place = journalPlace(found.arn, found.client);
    this.redriveSources = found.redriveSources.urls;
    this.redriveSourcesNote = found.redriveSources.note;
    this.#connections = connections;
    this.targets = new Targets(
      connections,
      {
        url: found.url,
        account: this.account || null,
        region: this.region || null,
        explain: (error, queue) => this.explain(error, queue),
      },
      clock,
    );
  }

  /**
   * Finds a queue by its name, URL or ARN, and asks for its attributes: without them nobody knows whether looking at it
   * does harm.
   * @param cut where it aborts, the calls under way are cut
   * @throws BabelqError `no_queue`, `no_credentials`, `forbidden`, `unreachable`, `throttled`, `config`
   */
  static async open(
    options: QueueOptions,
    clock: Clock,
    connect?: Connect,
    cut?: AbortSignal,
  ): Promise<DeadLetterQueue> {
    const connections = new Connections(options, connect);
    cut?.addEventListener('abort', () => void connections.close(), { once: true });
    const { address } = connections;
    const client = await connections.to(address);
    try {
      const url = address.url ?? (await client.queueUrl(address.name, address.account ?? undefined));
      const [raw, redriveSources] = await Promise.all([client.queueAttributes(url), askRedriveSources(client, url)]);
      const attributes = readAttributes(raw, address.name);
      const region = client.region ?? address.region ?? options.region ?? '';
      const arn = attributes.arn ?? supposedArn(address, url, region);
      const found = { client, url, name: address.name, arn, attributes, redriveSources };
      return new DeadLetterQueue(found, connections, clock);
    } catch (error) {
      await connections.close();
      if (!(error instanceof SqsCallError)) throw error;
      throw explain(error, {
        queue: address.name,
        region: client.region ?? address.region ?? options.region ?? null,
        account: address.account,
        profile: connections.profile,
        endpointHost: client.endpointHost ?? null,
      });
    }
  }

  /** Asks for the counts and settings again. @throws BabelqError as `open` */
  async refresh(): Promise<QueueAttributes> {
    try {
      this.attributes = readAttributes(await this.client.queueAttributes(this.url), this.name);
      return this.attributes;
    } catch (error) {
      throw error instanceof SqsCallError ? this.explain(error) : error;
    }
  }

  /** What a message on this queue is classified by. */
  facts({ source, redriveTo, to }: FactsRequest): QueueFacts {
    return {
      source,
      queue: this.name,
      arn: this.arn,
      account: this.account,
      region: this.region,
      fifo: this.fifo,
      retentionSeconds: this.attributes.retentionSeconds,
      redriveSources: this.redriveSources,
      redriveTo,
      to,
    };
  }

  /**
   * Declines to receive from a queue with a RedrivePolicy of its own, where each look counts towards its
   * maxReceiveCount, until SQS moves the messages on.
   * @throws BabelqError `refused`
   */
  refuseWhereLooksCount(allowReceive: boolean): void {
    const policy = this.attributes.redrivePolicy;
    if (policy === null || allowReceive) return;
    const onTo = policy.deadLetterTargetArn.split(':').at(-1);
    const count = Number.isNaN(policy.maxReceiveCount) ? 'its maxReceiveCount of' : policy.maxReceiveCount;
    throw new BabelqError(
      'refused',
      `${this.name} has a RedrivePolicy of its own: after ${count} receives SQS moves a message on to ${onTo}, and each look counts as one.`,
      { hint: `Look all the same with --allow-receive, or look at ${onTo} if that is the dead-letter queue.` },
    );
  }

  /** Whatever is hidden from others is made known here, so that `held` can tell of it. */
  track(held: Held): void {
    this.#held = [...this.#held.filter(({ until }) => until !== null), held];
  }

  /** What is hidden from others right now, and when the last of it becomes visible by itself. */
  held(): { count: number; until: number | null } {
    const hidden = this.#held.filter(({ until }) => until !== null);
    const until = hidden.length === 0 ? null : Math.max(...hidden.map((held) => held.until ?? 0));
    return { count: hidden.reduce((sum, { count }) => sum + count, 0), until };
  }

  /** @param queue the queue that the call was about, where it isn't this one */
  explain(error: SqsCallError, queue: string = this.name): BabelqError {
    return explain(error, { ...this.#subject(), queue });
  }

  #subject() {
    return {
      region: this.region || null,
      account: this.account || null,
      profile: this.#connections.profile,
      endpointHost: this.client.endpointHost ?? null,
    };
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }
}

/** Costs only evidence where it can't be asked: some servers don't know the call, and some policies don't allow it. */
async function askRedriveSources(
  client: SqsClient,
  url: string,
): Promise<{ urls: string[] | null; note: string | null }> {
  try {
    return { urls: await client.deadLetterSources(url), note: null };
  } catch (error) {
    if (!(error instanceof SqsCallError && error.trouble === 'refused')) throw error;
    if (error.code === 'QueueDoesNotExist') throw error;
    const why = isDenied(error)
      ? 'sqs:ListDeadLetterSourceQueues is missing'
      : 'this server has no ListDeadLetterSourceQueues';
    return { urls: null, note: `which queues dead-letter here is not known: ${why}` };
  }
}
