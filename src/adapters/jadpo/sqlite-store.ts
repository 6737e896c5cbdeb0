import { setImmediate } from 'node:timers/promises';
import type BetterSqlite3 from 'better-sqlite3';
import { escapeText, quoteTyped } from '../../model/display/escape.ts';
import { BabelqError, Interrupted, OutcomeUnknown } from '../../model/errors.ts';
import type { Clock } from '../../model/ports.ts';
import { nativeId } from './keys.ts';
import { isBusy, sqliteCode, translate } from './sqlite-errors.ts';
import { type OpenDatabase, openDatabase, resolvePath } from './sqlite-file.ts';
import {
  boundsStatement,
  changeAllStatement,
  changeStatement,
  countStatement,
  definitionFrom,
  findStatements,
  type How,
  keyFrom,
  keylessStatement,
  pageStatement,
  rowFrom,
  type Statement,
  sampleStatement,
  scanStatement,
  statusStatement,
} from './sqlite-sql.ts';
import {
  type Change,
  type Changed,
  type Count,
  type Definition,
  type Key,
  LOOKS_LIKE_IT,
  type Page,
  type Row,
  type Store,
  type Table,
  type Value,
} from './store.ts';

/** How long to go on trying while another program holds the lock. */
const PATIENCE_MS = 10_000;
const FIRST_WAIT_MS = 5;
/** Short, so that an app that writes all the time leaves a gap that is met. */
const LONGEST_WAIT_MS = 50;

/** Rows that one statement looks at, at most: what bounds the time for which the app's writes may have to wait. */
const PAGE_ROWS = 500;
const SCAN_ROWS = 2_000;
/** As many take a few milliseconds. */
const COUNT_ROWS = 20_000;
/** Parts of a table that a quick count looks into, and rows in each. */
const PARTS = 32;
const ROWS_OF_A_PART = 64;
/** Bodies that one page carries, at most, but for one larger row. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** A jadpo app's SQLite file. Every use of the connection is one synchronous stretch, so that no two ever interleave. */
export class SqliteStore implements Store {
  readonly #given: string;
  readonly #clock: Clock;
  #open: OpenDatabase | null = null;
  #opening: Promise<OpenDatabase> | null = null;
  #statements = new Map<string, BetterSqlite3.Statement<Value[], Value[]>>();

  constructor(path: string, clock: Clock) {
    this.#given = path;
    this.#clock = clock;
  }

  get note(): string | null {
    return this.#open?.copied === true ? 'read from a copy, since the file may not be written' : null;
  }

  get readOnly(): boolean {
    return this.#open?.readOnly === true;
  }

  async place(): Promise<string> {
    return `sqlite:${resolvePath(this.#given)}`;
  }

