import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { matchColumns } from '../../src/adapters/jadpo/columns.ts';
import { databaseFrom } from '../../src/adapters/jadpo/database.ts';
import { JADPO_TABLE } from '../../test/support/jadpo-table.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { wallClock } from '../../test/support/wall-clock.ts';
import { type Command, type Measured, measure, median } from '../measure.ts';
import { BIN } from '../on-sqs.ts';
import type { Bench, Figure, Suite } from '../report.ts';

const ROWS = 1_000_000;
const DEEP = 900_000;
const RETRIED = 100_000;
const PAGE = 500;
/** A page takes milliseconds, so a figure needs many. */
const PAGES_A_ROUND = 20;
const BARE = resolve(import.meta.dirname, '../rows.mjs');

/** A store with a million parked messages: three causes, bodies of some 130 bytes. */
interface Store {
  name: string;
  address: string;
  /** Makes every row `failed` again. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** A long table of parked messages, in SQLite and in PostgreSQL. */
export const rows: Suite = async (bench) => {
  const figures: Figure[] = [];
  const notes: string[] = [];
  const sqlite = sqliteStore(bench.folder);
  figures.push(...(await figuresOf(sqlite, bench)));
  await sqlite.close();
  const postgres = await postgresStore();
  if ('missing' in postgres) notes.push(`PostgreSQL was left out: ${postgres.missing}.`);
  else {
    figures.push(...(await figuresOf(postgres, bench).finally(() => postgres.close())));
  }
  return { figures, notes };
};

async function figuresOf(store: Store, { rounds, folder }: Bench): Promise<Figure[]> {
  const environment = { HOME: folder, XDG_STATE_HOME: folder };
  const node = (...args: string[]): Command => ({ command: process.execPath, args, environment });
  const babelq = (...args: string[]): Command => node(BIN, '--jadpo', store.address, ...args);
  const bare = (what: string, count: number): Command => node(BARE, what, store.address, String(count));

  const first = new Ratios();
  for (let pair = 0; pair < 3 * rounds; pair += 1) {
    const theirs = await measure(bare('page', PAGE));
    first.add(await measure(babelq('deliveries', '--limit', String(PAGE), '--json')), theirs);
  }
  const depth = await timesAsLongDeepDown(store, rounds);
  const grouped: Measured[] = [];
  for (let round = 0; round < rounds; round += 1) grouped.push(await measure(babelq('groups', '--json')));
  const retried = new Ratios();
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await store.reset();
    const theirs = await measure(bare('update', RETRIED));
    await store.reset();
    const journal = ['--journal', join(folder, `${store.name}-${round}.db`)];
    const ours = await measure(babelq('retry', '--all', '--max', String(RETRIED), '--yes', '--quiet', ...journal));
    retried.add(theirs, ours);
    seconds.push(ours.seconds);
  }
  const named = (name: string, value: number, unit: string, target?: Figure['target']): Figure => ({
    name: name.startsWith(' ') ? name : `${store.name}, a million rows: ${name}`,
    value,
    unit,
    ...(target !== undefined && { target }),
  });
  return [
    named('first page, times the bare query', median(first.seconds), '×', { most: 3 }),
    named('  CPU time against it', median(first.cpu), '×'),
    named('page at row 900,000, times at row ten', depth, '×', { most: 1.25 }),
    named('groups', median(grouped.map((one) => one.seconds)), 's', { most: 10 }),
    named('  CPU time of it', median(grouped.map((one) => one.cpuSeconds)), 's'),
    named('  peak memory of it', Math.max(...grouped.map((one) => one.peakMb)), 'MB', { most: 300 }),
    named('retry of 100,000', RETRIED / median(seconds), 'rows/s'),
    named('  rate against bare UPDATEs', median(retried.seconds), '×', { least: 0.5 }),
    named('  the same by CPU time', median(retried.cpu), '×'),
  ];
}

