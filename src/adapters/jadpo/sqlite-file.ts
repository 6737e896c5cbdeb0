import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import { escapeText } from '../../model/display/escape.ts';
import { BabelqError } from '../../model/errors.ts';
import { sqliteCode } from './sqlite-errors.ts';

/** How long a call waits inside SQLite, where the whole process waits with it. What takes longer is tried again from outside. */
const BUSY_MS = 10;

/** An open database, and what it was when it was opened. */
export interface OpenDatabase {
  database: BetterSqlite3.Database;
  /** Where it really lies. */
  path: string;
  /** The app's file can't be written by us. */
  readOnly: boolean;
  /** True where a private copy is read, since SQLite can't read the file without making files beside it. */
  copied: boolean;
  /** Whether the path still leads to what was opened. */
  isCurrent(): boolean;
  close(): void;
}

/**
 * Opens a SQLite file as it is: it is never created, its journal mode never switched. A file in WAL mode that can't be
 * written, and that nobody has open, is read from a private copy: SQLite would have to make its `-shm` file beside it,
 * and one of ours left there could lock its app out.
 * @throws BabelqError for what isn't there or isn't a file; SQLite's own errors for the rest
 */
export async function openDatabase(given: string): Promise<OpenDatabase> {
  const path = resolvePath(given);
  const stats = statSync(path);
  const readOnly = !may(path, constants.W_OK);
  const { default: Database } = await import('better-sqlite3');
  if (readOnly && needsCopy(path)) return openCopy(Database, path, stats);
  let database: BetterSqlite3.Database | undefined;
  try {
    database = new Database(path, { fileMustExist: true, readonly: readOnly, timeout: BUSY_MS });
    prepare(database);
    database.prepare('SELECT 1 FROM sqlite_master').get();
    return opened(database, path, stats, { readOnly, copied: false });
  } catch (error) {
    database?.close();
    // A folder that can't be written gives the same trouble as a file that can't.
    if (!/^SQLITE_(CANTOPEN|READONLY)/.test(sqliteCode(error) ?? '') || !needsCopy(path)) throw error;
    return openCopy(Database, path, stats);
  }
}

function prepare(database: BetterSqlite3.Database): void {
  // The schema is the app's, and may be anybody's: nothing in it may call functions that reach outside.
  database.pragma('trusted_schema = OFF');
}

/** The file's real path. @throws BabelqError `no_database`, `forbidden`, `not_a_database` */
export function resolvePath(given: string): string {
  const shown = escapeText(given);
  let path: string;
  let stats: Stats;
  try {
    path = realpathSync(resolve(given));
    stats = statSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EACCES' || code === 'EPERM') throw forbidden(shown, error);
    throw new BabelqError('no_database', `There is no file ${shown}.`, {
      hint: `Looked for it at ${escapeText(resolve(given))}; jadpo's local default is build/local.sqlite in the app's folder.`,
      cause: error,
    });
  }
  if (!stats.isFile()) {
    const what = stats.isDirectory() ? 'a folder' : 'not a regular file';
    throw new BabelqError('not_a_database', `${shown} is ${what}, not a database.`, {
      hint: "Give the app's database file; jadpo's local default is build/local.sqlite.",
    });
  }
  if (!may(path, constants.R_OK)) throw forbidden(shown, undefined);
  return path;
}

function forbidden(shown: string, cause: unknown): BabelqError {
  return new BabelqError('forbidden', `${shown} can't be read: permission denied.`, {
    hint: "Run babelq as the app's user, or give yourself read permission on the file and its folders.",
    cause,
  });
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** In WAL mode, with nobody connected. @throws BabelqError `forbidden` */
function needsCopy(path: string): boolean {
  if (existsSync(`${path}-shm`)) return false;
  // Opened and closed only where no connection of this process can be on a WAL file: closing drops a process's locks.
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw forbidden(escapeText(path), error);
  }
  try {
    const versions = Buffer.alloc(2);
    return readSync(file, versions, 0, 2, 18) === 2 && versions[0] === 2 && versions[1] === 2;
  } finally {
    closeSync(file);
  }
}

function openCopy(Database: typeof BetterSqlite3, path: string, stats: Stats): OpenDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'babelq-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const cleanUp = (): void => {
    process.removeListener('exit', remove);
    remove();
  };
  try {
    const copy = join(folder, 'copy.sqlite');
    for (const ending of ['', '-wal']) {
      if (!existsSync(`${path}${ending}`)) continue;
      copyFileSync(`${path}${ending}`, `${copy}${ending}`, constants.COPYFILE_FICLONE);
      chmodSync(`${copy}${ending}`, 0o600);
    }
    const database = new Database(copy, { fileMustExist: true, timeout: BUSY_MS });
    prepare(database);
    const open = opened(database, path, stats, { readOnly: true, copied: true });
    return {
      ...open,
      close: () => {
        open.close();
        cleanUp();
      },
    };
  } catch (error) {
    cleanUp();
    throw error;
  }
}

function opened(
  database: BetterSqlite3.Database,
  path: string,
  stats: Stats,
  how: { readOnly: boolean; copied: boolean },
): OpenDatabase {
  return {
    database,
    path,
    ...how,
    isCurrent: () => {
      let now: Stats;
      try {
        now = statSync(path);
      } catch {
        return false;
      }
      if (now.ino !== stats.ino || now.dev !== stats.dev) return false;
      // A copy doesn't follow its original, and once the app is there it needn't be a copy.
      return !how.copied || (now.mtimeMs === stats.mtimeMs && now.size === stats.size && !existsSync(`${path}-shm`));
    },
    close: () => database.close(),
  };
}
