import type { Statements } from './statements.ts';

/** What a new entry has beside its number and its state, column by column. */
export interface NewEntry {
  run: number;
  action: string;
  source: string;
  place: string;
  native_id: string;
  identity: string;
  reason: string;
  queue: string | null;
  subject: string | null;
  target: string | null;
  deduplication_id: string | null;
  possible_double: 0 | 1;
  restores: number | null;
  remembered: string | null;
  /** Hex. */
  digest: string | null;
  at: number;
  archived_until: number | null;
}

const COLUMNS = [
  'run',
  'action',
  'source',
  'place',
  'native_id',
  'identity',
  'reason',
  'queue',
  'subject',
  'target',
  'deduplication_id',
  'possible_double',
  'restores',
  'remembered',
  'digest',
  'at',
  'archived_until',
] as const satisfies readonly (keyof NewEntry)[];

const LAST_NUMBER = `SELECT ifnull(max(seq), 0) AS last FROM sqlite_sequence WHERE name = 'entries'`;

/**
 * Inserts entries by one statement, numbered in their order. What is the same in all of them is bound once; the rest goes as
 * one document, since to bind and step each row by itself costs several times as much.
 * @returns the first one's number; the others follow it
 */
export function insertEntries(statements: Statements, entries: readonly [NewEntry, ...NewEntry[]]): number {
  const [one] = entries;
  const first = 1 + (statements.of<{ last: number }>(LAST_NUMBER).get()?.last ?? 0);
  const differing = COLUMNS.filter((column) => entries.some((entry) => entry[column] !== one[column]));
  const values = COLUMNS.map((column) => {
    const at = differing.indexOf(column);
    const value = at === -1 ? '?' : `value ->> ${at}`;
    return column === 'digest' ? `unhex(${value})` : value;
  });
  const bound = COLUMNS.flatMap((column) => (differing.includes(column) ? [] : [one[column]]));
  statements
    .of(
      `INSERT INTO entries (entry, state, ${COLUMNS.join(', ')})
       SELECT ? + key, 'intended', ${values.join(', ')} FROM json_each(?)`,
    )
    .run(first, ...bound, documentOf(entries.map((entry) => differing.map((column) => entry[column]))));
  return first;
}

/** As JSON that SQLite reads the very texts from that it would be bound: halves of surrogate pairs become U+FFFD. */
export function documentOf(value: unknown): string {
  const document = JSON.stringify(value);
  // So JSON writes a half; what only looks like one costs no more than time.
  if (!document.includes('\\ud')) return document;
  return JSON.stringify(value, (_, one) => (typeof one === 'string' ? one.toWellFormed() : one));
}
