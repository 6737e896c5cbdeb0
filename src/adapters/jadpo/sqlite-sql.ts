import { isRawText, keyCandidates } from './keys.ts';
import type { Change, Columns, Definition, Key, KeyPart, Row, Table, Value } from './store.ts';
import { textOf } from './text.ts';

/**
 * The statements over a parked-messages table. Names come from the table's definition and are quoted; values are bound.
 * Rows come as arrays, so that no column's name ever becomes a member's.
 */

export interface Statement {
  sql: string;
  values: Value[];
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** How keys and bodies are read: `plain` as the driver gives them, `exact` also where a text isn't UTF-8, at some cost. */
export type How = 'plain' | 'exact';

/** What the driver makes of bytes that aren't UTF-8; also a character of its own. */
const REPLACED = '\ufffd';

/** Exact: two columns a key part, its type, and its value with a text as its bytes (they may not be UTF-8). */
function keyColumns(columns: Columns, how: How): string {
  const parts = columns.key.map(quoted);
  if (how === 'plain') return parts.join(', ');
  return parts
    .map((part) => `typeof(${part}), CASE typeof(${part}) WHEN 'text' THEN CAST(${part} AS BLOB) ELSE ${part} END`)
    .join(', ');
}

function bodyColumn(columns: Columns, how: How): string {
  const body = quoted(columns.body);
  if (how === 'exact') return `CAST(${body} AS BLOB)`;
  return `CASE WHEN typeof(${body}) IN ('integer', 'real') THEN CAST(${body} AS TEXT) ELSE ${body} END`;
}

/** A status as text, whatever it is stored as. Being an expression it also keeps SQLite from reading by an index on it. */
function statusText(columns: Columns): string {
  return `CAST(${quoted(columns.status)} AS TEXT)`;
}

function rowColumns(columns: Columns, body: string, how: How): string {
  const { queue, event, message_id, reason, problems, error, parked_at, status_at } = columns;
  const others = [queue, event, message_id, reason, problems, error, parked_at, status_at];
  const listed = others.map((name) => (name === null ? 'NULL' : quoted(name)));
  return [keyColumns(columns, how), statusText(columns), ...listed, body].join(', ');
}

/** Reads an array that `rowColumns` selected. @returns null for one whose texts can't be told exactly from what is plain */
export function rowFrom(values: readonly Value[], keyParts: number, how: 'exact'): Row;
export function rowFrom(values: readonly Value[], keyParts: number, how: How): Row | null;
export function rowFrom(values: readonly Value[], keyParts: number, how: How): Row | null {
  const key = how === 'exact' ? keyFrom(values, keyParts) : plainKey(values, keyParts);
  const at = how === 'exact' ? 2 * keyParts : keyParts;
  const body = values[at + 9] ?? null;
  if (key === null || (how === 'plain' && typeof body === 'string' && body.includes(REPLACED))) return null;
  return {
    key,
    status: textOf(values[at] ?? null),
    queue: values[at + 1] ?? null,
    event: values[at + 2] ?? null,
    messageId: values[at + 3] ?? null,
    reason: values[at + 4] ?? null,
    problems: values[at + 5] ?? null,
    error: values[at + 6] ?? null,
    parkedAt: values[at + 7] ?? null,
    statusAt: values[at + 8] ?? null,
    body: typeof body === 'string' || body instanceof Uint8Array ? body : null,
  };
}

function plainKey(values: readonly Value[], keyParts: number): Key | null {
  const key: KeyPart[] = [];
  for (let part = 0; part < keyParts; part += 1) {
    const value = values[part] ?? null;
    if (value === null) throw new Error('a row without a key was read');
    if (typeof value === 'string' && value.includes(REPLACED)) return null;
    key.push(value);
  }
  return key;
}

export function keyFrom(values: readonly Value[], keyParts: number): Key {
  const key: KeyPart[] = [];
  for (let part = 0; part < keyParts; part += 1) {
    const type = values[2 * part];
    const value = values[2 * part + 1];
    if (value === null || value === undefined) throw new Error('a row without a key was read');
    if (type !== 'text' || !(value instanceof Uint8Array)) {
      key.push(value);
      continue;
    }
    const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8');
    // The round trip tells whether the bytes were UTF-8.
    key.push(Buffer.from(text, 'utf8').equals(value) ? text : { bytes: value });
  }
  return key;
}

/** The placeholder for a key part; bytes that are not UTF-8 are bound as such and become a text again. */
function placeholder(part: KeyPart): string {
  return isRawText(part) ? 'CAST(? AS TEXT)' : '?';
}

function bound(part: KeyPart): Value {
  return isRawText(part) ? part.bytes : part;
}

/** Only rows that have a whole key, and that come after one. */
function following(columns: Columns, after: Key | null): Statement {
  const names = columns.key.map(quoted);
  const whole = names.map((name) => `${name} IS NOT NULL`).join(' AND ');
  if (after === null) return { sql: whole, values: [] };
  const left = names.length === 1 ? names[0] : `(${names.join(', ')})`;
  const right = names.length === 1 ? after.map(placeholder)[0] : `(${after.map(placeholder).join(', ')})`;
  return { sql: `${left} > ${right} AND ${whole}`, values: after.map(bound) };
}

function inOrder({ definition, columns }: Table, selected: string, where: Statement, limit: number): Statement {
  return {
    sql:
      `SELECT ${selected} FROM ${quoted(definition.table)} WHERE ${where.sql} ` +
      `ORDER BY ${columns.key.map(quoted).join(', ')} LIMIT ${limit}`,
    values: where.values,
  };
}

/** The next rows by key, whatever their status; the bodies only of those with one of these statuses. */
export function pageStatement(
  table: Table,
  after: Key | null,
  statuses: readonly string[],
  limit: number,
  how: How,
): Statement {
  const { columns } = table;
  const wanted = `${statusText(columns)} IN (${statuses.map(() => '?').join(', ')})`;
  const body = `CASE WHEN ${wanted} THEN ${bodyColumn(columns, how)} END`;
  const statement = inOrder(table, rowColumns(columns, body, how), following(columns, after), limit);
  return { sql: statement.sql, values: [...statuses, ...statement.values] };
}

export function scanStatement(table: Table, after: Key | null, limit: number): Statement {
  const { columns } = table;
  return inOrder(table, keyColumns(columns, 'exact'), following(columns, after), limit);
}

/** The least and the largest of the rows' own numbers; null for a table without them. */
export function boundsStatement({ definition }: Table): Statement | null {
  const [number] = definition.rowNumber;
  if (number === undefined) return null;
  const table = quoted(definition.table);
  // Each by itself, or SQLite would read the whole table.
  return { sql: `SELECT (SELECT min(${number}) FROM ${table}), (SELECT max(${number}) FROM ${table})`, values: [] };
}

/** How many rows have which status: all, or the next so many by number, with the last number of each status. */
export function countStatement({ definition, columns }: Table, some?: { after: bigint; limit: number }): Statement {
  const [number] = definition.rowNumber;
  const table = quoted(definition.table);
  const status = statusText(columns);
  if (some === undefined || number === undefined) {
    return { sql: `SELECT ${status}, count(*) FROM ${table} GROUP BY 1`, values: [] };
  }
  return {
    sql:
      `SELECT s, count(*), max(n) FROM (SELECT ${status} AS s, ${number} AS n FROM ${table} ` +
      `WHERE ${number} > ? ORDER BY ${number} LIMIT ${some.limit}) GROUP BY s`,
    values: [some.after],
  };
}

/**
 * The rows that a native id may mean, in statements to be tried one after the other: as a text first, which is also how
 * SQLite finds it in a column of integers; then as anything else that it may be the text of.
 */
export function findStatements({ definition, columns }: Table, native: string): Statement[] {
  const candidates = keyCandidates(native, columns.key.length);
  if (candidates === null) return [];
  const names = columns.key.map(quoted);
  const select = `SELECT ${rowColumns(columns, bodyColumn(columns, 'exact'), 'exact')} FROM ${quoted(definition.table)} WHERE `;
  return [
    {
      sql: select + names.map((name) => `${name} = ?`).join(' AND '),
      values: candidates.map(({ text }) => text),
    },
    {
      sql: select + names.map((name) => `${name} IN (?, ?, ?, CAST(? AS TEXT))`).join(' AND '),
      values: candidates.flatMap(({ text, number, bytes, raw }) => [text, number, bytes, raw]),
    },
  ];
}

export function keylessStatement({ definition, columns }: Table): Statement {
  const some = columns.key.map((name) => `${quoted(name)} IS NULL`).join(' OR ');
  return { sql: `SELECT count(*) FROM ${quoted(definition.table)} WHERE ${some}`, values: [] };
}

export function sampleStatement({ definition }: Table, column: string): Statement {
  const name = quoted(column);
  return { sql: `SELECT ${name} FROM ${quoted(definition.table)} WHERE ${name} IS NOT NULL LIMIT 1`, values: [] };
}

/** The compare-and-set: nothing but the status and its time, of this row, while its status is what was shown. */
export function changeStatement({ definition, columns }: Table, change: Change): Statement {
  const at = columns.status_at === null ? '' : `, ${quoted(columns.status_at)} = ?`;
  return {
    sql:
      `UPDATE ${quoted(definition.table)} SET ${quoted(columns.status)} = ?${at} ` +
      `WHERE ${keyIs(columns, change.key)} AND ${statusText(columns)} = ?`,
    values: [change.to, ...(columns.status_at === null ? [] : [change.at]), ...change.key.map(bound), change.from],
  };
}

/**
 * The same for many rows, all from one status to another at one time, by one statement, which is several times as fast as one
 * for each. Null where they differ, or where their keys can't go as a list.
 */
export function changeAllStatement({ definition, columns }: Table, changes: readonly Change[]): Statement | null {
  const [one] = changes;
  const [name, second] = columns.key;
  if (one === undefined || name === undefined || second !== undefined) return null;
  const keys: string[] = [];
  for (const { key, from, to, at } of changes) {
    const listed = listedKey(key[0]);
    if (listed === null || from !== one.from || to !== one.to || at !== one.at) return null;
    keys.push(listed);
  }
  const time = columns.status_at === null ? '' : `, ${quoted(columns.status_at)} = ?`;
  return {
    sql:
      `UPDATE ${quoted(definition.table)} SET ${quoted(columns.status)} = ?${time} ` +
      `WHERE ${quoted(name)} IN (SELECT value FROM json_each(?)) AND ${statusText(columns)} = ?`,
    values: [one.to, ...(columns.status_at === null ? [] : [one.at]), `[${keys.join(',')}]`, one.from],
  };
}

/** A key as it stands in a JSON list that SQLite reads the same value from; null for one that it mightn't. */
function listedKey(part: KeyPart | undefined): string | null {
  if (typeof part === 'bigint') return String(part);
  return typeof part === 'string' && part.isWellFormed() && !part.includes('\0') ? JSON.stringify(part) : null;
}

export function statusStatement({ definition, columns }: Table, key: Key): Statement {
  return {
    sql: `SELECT ${statusText(columns)} FROM ${quoted(definition.table)} WHERE ${keyIs(columns, key)}`,
    values: key.map(bound),
  };
}

function keyIs(columns: Columns, key: Key): string {
  return columns.key.map((name, part) => `${quoted(name)} = ${placeholder(key[part] ?? '')}`).join(' AND ');
}

/** SQLite's own names of a row's number; a column of the same name takes it over. */
const ROW_NUMBER = ['rowid', '_rowid_', 'oid'];

/** Reads what the database says of a table. @returns undefined where it isn't there */
export function definitionFrom(
  ask: (sql: string, ...values: Value[]) => Value[][],
  wanted: string,
): (Definition & { kind: string }) | undefined {
  const [found] = ask(
    `SELECT name, type, wr FROM pragma_table_list(?) WHERE schema = 'main' AND lower(name) = lower(?)`,
    wanted,
    wanted,
  );
  if (found === undefined) return undefined;
  const [table, kind, withoutRowid] = found.map((value) => textOf(value));
  const rows = ask('SELECT name, type, "notnull", pk, hidden FROM pragma_table_xinfo(?)', table ?? '');
  const columns = rows.map(([name, type, notNull, pk, hidden]) => ({
    name: textOf(name ?? null) ?? '',
    type: textOf(type ?? null) ?? '',
    notNull: Number(notNull) !== 0,
    generated: Number(hidden) >= 2,
    position: Number(pk),
  }));
  const unique = ask(
    `SELECT min(info.name) FROM pragma_index_list(?) AS list, pragma_index_info(list.name) AS info
     WHERE list."unique" = 1 AND list.partial = 0 GROUP BY list.name HAVING count(*) = 1`,
    table ?? '',
  );
  const key = columns.filter(({ position }) => position > 0).sort((a, b) => a.position - b.position);
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  return {
    kind: kind ?? '',
    table: table ?? '',
    columns: columns.map(({ position: _, ...column }) => column),
    primaryKey: key.map(({ name }) => name),
    unique: unique.flatMap(([name]) => (typeof name === 'string' ? [name] : [])),
    rowNumber: withoutRowid === '0' && kind === 'table' ? ROW_NUMBER.filter((name) => !names.has(name)) : [],
  };
}
