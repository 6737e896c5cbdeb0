import { setImmediate } from 'node:timers/promises';
import { Interrupted } from '../../model/errors.ts';
import type { State, WholeFailure } from '../../model/failure.ts';
import { nativeId, prefixTest } from './keys.ts';
import { type Statuses, Tally } from './statuses.ts';
import type { Key, Page, Row, Store, Table } from './store.ts';
import { toFailure } from './to-failure.ts';

/** A row with the failure that it is. */
export interface Parked {
  row: Row;
  failure: WholeFailure;
}

/** The parked messages of one table, read in pages; between two of them everything else gets its turn. */
export class ParkedMessages {
  readonly store: Store;
  readonly table: Table;
  readonly #statuses: Statuses;
  readonly #source: string;

  constructor(store: Store, table: Table, statuses: Statuses, source: string) {
    this.store = store;
    this.table = table;
    this.#statuses = statuses;
    this.#source = source;
  }

  get heldIn(): string {
    return this.table.definition.table;
  }

  /** Counts all rows by state; a quick count of many is an estimate. @throws Interrupted */
  async tally(how: 'exact' | 'quick', signal: AbortSignal): Promise<Tally> {
    const tally = new Tally(this.#statuses);
    tally.add((await this.store.count(this.table, how, signal)).counts);
    return tally;
  }

  /**
   * Rows in these states, page by page (a page may be empty), by key.
   * @param met counts every row that was looked at
   * @param ahead asks for the next page when it hands one out, for somebody who surely wants it
   */
  async *pages(
    states: ReadonlySet<State>,
    signal: AbortSignal,
    met: Tally = new Tally(this.#statuses),
    { ahead } = { ahead: false },
  ): AsyncGenerator<{ parked: Iterable<Parked>; isLast: boolean }, void, undefined> {
    const words = [...states].map((state) => this.#statuses.word(state));
    const ask = (after: Key | null): Promise<Page> => {
      const page = this.store.page(this.table, after, words, signal);
      // It may never be waited for.
      page.catch(() => {});
      return page;
    };
    for (let asked: Promise<Page> | null = ask(null); asked !== null; ) {
      const { rows, looked, next }: Page = await asked;
      asked = ahead && next !== null ? ask(next) : null;
      met.add(looked);
      yield { parked: this.#each(rows), isLast: next === null };
      await breathe(signal);
      if (next !== null) asked ??= ask(next);
    }
  }

  /** Rows by native id, in pages, with the ids that each page looked up; a row whose status isn't known comes as a row. */
  async *byId(
    ids: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<{ ids: readonly string[]; rows: Map<string, Row> }, void, undefined> {
    for (let at = 0; at < ids.length; ) {
      const { looked, rows } = await this.store.find(this.table, ids.slice(at, at + 1000), signal);
      yield { ids: ids.slice(at, at + looked), rows };
      at += looked;
      await breathe(signal);
    }
  }

  /**
   * Rows that the ids mean, page by page: those with exactly that key first; for the others, those whose native id
   * begins so. Every row comes once.
   */
  async *meant(ids: readonly string[], signal: AbortSignal): AsyncGenerator<Parked[], void, undefined> {
    const exact = new Set<string>();
    const rest = new Set<string>();
    for await (const { ids: looked, rows } of this.byId([...new Set(ids)], signal)) {
      for (const id of looked) (rows.has(id) ? exact : rest).add(id);
      yield [...rows.values()].flatMap((row) => this.parked(row) ?? []);
    }
    if (rest.size === 0) return;
    const begins = prefixTest(rest);
    for await (const keys of this.#scan(signal)) {
      const natives = keys.map(nativeId).filter((native) => begins(native) && !exact.has(native));
      for await (const { rows: found } of this.byId(natives, signal)) {
        yield [...found.values()].flatMap((row) => this.parked(row) ?? []);
      }
    }
  }

  /** Each is made a failure only when it is asked for. */
  *#each(rows: readonly Row[]): Generator<Parked, void, undefined> {
    for (const row of rows) {
      const parked = this.parked(row);
      if (parked !== null) yield parked;
    }
  }

  async *#scan(signal: AbortSignal): AsyncGenerator<Key[], void, undefined> {
    let after: Key | null = null;
    do {
      const { keys, next } = await this.store.scan(this.table, after, signal);
      yield keys;
      after = next;
      await breathe(signal);
    } while (after !== null);
  }

  /** Null for a row whose status is none of the three. */
  parked(row: Row): Parked | null {
    const state = this.#statuses.state(row.status);
    if (state === null) return null;
    return { row, failure: toFailure(row, state, { source: this.#source, heldIn: this.heldIn }) };
  }

  /** What to say of the rows that can't be shown. */
  async keylessNote(signal: AbortSignal): Promise<string | null> {
    const count = await this.store.keyless(this.table, signal);
    if (count === 0) return null;
    return `${count} ${count === 1 ? 'row has' : 'rows have'} no key (NULL) and can't be shown`;
  }
}

async function breathe(signal: AbortSignal): Promise<void> {
  await setImmediate();
  if (signal.aborted) throw new Interrupted();
}