/** How many times as long, and as much CPU time, one took as the other, pair by pair. */
class Ratios {
  readonly seconds: number[] = [];
  readonly cpu: number[] = [];

  add(one: Measured, other: Measured): void {
    this.seconds.push(one.seconds / other.seconds);
    this.cpu.push(one.cpuSeconds / other.cpuSeconds);
  }
}

/** How long a page takes behind row 900,000, against one behind row ten, in turn. */
async function timesAsLongDeepDown(store: Store, rounds: number): Promise<number> {
  const { store: opened } = databaseFrom(store.address, wallClock);
  const signal = new AbortController().signal;
  const definition = await opened.describe('jadpo_parked_messages', signal);
  const table = { definition, columns: matchColumns(definition, {}) };
  const page = async (row: number): Promise<number> => {
    const started = performance.now();
    const { rows: found } = await opened.page(table, [keyOf(row)], ['failed'], signal);
    if (found.length !== PAGE) throw new Error(`a page of ${found.length}`);
    return performance.now() - started;
  };
  const ratios: number[] = [];
  // The first ones are read from the disk.
  for (const row of [10, DEEP]) await page(row);
  for (let pair = 0; pair < rounds * PAGES_A_ROUND; pair += 1) {
    const near = await page(10);
    ratios.push((await page(DEEP)) / near);
  }
  await opened.close();
  return median(ratios);
}

function keyOf(row: number): string {
  return `p${String(row).padStart(8, '0')}`;
}

const COLUMNS = 'id, queue, event, message_id, reason, problems, body, body_sha256, status, parked_at, status_at';
const at = "'2026-11-30T14:02:11.034Z'";
/** The same rows for both: `n`, and how each writes a number with leading zeros. */
const values = (padded: string): string => `${padded}, 'warehouse_queue',
  CASE n % 3 WHEN 0 THEN NULL WHEN 1 THEN 'OrderShipped' ELSE 'StockCounted' END, 'm' || n,
  CASE n % 3 WHEN 0 THEN 'unlisted_type' ELSE 'unreadable' END,
  CASE n % 3 WHEN 0 THEN '[]' ELSE '[{"field":"total","rule":"required"}]' END,
  '{"id":"m' || n || '","type":"order.shipped","data":{"order_id":' || n || ',"carrier":"DHL","note":"left at the door of number ' || (n % 977) || '"}}',
  'digest ' || n, 'failed', ${at}, ${at}`;

function sqliteStore(folder: string): Store {
  const address = join(folder, 'million.sqlite');
  const database = new Database(address);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = OFF');
  database.exec(JADPO_TABLE);
  database.exec(
    `WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ROWS - 1})
     INSERT INTO jadpo_parked_messages (${COLUMNS}) SELECT ${values("printf('p%08d', n)")} FROM numbers`,
  );
  return {
    name: 'SQLite',
    address,
    reset: async () => {
      database.exec(`UPDATE jadpo_parked_messages SET status = 'failed' WHERE status <> 'failed'`);
      database.pragma('wal_checkpoint(TRUNCATE)');
    },
    close: async () => {
      database.close();
    },
  };
}

async function postgresStore(): Promise<Store | { missing: string }> {
  const server = await startPostgres();
  if ('missing' in server) return server;
  await server.exec(
    `${JADPO_TABLE}; INSERT INTO jadpo_parked_messages (${COLUMNS})
     SELECT ${values("'p' || lpad(n::text, 8, '0')")} FROM generate_series(0, ${ROWS - 1}) AS n;`,
  );
  await server.exec('VACUUM ANALYZE jadpo_parked_messages');
  return {
    name: 'PostgreSQL',
    address: server.url,
    reset: async () => {
      await server.exec(`UPDATE jadpo_parked_messages SET status = 'failed' WHERE status <> 'failed'`);
      await server.exec('VACUUM jadpo_parked_messages');
    },
    close: () => server.stop(),
  };
}
