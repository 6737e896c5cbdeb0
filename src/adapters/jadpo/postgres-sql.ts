import type { Parameter } from '../postgres/postgres.ts';
import { quoted } from '../postgres/quoted.ts';
import { keyCandidates } from './keys.ts';
import { boundPart, boundValue, keyPartFrom, partFromId, readable, takesAnyText, valueFrom } from './postgres-types.ts';
import type { Change, Key, Row, Table, Value } from './store.ts';

/**
 * The statements over a parked-messages table in PostgreSQL. Names come from the table's definition and are quoted; values are bound,
 * as texts that the statement casts to their column's type, so that an index on it is used. None takes a lock that the app
 * would wait for, but the one that changes.
 */

interface Statement {
  sql: string;
  values: Parameter[];
}

type Cells = readonly (string | null)[];

const ROW_MEMBERS = ['queue', 'event', 'message_id', 'reason', 'problems', 'error', 'parked_at', 'status_at'] as const;

/** A column of the table as `"m"`. */
function mine(column: string): string {
  return `"m".${quoted(column)}`;
}

/** A table with its types at hand, and whether the database's texts may hold any bytes (SQL_ASCII). */
export class PostgresTable {
  readonly name: string;
  /** The key's columns of the table as `"m"`, and as what they are called in what is selected from it. */
  readonly keys: readonly { name: string; as: string; column: string; type: string }[];
  readonly #table: Table;
  readonly #types: ReadonlyMap<string, string>;
  readonly #anyBytes: boolean;

  constructor(table: Table, schema: string, anyBytes: boolean) {
    this.#table = table;
    this.#types = new Map(table.definition.columns.map(({ name, type }) => [name, type]));
    this.#anyBytes = anyBytes;
    this.name = `${quoted(schema)}.${quoted(table.definition.table)}`;
    this.keys = table.columns.key.map((name, part) => ({
      name: mine(name),
      as: `"k${part}"`,
      column: quoted(name),
      type: this.#typeOf(name),
    }));
  }

