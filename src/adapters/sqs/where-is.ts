import { SqsCallError } from './client.ts';
import { type Connect, Connections, type QueueOptions } from './connections.ts';
import { placeOf } from './errors.ts';

/** Where the service of a queue's options has a queue of another name; null where it hasn't, or can't be asked. */
export async function whereIsQueue(
  name: string,
  options: QueueOptions,
  connect?: Connect,
): Promise<{ where: string; settings: [string, string][] } | null> {
  const connections = new Connections(options, connect);
  try {
    const { address } = connections;
    const client = await connections.to(address);
    await client.queueUrl(name);
    const { region, profile, endpoint } = options;
    const its = { region: region ?? address.region, profile, endpoint: endpoint ?? address.endpoint };
    return {
      where: placeOf({
        queue: name,
        region: client.region ?? its.region,
        account: null,
        profile: connections.profile,
        endpointHost: client.endpointHost ?? null,
      }),
      settings: Object.entries(its).flatMap(([key, value]): [string, string][] =>
        value == null ? [] : [[key, value]],
      ),
    };
  } catch (error) {
    if (error instanceof SqsCallError) return null;
    throw error;
  } finally {
    await connections.close();
  }
}
