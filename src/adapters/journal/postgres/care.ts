import { BabelqError } from '../../../model/errors.ts';
import {
  type BackupReport,
  entriesBefore,
  type JournalCare,
  type JournalInfo,
  nothingPrunable,
  type PruneCount,
  type PruneScope,
  refuseMore,
} from '../../../model/journal-care.ts';
import type { Statements } from '../../postgres/postgres.ts';
import { quoted } from '../../postgres/quoted.ts';
import { ARCHIVE_MS } from '../archive.ts';
import { type JournalFacts, tell } from '../info.ts';
import { UNFINISHED } from '../rules.ts';
import type { PostgresJournalOptions } from './journal.ts';
import { MIGRATIONS } from './schema.ts';
import { Server } from './server.ts';
import { ALIVE, json, NOW, parsed } from './sql.ts';
import { serverTrouble } from './trouble.ts';

/** The journal in a PostgreSQL database, to look after. @throws BabelqError `config` for an address that can't be read */
export function postgresCare({ url, clock, env = process.env, time }: PostgresJournalOptions): JournalCare {
  return new PostgresCare(new Server(url, clock, env), time ?? (() => null));
}

class PostgresCare implements JournalCare {
  readonly #server: Server;
  readonly #time: () => number | null;

  constructor(server: Server, time: () => number | null) {
    this.#server = server;
    this.#time = time;
  }

  info(): Promise<JournalInfo> {
    return this.#call(async () => {
      const exists = await this.#server.isThere();
      const facts = exists ? await this.#facts() : null;
      return {
        kind: 'postgres',
        location: this.#server.location,
        exists,
        schema_version: exists ? MIGRATIONS.length : null,
        size_bytes: facts?.size ?? null,
        reusable_bytes: null,
        ...tell(facts),
      };
    });
  }

  async create(): Promise<JournalInfo> {
    await this.#call(() => this.#server.prepare());
    return this.info();
  }

  async #facts(): Promise<JournalFacts & { size: number }> {
    const { rows } = await this.#server.reading.read(infoFrom(quoted(this.#server.schema)), [
      json({ now: this.#time() }),
    ]);
    return parsed(rows[0]?.[0]);
  }

  prunable(scope: PruneScope): Promise<PruneCount> {
    return this.#inTransaction(async (statements) => {
      // The same statements as those that take it, and nothing of it stays.
      await statements.run('SAVEPOINT counting');
      const count = await this.#take(statements, scope);
      await statements.run('ROLLBACK TO SAVEPOINT counting');
      return count;
    });
  }

  prune(scope: PruneScope, agreed: PruneCount): Promise<PruneCount> {
    return this.#inTransaction(async (statements) => {
      const count = await this.#take(statements, scope);
      refuseMore(count, agreed);
      return count;
    });
  }

  #inTransaction(work: (statements: Statements) => Promise<PruneCount>): Promise<PruneCount> {
    return this.#call(async () =>
      (await this.#server.isThere()) ? this.#server.writing.transaction(work) : nothingPrunable(),
    );
  }

  async #take(statements: Statements, scope: PruneScope): Promise<PruneCount> {
    const S = quoted(this.#server.schema);
    const count = nothingPrunable();
    const { rows } = await statements.run(`SELECT ${NOW}`, [json({ now: this.#time() })]);
    const now = Number(rows[0]?.[0]);
    const asked = { now, expired: now - ARCHIVE_MS, before: scope.before ?? 0, old: entriesBefore(scope, now) ?? 0 };
    const run = async (sql: string): Promise<number> => (await statements.run(sql, [json(asked)])).count;
    const at = (name: keyof typeof asked) => `($1::json ->> '${name}')::bigint`;
    const dead = `NOT EXISTS (SELECT 1 FROM ${S}.runs r WHERE r.number = e.run AND ${ALIVE})`;

    const release = async (which: string): Promise<number> => {
      const released = `UPDATE ${S}.entries e SET archived_until = NULL WHERE e.archived_until IS NOT NULL AND ${which}`;
      return run(
        `WITH released AS (${released}) DELETE FROM ${S}.messages m USING ${S}.entries e WHERE m.entry = e.entry AND ${which}`,
      );
    };
    count.expired = await release(`e.at <= ${at('expired')}`);
    if (scope.archived) {
      count.archived = await release(
        `e.archived_until IS NOT NULL AND e.at > ${at('expired')} AND e.at < ${at('before')} AND e.state NOT IN ${UNFINISHED}`,
      );
    }
    const remove = async (which: string): Promise<number> => {
      await run(`DELETE FROM ${S}.messages m USING ${S}.entries e WHERE m.entry = e.entry AND ${which}`);
      return run(`DELETE FROM ${S}.entries e WHERE ${which}`);
    };
    if (scope.unfinished) {
      count.unfinished = await remove(`e.state IN ${UNFINISHED} AND e.at < ${at('before')} AND ${dead}`);
    }
    if (scope.before !== null) {
      count.entries = await remove(`e.state NOT IN ${UNFINISHED} AND e.at < ${at('old')} AND ${dead}`);
      count.runs = await run(
        `DELETE FROM ${S}.runs r WHERE r.started_at < ${at('old')} AND NOT ${ALIVE}
           AND NOT EXISTS (SELECT 1 FROM ${S}.entries e WHERE e.run = r.number)`,
      );
    }
    return count;
  }

  backup(): Promise<BackupReport> {
    return this.#call(async () => {
      const schema = quoted(this.#server.schema);
      throw new BabelqError('refused', `The journal ${this.#server.location} is copied by PostgreSQL's own tools.`, {
        hint: `Run: pg_dump --schema='${schema}' --format=custom --file=babelq-journal.dump, with the connection that its address names.`,
      });
    });
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #call<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw serverTrouble(error, this.#server.location);
    }
  }
}

function infoFrom(S: string): string {
  const relations = ['runs', 'entries', 'messages', 'journal'].map(
    (name) => `pg_total_relation_size('${S.replaceAll("'", "''")}.${name}')`,
  );
  return `
    WITH kept AS (
      SELECT e.action, e.at, e.archived_until FROM ${S}.entries e JOIN ${S}.messages m ON m.entry = e.entry
      WHERE e.archived_until IS NOT NULL
    ), open AS (
      SELECT r.id AS run, r.action, r.by, r.started_at, r.beat_at AS last_heard_at, ${ALIVE} AS alive, r.number,
        (SELECT count(*) FROM ${S}.entries e WHERE e.run = r.number AND e.state IN ${UNFINISHED}) AS entries
      FROM ${S}.runs r WHERE r.number IN (SELECT e.run FROM ${S}.entries e WHERE e.state IN ${UNFINISHED}) OR ${ALIVE}
    )
    SELECT json_build_object(
      'size', ${relations.join(' + ')},
      'runs', (SELECT count(*) FROM ${S}.runs),
      'entries', (SELECT count(*) FROM ${S}.entries),
      'first', (SELECT min(started_at) FROM ${S}.runs),
      'last', (SELECT max(started_at) FROM ${S}.runs),
      'open', (SELECT coalesce(json_agg(json_build_object('run', run, 'action', action, 'by', by, 'started_at', started_at,
        'last_heard_at', last_heard_at, 'alive', alive, 'entries', entries) ORDER BY number DESC), '[]') FROM open),
      'archive', (SELECT json_build_object('messages', count(*) FILTER (WHERE action = 'dismiss'),
        'oldest', min(at) FILTER (WHERE action = 'dismiss'), 'next', min(archived_until) FILTER (WHERE action = 'dismiss'),
        'originals', count(*) FILTER (WHERE action = 'retry')) FROM kept))`;
}
