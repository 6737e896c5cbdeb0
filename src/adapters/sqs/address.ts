import { BabelqError } from '../../model/errors.ts';
import { parseQueue } from '../../model/queue-name.ts';

/** Where a queue is, as the configuration or a flag says. Never made from a message's text. */
export interface QueueAddress {
  readonly name: string;
  readonly account: string | null;
  readonly region: string | null;
  /** The queue's URL, where it was given by its URL. */
  readonly url: string | null;
  /** The server's URL, where the queue's URL leads to another than the region's own: LocalStack, ElasticMQ, a VPC endpoint. */
  readonly endpoint: string | null;
}

/** The hosts that the SDK finds by itself from the region. */
const REGIONAL_HOST = /^(?:sqs\.[a-z0-9-]+|queue|[a-z0-9-]+\.queue)\.amazonaws\.com(?:\.cn)?$/;

/**
 * Reads a queue's name, URL or ARN.
 * @throws BabelqError `config` where it is none of these
 */
export function readAddress(text: string): QueueAddress {
  const queue = parseQueue(text);
  const isUrl = /^https?:/i.test(text);
  // What is a URL must be one that a request can be sent to, or it would go to the region's own server instead.
  if (queue === undefined || (isUrl && !URL.canParse(text))) {
    throw new BabelqError('config', `${JSON.stringify(text)} is not a queue's name, URL or ARN.`, {
      hint: 'A name has letters, digits, - and _, at most 80, and ends in .fifo where the queue is FIFO.',
    });
  }
  if (!isUrl) return { ...queue, url: null, endpoint: null };
  const url = new URL(text);
  const regional = REGIONAL_HOST.test(url.hostname) && url.port === '' && url.protocol === 'https:';
  return { ...queue, url: text, endpoint: regional ? null : url.origin };
}

/** Whether AWS's tools are told to heed no endpoint that is configured for them. */
export function ignoresEndpoints(environment: NodeJS.ProcessEnv): boolean {
  return environment.AWS_IGNORE_CONFIGURED_ENDPOINT_URLS?.toLowerCase() === 'true';
}

/**
 * The endpoint that the environment names, as the SDK would find it; null where it names none.
 * @throws BabelqError `config` where it is not a URL
 */
export function endpointFromEnvironment(environment: NodeJS.ProcessEnv = process.env): string | null {
  if (ignoresEndpoints(environment)) return null;
  for (const name of ['AWS_ENDPOINT_URL_SQS', 'AWS_ENDPOINT_URL']) {
    const value = environment[name];
    if (value) return checkedEndpoint(value, name);
  }
  return null;
}

/** @throws BabelqError `config` where it is not the URL of a server */
export function checkedEndpoint(endpoint: string, from: string): string {
  if (URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol)) return endpoint;
  throw new BabelqError('config', `${from} is not the URL of a server: ${JSON.stringify(endpoint)}.`, {
    hint: 'It looks like http://localhost:4566.',
  });
}

/**
 * Everything goes to a configured endpoint, so a queue's URL that leads elsewhere would silently mean another queue.
 * @throws BabelqError `usage`, or `config` where that says it
 */
export function refuseOtherServer(
  { url, name }: QueueAddress,
  endpoint: string | null,
  code: 'usage' | 'config' = 'usage',
): void {
  if (url === null || endpoint === null) return;
  const [there, here] = [new URL(url), new URL(endpoint)];
  if (serverOf(there) === serverOf(here)) return;
  throw new BabelqError(code, `The URL of ${name} leads to ${there.host}, and the endpoint is ${here.host}.`, {
    hint: 'Give its name or its ARN to mean the queue there, or leave the endpoint out to go where the URL leads.',
  });
}

/** Names of one's own machine are one server, by its port: emulators write one, and people type another. */
function serverOf({ hostname, port, protocol }: URL): string {
  const isOwn = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\]|(?:.*\.)?localhost\.localstack\.cloud)$/.test(
    hostname,
  );
  return `${isOwn ? 'localhost' : hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}
