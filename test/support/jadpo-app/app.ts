import { createHash } from 'node:crypto';
import type { AppDatabase, Run } from './databases.ts';

/**
 * A jadpo app that receives a queue, as far as its documentation says what such an app does ("How queues are received"):
 * on each tick it first reads up to 20 parked messages that an operator retried, with the build running now, then asks the queue for up to ten
 * messages at a time, again while a batch comes back full, ten times at most; a message is kept in one transaction
 * (its id, its event in the outbox) or parked whole, once per queue and body; dismissed messages are deleted 30 days after.
 */

/** What an app has beside its parked messages. The table of those is the test's. */
export const APP_TABLES = [
  'CREATE TABLE jadpo_received_events (queue TEXT, id TEXT, received_at TEXT, PRIMARY KEY (queue, id))',
  // Without a key, so that an event kept twice would be seen.
  'CREATE TABLE jadpo_outbox (queue TEXT, id TEXT, event TEXT, data TEXT)',
];

const QUEUE = 'warehouse_queue';
const DAY_MS = 24 * 60 * 60 * 1000;
const MOST_BYTES = 64 * 1024;
const RETRIED_FIRST = 20;
const BATCH = 10;
const BATCHES = 10;

export interface AppReport {
  ticks: number;
  /** Keys of parked rows that were read again and kept, or found to be a repeat; a key once for each time. */
  kept: string[];
  parkedAgain: string[];
  /** Keys of dismissed rows that were deleted. */
  deleted: string[];
  /** Messages that were received, parked anew, and kept at once. */
  received: number;
  added: string[];
  keptAtOnce: number;
  /** The longest that one of its transactions took, with waiting for its turn, in milliseconds. */
  slowest: number;
  errors: string[];
}

type Reading =
  | { kind: 'event'; id: string; event: string; data: string }
  | { kind: 'parked'; reason: string; event: string | null; messageId: string | null; problems: string };

/**
 * Reads a body as the app's build does.
 * @param needsTotal an older build, which refuses an OrderShipped without a total
 */
function readMessage(body: string, needsTotal: (order: number) => boolean): Reading {
  const parked = (
    reason: string,
    messageId: string | null,
    event: string | null,
    problems: object[] = [],
  ): Reading => ({
    kind: 'parked',
    reason,
    event,
    messageId,
    problems: JSON.stringify(problems),
  });
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(body) as Record<string, unknown>;
  } catch {
    return parked('unreadable', null, null, [{ field: '', rule: 'json' }]);
  }
  const { id, type, order, total } = parsed;
  const messageId = typeof id === 'string' || Number.isInteger(id) ? String(id) : null;
  if (messageId === null || typeof type !== 'string') {
    return parked('unreadable', messageId, null, [{ field: messageId === null ? 'id' : 'type', rule: 'required' }]);
  }
  if (type !== 'order.shipped') return parked('unlisted_type', messageId, null);
  if (Buffer.byteLength(body) > MOST_BYTES) return parked('too_large', messageId, 'OrderShipped');
  if (!Number.isInteger(order))
    return parked('unreadable', messageId, 'OrderShipped', [{ field: 'order', rule: 'whole' }]);
  if (total === undefined && needsTotal(Number(order))) {
    return parked('unreadable', messageId, 'OrderShipped', [{ field: 'total', rule: 'required' }]);
  }
  return { kind: 'event', id: messageId, event: 'OrderShipped', data: JSON.stringify({ order, total }) };
}

export class JadpoApp {
  readonly report: AppReport = {
    ticks: 0,
    kept: [],
    parkedAgain: [],
    deleted: [],
    received: 0,
    added: [],
    keptAtOnce: 0,
    slowest: 0,
    errors: [],
  };
  readonly #database: AppDatabase;
  /** The broker: what isn't acknowledged is received again. */
  readonly #queue: string[];

  constructor(database: AppDatabase, queue: readonly string[]) {
    this.#database = database;
    this.#queue = [...queue];
  }

