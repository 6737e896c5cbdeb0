import { connectSqs } from '../../src/adapters/sqs/aws-client.ts';
import type { ReceivedMessage, SendEntry, SqsClient } from '../../src/adapters/sqs/client.ts';
import type { EmulatorName } from './emulator-faults.ts';
import { createQueueAt, environmentFor, REGION } from './servers.ts';

/** What a client sees of a message: all that can be known of a server that is not in this process. */
export type Seen = Pick<ReceivedMessage, 'messageId' | 'body' | 'attributes' | 'systemAttributes'>;

/** An SQS-compatible server that is known by its answers alone. */
export class WireServer {
  readonly name: EmulatorName;
  readonly endpoint: string;
  readonly region = REGION;
  readonly account: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly client: SqsClient;

  private constructor(name: EmulatorName, endpoint: string, account: string, client: SqsClient) {
    this.name = name;
    this.endpoint = endpoint;
    this.account = account;
    this.environment = environmentFor(endpoint);
    this.client = client;
  }

  static async at(name: EmulatorName, endpoint: string, account: string): Promise<WireServer> {
    Object.assign(process.env, environmentFor(endpoint));
    return new WireServer(name, endpoint, account, await connectSqs({ endpoint, region: REGION }));
  }

  urlOf(queue: string): string {
    return `${this.endpoint}/${this.account}/${queue}`;
  }

  /** Attributes as SQS names them; `deadLetter` sets a RedrivePolicy to that queue, which must exist. */
  createQueue(
    name: string,
    attributes?: Record<string, string>,
    deadLetter?: { queue: string; maxReceiveCount: number },
  ): Promise<{ url: string; arn: string }> {
    return createQueueAt(this.endpoint, this.account, name, attributes, deadLetter);
  }

  /** Sends messages, and gives their MessageIds. */
  async send(queue: string, messages: readonly Partial<SendEntry>[]): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < messages.length; n += 10) {
      const entries = messages
        .slice(n, n + 10)
        .map((message, i) => ({ body: '', attributes: {}, ...message, id: `${i}` }));
      const { successful, failed } = await this.client.sendBatch(this.urlOf(queue), entries);
      if (failed[0] !== undefined) throw new Error(`${this.name} refused ${failed[0].code}: ${failed[0].message}`);
      for (const { id } of entries) ids.push(successful.find((one) => one.id === id)?.messageId ?? '');
    }
    return ids;
  }

  /** Takes everything off a queue that is visible, and gives it in the order in which it came. */
  async drain(queue: string): Promise<Seen[]> {
    const all: Seen[] = [];
    for (let idle = 0; idle < 2; ) {
      const messages = await this.client.receive(this.urlOf(queue), { max: 10, waitSeconds: 0, visibilitySeconds: 60 });
      idle = messages.length === 0 ? idle + 1 : 0;
      if (messages.length === 0) continue;
      all.push(...messages);
      const entries = messages.map(({ receiptHandle }, id) => ({ id: `${id}`, receiptHandle }));
      await this.client.deleteBatch(this.urlOf(queue), entries);
    }
    return all;
  }

  /** Looks at everything on a standard queue that is visible, and gives it back. */
  async look(queue: string): Promise<Seen[]> {
    const held: ReceivedMessage[] = [];
    for (let idle = 0; idle < 2; ) {
      const messages = await this.client.receive(this.urlOf(queue), { max: 10, waitSeconds: 0, visibilitySeconds: 60 });
      idle = messages.length === 0 ? idle + 1 : 0;
      held.push(...messages);
    }
    for (let n = 0; n < held.length; n += 10) {
      const entries = held
        .slice(n, n + 10)
        .map(({ receiptHandle }, id) => ({ id: `${id}`, receiptHandle, seconds: 0 }));
      await this.client.changeVisibilityBatch(this.urlOf(queue), entries);
    }
    return held;
  }
}
