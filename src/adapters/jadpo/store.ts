/** What the database behind a jadpo app must be able to do. SQLite's is sqlite-store.ts, PostgreSQL's postgres-store.ts; the rest of this folder knows none. */

/** A value as it is stored, without a conversion that could lose something. */
export type Value = string | bigint | number | Uint8Array | null;

/** A text whose bytes are not UTF-8: kept as bytes, so that its row can still be found by them. */
export interface RawText {
  readonly bytes: Uint8Array;
}
export type KeyPart = string | bigint | number | Uint8Array | RawText;
/** A row's key: one part, or as many as its primary key has columns. */
export type Key = readonly KeyPart[];

interface ColumnDefinition {
  name: string;
  /** As declared; may be empty. */
  type: string;
  notNull: boolean;
  /** Computed by the database: it can't be written. */
  generated: boolean;
}

/** The table's own definition. */
export interface Definition {
  /** Its name as the database spells it. */
  table: string;
  columns: readonly ColumnDefinition[];
  primaryKey: readonly string[];
  /** Columns that are unique by themselves. */
  unique: readonly string[];
  /** Names that reach the row's own number where no column has that name; empty where there is none. */
  rowNumber: readonly string[];
}

/** Which column has which meaning. */
export interface Columns {
  key: readonly string[];
  queue: string;
  reason: string;
  body: string;
  status: string;
  event: string | null;
  message_id: string | null;
  problems: string | null;
  error: string | null;
  parked_at: string | null;
  status_at: string | null;
}

/** A table whose columns are known. */
export interface Table {
  definition: Definition;
  columns: Columns;
}

export interface Row {
  key: Key;
  /** The status as its text. */
  status: string | null;
  queue: Value;
  event: Value;
  messageId: Value;
  reason: Value;
  problems: Value;
  error: Value;
  parkedAt: Value;
  statusAt: Value;
  /** As it is stored: a text only where that is exactly what the bytes say; null where there is none. */
  body: string | Uint8Array | null;
}

export interface Page {
  /** Those with one of the statuses asked for. */
  rows: Row[];
  /** How many rows were looked at, by their status. */
  looked: ReadonlyMap<string | null, number>;
  /** The last row looked at; null where the table ended. */
  next: Key | null;
}

/** How many rows have which status. */
export interface Count {
  counts: ReadonlyMap<string | null, number>;
  /** False for an estimate. */
  exact: boolean;
}

/** Names of tables that may be the one that wasn't found. */
export const LOOKS_LIKE_IT = /park|jadpo|dead|fail/i;

/** One compare-and-set: the status `from` becomes `to`, unless the row says something else by now. */
export interface Change {
  key: Key;
  from: string;
  to: string;
  /** The time of the status, in the table's own style; null where it has no column for it. */
  at: Value;
}

export type Changed =
  | { kind: 'changed' }
  /** Its status was another by then; nothing was written. */
  | { kind: 'other'; status: string | null }
  | { kind: 'gone' }
  /** Another transaction is at it, and has not ended; nothing was written. */
  | { kind: 'held' }
  /** The table's own rules (a CHECK, a trigger) did not let it. */
  | { kind: 'refused'; why: string };

/**
 * Every call is short: it looks at a bounded number of rows, and holds no lock once it is back. Where somebody else holds
 * the lock it waits without blocking the process, for ten seconds at most.
 * All throw BabelqError, and Interrupted when the signal aborts before they have begun.
 */
export interface Store {
  /** Which database, the same for everyone on this machine however it is written. */
  place(): Promise<string>;
  /** @throws BabelqError `no_table` with the tables that look like it */
  describe(table: string, signal: AbortSignal): Promise<Definition>;
  /** Rows with one of these statuses, by key; at most some hundreds, or a few megabytes of bodies. */
  page(table: Table, after: Key | null, statuses: readonly string[], signal: AbortSignal): Promise<Page>;
  /** Keys only, in their order; at most some thousands. */
  scan(table: Table, after: Key | null, signal: AbortSignal): Promise<{ keys: Key[]; next: Key | null }>;
  /** Counts rows by status; `quick`: within some tens of milliseconds, and so an estimate where the table is large. */
  count(table: Table, how: 'exact' | 'quick', signal: AbortSignal): Promise<Count>;
  /**
   * Rows by native id, as many of the ids (from the first) as bring a few megabytes of bodies at most.
   * @returns how many ids were looked up, and the rows of those that are there
   */
  find(
    table: Table,
    nativeIds: readonly string[],
    signal: AbortSignal,
  ): Promise<{ looked: number; rows: Map<string, Row> }>;
  /** How many rows have no key (SQLite lets a primary key be NULL), and so can't be shown. */
  keyless(table: Table, signal: AbortSignal): Promise<number>;
  /** Some value of a column that isn't null. */
  sample(table: Table, column: string, signal: AbortSignal): Promise<Value>;
  /**
   * Makes the changes, all to one status, in one transaction, and tells for each what came of it, in the same order. Where it
   * throws none was made; OutcomeUnknown where nobody can tell.
   * @returns `undone`, and why, where the table's own rules undid them all
   */
  change(table: Table, changes: readonly Change[], signal: AbortSignal): Promise<Changed[] | { undone: string }>;
  /** What a person must know about how it is read, in one sentence. */
  readonly note: string | null;
  /** Whether this user can only read it; told once something was read. */
  readonly readOnly: boolean;
  close(): Promise<void>;
}
