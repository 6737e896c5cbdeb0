import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJadpoSource } from '../../src/adapters/jadpo/source.ts';
import { openJournal } from '../../src/adapters/journal/journal.ts';
import { parseAddress } from '../../src/adapters/postgres/address.ts';
import { Postgres } from '../../src/adapters/postgres/postgres.ts';
import type { JadpoBed } from './jadpo-contract.ts';
import { JADPO_TABLE, type ParkedRow } from './jadpo-table.ts';
import type { PostgresServer } from './postgres-server.ts';
import { wallClock } from './wall-clock.ts';

/** The reference table with PostgreSQL's own types for times and bodies. */
export const JADPO_TABLE_TYPED = JADPO_TABLE.replace('body TEXT', 'body bytea')
  .replace('parked_at TEXT', 'parked_at timestamptz')
  .replace('status_at TEXT', 'status_at timestamptz');

const COLUMNS = [
  'id',
  'queue',
  'event',
  'message_id',
  'reason',
  'problems',
  'body',
  'body_sha256',
  'status',
  'parked_at',
  'status_at',
] as const satisfies readonly (keyof ParkedRow)[];

let schemas = 0;

/** A schema of its own on a server, with jadpo's table in it. */
export class JadpoSchema {
  readonly url: string;
  readonly database: Postgres;
  readonly #name: string;
  readonly #isTyped: boolean;

  private constructor(name: string, url: string, isTyped: boolean) {
    this.#name = name;
    this.url = url;
    this.#isTyped = isTyped;
    this.database = new Postgres(parseAddress(url), wallClock);
  }

  static async create(server: PostgresServer, table: string = JADPO_TABLE): Promise<JadpoSchema> {
    schemas += 1;
    const name = `app "${process.pid}" ${schemas}`;
    const inner = table.replace('jadpo_parked_messages', `${quoted(name)}.jadpo_parked_messages`);
    await server.exec(`CREATE SCHEMA ${quoted(name)}; ${inner}`);
    const url = new URL(server.url);
    url.searchParams.set('schema', name);
    return new JadpoSchema(name, url.href.replaceAll('+', '%20'), table === JADPO_TABLE_TYPED);
  }

  get table(): string {
    return `${quoted(this.#name)}.jadpo_parked_messages`;
  }

  async run(sql: string, values: readonly (string | null | string[])[] = []): Promise<(string | null)[][]> {
    return (await this.database.transaction((statements) => statements.run(sql, values))).rows;
  }

  async insert(rows: readonly ParkedRow[]): Promise<void> {
    const lists = COLUMNS.map((column) => rows.map((row) => row[column]));
    const types = COLUMNS.map((column) => {
      if (column === 'body' && this.#isTyped) return `convert_to("${column}", 'UTF8')`;
      const type = !this.#isTyped ? 'text' : /_at$/.test(column) ? 'timestamptz' : 'text';
      return `"${column}"::${type}`;
    });
    const names = COLUMNS.map((column) => `"${column}"`).join(', ');
    await this.database.transaction(({ run }) =>
      run(
        `INSERT INTO ${this.table} (${names}) SELECT ${types.join(', ')}
         FROM unnest(${COLUMNS.map((_, at) => `$${at + 1}::text[]`).join(', ')}) AS given(${names})`,
        lists,
      ),
    );
  }

  async rows(): Promise<ParkedRow[]> {
    const read = COLUMNS.map((column) => {
      if (!this.#isTyped) return column;
      if (column === 'body') return `convert_from(body, 'UTF8')`;
      return /_at$/.test(column) ? `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : column;
    });
    const rows = await this.run(`SELECT ${read.join(', ')} FROM ${this.table} ORDER BY id COLLATE "C"`);
    return rows.map(
      (row) => Object.fromEntries(COLUMNS.map((column, at) => [column, row[at]])) as unknown as ParkedRow,
    );
  }

  async drop(): Promise<void> {
    await this.database.transaction(({ run }) => run(`DROP SCHEMA ${quoted(this.#name)} CASCADE`));
    await this.database.close();
  }
}

/** What the shared suite needs of a server. */
export async function postgresBed(server: PostgresServer, table: string = JADPO_TABLE): Promise<JadpoBed> {
  const schema = await JadpoSchema.create(server, table);
  const folder = mkdtempSync(join(tmpdir(), 'babelq-jadpo-'));
  return {
    withoutNul: true,
    open: (deps) => openJadpoSource({ name: 'warehouse', database: schema.url }, deps),
    insert: (rows) => schema.insert(rows),
    rows: () => schema.rows(),
    set: async (id, change) => {
      const columns = Object.keys(change).map((name, at) => `${name} = $${at + 2}`);
      await schema.run(`UPDATE ${schema.table} SET ${columns.join(', ')} WHERE id = $1`, [
        id,
        ...Object.values(change),
      ]);
    },
    remove: async (id) => {
      await schema.run(`DELETE FROM ${schema.table} WHERE id = $1`, [id]);
    },
    journal: (clock) => openJournal({ path: join(folder, 'journal.db'), clock, create: true }),
    close: async () => {
      await schema.drop();
      rmSync(folder, { recursive: true });
    },
  };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