  async tick(): Promise<void> {
    const pending = await this.#timed(async (run) => {
      const { rows } = await run(
        `SELECT id FROM jadpo_parked_messages WHERE status = 'pending' ORDER BY status_at, id LIMIT ${RETRIED_FIRST}`,
      );
      return rows.map(([id]) => String(id));
    });
    for (const id of pending) await this.#readAgain(id);
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const received = this.#queue.slice(0, BATCH);
      for (const body of received) await this.#receive(body);
      this.#queue.splice(0, received.length);
      if (received.length < BATCH) break;
    }
    await this.#tidy();
    this.report.ticks += 1;
  }

  /** Half of the orders are healthy with the build that is running now. */
  #needsTotal = (order: number): boolean => order % 2 === 1;

  async #readAgain(id: string): Promise<void> {
    await this.#timed(async (run) => {
      const { rows } = await run(
        `SELECT body FROM jadpo_parked_messages WHERE id = $1 AND status = 'pending' ${this.#database.forUpdate}`,
        [id],
      );
      const [body] = rows[0] ?? [];
      // The operator dismissed it since.
      if (body === undefined) return null;
      const read = readMessage(Buffer.from(body as Buffer).toString('utf8'), this.#needsTotal);
      if (read.kind === 'event') {
        await this.#keep(run, read);
        await run('DELETE FROM jadpo_parked_messages WHERE id = $1', [id]);
        return this.report.kept;
      }
      await run(
        `UPDATE jadpo_parked_messages SET status = 'failed', reason = $2, problems = $3, status_at = $4 WHERE id = $1`,
        [id, read.reason, read.problems, new Date().toISOString()],
      );
      return this.report.parkedAgain;
    }).then((list) => list?.push(id));
  }

  async #receive(body: string): Promise<void> {
    const read = readMessage(body, this.#needsTotal);
    const at = new Date().toISOString();
    const digest = createHash('sha256').update(body).digest('hex');
    const id = `new-${digest.slice(0, 12)}`;
    const parked = await this.#timed(async (run) => {
      if (read.kind === 'event') {
        await this.#keep(run, read);
        return false;
      }
      const { count } = await run(
        `INSERT INTO jadpo_parked_messages (id, queue, event, message_id, reason, problems, body, body_sha256, status, parked_at, status_at)
         VALUES ($1, '${QUEUE}', $2, $3, $4, $5, $6, $7, 'failed', $8, $8) ON CONFLICT (queue, body_sha256) DO NOTHING`,
        [id, read.event, read.messageId, read.reason, read.problems, body, digest, at],
      );
      return count > 0;
    });
    this.report.received += 1;
    if (parked) this.report.added.push(id);
    else if (read.kind === 'event') this.report.keptAtOnce += 1;
  }

  /** A repeat, its id recorded already, keeps nothing. */
  async #keep(run: Run, { id, event, data }: Extract<Reading, { kind: 'event' }>): Promise<void> {
    const { count } = await run(
      'INSERT INTO jadpo_received_events VALUES ($1, $2, $3) ON CONFLICT (queue, id) DO NOTHING',
      [QUEUE, id, new Date().toISOString()],
    );
    if (count > 0) await run('INSERT INTO jadpo_outbox VALUES ($1, $2, $3, $4)', [QUEUE, id, event, data]);
  }

  async #tidy(): Promise<void> {
    const before = new Date(Date.now() - 30 * DAY_MS).toISOString();
    const deleted = await this.#timed(async (run) => {
      const { rows } = await run(
        `DELETE FROM jadpo_parked_messages WHERE status = 'dismissed' AND status_at < $1 RETURNING id`,
        [before],
      );
      await run('DELETE FROM jadpo_received_events WHERE received_at < $1', [before]);
      return rows.map(([id]) => String(id));
    });
    this.report.deleted.push(...deleted);
  }

  async #timed<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await this.#database.transaction(work);
    } finally {
      this.report.slowest = Math.max(this.report.slowest, performance.now() - started);
    }
  }
}
