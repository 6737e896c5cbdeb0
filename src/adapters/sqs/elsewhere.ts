import type { QueueAddress } from './address.ts';
import type { DeadLetterQueue } from './queue.ts';

/**
 * What an address names that isn't the dead-letter queue's own: `account 210987654321, eu-west-1`. A name is enough to tell
 * queues apart only where these are the same. Null where they are.
 */
export function sayElsewhere(
  { account, region, endpoint }: QueueAddress,
  home: Pick<DeadLetterQueue, 'account' | 'region' | 'client'>,
): string | null {
  const own = home.client.endpointHost ?? null;
  const host = endpoint === null ? null : new URL(endpoint).host;
  const parts = [
    account !== null && home.account !== '' && account !== home.account ? `account ${account}` : null,
    region !== null && home.region !== '' && region !== home.region ? region : null,
    host !== null && own === null ? `at ${host}` : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}
