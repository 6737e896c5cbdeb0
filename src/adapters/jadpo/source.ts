import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JadpoDiagnosis } from '../../model/doctor/diagnosis.ts';
import { asBabelqError, BabelqError, Interrupted } from '../../model/errors.ts';
import { STATES, type WholeFailure } from '../../model/failure.ts';
import type {
  ActRequest,
  ActResult,
  Clock,
  DiagnoseRequest,
  Journal,
  ReadRequest,
  ReadResult,
  Source,
  SourceFacts,
  TargetFacts,
} from '../../model/ports.ts';
import { Acting } from './acting.ts';
import { type ColumnMapping, checkColumnMapping, matchColumns } from './columns.ts';
import { diagnoseTable } from './diagnose.ts';
import { ParkedMessages } from './parked.ts';
import { SqliteStore } from './sqlite-store.ts';
import { Statuses, type StatusMapping } from './statuses.ts';
import type { Store } from './store.ts';

/** Where a jadpo app parks its messages. */
const TABLE = 'jadpo_parked_messages';

export interface JadpoOptions {
  /** What ids begin with; the file's name without its ending unless given. */
  name?: string;
  /** A SQLite file's path, or a `file:` URL. */
  database: string;
  columns?: ColumnMapping;
  statuses?: StatusMapping;
  /** `jadpo_parked_messages` unless given. */
  table?: string;
}

/**
 * The parked messages of a jadpo app, in its SQLite file. Nothing is opened, and SQLite isn't loaded, before the first
 * call. The file is never created, migrated or switched to another journal mode, and no other table is written.
 * @throws BabelqError `config` for a database, a column or a status that can't be
 */
export function openJadpoSource(options: JadpoOptions, deps: { journal: Journal; clock: Clock }): Source {
  const path = pathFrom(options.database);
  const name = options.name ?? nameFrom(path);
  const columns = options.columns ?? {};
  checkColumnMapping(columns, name);
  const statuses = new Statuses(options.statuses ?? {}, name);
  const store = new SqliteStore(path, deps.clock);
  return new JadpoSource({ name, store, columns, statuses, table: options.table ?? TABLE, ...deps });
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
    // The address may hold a password, so it isn't repeated.
    throw new BabelqError('config', `This version reads SQLite files, not ${scheme}:// addresses.`, {
      hint: "Give the path of the app's SQLite file; jadpo's local default is build/local.sqlite.",
    });
  }
  if (database.trim() === '' || database === ':memory:' || database !== database.trimEnd() || database.includes('\0')) {
    throw new BabelqError('config', "The database's path is empty or no file's.", {
      hint: "Give the path of the app's SQLite file; jadpo's local default is build/local.sqlite.",
    });
  }
  return database;
}

function nameFrom(path: string): string {
  const file = basename(path);
  return file.replace(/\.(sqlite3?|db3?)$/i, '') || file;
}

interface Parts {
  name: string;
  table: string;
  store: Store;
  columns: ColumnMapping;
  statuses: Statuses;
  journal: Journal;
  clock: Clock;
}

