import type { JadpoDiagnosis } from '../../model/doctor/diagnosis.ts';
import { asBabelqError, BabelqError, Interrupted } from '../../model/errors.ts';
import type { WholeFailure } from '../../model/failure.ts';
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
import { databaseFrom } from './database.ts';
import { diagnoseTable } from './diagnose.ts';
import { ParkedMessages } from './parked.ts';
import { Statuses, type StatusMapping, Tally } from './statuses.ts';
import type { Store } from './store.ts';

/** Where a jadpo app parks its messages. */
const TABLE = 'jadpo_parked_messages';

export interface JadpoOptions {
  /** What ids begin with; the file's name without its ending unless given. */
  name?: string;
  /** A SQLite file's path, or a `file:` or `postgres:` URL. */
  database: string;
  columns?: ColumnMapping;
  statuses?: StatusMapping;
  /** `jadpo_parked_messages` unless given. */
  table?: string;
}

/**
 * The parked messages of a jadpo app, in its SQLite file or its PostgreSQL database. Nothing is opened, and no driver loaded,
 * before the first call. A file is never created, migrated or switched to another journal mode, and no other table is written.
 * @throws BabelqError `config` for a database, a column or a status that can't be
 */
export function openJadpoSource(options: JadpoOptions, deps: { journal: Journal; clock: Clock }): Source {
  const database = databaseFrom(options.database, deps.clock);
  const name = options.name ?? database.name;
  const columns = options.columns ?? {};
  checkColumnMapping(columns, name);
  const statuses = new Statuses(options.statuses ?? {}, name);
  return new JadpoSource({ name, store: database.store, columns, statuses, table: options.table ?? TABLE, ...deps });
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
      const messages = await this.#messages(signal);
      const tally = await messages.tally('exact', signal);
      tally.check(messages.heldIn);
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
    const met = new Tally(this.#parts.statuses);
    const keyless = await messages.keylessNote(signal);
    const result = (complete: boolean): ReadResult => {
      const note = joined([messages.store.note, met.note, keyless]);
      return { seen, about, complete, note, allInFlight: null };
    };
    let seen = 0;
    let about: number | null = null;
    let enough = false;
    for await (const { parked, isLast } of messages.pages(states, signal, met)) {
      // What was looked at is all there is, or else it is counted apart.
      about ??= (isLast ? met : await messages.tally('quick', signal)).sum(states);
      for (const { failure } of parked) {
        // One more than was wanted is met: so this isn't the whole source.
        if (enough) return result(false);
        seen += 1;
        enough = visit(failure) === 'enough';
      }
      request.onProgress?.({ source: this.name, seen, about });
    }
    met.check(messages.heldIn);
    about = met.sum(states);
    return result(true);
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
