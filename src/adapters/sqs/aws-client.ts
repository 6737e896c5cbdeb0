import { getFips } from 'node:crypto';
import type { ListQueuesResult, SQSClient, SQSClientConfig } from '@aws-sdk/client-sqs';
import { toAnswer, toFailed, toMoveTask, toReceived, toSendEntry } from './aws-shapes.ts';
import { toCallError } from './call-errors.ts';
import type { BatchAnswer, ListingClient, MoveTaskEntry, ReceivedMessage, SendEntry } from './client.ts';
import { configuredEndpoint } from './endpoint.ts';
import { agentOptions } from './network.ts';

/** What is left out is found by the AWS SDK's own chain: environment, profile, SSO, role. */
export interface ConnectOptions {
  region?: string;
  profile?: string;
  /** The server's URL, where it isn't AWS's own. */
  endpoint?: string;
}

const CONNECT_MS = 5_000;
/** How long an answer may take, a long poll's wait apart. */
const ANSWER_MS = 10_000;
const SOCKETS = 64;
/** Idle sockets are closed before the service does it: a send on one that is just being closed is never answered. */
const IDLE_MS = 10_000;
/** How often look-ups and receives are tried. */
const LOOK_TRIES = 3;

const AWS_HOST =
  /\.(?:amazonaws\.com(?:\.cn|\.eu)?|amazonaws\.eu|api\.aws|c2s\.ic\.gov|sc2s\.sgov\.gov|csp\.hci\.ic\.gov|cloud\.adc-e\.uk)$/;

/**
 * Connects to SQS through the AWS SDK. No call is made yet, and no credentials are looked for.
 * @throws BabelqError `config` where the environment's endpoint is no URL, or AWS_CA_BUNDLE can't be read
 */
export async function connectSqs(options: ConnectOptions): Promise<ListingClient> {
  const sdk = await import('@aws-sdk/client-sqs');
  const endpoint = options.endpoint ?? (await configuredEndpoint(options.profile));
  const isPlain = /^http:/i.test(endpoint ?? '');
  const agent = {
    keepAlive: true,
    maxSockets: SOCKETS,
    timeout: IDLE_MS,
    ...(await agentOptions(process.env, isPlain)),
  };
  const config: SQSClientConfig = {
    ...options,
    ...(endpoint !== null && { endpoint }),
    // It was looked for already, and in the profile that was asked for.
    ignoreConfiguredEndpointUrls: true,
    // A queue's URL may have come out of a message or from a server that calls itself by another name: signed requests
    // go to the endpoint, wherever the URL points.
    useQueueUrlAsEndpoint: false,
    customUserAgent: 'babelq',
    logger: SILENT,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: ANSWER_MS,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
    // Node has no MD5 in FIPS mode, and the SDK checks bodies by it.
    ...(getFips() === 1 ? { md5: false as const } : {}),
  };
  // Looking twice does no harm, so the SDK may try again: what a lost receive hid comes back by itself.
  const looking = new sdk.SQSClient({ ...config, maxAttempts: LOOK_TRIES });
  // Whatever changes something is tried once. A repeated send is a double, and a delete or a change of visibility that
  // comes late may meet a message that is another's by then: their callers know the deadline, the SDK doesn't.
  const acting = new sdk.SQSClient({ ...config, maxAttempts: 1, credentials: looking.config.credentials });
  return new AwsClient(sdk, looking, acting);
}

const silence = (): void => {};
/**
 * What the SDK would print by itself would stand among the JSON of an error, or in the middle of a screen. Without `info`
 * and `error` it doesn't make a copy of each call for the log either: that cost as much as the journal does.
 */
const SILENT = { trace: silence, debug: silence, warn: silence } as unknown as NonNullable<SQSClientConfig['logger']>;

type Sdk = typeof import('@aws-sdk/client-sqs');

class AwsClient implements ListingClient {
  region: string | null = null;
  endpointHost: string | null = null;
  clockAheadMs: number | null = null;
  readonly #sdk: Sdk;
  readonly #looking: SQSClient;
  readonly #acting: SQSClient;
  readonly #closed = new AbortController();
  /** For what only asks, so that nobody waits for it after `close`. */
  readonly #cut = { abortSignal: this.#closed.signal };

  constructor(sdk: Sdk, looking: SQSClient, acting: SQSClient) {
    this.#sdk = sdk;
    this.#looking = looking;
    this.#acting = acting;
    // Only the SDK knows what its chain came to, and it says so in its requests: the first one tells.
    looking.middlewareStack.add(
      (next) => async (args) => {
        if (this.region === null) {
          const { hostname, port } = args.request as { hostname: string; port?: number };
          this.endpointHost = AWS_HOST.test(hostname) ? null : port === undefined ? hostname : `${hostname}:${port}`;
          this.region = await looking.config.region();
        }
        return next(args);
      },
      { step: 'build', name: 'babelqEndpoint' },
    );
    looking.middlewareStack.add(
      (next) => async (args) => {
        const answered = await next(args);
        const { headers = {} } = answered.response as { headers?: Record<string, string> };
        const date = Date.parse(headers.date ?? '');
        if (!Number.isNaN(date)) this.clockAheadMs = Date.now() - date;
        return answered;
      },
      // Inside of what reads the answer and throws where it is a refusal: the clock is told by those too.
      { step: 'deserialize', priority: 'low', name: 'babelqClock' },
    );
  }

