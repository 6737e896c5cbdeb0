import type { Client } from 'pg';
import { unlessAborted } from '../../model/interruptible.ts';
import type { Address } from './address.ts';
import { hasNoTls, refusesParameters } from './errors.ts';
import { passwordFromFile } from './pgpass.ts';
import { tlsOptions } from './tls.ts';

/** A connection that stands, and whether it goes through a pooler that takes no parameters for a session. */
export interface Connected {
  client: Client;
  pooled: boolean;
}

/**
 * Connects once. With `prefer`, TLS where the server has it, else without.
 * @param limits parameters of the session
 * @throws the driver's errors; BabelqError `config` for a file that can't be read; Interrupted
 */
export async function connect(
  address: Address,
  limits: Readonly<Record<string, number>>,
  signal: AbortSignal | undefined,
): Promise<Connected> {
  const tls = tlsOptions(address.ssl, address.host);
  const tries = [{ tls, pooled: false }];
  for (;;) {
    const now = tries.pop();
    if (now === undefined) throw new Error('nothing left to try');
    try {
      const client = await open(address, { tls: now.tls, limits: now.pooled ? {} : limits, signal });
      return { client, pooled: now.pooled };
    } catch (error) {
      if (hasNoTls(error) && address.ssl.mode === 'prefer' && now.tls !== null) tries.push({ ...now, tls: null });
      else if (refusesParameters(error) && !now.pooled) tries.push({ ...now, pooled: true });
      else throw error;
    }
  }
}

async function open(
  { host, port, user, password, database, connectTimeoutMs, channelBinding }: Address,
  how: {
    tls: ReturnType<typeof tlsOptions>;
    limits: Readonly<Record<string, number>>;
    signal: AbortSignal | undefined;
  },
): Promise<Client> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    host,
    port,
    user,
    database,
    // Always a function: where there is no password the driver would look for one by itself, and warn of it.
    password: () => password ?? passwordFromFile({ host, port, user, database }),
    ssl: how.tls ?? false,
    application_name: 'babelq',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    enableChannelBinding: channelBinding,
    ...how.limits,
  });
  // Without a listener an error between two calls would end the process.
  client.on('error', () => {});
  const connecting = client.connect();
  if (how.signal === undefined) {
    await connecting;
    return client;
  }
  try {
    await unlessAborted(connecting, how.signal);
    return client;
  } catch (error) {
    discard(client);
    throw error;
  }
}

/** Lets go of a connection without a word to the server, which may not be listening any more. */
export function discard(client: Client): void {
  const { connection } = client as unknown as { connection?: { stream?: { destroy(): void } } };
  connection?.stream?.destroy();
}
