import type { Postgres } from '../postgres/postgres.ts';
import type { Definition } from './store.ts';

/** A table's definition, with where it is. */
export interface FoundTable extends Definition {
  oid: string;
  schema: string;
  kind: 'table' | 'view' | 'foreign';
}

const FIND = `
  SELECT c.oid::text, n.nspname, c.relname, c.relkind
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND CASE WHEN $2::text IS NULL THEN pg_table_is_visible(c.oid) ELSE n.nspname = $2 END`;

/** Types as a value is cast to them: without a length, which would cut it; a domain as what it is made of. */
const COLUMNS = `
  SELECT a.attname, format_type(CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END, -1), a.attnotnull,
    a.attgenerated <> ''
  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
  WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`;

/** Columns of the indexes that let no value come twice: whole, valid, over plain columns. */
const UNIQUE = `
  SELECT i.indexrelid::text, i.indisprimary, a.attname
  FROM pg_index i, unnest(i.indkey[0:i.indnkeyatts - 1]) WITH ORDINALITY AS k(attnum, position)
  JOIN pg_attribute a ON a.attnum = k.attnum
  WHERE a.attrelid = i.indrelid AND i.indrelid = $1::oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
    AND i.indexprs IS NULL
  ORDER BY i.indexrelid, k.position`;

/** @returns undefined where no such table can be seen */
export async function findTable(
  database: Postgres,
  wanted: string,
  signal: AbortSignal,
): Promise<FoundTable | undefined> {
  const { rows } = await database.read(FIND, [wanted, database.address.schema], signal);
  const [oid, schema, table, kind] = rows[0] ?? [];
  if (oid === undefined || oid === null) return undefined;
  const columns = await database.read(COLUMNS, [oid], signal);
  const indexes = new Map<string, { primary: boolean; columns: string[] }>();
  for (const [index, primary, column] of (await database.read(UNIQUE, [oid], signal)).rows) {
    const known = indexes.get(index ?? '') ?? { primary: primary === 't', columns: [] };
    known.columns.push(column ?? '');
    indexes.set(index ?? '', known);
  }
  const all = [...indexes.values()];
  return {
    oid,
    schema: schema ?? '',
    kind: kind === 'v' || kind === 'm' ? 'view' : kind === 'f' ? 'foreign' : 'table',
    table: table ?? '',
    columns: columns.rows.map(([name, type, notNull, generated]) => ({
      name: name ?? '',
      type: type ?? '',
      notNull: notNull === 't',
      generated: generated === 't',
    })),
    primaryKey: all.find(({ primary }) => primary)?.columns ?? [],
    unique: all.flatMap(({ columns: [first, second] }) => (first !== undefined && second === undefined ? [first] : [])),
    rowNumber: [],
  };
}

const TABLES = `
  SELECT n.nspname, c.relname, n.nspname = $1 OR ($1::text IS NULL AND pg_table_is_visible(c.oid))
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  ORDER BY 3 DESC, 1, 2 LIMIT 1000`;

/** The tables that there are; those that would be found by their name alone first. */
export async function listTables(
  database: Postgres,
  signal: AbortSignal,
): Promise<{ schema: string; table: string; isSeen: boolean }[]> {
  const { rows } = await database.read(TABLES, [database.address.schema], signal);
  return rows.map(([schema, table, isSeen]) => ({ schema: schema ?? '', table: table ?? '', isSeen: isSeen === 't' }));
}
