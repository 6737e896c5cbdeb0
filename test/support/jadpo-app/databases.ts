import Database from 'better-sqlite3';
import pg from 'pg';

/** What the app's database answers; numbers come as they do from the driver. */
interface Answer {
  rows: unknown[][];
  count: number;
}

export type Run = (sql: string, values?: readonly unknown[]) => Promise<Answer>;

/** The app's own way to its store: SQLite or PostgreSQL, with `$1` for values in both. */
export interface AppDatabase {
  /** Read committed; what throws is undone. */
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T>;
  /** Behind a SELECT of rows that will be changed. */
  readonly forUpdate: string;
  close(): Promise<void>;
}

/** @param schema PostgreSQL's, where the tables are */
export async function openAppDatabase(address: string): Promise<AppDatabase> {
  return /^postgres/.test(address) ? openPostgres(address) : openSqlite(address);
}

function openSqlite(path: string): AppDatabase {
  const database = new Database(path, { timeout: 20_000 });
  // A power cut is not what is tried.
  database.pragma('synchronous = OFF');
  const run: Run = async (sql, values = []) => {
    const statement = database.prepare<unknown[], unknown[]>(sql.replaceAll(/\$(\d)/g, '?$1'));
    const named = Object.fromEntries(values.map((value, at) => [at + 1, value]));
    const bound = values.length > 0 ? [named] : [];
    if (statement.reader) {
      const rows = statement.raw(true).all(...bound);
      return { rows, count: rows.length };
    }
    return { rows: [], count: statement.run(...bound).changes };
  };
  return {
    forUpdate: '',
    transaction: async (work) => {
      database.exec('BEGIN IMMEDIATE');
      try {
        const result = await work(run);
        database.exec('COMMIT');
        return result;
      } catch (error) {
        database.exec('ROLLBACK');
        throw error;
      }
    },
    close: async () => {
      database.close();
    },
  };
}

async function openPostgres(address: string): Promise<AppDatabase> {
  const url = new URL(address);
  const schema = url.searchParams.get('schema') ?? 'public';
  url.searchParams.delete('schema');
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`SELECT set_config('search_path', $1, false)`, [`"${schema.replaceAll('"', '""')}"`]);
  // A stall on babelq's account would be a fault.
  await client.query(`SET lock_timeout = '2s'`);
  const run: Run = async (sql, values = []) => {
    const { rows, rowCount } = await client.query({ text: sql, values: [...values], rowMode: 'array' });
    return { rows: rows as unknown[][], count: rowCount ?? 0 };
  };
  return {
    forUpdate: 'FOR UPDATE',
    transaction: async (work) => {
      await client.query('BEGIN');
      try {
        const result = await work(run);
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      }
    },
    close: () => client.end(),
  };
}
