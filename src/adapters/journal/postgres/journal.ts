import { randomUUID } from 'node:crypto';
import type { JournalDiagnosis } from '../../../model/doctor/diagnosis.ts';
import { asBabelqError, BabelqError } from '../../../model/errors.ts';
import type {
  ArchivedMessage,
  ArchivePage,
  Clock,
  ImportedEntry,
  Intent,
  Journal,
  LogEntry,
  LogQuery,
  Recollection,
  Run,
  RunStart,
  SentMessage,
  Settlement,
} from '../../../model/ports.ts';
import type { Statements } from '../../postgres/postgres.ts';
import { quoted } from '../../postgres/quoted.ts';
import { AGREED_MS, ARCHIVE_MS, PRUNED_AT_ONCE } from '../archive.ts';
import { NOTHING_RECALLED } from '../recall.ts';
import { runId } from '../runs.ts';
import { Commits } from './commits.ts';
import type { Job } from './judging.ts';
import { archived, countArchived, imported, log, recall, sent } from './reading.ts';
import { Server } from './server.ts';
import { json, NOW, orNull, toText } from './sql.ts';
import { isOutOfReach, serverTrouble } from './trouble.ts';

/** Where a journal on a server is. */
export interface PostgresJournalOptions {
  /** `postgres://…`; it may hold the password. */
  url: string;
  clock: Clock;
  env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds: instead of the server's own time, for tests. */
  time?: () => number;
}

/**
 * The journal in a PostgreSQL database, which several machines share. Nothing is connected to before the first call.
 * @throws BabelqError `config` for an address that can't be read
 */
export function openPostgresJournal({ url, clock, env = process.env, time }: PostgresJournalOptions): Journal {
  return new PostgresJournal(new Server(url, clock, env), clock, time ?? (() => null));
}

/**
 * A server that was waited for in vain isn't waited for again at once: a run that stops for it has some more to record, and
 * would wait for each.
 */
const LOST_MS = 5000;

class PostgresJournal implements Journal {
  readonly location: string;
  readonly #server: Server;
  readonly #commits: Commits;
  readonly #clock: Clock;
  readonly #time: () => number | null;
  /** Calls under way, which `close` waits for. */
  readonly #pending = new Set<Promise<unknown>>();
  #lost: { at: number; error: unknown } = { at: Number.NEGATIVE_INFINITY, error: null };
  #closed = false;

  constructor(server: Server, clock: Clock, time: () => number | null) {
    this.location = server.location;
    this.#server = server;
    this.#clock = clock;
    this.#time = time;
    this.#commits = new Commits(server.writing, server.schema, clock, time);
  }

