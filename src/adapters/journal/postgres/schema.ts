import { BabelqError } from '../../../model/errors.ts';
import type { Postgres, Statements } from '../../postgres/postgres.ts';
import { quoted } from '../../postgres/quoted.ts';
import { refuseNewer } from '../newer.ts';

/** Any number, the same for every babelq: who holds it in a database moves the schema forward, and nobody else. */
const MIGRATING = 0x62626c71;

/**
 * How the schema came to be: the n-th step leads from version n-1 to n; `S.` is the schema. A step that was released never
 * changes. Texts are compared byte by byte (`C`), as SQLite does, whatever the database's locale.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE S.runs (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    action text NOT NULL,
    by text NOT NULL,
    note text,
    asked text NOT NULL,
    started_at bigint NOT NULL,
    beat_at bigint NOT NULL,
    ended_at bigint,
    ended text
  );

  CREATE SEQUENCE S.entry_numbers;

  CREATE TABLE S.entries (
    entry bigint PRIMARY KEY,
    run bigint NOT NULL REFERENCES S.runs (number),
    action text NOT NULL,
    source text COLLATE "C" NOT NULL,
    place text COLLATE "C" NOT NULL,
    native_id text COLLATE "C" NOT NULL,
    identity text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    queue text,
    subject text,
    target text,
    deduplication_id text,
    possible_double boolean NOT NULL,
    restores bigint,
    remembered text,
    digest bytea,
    state text NOT NULL,
    new_id text COLLATE "C",
    detail text,
    at bigint NOT NULL,
    settled_at bigint,
    archived_until bigint
  );
  ALTER SEQUENCE S.entry_numbers OWNED BY S.entries.entry;

  CREATE INDEX entries_by_native_id ON S.entries (native_id);
  CREATE INDEX entries_by_identity ON S.entries (run, identity);
  CREATE INDEX entries_put ON S.entries (new_id) WHERE action IN ('restore', 'import') AND new_id IS NOT NULL;
  CREATE INDEX entries_open ON S.entries (run) WHERE state IN ('intended', 'uncertain', 'sent');
  CREATE INDEX archive ON S.entries (place, entry) WHERE archived_until IS NOT NULL;

  CREATE TABLE S.messages (
    entry bigint PRIMARY KEY REFERENCES S.entries (entry),
    message_id text NOT NULL,
    body bytea NOT NULL,
    attributes text NOT NULL,
    system_attributes text NOT NULL
  );
  `,
  // Whether a run has sent a message's like is asked of SQS's alone, which have a digest; see the journal in a file.
  `
  DROP INDEX S.entries_by_identity;
  CREATE INDEX entries_by_identity ON S.entries (run, identity) WHERE digest IS NOT NULL;
  CREATE INDEX entries_by_run ON S.entries (run);
  `,
];

/**
 * Which version of the schema is there; 0 for none.
 * @throws BabelqError `journal` for one that a newer babelq wrote, and for a schema that isn't the journal's
 */
export async function versionOf(
  database: Pick<Postgres, 'read'>,
  schema: string,
  location: string,
  known: number = MIGRATIONS.length,
): Promise<number> {
  const { rows } = await database.read(
    `SELECT to_regclass($1) IS NOT NULL, (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = $2 AND c.relname IN ('runs', 'entries', 'messages', 'entry_numbers'))`,
    [`${quoted(schema)}.journal`, schema],
  );
  const [isThere, others] = rows[0] ?? [];
  if (isThere !== 't') {
    if (others === '0') return 0;
    throw new BabelqError(
      'journal',
      `The schema ${schema} of ${location} is another program's, not a journal of babelq's.`,
      {
        hint: 'Name another one in its address: ?schema=babelq.',
      },
    );
  }
  const answer = await database.read(`SELECT version FROM ${quoted(schema)}.journal`);
  const version = Number(answer.rows[0]?.[0] ?? 0);
  refuseNewer(location, version, known);
  return version;
}

/** Brings the schema up to date, in one transaction. Does nothing where it is. */
export async function migrate(
  database: Postgres,
  schema: string,
  location: string,
  migrations: readonly string[] = MIGRATIONS,
): Promise<void> {
  const known = migrations.length;
  const read = (statements: Statements) => ({
    read: (sql: string, values?: readonly string[]) => statements.run(sql, values),
  });
  await database.transaction(async (statements) => {
    await statements.run('SELECT pg_advisory_xact_lock($1)', [MIGRATING]);
    // Asked again under the lock: another babelq may have done it meanwhile.
    const version = await versionOf(read(statements), schema, location, known);
    if (version === known) return;
    if (version === 0) {
      const { rows } = await statements.run('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
      // Where it is there, nobody needs the right to make it.
      if (rows.length === 0) await statements.run(`CREATE SCHEMA ${quoted(schema)}`);
      await statements.run(`CREATE TABLE ${quoted(schema)}.journal (version integer NOT NULL)`);
      await statements.run(`INSERT INTO ${quoted(schema)}.journal VALUES (0)`);
    }
    for (const step of migrations.slice(version)) await statements.run(step.replaceAll('S.', `${quoted(schema)}.`));
    await statements.run(`UPDATE ${quoted(schema)}.journal SET version = ${known}`);
  });
}
