import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';

/** The reference table: what a jadpo app's store is taken to look like where its own definition says nothing else. */
export const JADPO_TABLE = `CREATE TABLE jadpo_parked_messages (
  id TEXT PRIMARY KEY,
  queue TEXT NOT NULL,
  event TEXT,
  message_id TEXT,
  reason TEXT NOT NULL,
  problems TEXT NOT NULL DEFAULT '[]',
  body TEXT NOT NULL,
  body_sha256 TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'failed',
  parked_at TEXT NOT NULL,
  status_at TEXT NOT NULL,
  UNIQUE (queue, body_sha256)
)`;

export interface ParkedRow {
  id: string;
  queue: string;
  event: string | null;
  message_id: string | null;
  reason: string;
  problems: string;
  body: string;
  body_sha256: string;
  status: string;
  parked_at: string;
  status_at: string;
}

/** Counted from now: a fixed date would grow old, and pass the limits that the tests ask for. */
const LATELY = new Date(Date.now() - 3_600_000).toISOString();

/** A whole row: what isn't said is as it would be for a message that was refused for a missing field, an hour ago. */
export function parkedRow(row: Partial<ParkedRow> & { id: string }): ParkedRow {
  const body = row.body ?? JSON.stringify({ id: `m-${row.id}`, type: 'order.shipped', order: row.id });
  const parkedAt = row.parked_at ?? LATELY;
  return {
    queue: 'warehouse_queue',
    event: 'OrderShipped',
    message_id: `m-${row.id}`,
    reason: 'unreadable',
    problems: '[{"field":"total","rule":"required"}]',
    status: 'failed',
    parked_at: parkedAt,
    status_at: parkedAt,
    ...row,
    body,
    body_sha256: createHash('sha256').update(body).digest('hex'),
  };
}

/** One message for each of jadpo's reasons, of the given age, as an app parks them. */
export function parkedExamples(now: number): ParkedRow[] {
  const at = (minutesAgo: number): string => new Date(now - minutesAgo * 60_000).toISOString();
  return [
    parkedRow({
      id: 'p11',
      event: null,
      message_id: '9914',
      reason: 'unlisted_type',
      problems: '[]',
      body: '{"id":9914,"type":"order.returned","data":{"order_id":1042,"why":"damaged"}}',
      parked_at: at(42),
    }),
    parkedRow({
      id: 'p12',
      message_id: '9917',
      body: '{"id":9917,"type":"order.shipped","data":{"order_id":1043,"carrier":"DHL"}}',
      parked_at: at(4),
    }),
    parkedRow({
      id: 'p13',
      event: null,
      message_id: null,
      problems: '[{"field":"","rule":"json"}]',
      body: '{"id":9918,"type":"order.shi',
      parked_at: at(9),
    }),
    parkedRow({
      id: 'p14',
      event: 'StockCounted',
      message_id: '9921',
      reason: 'too_large',
      problems: '[]',
      body: JSON.stringify({ id: 9921, type: 'stock.counted', items: Array.from({ length: 9000 }, (_, n) => n) }),
      parked_at: at(180),
    }),
  ];
}

/** Creates a jadpo app's SQLite file with these messages parked. */
export function createJadpoFile(path: string, rows: readonly ParkedRow[], table: string = JADPO_TABLE): void {
  const database = new Database(path);
  try {
    database.exec(table);
    insertParked(database, rows);
  } finally {
    database.close();
  }
}

export function insertParked(database: Database.Database, rows: readonly ParkedRow[]): void {
  const insert = database.prepare(
    `INSERT INTO jadpo_parked_messages VALUES (@id, @queue, @event, @message_id, @reason, @problems, @body, @body_sha256,
      @status, @parked_at, @status_at)`,
  );
  database.transaction(() => {
    for (const row of rows) insert.run(row);
  })();
}
