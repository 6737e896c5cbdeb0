import { escapeText, quoteTyped } from '../../model/display/escape.ts';
import { BabelqError } from '../../model/errors.ts';
import type { Clock } from '../../model/ports.ts';
import type { Address } from '../postgres/address.ts';
import { sqlState } from '../postgres/errors.ts';
import { Postgres } from '../postgres/postgres.ts';
import { nativeId } from './keys.ts';
import { type FoundTable, findTable, listTables } from './postgres-definition.ts';
import { PostgresTable } from './postgres-sql.ts';
import type { Change, Changed, Count, Definition, Key, Page, Row, Store, Table, Value } from './store.ts';
import { LOOKS_LIKE_IT } from './store.ts';

const PAGE_ROWS = 500;
const SCAN_ROWS = 5_000;
/** Bodies that one page carries, at most, but for one larger row. */
const PAGE_BYTES = 4 * 1024 * 1024;
/** Bytes of the table that a quick count reads; a smaller table is counted whole. */
const SAMPLE_BYTES = 8 * 1024 * 1024;

/** Whether a text may hold any bytes, and whether this user can do no more than read the table. */
const FACTS = `
  SELECT current_setting('server_encoding'), pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on'
    OR NOT has_any_column_privilege($1::oid, 'UPDATE')`;

/** A jadpo app's PostgreSQL database. */
export class PostgresStore implements Store {
  readonly note = null;
  readonly #database: Postgres;
  #found: FoundTable | null = null;
  #anyBytes = false;
  #readOnly = false;

  constructor(address: Address, clock: Clock) {
    this.#database = new Postgres(address, clock);
  }

  get readOnly(): boolean {
    return this.#readOnly;
  }

  async place(): Promise<string> {
    return `${await this.#database.identity()}/${this.#found?.schema ?? ''}`;
  }

