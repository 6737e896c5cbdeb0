import type { ActionReport } from '../../../src/model/action.ts';
import { DIFFERENT_BEHAVIOURS, type EmulatorName } from '../../support/emulator-faults.ts';
import { type Ran, Sandbox } from '../../support/run-babelq.ts';
import type { Seen, WireServer } from '../../support/wire-server.ts';

/** What somebody does with babelq, from the shell, against a server that is known by its answers alone. */
export interface Journey {
  name: string;
  /** Where it can't be made, and why. */
  notOn?: Partial<Record<EmulatorName, string>>;
  run(place: Place): Promise<void>;
}

interface Options {
  fifo?: boolean;
  maxReceiveCount?: number;
  /** Of the queue, as SQS names them. */
  attributes?: Record<string, string>;
}

/** Queues of a journey's own on a server, and a person's machine with babelq on it. */
export class Place {
  readonly server: WireServer;
  readonly sandbox: Sandbox;
  readonly queue: string;
  readonly dlq: string;
  readonly #end: string;

  private constructor(server: WireServer, stem: string, fifo: boolean) {
    this.server = server;
    this.sandbox = new Sandbox(server.environment);
    this.#end = fifo ? '.fifo' : '';
    this.queue = `${stem}${this.#end}`;
    this.dlq = `${stem}-dlq${this.#end}`;
  }

  /** A queue with its dead-letter queue, both empty. */
  static async open(
    server: WireServer,
    stem: string,
    { fifo = false, maxReceiveCount = 3, attributes = {} }: Options = {},
  ): Promise<Place> {
    const place = new Place(server, stem, fifo);
    await server.createQueue(place.dlq);
    await server.createQueue(place.queue, attributes, { queue: place.dlq, maxReceiveCount });
    return place;
  }

  /** A place beside this one, on the same server. */
  beside(suffix: string, options?: Options): Promise<Place> {
    return Place.open(this.server, `${this.queue.replace(/\.fifo$/, '')}-${suffix}`, options);
  }

  /** Whether the server behaves otherwise than SQS in this. */
  differs(behaviour: string): boolean {
    return behaviour in DIFFERENT_BEHAVIOURS[this.server.name];
  }

  babelq(...args: string[]): Promise<Ran> {
    return this.sandbox.run([...args, '--sqs', this.dlq]);
  }

  json<T>(...args: string[]): Promise<T> {
    return this.sandbox.json<T>([...args, '--sqs', this.dlq]);
  }

  /** An action with `--yes` and `--json`: its exit and its report. */
  async act(...args: string[]): Promise<ActionReport & { code: number | null; stderr: string }> {
    const { code, stdout, stderr } = await this.babelq(...args, '--yes', '--json');
    if (stdout === '') throw new Error(`babelq ${args.join(' ')} exited ${code}: ${stderr}`);
    return { ...(JSON.parse(stdout) as ActionReport), code, stderr };
  }

  /** Has the server itself move messages to the dead-letter queue: received as often as may be, and once more. */
  async deadLetterNatively(messages: readonly Parameters<WireServer['send']>[1][number][]): Promise<void> {
    const { client } = this.server;
    const url = this.server.urlOf(this.queue);
    await this.server.send(this.queue, messages);
    for (let moved = 0; moved < messages.length; ) {
      await client.receive(url, { max: 10, waitSeconds: 1, visibilitySeconds: 1 });
      const { ApproximateNumberOfMessages } = await client.queueAttributes(this.server.urlOf(this.dlq));
      moved = Number(ApproximateNumberOfMessages);
    }
  }

  close(): void {
    this.sandbox.remove();
  }
}

type Content = Pick<Seen, 'body' | 'attributes'>;

/** What a message is, whatever its id, in an order of its own. */
export function contents(messages: readonly Content[]): Content[] {
  return messages
    .map(({ body, attributes }) => ({ body, attributes }))
    .sort((a, b) => (a.body < b.body ? -1 : a.body > b.body ? 1 : 0));
}
