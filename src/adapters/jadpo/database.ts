import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BabelqError } from '../../model/errors.ts';
import type { Clock } from '../../model/ports.ts';
import { isPostgresAddress, parseAddress } from '../postgres/address.ts';
import { PostgresStore } from './postgres-store.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { Store } from './store.ts';

const HINT =
  "Give the path of the app's SQLite file (jadpo's local default is build/local.sqlite), or the DATABASE_URL of its " +
  'PostgreSQL, postgres://….';

/** What may stand before a slash in ids without being taken for something else. */
const PLAIN_NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,79}$/u;

/**
 * The store behind what a source calls its database, and the name that a source has unless it is given one: the file's name
 * without its ending, or the database's.
 * @throws BabelqError `config`; an address is not repeated in it, since it may hold a password
 */
export function databaseFrom(database: string, clock: Clock): { store: Store; name: string } {
  if (isPostgresAddress(database)) {
    const address = parseAddress(database);
    const name = PLAIN_NAME.test(address.database) ? address.database : 'postgres';
    return { store: new PostgresStore(address, clock), name };
  }
  const path = pathFrom(database);
  return { store: new SqliteStore(path, clock), name: nameFrom(path) };
}

function pathFrom(database: string): string {
  const scheme = /^([a-z][a-z\d+.-]+):/i.exec(database)?.[1]?.toLowerCase();
  if (scheme === 'file' && /^file:\/\//i.test(database)) {
    try {
      return fileURLToPath(database);
    } catch (cause) {
      throw new BabelqError('config', "The database's file: address has no usable path.", {
        hint: 'Write file:///absolute/path, or just the path.',
        cause,
      });
    }
  }
  if (scheme !== undefined && /^[^:]+:\/\//.test(database)) {
    throw new BabelqError('config', `SQLite files and PostgreSQL are read, not ${scheme}:// addresses.`, {
      hint: HINT,
    });
  }
  if (database.trim() === '' || database === ':memory:' || database !== database.trimEnd() || database.includes('\0')) {
    throw new BabelqError('config', "The database's path is empty or no file's.", { hint: HINT });
  }
  return database;
}

function nameFrom(path: string): string {
  const file = basename(path);
  return file.replace(/\.(sqlite3?|db3?)$/i, '') || file;
}