  queueUrl(name: string, account?: string): Promise<string> {
    return this.#call('GetQueueUrl', async () => {
      const command = new this.#sdk.GetQueueUrlCommand({ QueueName: name, QueueOwnerAWSAccountId: account });
      const { QueueUrl } = await this.#looking.send(command, this.#cut);
      if (QueueUrl === undefined) throw new Error('The answer to GetQueueUrl holds no URL.');
      return QueueUrl;
    });
  }

  queueAttributes(url: string): Promise<Record<string, string>> {
    return this.#call('GetQueueAttributes', async () => {
      const command = new this.#sdk.GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] });
      return (await this.#looking.send(command, this.#cut)).Attributes ?? {};
    });
  }

  deadLetterSources(url: string): Promise<string[]> {
    return this.#call('ListDeadLetterSourceQueues', async () => {
      const urls: string[] = [];
      let next: string | undefined;
      do {
        const command = new this.#sdk.ListDeadLetterSourceQueuesCommand({
          QueueUrl: url,
          MaxResults: 1000,
          NextToken: next,
        });
        const page = await this.#looking.send(command, this.#cut);
        urls.push(...(page.queueUrls ?? []));
        next = page.NextToken;
      } while (next !== undefined);
      return urls;
    });
  }

  async *queues(prefix: string): AsyncGenerator<string[], void, undefined> {
    let next: string | undefined;
    do {
      const page: ListQueuesResult = await this.#call('ListQueues', () => {
        const named = prefix === '' ? {} : { QueueNamePrefix: prefix };
        // Without MaxResults SQS gives a thousand and no token for the rest.
        const command = new this.#sdk.ListQueuesCommand({ ...named, MaxResults: 1000, NextToken: next });
        return this.#looking.send(command, this.#cut);
      });
      yield page.QueueUrls ?? [];
      next = page.NextToken;
    } while (next !== undefined && next !== '');
  }

  receive(
    url: string,
    request: { max: number; waitSeconds: number; visibilitySeconds: number; signal?: AbortSignal },
  ): Promise<ReceivedMessage[]> {
    return this.#call('ReceiveMessage', async () => {
      const command = new this.#sdk.ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: request.max,
        WaitTimeSeconds: request.waitSeconds,
        VisibilityTimeout: request.visibilitySeconds,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
        // The older name of the same; servers that speak SQS may know only this one.
        AttributeNames: ['All'],
      });
      let tries = 0;
      command.middlewareStack.add(
        (next) => (args) => {
          tries += 1;
          // Nobody waits for what another try would bring, but what the first one may have brought is waited for.
          if (tries > 1 && request.signal?.aborted) throw stopped();
          return next(args);
        },
        { step: 'finalizeRequest', priority: 'low', name: 'babelqStop' },
      );
      const { Messages } = await this.#looking.send(command, {
        requestTimeout: request.waitSeconds * 1000 + ANSWER_MS,
        ...this.#cut,
      });
      return (Messages ?? []).map(toReceived);
    });
  }

  sendBatch(url: string, entries: readonly SendEntry[]): Promise<BatchAnswer<{ id: string; messageId: string }>> {
    return this.#call('SendMessageBatch', async () => {
      const command = new this.#sdk.SendMessageBatchCommand({ QueueUrl: url, Entries: entries.map(toSendEntry) });
      const { Successful, Failed } = await this.#acting.send(command);
      return {
        successful: (Successful ?? []).map(({ Id, MessageId }) => ({ id: Id ?? '', messageId: MessageId ?? '' })),
        failed: toFailed(Failed),
      };
    });
  }

  deleteBatch(url: string, entries: readonly { id: string; receiptHandle: string }[]): Promise<BatchAnswer> {
    return this.#call('DeleteMessageBatch', async () => {
      const command = new this.#sdk.DeleteMessageBatchCommand({
        QueueUrl: url,
        Entries: entries.map(({ id, receiptHandle }) => ({ Id: id, ReceiptHandle: receiptHandle })),
      });
      return toAnswer(await this.#acting.send(command));
    });
  }

  changeVisibilityBatch(
    url: string,
    entries: readonly { id: string; receiptHandle: string; seconds: number }[],
  ): Promise<BatchAnswer> {
    return this.#call('ChangeMessageVisibilityBatch', async () => {
      const command = new this.#sdk.ChangeMessageVisibilityBatchCommand({
        QueueUrl: url,
        Entries: entries.map(({ id, receiptHandle, seconds }) => ({
          Id: id,
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: seconds,
        })),
      });
      return toAnswer(await this.#acting.send(command));
    });
  }

  startMoveTask(task: { sourceArn: string; destinationArn: string; rate: number | null }): Promise<string> {
    return this.#call('StartMessageMoveTask', async () => {
      const command = new this.#sdk.StartMessageMoveTaskCommand({
        SourceArn: task.sourceArn,
        DestinationArn: task.destinationArn,
        ...(task.rate === null ? {} : { MaxNumberOfMessagesPerSecond: task.rate }),
      });
      return (await this.#acting.send(command)).TaskHandle ?? '';
    });
  }

  moveTasks(sourceArn: string): Promise<MoveTaskEntry[]> {
    return this.#call('ListMessageMoveTasks', async () => {
      const command = new this.#sdk.ListMessageMoveTasksCommand({ SourceArn: sourceArn, MaxResults: 10 });
      return ((await this.#looking.send(command, this.#cut)).Results ?? []).map(toMoveTask);
    });
  }

  cancelMoveTask(handle: string): Promise<void> {
    return this.#call('CancelMessageMoveTask', async () => {
      // Cancelling twice does no harm.
      await this.#looking.send(new this.#sdk.CancelMessageMoveTaskCommand({ TaskHandle: handle }));
    });
  }

  close(): void {
    this.#closed.abort();
    this.#looking.destroy();
    this.#acting.destroy();
  }

  async #call<T>(name: string, make: () => Promise<T>): Promise<T> {
    try {
      return await make();
    } catch (error) {
      throw toCallError(name, error);
    }
  }
}

function stopped(): Error {
  return Object.assign(new Error('stopped'), { name: 'AbortError' });
}
