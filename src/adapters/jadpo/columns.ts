import { quoteTyped } from '../../model/display/escape.ts';
import { BabelqError } from '../../model/errors.ts';
import type { Columns, Definition } from './store.ts';

/** `columns:` of the configuration: which column has a meaning, where its name doesn't say so. */
export type ColumnMapping = Readonly<Partial<Record<Meaning, string>>>;
type Meaning = keyof Columns;

/**
 * The names by which a column's meaning is known, best first. Names on one line are equally good: where a table has two
 * of them, nobody but its owner knows which it is. Written without case and underscores.
 */
const NAMES: Readonly<Record<Meaning, readonly (readonly string[])[]>> = {
  key: [['id'], ['key', 'uuid', 'parkedid']],
  queue: [['queue'], ['connection', 'queuename', 'connectionname']],
  reason: [['reason'], ['code', 'reasoncode']],
  body: [['body'], ['payload', 'raw', 'rawbody', 'message', 'content']],
  status: [['status'], ['state']],
  event: [['event'], ['eventname', 'eventtype'], ['type']],
  message_id: [['messageid'], ['msgid', 'externalid']],
  problems: [['problems'], ['errors', 'violations', 'issues']],
  error: [['error'], ['errormessage', 'lasterror']],
  parked_at: [['parkedat'], ['failedat'], ['createdat', 'insertedat', 'receivedat']],
  status_at: [['statusat'], ['stateat', 'statuschangedat', 'statechangedat'], ['updatedat', 'changedat', 'modifiedat']],
};
const MEANINGS = Object.keys(NAMES) as Meaning[];
const NEEDED: ReadonlySet<Meaning> = new Set(['key', 'queue', 'reason', 'body', 'status']);

/** What each meaning is, for messages. */
const CALLED: Readonly<Record<Meaning, string>> = {
  key: 'the key',
  queue: 'the queue (connection)',
  reason: 'the reason',
  body: 'the body',
  status: 'the status',
  event: 'the event',
  message_id: "the message's id",
  problems: 'the problems',
  error: 'the error',
  parked_at: 'the time of parking',
  status_at: 'the time of the status',
};

/** @throws BabelqError `config` for a meaning that doesn't exist, or one column for two */
export function checkColumnMapping(mapping: ColumnMapping, source: string): void {
  const taken = new Map<string, string>();
  for (const [meaning, column] of Object.entries(mapping)) {
    if (!Object.hasOwn(NAMES, meaning)) {
      throw new BabelqError('config', `columns: has no ${quoteTyped(meaning)}.`, {
        hint: `It takes ${MEANINGS.join(', ')}.`,
        source,
      });
    }
    const other = taken.get(column.toLowerCase());
    if (other !== undefined) {
      throw new BabelqError('config', `columns: gives ${quoteTyped(column)} to both ${other} and ${meaning}.`, {
        hint: 'A column has one meaning.',
        source,
      });
    }
    taken.set(column.toLowerCase(), meaning);
  }
}

/**
 * Matches the table's columns by meaning. Nothing is guessed: a needed meaning that none has, one that two have equally,
 * and a mapping to a column that isn't there are all told at once.
 * @throws BabelqError `bad_table` with what was found and what to write
 */
export function matchColumns(definition: Definition, mapping: ColumnMapping): Columns {
  const found = new Map<Meaning, string>();
  const troubles: string[] = [];
  const toWrite: string[] = [];
  for (const meaning of MEANINGS) {
    const named = mapping[meaning];
    const candidates = named === undefined ? byName(definition, meaning, mapping) : mapped(definition, meaning, named);
    const [first, second] = candidates;
    if (first !== undefined && second === undefined) {
      found.set(meaning, first);
    } else if (second !== undefined) {
      troubles.push(`${candidates.map(shown).join(' and ')} could each be ${CALLED[meaning]}`);
      toWrite.push(`${meaning}: ${shown(first ?? '')}`);
    } else if (named !== undefined) {
      troubles.push(`there is no column ${quoteTyped(named)}, which columns: names as ${meaning}`);
      toWrite.push(`${meaning}: …`);
    } else if (NEEDED.has(meaning) && !(meaning === 'key' && definition.primaryKey.length > 0)) {
      troubles.push(`no column for ${CALLED[meaning]} was found`);
      toWrite.push(`${meaning}: …`);
    }
  }
  const key = keyOf(definition, mapping, found.get('key'));
  if (found.has('key') && key === null) {
    troubles.push(`${shown(found.get('key') ?? '')} isn't unique, so it can't be the key`);
    toWrite.push('key: …');
  }
  if (troubles.length > 0 || key === null) {
    throw new BabelqError('bad_table', `${shown(definition.table)} can't be read as it is: ${troubles.join('; ')}.`, {
      hint:
        `It has the columns ${definition.columns.map(({ name }) => shown(name)).join(', ')}. ` +
        `Say which is which under this source: columns: { ${toWrite.join(', ')} }.`,
    });
  }
  const needed = (meaning: Meaning): string => found.get(meaning) ?? '';
  const optional = (meaning: Meaning): string | null => found.get(meaning) ?? null;
  return {
    key,
    queue: needed('queue'),
    reason: needed('reason'),
    body: needed('body'),
    status: needed('status'),
    event: optional('event'),
    message_id: optional('message_id'),
    problems: optional('problems'),
    error: optional('error'),
    parked_at: optional('parked_at'),
    status_at: optional('status_at'),
  };
}

/** The mapped key, else the primary key, else what is named like one; null where that isn't unique. */
function keyOf(definition: Definition, mapping: ColumnMapping, found: string | undefined): readonly string[] | null {
  const { primaryKey, unique, rowNumber } = definition;
  if (mapping.key === undefined && primaryKey.length > 0) return primaryKey;
  if (found === undefined) return null;
  const isUnique =
    unique.includes(found) ||
    (primaryKey.length === 1 && primaryKey[0] === found) ||
    (rowNumber.includes(found.toLowerCase()) && !definition.columns.some(({ name }) => name === found));
  return isUnique ? [found] : null;
}

function byName(definition: Definition, meaning: Meaning, mapping: ColumnMapping): string[] {
  const taken = new Set(Object.values(mapping).map((column) => column.toLowerCase()));
  // A primary key needs no name.
  if (meaning === 'key' && definition.primaryKey.length > 0) return [];
  for (const names of NAMES[meaning]) {
    const candidates = definition.columns
      .map(({ name }) => name)
      .filter((name) => names.includes(plain(name)) && !taken.has(name.toLowerCase()));
    if (candidates.length > 0) return candidates;
  }
  return [];
}

function mapped(definition: Definition, meaning: Meaning, named: string): string[] {
  const names = definition.columns.map(({ name }) => name);
  if (names.includes(named)) return [named];
  const alike = names.filter((name) => name.toLowerCase() === named.toLowerCase());
  if (alike.length > 0) return alike;
  return meaning === 'key' && definition.rowNumber.includes(named.toLowerCase()) ? [named.toLowerCase()] : [];
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_\s-]/g, '');
}

function shown(name: string): string {
  return /^\w+$/.test(name) ? name : quoteTyped(name);
}
