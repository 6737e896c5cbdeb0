import { type QueueAddress, readAddress, refuseOtherServer } from './address.ts';
import { type ConnectOptions, connectSqs } from './aws-client.ts';
import type { SqsClient } from './client.ts';
import { configuredEndpoint } from './endpoint.ts';

/** Makes the client for one region and server; no call is made yet. */
export type Connect = (options: ConnectOptions) => Promise<SqsClient>;

/** Which queue, and how it is reached. */
export interface QueueOptions extends ConnectOptions {
  /** The dead-letter queue's name, URL or ARN. */
  queue: string;
}

/**
 * The clients of one source: one for its own region and server, and one more for each other that `--to` or `redrive_to`
 * leads to. All use the source's profile.
 */
export class Connections {
  /** Where the source's queue is. */
  readonly address: QueueAddress;
  readonly profile: string | null;
  readonly #options: ConnectOptions;
  readonly #connect: Connect;
  readonly #clients = new Map<string, Promise<SqsClient>>();

  /** @throws BabelqError `config` where the queue is no name, URL or ARN */
  constructor({ queue, ...options }: QueueOptions, connect: Connect = connectSqs) {
    this.address = readAddress(queue);
    this.profile = options.profile ?? process.env.AWS_PROFILE ?? null;
    this.#options = options;
    this.#connect = connect;
  }

  /**
   * The client that reaches a queue; what its address leaves open is as for the source's own queue.
   * @throws BabelqError `usage` for a URL that leads to another server than the configured endpoint
   */
  async to(address: QueueAddress): Promise<SqsClient> {
    const region = address.region ?? this.address.region ?? this.#options.region;
    const endpoint = this.#options.endpoint ?? (await this.#endpointFor(address));
    refuseOtherServer(address, endpoint);
    const key = `${region} ${endpoint}`;
    let client = this.#clients.get(key);
    if (!client) {
      client = this.#connect({
        ...this.#options,
        ...(region === undefined ? {} : { region }),
        ...(endpoint === null ? {} : { endpoint }),
      });
      this.#clients.set(key, client);
    }
    return client;
  }

  /**
   * Only a URL can lead elsewhere than to what is configured, which is then what counts. A name or an ARN is looked for
   * where the source's own queue is. Null where whoever connects finds it.
   */
  async #endpointFor(address: QueueAddress): Promise<string | null> {
    if (address.url === null && this.address.endpoint === null) return null;
    const configured = await configuredEndpoint(this.#options.profile);
    return configured ?? address.endpoint ?? (address.url === null ? this.address.endpoint : null);
  }

  async close(): Promise<void> {
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    for (const client of await Promise.allSettled(clients)) if (client.status === 'fulfilled') client.value.close();
  }
}
