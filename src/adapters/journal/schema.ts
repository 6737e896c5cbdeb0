import type { Database } from 'better-sqlite3';
import { BabelqError } from '../../model/errors.ts';
import { refuseNewer } from './newer.ts';

/** Marks the file as babelq's journal (`bblq`), so that no other program's database is ever written to. */
const APPLICATION_ID = 0x62626c71;

/** How the schema came to be: the n-th step leads from version n-1 to n. A step that was released never changes. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    action TEXT NOT NULL,
    by TEXT NOT NULL,
    note TEXT,
    asked TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    beat_at INTEGER NOT NULL,
    ended_at INTEGER,
    ended TEXT,
    unfinished INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE entries (
    entry INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL REFERENCES runs (number),
    action TEXT NOT NULL,
    source TEXT NOT NULL,
    place TEXT NOT NULL,
    native_id TEXT NOT NULL,
    identity TEXT NOT NULL,
    reason TEXT NOT NULL,
    queue TEXT,
    subject TEXT,
    target TEXT,
    deduplication_id TEXT,
    possible_double INTEGER NOT NULL,
    restores INTEGER,
    remembered TEXT,
    digest BLOB,
    state TEXT NOT NULL,
    new_id TEXT,
    detail TEXT,
    at INTEGER NOT NULL,
    settled_at INTEGER,
    archived_until INTEGER
  ) STRICT;

  CREATE INDEX entries_by_native_id ON entries (native_id);
  CREATE INDEX entries_by_identity ON entries (run, identity);
  CREATE INDEX entries_restored ON entries (new_id) WHERE action = 'restore' AND new_id IS NOT NULL;
  CREATE INDEX archive ON entries (place, entry, archived_until) WHERE archived_until IS NOT NULL;
  CREATE INDEX archive_by_native_id ON entries (place, native_id, archived_until) WHERE archived_until IS NOT NULL;

  CREATE TABLE messages (
    entry INTEGER PRIMARY KEY REFERENCES entries (entry),
    message_id TEXT NOT NULL,
    body TEXT NOT NULL,
    attributes TEXT NOT NULL,
    system_attributes TEXT NOT NULL
  ) STRICT;
  `,
  `
  CREATE INDEX entries_imported ON entries (new_id) WHERE action = 'import' AND new_id IS NOT NULL;
  `,
  // Whether a run has sent a message's like is asked of SQS's alone, which have a digest. Identities come in no order: to put those
  // of a large table's rows into an index cost more than all else that is recorded of them.
  `
  DROP INDEX entries_by_identity;
  CREATE INDEX entries_by_identity ON entries (run, identity) WHERE digest IS NOT NULL;
  CREATE INDEX entries_by_run ON entries (run);
  `,
];

/**
 * Which version of the schema a database has; 0 for one that is empty.
 * @param known the newest version that this babelq can read
 * @throws BabelqError `journal` for another program's database, and for one that a newer babelq wrote
 */
export function versionOf(database: Database, location: string, known: number = MIGRATIONS.length): number {
  const version = Number(database.pragma('user_version', { simple: true }));
  const application = Number(database.pragma('application_id', { simple: true }));
  const tables = database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get();
  if (application !== APPLICATION_ID && !(application === 0 && version === 0 && tables === 0)) {
    throw new BabelqError('journal', `${location} is another program's database, not a journal of babelq's.`, {
      hint: 'Name another file with --journal FILE.',
    });
  }
  refuseNewer(location, version, known);
  return version;
}

/** Brings the schema up to date, in one transaction. Does nothing where it is. */
export function migrate(database: Database, location: string, migrations: readonly string[] = MIGRATIONS): void {
  const known = migrations.length;
  if (versionOf(database, location, known) === known) return;
  database
    .transaction(() => {
      // Asked again under the lock: another babelq may have done it meanwhile.
      for (const step of migrations.slice(versionOf(database, location, known))) database.exec(step);
      database.pragma(`application_id = ${APPLICATION_ID}`);
      database.pragma(`user_version = ${known}`);
    })
    .immediate();
}