class JadpoSource implements Source {
  readonly name: string;
  readonly kind = 'jadpo';
  readonly heldIn: string;
  readonly moveTasks = null;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.name = parts.name;
    this.heldIn = parts.table;
    this.#parts = parts;
  }

  /** `visible` counts the failed rows, `in_flight` the pending ones, which the app is about to read. Nothing is delayed. */
  async facts(signal: AbortSignal): Promise<SourceFacts> {
    return this.#named(async () => {
      const tally = await (await this.#messages(signal)).tally(signal);
      return {
        name: this.name,
        kind: this.kind,
        queue: this.heldIn,
        fifo: null,
        visible: tally.of('failed'),
        in_flight: tally.of('pending'),
        delayed: 0,
        retention_seconds: null,
        redrive_sources: null,
        error: null,
      };
    });
  }

  async read(request: ReadRequest, visit: (failure: WholeFailure) => 'more' | 'enough'): Promise<ReadResult> {
    return this.#named(async () => {
      const messages = await this.#messages(request.signal);
      return request.nativeIdPrefixes === undefined
        ? this.#readAll(messages, request, visit)
        : this.#readMeant(messages, request.nativeIdPrefixes, request, visit);
    });
  }

  async #readAll(
    messages: ParkedMessages,
    request: ReadRequest,
    visit: (failure: WholeFailure) => 'more' | 'enough',
  ): Promise<ReadResult> {
    const { signal, states } = request;
    const tally = await messages.tally(signal);
    const about = STATES.filter((state) => states.has(state)).reduce((sum, state) => sum + tally.of(state), 0);
    const notes = [messages.store.note, tally.note, await messages.keylessNote(signal)];
    const result = { about, note: joined(notes), allInFlight: null };
    let seen = 0;
    let enough = false;
    for await (const page of messages.pages(states, signal)) {
      for (const { failure } of page) {
        // One more than was wanted is met: so this isn't the whole source.
        if (enough) return { ...result, seen, complete: false };
        seen += 1;
        enough = visit(failure) === 'enough';
      }
      request.onProgress?.({ source: this.name, seen, about });
    }
    return { ...result, seen, complete: true };
  }

  async #readMeant(
    messages: ParkedMessages,
    ids: readonly string[],
    request: ReadRequest,
    visit: (failure: WholeFailure) => 'more' | 'enough',
  ): Promise<ReadResult> {
    const result = { about: null, note: messages.store.note, allInFlight: null };
    let seen = 0;
    for await (const page of messages.meant(ids, request.signal)) {
      for (const { failure } of page.filter(({ failure: { state } }) => request.states.has(state))) {
        seen += 1;
        if (visit(failure) === 'enough') return { ...result, seen, complete: false };
      }
      request.onProgress?.({ source: this.name, seen, about: null });
    }
    // Every row that the ids could mean was met.
    return { ...result, seen, complete: true };
  }

  async act(request: ActRequest): Promise<ActResult> {
    return this.#named(async () => {
      if (request.to !== undefined) {
        throw new BabelqError('usage', "A parked message can't be sent elsewhere: its app reads it again (--to).", {
          hint: 'Leave --to out for this source, or name the others with --source.',
        });
      }
      const { journal, clock, store, statuses } = this.#parts;
      const messages = await this.#messages(request.signal);
      if (request.action === 'dismiss' && messages.table.columns.status_at === null) {
        throw new BabelqError('refused', `${this.heldIn} has no column for the time of the status.`, {
          hint:
            'Its app deletes a dismissed message 30 days after that time, so an old one might go at once. ' +
            'If there is such a column, name it: columns: { status_at: … }.',
        });
      }
      const place = `${await store.place()}#${messages.heldIn}`;
      return new Acting(request, { source: this.name, place, messages, statuses, journal, clock }).run();
    });
  }

  /** A parked message stays in its table. */
  async targets(): Promise<TargetFacts[]> {
    return [];
  }

  async diagnose({ signal }: DiagnoseRequest): Promise<JadpoDiagnosis> {
    try {
      const found = await diagnoseTable(await this.#messages(signal), signal);
      return { kind: 'jadpo', trouble: null, ...found };
    } catch (error) {
      if (error instanceof Interrupted) throw error;
      const nothing = { unmapped: [], unused: [], statusTime: false, readOnly: false, pending: 0, pendingSince: null };
      return { kind: 'jadpo', table: this.heldIn, trouble: asBabelqError(error, this.name), notes: [], ...nothing };
    }
  }

  held(): { count: number; until: number | null } {
    return { count: 0, until: null };
  }

  close(): Promise<void> {
    return this.#parts.store.close();
  }

  async #messages(signal: AbortSignal): Promise<ParkedMessages> {
    const { store, table, columns, statuses } = this.#parts;
    const definition = await store.describe(table, signal);
    return new ParkedMessages(store, { definition, columns: matchColumns(definition, columns) }, statuses, this.name);
  }

  async #named<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof Interrupted ? error : asBabelqError(error, this.name);
    }
  }
}

function joined(notes: readonly (string | null)[]): string | null {
  const said = notes.filter((note) => note !== null);
  return said.length === 0 ? null : said.join('; ');
}