  async describe(wanted: string, signal: AbortSignal): Promise<Definition> {
    const found = await findTable(this.#database, wanted, signal);
    if (found === undefined) throw await this.#noTable(wanted, signal);
    if (found.kind === 'view') {
      throw new BabelqError('no_table', `${quoteTyped(wanted)} in ${this.#shown} is a view, not a table.`, {
        hint: 'Name the table that it shows, as table: of this source.',
      });
    }
    const { rows } = await this.#database.read(FACTS, [found.oid], signal);
    const [encoding, readOnly] = rows[0] ?? [];
    this.#anyBytes = encoding === 'SQL_ASCII';
    this.#readOnly = readOnly === 't';
    this.#found = found;
    return found;
  }

  get #shown(): string {
    return escapeText(this.#database.address.shown);
  }

  async #noTable(wanted: string, signal: AbortSignal): Promise<BabelqError> {
    const { schema } = this.#database.address;
    const tables = await listTables(this.#database, signal);
    const where = schema === null ? '' : ` in the schema ${quoteTyped(schema)}`;
    const elsewhere = tables.find(({ table, isSeen }) => table === wanted && !isSeen);
    const alike = tables.filter(({ table }) => LOOKS_LIKE_IT.test(table));
    const listed = (alike.length > 0 ? alike : tables)
      .slice(0, 8)
      .map(({ schema: its, table, isSeen }) => quoteTyped(isSeen ? table : `${its}.${table}`))
      .join(', ');
    const hint =
      elsewhere !== undefined
        ? `There is one in the schema ${quoteTyped(elsewhere.schema)}: add ?schema=${encodeURIComponent(elsewhere.schema)} to its address.`
        : tables.length === 0
          ? 'No table can be seen: is it the right database, has the app run, and may this user see its schema?'
          : `${alike.length > 0 ? 'Tables that look like it' : 'It has the tables'}: ${listed}. If one of them is it, name it as table: of this source.`;
    return new BabelqError('no_table', `${this.#shown} has no table ${wanted}${where}.`, { hint });
  }

  #of(table: Table): PostgresTable {
    return new PostgresTable(table, this.#found?.schema ?? 'public', this.#anyBytes);
  }

  async page(table: Table, after: Key | null, statuses: readonly string[], signal: AbortSignal): Promise<Page> {
    const of = this.#of(table);
    const { sql, values } = of.page(after, statuses, PAGE_ROWS, PAGE_BYTES);
    const { rows } = await this.#database.read(sql, values, signal);
    const met = rows.map((cells) => of.row(cells));
    const looked = Number(rows[0]?.at(-1) ?? 0);
    const isLast = met.length === looked && looked < PAGE_ROWS;
    return {
      rows: met.filter(({ status }) => status !== null && statuses.includes(status)),
      looked: countOf(met.map(({ status }) => status)),
      next: isLast ? null : (met.at(-1)?.key ?? null),
    };
  }

  async scan(table: Table, after: Key | null, signal: AbortSignal): Promise<{ keys: Key[]; next: Key | null }> {
    const of = this.#of(table);
    const { sql, values } = of.scan(after, SCAN_ROWS);
    const { rows } = await this.#database.read(sql, values, signal);
    const keys = rows.map((cells) => of.key(cells));
    return { keys, next: keys.length < SCAN_ROWS ? null : (keys.at(-1) ?? null) };
  }

  async count(table: Table, how: 'exact' | 'quick', signal: AbortSignal): Promise<Count> {
    const of = this.#of(table);
    const percent = how === 'exact' ? null : await this.#samplePercent(of, signal);
    const { sql, values } = of.count(percent);
    const { rows } = await this.#database.read(sql, values, signal);
    const counts = new Map(rows.map(([status = null, count]) => [status, scaled(Number(count), percent)] as const));
    return { counts, exact: percent === null };
  }

  async #samplePercent(of: PostgresTable, signal: AbortSignal): Promise<number | null> {
    if (this.#found?.kind !== 'table') return null;
    const { sql, values } = of.size();
    const size = Number((await this.#database.read(sql, values, signal)).rows[0]?.[0] ?? 0);
    // Zero for one in partitions, whose own size says nothing.
    return size > 2 * SAMPLE_BYTES ? Math.round((1e6 * SAMPLE_BYTES) / size) / 1e4 : null;
  }

  async find(
    table: Table,
    nativeIds: readonly string[],
    signal: AbortSignal,
  ): Promise<{ looked: number; rows: Map<string, Row> }> {
    const of = this.#of(table);
    const wanted = nativeIds.slice(0, PAGE_ROWS);
    const { sql, values } = of.find(wanted, PAGE_BYTES);
    const { rows } = await this.#database.read(sql, values, signal);
    const found = new Map(rows.map((cells) => of.row(cells)).map((row) => [nativeId(row.key), row]));
    const all = rows.length === Number(rows[0]?.at(-1) ?? 0);
    // Cut after the last one that came: the ids behind it weren't looked up.
    const last = [...found.keys()].at(-1);
    const looked = all || last === undefined ? wanted.length : wanted.indexOf(last) + 1;
    // A cast may find more than was written: 012 finds 12.
    const rowsById = new Map(
      wanted.slice(0, looked).flatMap((id) => {
        const row = found.get(id);
        return row === undefined ? [] : [[id, row] as const];
      }),
    );
    return { looked, rows: rowsById };
  }

  async keyless(table: Table, signal: AbortSignal): Promise<number> {
    const { definition, columns } = table;
    const nullable = columns.key.some((name) => definition.columns.some((one) => one.name === name && !one.notNull));
    if (!nullable) return 0;
    const { rows } = await this.#database.read(this.#of(table).keyless().sql, [], signal);
    return Number(rows[0]?.[0] ?? 0);
  }

  async sample(table: Table, column: string, signal: AbortSignal): Promise<Value> {
    const of = this.#of(table);
    const { rows } = await this.#database.read(of.sample(column).sql, [], signal);
    return of.value(rows[0]?.[0] ?? null, column);
  }

  async change(table: Table, changes: readonly Change[], signal: AbortSignal): Promise<Changed[] | { undone: string }> {
    const of = this.#of(table);
    const change = of.change(changes);
    const statuses = of.statuses(changes);
    try {
      return await this.#database.transaction(async ({ run }) => {
        const [[count, numbers] = []] = (await run(change.sql, change.values)).rows;
        if (Number(count) === changes.length) return changes.map(() => ({ kind: 'changed' }));
        const done = new Set(numbers?.split(',').map(Number));
        const now = new Map((await run(statuses.sql, statuses.values)).rows.map(([n, status]) => [Number(n), status]));
        return changes.map(({ from }, at): Changed => {
          if (done.has(at + 1)) return { kind: 'changed' };
          const status = now.get(at + 1);
          if (status === undefined) return { kind: 'gone' };
          // What was shown is there, and yet it wasn't changed: somebody else is at it.
          return status === from ? { kind: 'held' } : { kind: 'other', status };
        });
      }, signal);
    } catch (error) {
      const why = refusal(error);
      if (why === null) throw error;
      return { undone: why };
    }
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

/** What the table's own rules (a CHECK, a foreign key, a trigger) say of a change; null for any other trouble. */
function refusal(error: unknown): string | null {
  const cause = error instanceof BabelqError ? error.cause : null;
  const state = sqlState(cause);
  if (state === null || !(cause instanceof Error)) return null;
  return state.startsWith('23') || state.startsWith('P0') || state === '27000' ? escapeText(cause.message) : null;
}

function countOf(statuses: readonly (string | null)[]): Map<string | null, number> {
  const counts = new Map<string | null, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

/** What a sample means for the whole, no more exactly than it can be known. */
function scaled(count: number, percent: number | null): number {
  return percent === null ? count : Number(((100 * count) / percent).toPrecision(2));
}
