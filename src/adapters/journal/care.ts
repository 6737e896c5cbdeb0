import { stat } from 'node:fs/promises';
import type { Database } from 'better-sqlite3';
import { BabelqError } from '../../model/errors.ts';
import {
  type BackupReport,
  entriesBefore,
  type JournalCare,
  type JournalInfo,
  nothingPrunable,
  type PruneCount,
  type PruneScope,
  refuseMore,
} from '../../model/journal-care.ts';
import type { Clock } from '../../model/ports.ts';
import { ARCHIVE_MS } from './archive.ts';
import { copyDatabase } from './backup.ts';
import { openDatabase } from './database.ts';
import { type JournalFacts, tell } from './info.ts';
import { patiently } from './patience.ts';
import { UNFINISHED } from './rules.ts';
import { ALIVE } from './runs.ts';
import { MIGRATIONS } from './schema.ts';
import { journalTrouble } from './trouble.ts';

/** The journal in an SQLite file, to look after. Nothing is opened before the first call, and nothing is made. */
export function sqliteCare(path: string, clock: Clock, env: Readonly<Record<string, string | undefined>>): JournalCare {
  return new SqliteCare(path, clock, env);
}

/** What may be taken, entry by entry, in the temporary table `taken` that a transaction fills. */
const EXPIRED = 'SELECT m.entry FROM messages m JOIN entries e ON e.entry = m.entry WHERE e.at <= :expired';
const DEAD = `e.run NOT IN (SELECT r.number FROM runs r WHERE ${ALIVE})`;
const TAKEN: Readonly<Record<'archived' | 'unfinished' | 'entries', string>> = {
  archived: `
    SELECT e.entry FROM entries e JOIN messages m ON m.entry = e.entry
    WHERE e.archived_until IS NOT NULL AND e.at > :expired AND e.at < :before AND e.state NOT IN ${UNFINISHED}`,
  unfinished: `SELECT e.entry FROM entries e WHERE e.state IN ${UNFINISHED} AND e.at < :before AND ${DEAD}`,
  entries: `SELECT e.entry FROM entries e WHERE e.state NOT IN ${UNFINISHED} AND e.at < :old AND ${DEAD}`,
};
/** Runs that will have no entry left; one that is at work has none yet. */
const EMPTIED = `
  SELECT r.number FROM runs r WHERE r.started_at < :old AND NOT ${ALIVE}
    AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.run = r.number AND e.entry NOT IN (SELECT entry FROM taken))`;

class SqliteCare implements JournalCare {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #env: Readonly<Record<string, string | undefined>>;
  #database: Database | null = null;

  constructor(path: string, clock: Clock, env: Readonly<Record<string, string | undefined>>) {
    this.#path = path;
    this.#clock = clock;
    this.#env = env;
  }

