import type { QueueAddress } from './address.ts';
import type { SqsClient } from './client.ts';

/** A queue's ARN where the server doesn't tell it, or may not be asked: by its address, its URL and the region in force. */
export function supposedArn({ name, account }: QueueAddress, url: string, region: string): string {
  return `arn:aws:sqs:${region}:${account ?? /\/([0-9]+)\/[^/]+$/.exec(url)?.[1] ?? ''}:${name}`;
}

/**
 * What the journal knows a queue by, whatever it is called in a configuration: its ARN, and `@host:port` of a server that
 * isn't AWS's own. The client must have made a call.
 */
export function journalPlace(arn: string, { endpointHost = null }: Pick<SqsClient, 'endpointHost'>): string {
  return endpointHost === null ? arn : `${arn}@${endpointHost}`;
}