  begin(start: RunStart): Promise<Run> {
    return this.#write(() =>
      this.#server.writing.transaction(async (statements) => {
        const run = await this.#insertRun(statements, start);
        await this.#prune(statements);
        return run;
      }),
    );
  }

  async #insertRun(statements: Statements, start: RunStart): Promise<Run> {
    for (;;) {
      const { rows } = await statements.run(
        `SELECT ${NOW}, (SELECT max(entry) FROM ${quoted(this.#server.schema)}.entries)`,
        [this.#now()],
      );
      const [startedAt, newest] = (rows[0] ?? []).map(Number) as [number, number];
      const id = runId(startedAt, randomUUID());
      const { count } = await statements.run(
        `INSERT INTO ${quoted(this.#server.schema)}.runs (id, action, by, note, asked, started_at, beat_at)
         VALUES ($1, $2, $3, $4, $5, $6::bigint, $6::bigint) ON CONFLICT (id) DO NOTHING`,
        [id, start.action, toText(start.by), orNull(start.note), toText(start.asked), startedAt],
      );
      if (count > 0) return { ...start, id, startedAt, newest };
    }
  }

  /** As the archive in a file does it, and none that somebody is at. */
  async #prune(statements: Statements): Promise<void> {
    const S = quoted(this.#server.schema);
    await statements.run(
      `WITH expired AS MATERIALIZED (
         SELECT e.entry FROM (SELECT entry FROM ${S}.messages ORDER BY entry LIMIT ${PRUNED_AT_ONCE}) m
         JOIN ${S}.entries e ON e.entry = m.entry WHERE e.at <= (SELECT max(started_at) FROM ${S}.runs WHERE started_at <= ${NOW} - ${AGREED_MS}) - ${ARCHIVE_MS}
         FOR NO KEY UPDATE OF e SKIP LOCKED
       ), released AS (
         UPDATE ${S}.entries e SET archived_until = NULL FROM expired x WHERE e.entry = x.entry
       )
       DELETE FROM ${S}.messages m USING expired x WHERE m.entry = x.entry`,
      [this.#now()],
    );
  }

  beat(run: Run): Promise<void> {
    return this.#changeRun(run, `beat_at = ${NOW}`);
  }

  end(run: Run, how: 'finished' | 'interrupted' | 'stopped'): Promise<void> {
    return this.#changeRun(run, `ended_at = ${NOW}, ended = '${how}'`);
  }

  #changeRun(run: Run, change: string): Promise<void> {
    const sql = `UPDATE ${quoted(this.#server.schema)}.runs SET ${change} WHERE id = $2`;
    return this.#write(async () => {
      const { count } = await this.#server.writing.transaction((statements) =>
        statements.run(sql, [this.#now(), toText(run.id)]),
      );
      if (count === 0) throw new BabelqError('internal', `The journal doesn't know the run ${run.id}.`);
    });
  }

  intend(run: Run, intents: readonly Intent[]): Promise<(number | null)[]> {
    return this.#record({ kind: 'intend', run, intents }) as Promise<(number | null)[]>;
  }

  async settle(settlements: readonly Settlement[]): Promise<void> {
    await this.#record({ kind: 'settle', settlements });
  }

  recall(
    place: string,
    messages: readonly { nativeId: string; identity: string }[],
    run: Run | null,
  ): Promise<Recollection[]> {
    return this.#read(
      () => recall(this.#ask, this.#server.schema, place, messages, run),
      () => messages.map(() => NOTHING_RECALLED),
    );
  }

  archived(place: string, page: ArchivePage): Promise<{ messages: ArchivedMessage[]; next: number | null }> {
    return this.#read(
      () => archived(this.#ask, this.#server.schema, place, page),
      () => ({ messages: [], next: null }),
    );
  }

  countArchived(place: string): Promise<number> {
    return this.#read(
      () => countArchived(this.#ask, this.#server.schema, place),
      () => 0,
    );
  }

  sent(run: Run): Promise<SentMessage[]> {
    return this.#read(
      () => sent(this.#ask, this.#server.schema, run),
      () => [],
    );
  }

  imported(place: string, nativeIds: readonly string[]): Promise<(ImportedEntry | null)[]> {
    return this.#read(
      () => imported(this.#ask, this.#server.schema, place, nativeIds),
      () => nativeIds.map(() => null),
    );
  }

  log(query: LogQuery): Promise<LogEntry[]> {
    return this.#read(
      () => log(this.#ask, this.#server.schema, query),
      () => [],
    );
  }

  async diagnose(): Promise<JournalDiagnosis> {
    const facts = { location: this.location, network: null, temporary: false, mode: null, folderMode: null };
    try {
      const exists = await this.#call(() => this.#server.isThere());
      if (exists) await this.#call(() => this.#server.refuseUnlessWritable());
      return { ...facts, exists, trouble: null };
    } catch (error) {
      return { ...facts, exists: false, trouble: asBabelqError(error) };
    }
  }

  /** Settles what was begun, then closes. Calls after that are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#pending]);
    await this.#commits.idle();
    await this.#server.close();
  }

  readonly #ask = async (sql: string, asked: object): Promise<string | null> => {
    const { rows } = await this.#server.reading.read(sql, [json({ now: this.#time(), ...asked })]);
    return rows[0]?.[0] ?? null;
  };

  #now(): string {
    return json({ now: this.#time() });
  }

  #record(job: Job): Promise<(number | null)[] | undefined> {
    return this.#write(() => this.#commits.record(job));
  }

  async #write<T>(act: () => Promise<T>): Promise<T> {
    const { at, error } = this.#lost;
    if (this.#clock.now() - at < LOST_MS) throw error;
    try {
      return await this.#call(async () => {
        await this.#server.prepare();
        return act();
      });
    } catch (error) {
      if (isOutOfReach(error)) this.#lost = { at: this.#clock.now(), error };
      throw error;
    }
  }

  #read<T>(act: () => Promise<T>, whereThereIsNone: () => T): Promise<T> {
    return this.#call(async () => ((await this.#server.isThere()) ? act() : whereThereIsNone()));
  }

  async #call<T>(act: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new BabelqError('internal', 'The journal was closed.');
    const pending = act();
    this.#pending.add(pending);
    try {
      return await pending;
    } catch (error) {
      throw serverTrouble(error, this.location);
    } finally {
      this.#pending.delete(pending);
    }
  }
}