  async info(): Promise<JournalInfo> {
    const facts = await this.#with((database) => {
      const now = this.#clock.now();
      return database.transaction(() => factsOf(database, now))();
    });
    return {
      kind: 'sqlite',
      location: this.#path,
      exists: facts !== null,
      schema_version: facts === null ? null : MIGRATIONS.length,
      size_bytes: facts === null ? null : await sizeOf(this.#path),
      reusable_bytes: facts?.reusable ?? null,
      ...tell(facts),
    };
  }

  async create(): Promise<JournalInfo> {
    await this.#with(() => null, true);
    return this.info();
  }

  async prunable(scope: PruneScope): Promise<PruneCount> {
    const count = await this.#with((database) => {
      // The same statements as those that take it, and then nothing of it stays.
      const counted = database.transaction(() => {
        const found = this.#take(database, scope);
        throw new RolledBack(found);
      });
      try {
        counted.immediate();
      } catch (error) {
        if (error instanceof RolledBack) return error.count;
        throw error;
      }
      return nothingPrunable();
    });
    return count ?? nothingPrunable();
  }

  async prune(scope: PruneScope, agreed: PruneCount): Promise<PruneCount> {
    const count = await this.#with((database) =>
      database
        .transaction(() => {
          const taken = this.#take(database, scope);
          refuseMore(taken, agreed);
          return taken;
        })
        .immediate(),
    );
    return count ?? nothingPrunable();
  }

  async backup(path: string, replace: boolean): Promise<BackupReport> {
    const report = await this.#with(async (database) => copyDatabase(database, path, replace));
    if (report === null) {
      throw new BabelqError('journal', `There is no journal at ${this.#path}, so there is nothing to copy.`, {
        hint: 'Name one with --journal FILE.',
      });
    }
    return report;
  }

  async close(): Promise<void> {
    this.#database?.close();
    this.#database = null;
  }

  #take(database: Database, scope: PruneScope): PruneCount {
    const now = this.#clock.now();
    const bound = { now, expired: now - ARCHIVE_MS, before: scope.before ?? 0, old: entriesBefore(scope, now) ?? 0 };
    database.exec('CREATE TEMP TABLE IF NOT EXISTS taken (entry INTEGER PRIMARY KEY); DELETE FROM taken');
    const run = (sql: string): number => database.prepare(sql).run(sql.includes(':') ? used(sql, bound) : {}).changes;
    const forget = 'DELETE FROM messages WHERE entry IN (SELECT entry FROM taken)';
    const release = 'UPDATE entries SET archived_until = NULL WHERE entry IN (SELECT entry FROM taken)';
    const count = nothingPrunable();

    count.expired = run(`INSERT INTO taken ${EXPIRED}`);
    if (scope.archived) count.archived = run(`INSERT INTO taken ${TAKEN.archived}`);
    run(release);
    run(forget);
    run('DELETE FROM taken');
    if (scope.unfinished) count.unfinished = run(`INSERT INTO taken ${TAKEN.unfinished}`);
    if (scope.before !== null) {
      count.entries = run(`INSERT INTO taken ${TAKEN.entries}`);
      run(forget);
      const emptied = database.prepare(EMPTIED).pluck().all(used(EMPTIED, bound)) as number[];
      run('DELETE FROM entries WHERE entry IN (SELECT entry FROM taken)');
      const drop = database.prepare('DELETE FROM runs WHERE number = ?');
      for (const number of emptied) drop.run(number);
      count.runs = emptied.length;
      database.exec(
        `UPDATE runs SET unfinished = (SELECT count(*) FROM entries e WHERE e.run = number AND e.state IN ${UNFINISHED})
         WHERE unfinished > 0`,
      );
    }
    run('DELETE FROM taken');
    return count;
  }

  /** Null where there is no journal. */
  async #with<T>(work: (database: Database) => T | Promise<T>, create = false): Promise<T | null> {
    try {
      this.#database ??= await patiently(this.#clock, () => openDatabase(this.#path, create, this.#env));
      const database = this.#database;
      return database === null ? null : await patiently(this.#clock, () => work(database));
    } catch (error) {
      throw journalTrouble(error, this.#path);
    }
  }
}

class RolledBack extends Error {
  readonly count: PruneCount;

  constructor(count: PruneCount) {
    super('rolled back');
    this.count = count;
  }
}

/** better-sqlite3 refuses names that a statement doesn't have. */
function used(sql: string, bound: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(bound).filter(([name]) => new RegExp(`:${name}\\b`).test(sql)));
}

function factsOf(database: Database, now: number): JournalFacts & { reusable: number } {
  const get = <Row>(sql: string): Row => database.prepare(sql).get() as Row;
  const kept = `SELECT e.action, e.at, e.archived_until AS until FROM entries e
    WHERE e.archived_until IS NOT NULL AND EXISTS (SELECT 1 FROM messages m WHERE m.entry = e.entry)`;
  const open = database
    .prepare(
      `SELECT r.id AS run, r.action, r.by, r.started_at, r.beat_at AS last_heard_at, ${ALIVE} AS alive, r.unfinished AS entries
       FROM runs r WHERE r.unfinished > 0 OR ${ALIVE} ORDER BY r.number DESC`,
    )
    .all({ now }) as (Omit<JournalFacts['open'][number], 'alive'> & { alive: number })[];
  const freePages = Number(database.pragma('freelist_count', { simple: true }));
  return {
    reusable: freePages * Number(database.pragma('page_size', { simple: true })),
    ...get<Pick<JournalFacts, 'runs' | 'first' | 'last'>>(
      'SELECT count(*) AS runs, min(started_at) AS first, max(started_at) AS last FROM runs',
    ),
    ...get<Pick<JournalFacts, 'entries'>>('SELECT count(*) AS entries FROM entries'),
    open: open.map((run) => ({ ...run, alive: run.alive === 1 })),
    archive: {
      ...get<Omit<JournalFacts['archive'], 'originals'>>(
        `SELECT count(*) AS messages, min(at) AS oldest, min(until) AS next FROM (${kept}) WHERE action = 'dismiss'`,
      ),
      ...get<Pick<JournalFacts['archive'], 'originals'>>(
        `SELECT count(*) AS originals FROM (${kept}) WHERE action = 'retry'`,
      ),
    },
  };
}

/** The database and what SQLite keeps beside it. */
async function sizeOf(path: string): Promise<number> {
  let bytes = 0;
  for (const end of ['', '-wal', '-shm']) {
    bytes += (await stat(`${path}${end}`).catch(() => null))?.size ?? 0;
  }
  return bytes;
}