  #typeOf(column: string): string {
    return this.#types.get(column) ?? 'text';
  }

  get #keyNames(): string {
    return this.keys.map(({ name }) => name).join(', ');
  }

  get #keysAs(): string {
    return this.keys.map(({ name, as }) => `${name} AS ${as}`).join(', ');
  }

  get #status(): string {
    return `${mine(this.#table.columns.status)}::text`;
  }

  /** The body as text, or as bytes. */
  get #body(): string {
    const { body } = this.#table.columns;
    const name = mine(body);
    if (this.#typeOf(body) === 'bytea') return name;
    return this.#anyBytes ? `convert_to(${name}::text, 'SQL_ASCII')` : `${name}::text`;
  }

  /** The members of a row, behind its key and status. */
  get #members(): string[] {
    return ROW_MEMBERS.map((member) => {
      const column = this.#table.columns[member];
      return column === null ? 'NULL' : readable(mine(column), this.#typeOf(column));
    });
  }

  /** Only rows that have a whole key, and that come after one. */
  #following(after: Key | null, from: number): Statement {
    const whole = this.keys.map(({ name }) => `${name} IS NOT NULL`).join(' AND ');
    if (after === null) return { sql: whole, values: [] };
    const right = this.keys.map(({ type }, part) => `$${from + part}::text::${type}`).join(', ');
    return { sql: `${whole} AND (${this.#keyNames}) > (${right})`, values: after.map(boundPart) };
  }

  /**
   * The next rows by key, whatever their status; more than key and status only of those with one of these statuses, and no
   * more rows than bring so many bytes of bodies, but for the last one. Behind each row: how many were looked at.
   */
  page(after: Key | null, statuses: readonly string[], limit: number, bytes: number): Statement {
    const { sql, values } = this.#following(after, 3);
    const inner = `
      SELECT ${this.#keysAs}, ${this.#status} AS "0", ${this.#status} = ANY($2::text[]) AS "wanted",
        ${this.#members.map((member, at) => `${member} AS "${at + 1}"`).join(', ')}, ${this.#body} AS "body"
      FROM ${this.name} AS "m" WHERE ${sql} ORDER BY ${this.#keyNames} LIMIT ${limit}`;
    const order = this.keys.map(({ as }) => as);
    return {
      sql: this.#bounded(inner, order, `CASE WHEN "wanted" THEN octet_length("body") ELSE 0 END`, '"wanted"'),
      values: [bytes, [...statuses], ...values],
    };
  }

  /** Rows by native id, in the ids' order, bounded like a page; behind each row: how many ids were found. */
  find(nativeIds: readonly string[], bytes: number): Statement {
    const candidates = nativeIds.map((id) => keyCandidates(id, this.keys.length));
    const parts = this.keys.map(({ type }, part) =>
      candidates.map((all) => (all === null ? null : partFromId(all[part]?.text ?? '', type))),
    );
    // An id with a part that can't be one finds nothing.
    const usable = candidates.map((_, at) => parts.every((texts) => texts[at] !== null));
    const lists = parts.map((texts) => texts.map((text, at) => (usable[at] ? text : null)));
    const inner = `
      SELECT ${this.#keysAs}, ${this.#status} AS "0", "w"."n" AS "n",
        ${this.#members.map((member, at) => `${member} AS "${at + 1}"`).join(', ')}, ${this.#body} AS "body"
      FROM ${this.#wanted(lists.length, 2)} JOIN ${this.name} AS "m" ON ${this.#isWanted(2)}`;
    return {
      sql: this.#bounded(inner, ['"n"'], 'octet_length("body")', 'true'),
      values: [bytes, ...lists],
    };
  }

  /** Cuts what a statement selects where its bodies have come to $1 bytes. */
  #bounded(inner: string, order: readonly string[], size: string, whole: string): string {
    const members = ['"0"', ...ROW_MEMBERS.map((_, at) => `"${at + 1}"`), '"body"'];
    const shown = members.map((member) => (member === '"0"' ? member : `CASE WHEN ${whole} THEN ${member} END`));
    return `
      SELECT ${this.keys.map(({ as }) => `${as}::text`).join(', ')}, ${shown.join(', ')}, "looked"
      FROM (
        SELECT *, count(*) OVER () AS "looked",
          coalesce(sum(${size}) OVER (ORDER BY ${order.join(', ')} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS "before"
        FROM (${inner}) AS "found"
      ) AS "summed"
      WHERE "before" < $1::bigint ORDER BY ${order.map((one) => `"summed".${one}`).join(', ')}`;
  }

  /** Lists of key parts, from parameter `from` on, as rows that are numbered from one. */
  #wanted(parts: number, from: number, more: readonly string[] = []): string {
    const lists = Array.from({ length: parts + more.length }, (_, at) => `$${from + at}::text[]`);
    const names = [...Array.from({ length: parts }, (_, part) => `"w${part}"`), ...more, '"n"'];
    return `unnest(${lists.join(', ')}) WITH ORDINALITY AS "w"(${names.join(', ')})`;
  }

  /** A row is one of those lists' rows. A key of one column is compared with the whole list as well: that is what an index is for. */
  #isWanted(from: number): string {
    const joined = this.keys.map(({ name, type }, part) =>
      takesAnyText(type) ? `${name} = "w"."w${part}"::${type}` : `${name}::text = "w"."w${part}"`,
    );
    const [only, second] = this.keys;
    if (only !== undefined && second === undefined && takesAnyText(only.type)) {
      joined.push(`${only.name} = ANY($${from}::text[]::${only.type}[])`);
    }
    return joined.join(' AND ');
  }

  scan(after: Key | null, limit: number): Statement {
    const { sql, values } = this.#following(after, 1);
    const keys = this.keys.map(({ name }) => `${name}::text`).join(', ');
    return {
      sql: `SELECT ${keys}, ${this.#status} FROM ${this.name} AS "m" WHERE ${sql} ORDER BY ${this.#keyNames} LIMIT ${limit}`,
      values,
    };
  }

  /** @param percent of the table's pages that are looked at; null for all */
  count(percent: number | null): Statement {
    const sample = percent === null ? '' : ` TABLESAMPLE SYSTEM (${percent})`;
    const status = quoted(this.#table.columns.status);
    return { sql: `SELECT ${status}::text, count(*) FROM ${this.name}${sample} GROUP BY ${status}`, values: [] };
  }

  size(): Statement {
    return { sql: 'SELECT pg_relation_size($1::regclass)', values: [this.name] };
  }

  keyless(): Statement {
    const some = this.keys.map(({ name }) => `${name} IS NULL`).join(' OR ');
    return { sql: `SELECT count(*) FROM ${this.name} AS "m" WHERE ${some}`, values: [] };
  }

  sample(column: string): Statement {
    const name = quoted(column);
    const value = readable(name, this.#typeOf(column));
    return { sql: `SELECT ${value} FROM ${this.name} WHERE ${name} IS NOT NULL LIMIT 1`, values: [] };
  }

  /**
   * The compare-and-set of many rows, all to one status: nothing but the status and its time, of rows whose status is what
   * was shown. Rows that another transaction is at are left out, so that this one waits for nobody while it holds a row that
   * the app may want. Gives how many changes were made, and their numbers where that isn't all.
   */
  change(changes: readonly Change[]): Statement {
    const { status, status_at: statusAt } = this.#table.columns;
    const [one] = changes;
    const parts = this.keys.length;
    // To send and read the same word for every row costs a fifth of all.
    const alike = changes.every(({ from, at }) => from === one?.from && at === one.at);
    const [shown, time] = alike ? [`$${parts + 3}::text`, `$${parts + 4}::text`] : ['"w"."from"', '"w"."at"'];
    const at = statusAt === null ? '' : `, ${quoted(statusAt)} = "free"."at"::${this.#typeOf(statusAt)}`;
    const same = this.keys.map(({ column, as }) => `"t".${column} = "free".${as}`).join(' AND ');
    return {
      sql: `
        WITH "free" AS (
          SELECT ${this.#keysAs}, ${shown} AS "from", ${time} AS "at", "w"."n"
          FROM ${this.#wanted(parts, 3, alike ? [] : ['"from"', '"at"'])}
          JOIN ${this.name} AS "m" ON ${this.#isWanted(3)} AND ${this.#status} = ${shown}
          FOR NO KEY UPDATE OF "m" SKIP LOCKED
        ), "made" AS (
          UPDATE ${this.name} AS "t" SET ${quoted(status)} = $1::text::${this.#typeOf(status)}${at}
          FROM "free" WHERE ${same} AND "t".${quoted(status)}::text = "free"."from"
          RETURNING "free"."n"
        )
        SELECT count(*), CASE WHEN count(*) < $2::int THEN string_agg("n"::text, ',') END FROM "made"`,
      values: [
        one?.to ?? '',
        changes.length,
        ...this.#keyLists(changes),
        ...(alike
          ? [one?.from ?? '', boundValue(one?.at ?? null)]
          : [changes.map(({ from }) => from), changes.map(({ at: its }) => boundValue(its))]),
      ],
    };
  }

  /** The statuses that rows have now, with the numbers of the changes that were asked for. */
  statuses(changes: readonly Change[]): Statement {
    return {
      sql: `SELECT "w"."n", ${this.#status} FROM ${this.#wanted(this.keys.length, 1)} JOIN ${this.name} AS "m" ON ${this.#isWanted(1)}`,
      values: this.#keyLists(changes),
    };
  }

  #keyLists(changes: readonly Change[]): string[][] {
    return this.keys.map((_, part) => changes.map(({ key }) => boundPart(key[part] ?? '')));
  }

  /** Reads what `page` and `find` select. */
  row(cells: Cells): Row {
    const parts = this.keys.length;
    const [status = null, ...members] = cells.slice(parts);
    const value = (at: number): Value => {
      const column = this.#table.columns[ROW_MEMBERS[at] ?? 'queue'];
      return column === null ? null : valueFrom(members[at] ?? null, this.#typeOf(column));
    };
    return {
      key: this.key(cells),
      status,
      queue: value(0),
      event: value(1),
      messageId: value(2),
      reason: value(3),
      problems: value(4),
      error: value(5),
      parkedAt: value(6),
      statusAt: value(7),
      body: this.#bodyFrom(members[ROW_MEMBERS.length] ?? null),
    };
  }

  value(text: string | null, column: string): Value {
    return valueFrom(text, this.#typeOf(column));
  }

  #bodyFrom(text: string | null): Row['body'] {
    if (text === null) return null;
    const isBytes = this.#anyBytes || this.#typeOf(this.#table.columns.body) === 'bytea';
    return isBytes ? Buffer.from(text.slice(2), 'hex') : text;
  }

  key(cells: Cells): Key {
    return this.keys.map(({ type }, part) => keyPartFrom(cells[part] ?? '', type));
  }
}
