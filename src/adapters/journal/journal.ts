import type { Database } from 'better-sqlite3';
import type { JournalDiagnosis } from '../../model/doctor/diagnosis.ts';
import { BabelqError } from '../../model/errors.ts';
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
} from '../../model/ports.ts';
import { Archive } from './archive.ts';
import { harden, openDatabase } from './database.ts';
import { diagnoseFile } from './diagnose.ts';
import { Disk } from './disk.ts';
import { Entries } from './entries.ts';
import { GroupCommit } from './group-commit.ts';
import { readLog } from './log.ts';
import { patiently } from './patience.ts';
import { Memory, NOTHING_RECALLED } from './recall.ts';
import { Runs } from './runs.ts';
import { migrate } from './schema.ts';
import { sentBy } from './sent.ts';
import { Statements } from './statements.ts';
import { journalTrouble } from './trouble.ts';

export { defaultJournalPath } from './location.ts';

/** Where a journal lies, and what may be made of it. */
export interface JournalOptions {
  /** Absolute. */
  path: string;
  clock: Clock;
  /** Whether a call that writes may make the file and its folder. One that only reads never does. */
  create: boolean;
  /** For where babelq's own folder is; `process.env` unless given. */
  env?: Readonly<Record<string, string | undefined>>;
}

/** The journal in an SQLite file. Nothing is opened, and SQLite isn't loaded, before the first call. */
export function openJournal({ path, clock, create, env = process.env }: JournalOptions): Journal {
  return new SqliteJournal(path, clock, {
    diagnose: () => diagnoseFile(path),
    open: (forWriting) => openDatabase(path, forWriting && create, env),
    close: (database) => database.close(),
    rest: () => new Promise((resolve) => setImmediate(resolve)),
    disk: () => new Disk(path),
  });
}

/**
 * A journal over a database that is open already (`:memory:`), whose owner closes it: each journal over it is one process's.
 * @throws BabelqError `journal` for another program's database, or one of a newer babelq
 */
export function journalOver(database: Database, clock: Clock): Journal {
  return new SqliteJournal(database.name, clock, {
    diagnose: null,
    open: async () => {
      harden(database);
      migrate(database, database.name);
      return database;
    },
    close: () => {},
    rest: () => Promise.resolve(),
    disk: () => null,
  });
}

interface Handling {
  /** Null where it is no file. */
  diagnose: (() => Promise<JournalDiagnosis>) | null;
  /** Null where the database isn't there. */
  open: (forWriting: boolean) => Promise<Database | null>;
  close: (database: Database) => void;
  rest: () => Promise<void>;
  /** Null where nothing has to get to a disk. */
  disk: () => Disk | null;
}

/** An open database, and the parts of the journal over it. */
class Opened {
  readonly database: Database;
  readonly statements: Statements;
  readonly commits: GroupCommit;
  readonly runs: Runs;
  readonly entries: Entries;
  readonly memory: Memory;
  readonly archive: Archive;

  readonly disk: Disk | null;

  constructor(database: Database, clock: Clock, { rest, disk }: Pick<Handling, 'rest' | 'disk'>) {
    this.database = database;
    this.disk = disk();
    this.statements = new Statements(database);
    this.commits = new GroupCommit(this.statements, clock, rest, () => this.disk?.sync() ?? Promise.resolve());
    this.runs = new Runs(this.statements);
    this.entries = new Entries(this.statements, this.runs);
    this.memory = new Memory(this.statements, this.runs, this.entries);
    this.archive = new Archive(this.statements);
  }
}

