/** The apps behind the demo's queues and its table: what is retried is handled, or comes back as it would in production. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Consumer, type Handled, objectOf } from '../test/support/consumer.ts';
import type { World } from './world.ts';

/** What the orders app has handlers for. */
const HANDLED: ReadonlySet<unknown> = new Set(['urn:babel:orders:created', 'urn:babel:orders:cancelled']);
/** A jadpo app reads so many retried messages at one tick. */
const A_TICK = 20;
const TICK_MS = 500;

/** Starts them; the answer stops them. */
export async function startApps({ server, folder }: World): Promise<() => Promise<void>> {
  const consumers = await Promise.all([
    Consumer.start(server, 'orders', handleOrder),
    Consumer.start(server, 'payments', () => 'handled'),
    Consumer.start(server, 'shipments.fifo', () => 'handled'),
  ]);
  const warehouse = new Database(join(folder, 'warehouse.sqlite'), { timeout: 5000 });
  const ticking = setInterval(() => tick(warehouse), TICK_MS);
  return async () => {
    clearInterval(ticking);
    warehouse.close();
    await Promise.all(consumers.map((consumer) => consumer.stop()));
  };
}

type Received = Parameters<Parameters<typeof Consumer.start>[2]>[0];

/** As an SDK's App does it: the version gate first, then the body, then its URN. */
function handleOrder({ body, attributes }: Received): Handled {
  const version = attributes['bq-schema-version']?.value ?? '1';
  if (version !== '1') return { setAside: 'as it is' };
  const envelope = objectOf(body);
  if (envelope === null) return { setAside: { reason: 'poison', error: 'Syntax error' } };
  if (typeof envelope.job !== 'string') return { setAside: { reason: 'poison', error: 'The message has no identity' } };
  if (HANDLED.has(envelope.job)) return 'handled';
  return { setAside: { reason: 'unknown_urn', error: `No handler for ${envelope.job}` } };
}

interface Pending {
  id: string;
  body: string;
}

/** The app's tick, with a build that needs no total any more: it keeps what it can read now, and parks the rest again. */
function tick(database: Database.Database): void {
  const pending = `SELECT id, body FROM jadpo_parked_messages WHERE status = 'pending' ORDER BY id LIMIT ${A_TICK}`;
  const keep = database.prepare('DELETE FROM jadpo_parked_messages WHERE id = ?');
  const parkAgain = database.prepare(
    `UPDATE jadpo_parked_messages SET status = 'failed', parked_at = @at, status_at = @at WHERE id = @id`,
  );
  database
    .transaction(() => {
      for (const { id, body } of database.prepare<[], Pending>(pending).all()) {
        if (objectOf(body)?.type === 'order.shipped') keep.run(id);
        else parkAgain.run({ id, at: new Date().toISOString() });
      }
    })
    .immediate();
}