  async describe(wanted: string, signal: AbortSignal): Promise<Definition> {
    return this.#use(signal, () => {
      const ask = (sql: string, ...values: Value[]): Value[][] => this.#prepared(sql).all(...values);
      const found = definitionFrom(ask, wanted);
      if (found === undefined) throw this.#noTable(wanted, ask);
      const { kind, ...definition } = found;
      if (kind === 'view') {
        throw new BabelqError(
          'no_table',
          `${quoteTyped(wanted)} in ${escapeText(this.#given)} is a view, not a table.`,
          {
            hint: 'Name the table that it shows, as table: of this source.',
          },
        );
      }
      return definition;
    });
  }

  #noTable(wanted: string, ask: (sql: string) => Value[][]): BabelqError {
    const tables = ask(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name LIMIT 1000`,
    ).flatMap(([name]) => (typeof name === 'string' ? [name] : []));
    const alike = tables.filter((name) => LOOKS_LIKE_IT.test(name));
    const listed = (alike.length > 0 ? alike : tables).slice(0, 8).map(quoteTyped).join(', ');
    const hint =
      tables.length === 0
        ? 'The database is empty: is it the right file, and has the app run?'
        : `${alike.length > 0 ? 'Tables that look like it' : 'It has the tables'}: ${listed}. If one of them is it, name it as table: of this source.`;
    return new BabelqError('no_table', `${escapeText(this.#given)} has no table ${wanted}.`, { hint });
  }

  async page(table: Table, after: Key | null, statuses: readonly string[], signal: AbortSignal): Promise<Page> {
    return this.#use(signal, () => {
      const wanted = new Set(statuses);
      return this.#page(table, after, wanted, 'plain') ?? (this.#page(table, after, wanted, 'exact') as Page);
    });
  }

  /** Null where a text among them can't be told exactly. */
  #page(table: Table, after: Key | null, wanted: ReadonlySet<string>, how: How): Page | null {
    const parts = table.columns.key.length;
    const statement = pageStatement(table, after, [...wanted], PAGE_ROWS, how);
    const rows: Row[] = [];
    const looked = new Map<string | null, number>();
    let seen = 0;
    let bytes = 0;
    let last: Key | null = null;
    for (const values of this.#prepared(statement.sql).iterate(...statement.values)) {
      const row = rowFrom(values, parts, how);
      if (row === null) return null;
      seen += 1;
      last = row.key;
      looked.set(row.status, (looked.get(row.status) ?? 0) + 1);
      if (row.status === null || !wanted.has(row.status)) continue;
      rows.push(row);
      bytes += row.body?.length ?? 0;
      if (bytes >= PAGE_BYTES) return { rows, looked, next: last };
    }
    return { rows, looked, next: seen < PAGE_ROWS ? null : last };
  }

  async scan(table: Table, after: Key | null, signal: AbortSignal): Promise<{ keys: Key[]; next: Key | null }> {
    const parts = table.columns.key.length;
    return this.#use(signal, () => {
      const keys = this.#all(scanStatement(table, after, SCAN_ROWS)).map((values) => keyFrom(values, parts));
      return { keys, next: keys.length < SCAN_ROWS ? null : (keys.at(-1) ?? null) };
    });
  }

  /** Counts by the rows' own numbers, which is the order they lie in, some at a time. */
  async count(table: Table, how: 'exact' | 'quick', signal: AbortSignal): Promise<Count> {
    const counts = new Map<string | null, number>();
    const add = (rows: readonly Value[][]): void => {
      for (const [status = null, count] of rows) {
        const word = typeof status === 'string' ? status : null;
        counts.set(word, (counts.get(word) ?? 0) + Number(count));
      }
    };
    const bounds = await this.#use(signal, () => {
      const statement = boundsStatement(table);
      if (statement !== null) return this.#all(statement)[0];
      add(this.#all(countStatement(table)));
      return [];
    });
    const [first = null, end = null] = bounds ?? [];
    if (typeof first !== 'bigint' || typeof end !== 'bigint') return { counts, exact: true };
    if (how === 'quick' && end - first >= COUNT_ROWS) {
      return this.#use(signal, () => ({ counts: this.#estimate(table, first, end), exact: false }));
    }
    let after = first - 1n;
    while (after < end) {
      const rows = await this.#use(signal, () => this.#all(countStatement(table, { after, limit: COUNT_ROWS })));
      add(rows);
      if (rows.length === 0) break;
      after = lastNumber(rows) ?? after;
      await setImmediate();
    }
    return { counts, exact: true };
  }

  /** Looks at some rows in each part of the table, and takes the part for like them. */
  #estimate(table: Table, first: bigint, end: bigint): Map<string | null, number> {
    const counts = new Map<string | null, number>();
    const part = (end - first + 1n) / BigInt(PARTS);
    for (let start = first; start <= end; start += part) {
      const rows = this.#all(countStatement(table, { after: start - 1n, limit: ROWS_OF_A_PART }));
      const last = lastNumber(rows);
      if (last === null) break;
      for (const [status = null, count] of rows) {
        const word = typeof status === 'string' ? status : null;
        counts.set(word, (counts.get(word) ?? 0) + (Number(count) * Number(part)) / Number(last - start + 1n));
      }
    }
    for (const [word, count] of counts) counts.set(word, Number(count.toPrecision(2)));
    return counts;
  }

  async find(
    table: Table,
    nativeIds: readonly string[],
    signal: AbortSignal,
  ): Promise<{ looked: number; rows: Map<string, Row> }> {
    return this.#use(signal, () => {
      const rows = new Map<string, Row>();
      let bytes = 0;
      let looked = 0;
      for (const id of nativeIds.slice(0, PAGE_ROWS)) {
        if (bytes >= PAGE_BYTES) break;
        looked += 1;
        const row = this.#find(table, id);
        if (row === undefined) continue;
        rows.set(id, row);
        bytes += row.body?.length ?? 0;
      }
      return { looked, rows };
    });
  }

  #find(table: Table, id: string): Row | undefined {
    for (const statement of findStatements(table, id)) {
      const found = this.#all(statement).map((values) => rowFrom(values, table.columns.key.length, 'exact'));
      // SQLite compares in the column's own way: 012 finds 12.
      const row = found.find(({ key }) => nativeId(key) === id);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  async keyless(table: Table, signal: AbortSignal): Promise<number> {
    const { definition, columns } = table;
    const nullable = columns.key.some((name) => definition.columns.some((one) => one.name === name && !one.notNull));
    if (!nullable) return 0;
    return this.#use(signal, () => Number(this.#all(keylessStatement(table))[0]?.[0] ?? 0));
  }

  async sample(table: Table, column: string, signal: AbortSignal): Promise<Value> {
    return this.#use(signal, () => this.#all(sampleStatement(table, column))[0]?.[0] ?? null);
  }

  async change(table: Table, changes: readonly Change[], signal: AbortSignal): Promise<Changed[] | { undone: string }> {
    try {
      const results = await this.#use(signal, (database) => this.#tryChange(database, table, changes));
      return results ?? { undone: "a trigger of the table's own undid it" };
    } catch (error) {
      // Where the disk failed, so may have the news of a transaction that was committed.
      if (error instanceof BabelqError && error.code === 'unreachable') {
        const { message, hint, cause } = error;
        throw new OutcomeUnknown('unreachable', message, { ...(hint !== null && { hint }), cause });
      }
      throw error;
    }
  }

  /** Null where a trigger rolled the whole transaction back. */
  #tryChange(database: BetterSqlite3.Database, table: Table, changes: readonly Change[]): Changed[] | null {
    if (this.readOnly) throw this.#readOnly();
    const work = database.transaction(() =>
      this.#changeAll(database, table, changes)
        ? changes.map((): Changed => CHANGED)
        : changes.map((change) => this.#changeOne(database, table, change)),
    );
    try {
      // Immediate: the lock is asked for before the first row is read, so that waiting for it is safe to repeat.
      return work.immediate();
    } catch (error) {
      if (error instanceof RolledBack) return null;
      throw error;
    }
  }

  /** Changes every one of them by one statement, or none: then they are changed one by one, so that each is told apart. */
  #changeAll(database: BetterSqlite3.Database, table: Table, changes: readonly Change[]): boolean {
    const statement = changes.length === 1 ? null : changeAllStatement(table, changes);
    if (statement === null) return false;
    const part = database.transaction(() => {
      const made = this.#prepared(statement.sql).run(...statement.values).changes;
      if (made !== changes.length) throw new NotAll();
    });
    try {
      part();
      return true;
    } catch (error) {
      if (!(error instanceof NotAll) && !isRefusal(error)) throw error;
      if (!database.inTransaction) throw new RolledBack();
      return false;
    }
  }

  #changeOne(database: BetterSqlite3.Database, table: Table, change: Change): Changed {
    const statement = changeStatement(table, change);
    try {
      const { changes } = this.#prepared(statement.sql).run(...statement.values);
      if (changes > 0) return CHANGED;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (!database.inTransaction) throw new RolledBack();
      return { kind: 'refused', why: escapeText(error instanceof Error ? error.message : '') };
    }
    const [row] = this.#all(statusStatement(table, change.key));
    if (row === undefined) return { kind: 'gone' };
    return { kind: 'other', status: typeof row[0] === 'string' ? row[0] : null };
  }

  #readOnly(): BabelqError {
    return new BabelqError('read_only', `${escapeText(this.#given)} can't be written by this user.`, {
      hint: "Run babelq as the app's user, or give yourself write permission on the file and its folder.",
    });
  }

  async close(): Promise<void> {
    await this.#opening?.catch(() => {});
    this.#letGo();
  }

  #letGo(): void {
    this.#statements.clear();
    this.#open?.close();
    this.#open = null;
  }

  #all(statement: Statement): Value[][] {
    return this.#prepared(statement.sql).all(...statement.values);
  }

  #prepared(sql: string): BetterSqlite3.Statement<Value[], Value[]> {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#open === null) throw new Error('the database is closed');
    const statement = this.#open.database.prepare<Value[], Value[]>(sql);
    if (statement.reader) statement.raw(true).safeIntegers(true);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** Does one synchronous piece of work, again and again while another program holds the lock. */
  async #use<T>(signal: AbortSignal, work: (database: BetterSqlite3.Database) => T): Promise<T> {
    const until = this.#clock.now() + PATIENCE_MS;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      if (signal.aborted) throw new Interrupted();
      try {
        const open = await this.#current();
        // Somebody else found the file replaced in the meantime.
        if (open !== this.#open) continue;
        return work(open.database);
      } catch (error) {
        if (!isBusy(error) || this.#clock.now() >= until) throw translate(error, this.#given);
      }
      // Not all at the same moment, where several wait.
      await this.#clock.sleep(Math.round(wait * (0.5 + Math.random() / 2)), signal);
    }
  }

  /** The connection; a new one where the file was replaced, as a build of the app does. */
  async #current(): Promise<OpenDatabase> {
    if (this.#open?.isCurrent() === true) return this.#open;
    this.#opening ??= (async () => {
      try {
        this.#letGo();
        this.#open = await openDatabase(this.#given);
        return this.#open;
      } finally {
        this.#opening = null;
      }
    })();
    return this.#opening;
  }
}

/** The last of the rows' numbers that a count has come to. */
function lastNumber(rows: readonly Value[][]): bigint | null {
  return rows.reduce<bigint | null>(
    (most, [, , last]) => (typeof last === 'bigint' && (most === null || last > most) ? last : most),
    null,
  );
}

const CHANGED: Changed = { kind: 'changed' };

/** The table's own rules (a CHECK, a trigger) did not let it. */
function isRefusal(error: unknown): boolean {
  return sqliteCode(error)?.startsWith('SQLITE_CONSTRAINT') === true;
}

/** The table's own trigger ended the transaction. */
class RolledBack extends Error {}

/** Not every row was as it was shown. */
class NotAll extends Error {}