class SqliteJournal implements Journal {
  readonly location: string;
  readonly #clock: Clock;
  readonly #handling: Handling;
  #opened: Opened | null = null;
  #opening: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(location: string, clock: Clock, handling: Handling) {
    this.location = location;
    this.#clock = clock;
    this.#handling = handling;
  }

  async diagnose(): Promise<JournalDiagnosis> {
    const none = { exists: true, trouble: null, network: null, temporary: false, mode: null, folderMode: null };
    return (await this.#handling.diagnose?.()) ?? { location: this.location, ...none };
  }

  begin(start: RunStart): Promise<Run> {
    return this.#write(({ runs, archive }) => {
      const run = runs.begin(start, this.#clock.now());
      archive.prune(this.#clock.now());
      return run;
    });
  }

  beat(run: Run): Promise<void> {
    return this.#write(({ runs }) => runs.beat(run, this.#clock.now()));
  }

  end(run: Run, how: 'finished' | 'interrupted' | 'stopped'): Promise<void> {
    return this.#write(({ runs }) => runs.end(run, how, this.#clock.now()));
  }

  intend(run: Run, intents: readonly Intent[]): Promise<(number | null)[]> {
    return this.#write(({ entries }) => entries.intend(run, intents, this.#clock.now()));
  }

  settle(settlements: readonly Settlement[]): Promise<void> {
    return this.#write(({ entries }) => entries.settle(settlements, this.#clock.now()));
  }

  recall(
    place: string,
    messages: readonly { nativeId: string; identity: string }[],
    run: Run | null,
  ): Promise<Recollection[]> {
    return this.#read(
      ({ memory }) => memory.recall(place, messages, run, this.#clock.now()),
      () => messages.map(() => NOTHING_RECALLED),
    );
  }

  archived(place: string, page: ArchivePage): Promise<{ messages: ArchivedMessage[]; next: number | null }> {
    return this.#read(
      ({ archive }) => archive.page(place, page),
      () => ({ messages: [], next: null }),
    );
  }

  countArchived(place: string): Promise<number> {
    return this.#read(
      ({ archive }) => archive.count(place),
      () => 0,
    );
  }

  sent(run: Run): Promise<SentMessage[]> {
    return this.#read(
      ({ statements }) => sentBy(statements, run),
      () => [],
    );
  }

  imported(place: string, nativeIds: readonly string[]): Promise<(ImportedEntry | null)[]> {
    return this.#read(
      ({ memory }) => memory.imported(place, nativeIds, this.#clock.now()),
      () => nativeIds.map(() => null),
    );
  }

  log(query: LogQuery): Promise<LogEntry[]> {
    return this.#read(
      ({ statements }) => readLog(statements, query, this.#clock.now()),
      () => [],
    );
  }

  /** Settles what was begun, then closes. Calls after that are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening.catch(() => {});
    const opened = this.#opened;
    this.#opened = null;
    if (opened === null) return;
    await opened.commits.idle();
    await opened.disk?.close();
    this.#handling.close(opened.database);
  }

  async #write<T>(act: (opened: Opened) => T): Promise<T> {
    try {
      const opened = await this.#open(true);
      if (opened === null) {
        throw new BabelqError('journal', `There is no journal at ${this.location}.`, {
          hint: 'Name one with --journal FILE.',
        });
      }
      return await opened.commits.run(() => act(opened));
    } catch (error) {
      throw journalTrouble(error, this.location);
    }
  }

  async #read<T>(act: (opened: Opened) => T, whereThereIsNone: () => T): Promise<T> {
    try {
      const opened = await this.#open(false);
      if (opened === null) return whereThereIsNone();
      return await patiently(this.#clock, () => opened.database.transaction(() => act(opened))());
    } catch (error) {
      throw journalTrouble(error, this.location);
    }
  }

  /** The open database, opened by the first call that needs it; one at a time, since a reading call may find none. */
  #open(forWriting: boolean): Promise<Opened | null> | Opened | null {
    if (this.#closed) throw new BabelqError('internal', 'The journal was closed.');
    if (this.#opened !== null) return this.#opened;
    const opening = this.#opening
      .catch(() => {})
      .then(async () => {
        if (this.#opened !== null) return this.#opened;
        const database = await patiently(this.#clock, () => this.#handling.open(forWriting));
        if (database !== null) this.#opened = new Opened(database, this.#clock, this.#handling);
        return this.#opened;
      });
    this.#opening = opening;
    return opening;
  }
}
