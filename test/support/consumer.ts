import { connectSqs } from '../../src/adapters/sqs/aws-client.ts';
import type { ReceivedMessage, SqsClient } from '../../src/adapters/sqs/client.ts';

/**
 * What an app makes of a message: handled, left to SQS (its visibility timeout, then its RedrivePolicy), or set aside, with a
 * record or (where the version gate refused it) byte for byte.
 */
export type Handled = 'handled' | 'left' | { setAside: { reason: string; error: string | null } | 'as it is' };

const PAUSE_MS = 20;

/** The server of an app's queues. */
interface Where {
  readonly endpoint: string;
  readonly region: string;
  readonly account: string;
}

/** An app on a queue, as the SDKs' Apps are: what it sets aside is on the dead-letter queue before it leaves its own. */
export class Consumer {
  readonly #client: SqsClient;
  readonly #server: Where;
  readonly #queue: string;
  readonly #handle: (message: ReceivedMessage) => Handled;
  readonly #visibilitySeconds: number;
  #running = true;
  readonly #done: Promise<void>;

  private constructor(
    client: SqsClient,
    server: Where,
    queue: string,
    handle: (message: ReceivedMessage) => Handled,
    visibilitySeconds: number,
  ) {
    this.#client = client;
    this.#server = server;
    this.#queue = queue;
    this.#handle = handle;
    this.#visibilitySeconds = visibilitySeconds;
    this.#done = this.#run();
  }

  static async start(
    server: Where,
    queue: string,
    handle: (message: ReceivedMessage) => Handled,
    visibilitySeconds = 1,
  ): Promise<Consumer> {
    process.env.AWS_ACCESS_KEY_ID = 'test';
    process.env.AWS_SECRET_ACCESS_KEY = 'test';
    const client = await connectSqs({ endpoint: server.endpoint, region: server.region });
    return new Consumer(client, server, queue, handle, visibilitySeconds);
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#done;
    this.#client.close();
  }

  async #run(): Promise<void> {
    const url = this.#urlOf(this.#queue);
    while (this.#running) {
      const request = { max: 10, waitSeconds: 0, visibilitySeconds: this.#visibilitySeconds };
      for (const message of await this.#client.receive(url, request)) await this.#take(url, message);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  async #take(url: string, message: ReceivedMessage): Promise<void> {
    const handled = this.#handle(message);
    if (handled === 'left') return;
    if (handled !== 'handled') {
      const { MessageGroupId } = message.systemAttributes;
      const dlq = this.#queue.replace(/(\.fifo)?$/, '-dlq$1');
      const entry = {
        id: '0',
        body: handled.setAside === 'as it is' ? message.body : deadLetter(message.body, this.#queue, handled.setAside),
        attributes: message.attributes,
        ...(MessageGroupId !== undefined && { groupId: MessageGroupId }),
        ...(this.#queue.endsWith('.fifo') && { deduplicationId: crypto.randomUUID() }),
      };
      await this.#client.sendBatch(this.#urlOf(dlq), [entry]);
    }
    await this.#client.deleteBatch(url, [{ id: '0', receiptHandle: message.receiptHandle }]);
  }

  #urlOf(queue: string): string {
    return `${this.#server.endpoint}/${this.#server.account}/${queue}`;
  }
}

/** The body as an app's record of its failure: parsed and written anew, as SDKs do; what is no JSON goes in whole. */
function deadLetter(body: string, queue: string, { reason, error }: { reason: string; error: string | null }): string {
  const record = {
    reason,
    error,
    exception: null,
    failed_at: Date.now(),
    original_queue: queue,
    attempts: 1,
    lang: 'go',
  };
  return JSON.stringify({ ...(objectOf(body) ?? { raw: body }), dead_letter: record });
}

/** The JSON object that a text is; null where it is none. */
export function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
