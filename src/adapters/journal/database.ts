import type { Database } from 'better-sqlite3';
import { BabelqError } from '../../model/errors.ts';
import { prepareFile } from './location.ts';
import { migrate, versionOf } from './schema.ts';

/** How long SQLite itself waits for a lock. It blocks the process, so it is short; `patiently` waits longer, asynchronously. */
const BUSY_TIMEOUT_MS = 10;

/** What SQLite may keep of the file in memory, KiB: its look-ups are few, and its build takes 16 MB. */
const CACHE_KIB = 4096;

/** Pages of 4 KB after which the write-ahead log is copied into the database: rarely, for each time holds everything up. */
const CHECKPOINT_PAGES = 4000;

/**
 * Opens the journal's database; only here is better-sqlite3 loaded.
 * @param create makes it where it isn't there
 * @returns null where it isn't there (or is still empty) and wasn't to be made
 */
export async function openDatabase(
  path: string,
  create: boolean,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Database | null> {
  if (!(await prepareFile(path, create, env))) return null;
  const { default: Sqlite } = await import('better-sqlite3');
  const database = new Sqlite(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    if (versionOf(database, path) === 0 && !create) {
      database.close();
      return null;
    }
    if (database.pragma('journal_mode = WAL', { simple: true }) !== 'wal') {
      throw new BabelqError('journal', `The journal ${path} lies where SQLite can't keep a write-ahead log.`, {
        hint: 'Put it on a local disk: --journal FILE.',
      });
    }
    harden(database);
    migrate(database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * What every connection needs. Where a file's commits are brought to disk by `Disk`, SQLite itself only has to keep them in
 * order (NORMAL: it syncs the log before it copies it into the database, and the database before it uses the log anew).
 */
export function harden(database: Database): void {
  database.pragma('synchronous = NORMAL');
  database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  database.pragma(`cache_size = -${CACHE_KIB}`);
  database.pragma('foreign_keys = ON');
  database.pragma('trusted_schema = OFF');
  database.pragma('secure_delete = FAST');
}
