import { BabelqError } from '../../model/errors.ts';
import { isWhole } from '../../model/ids.ts';
import type { Statements } from './statements.ts';

/** An entry as far as it says which message it is about. */
interface Row {
  entry: number;
  source: string;
  place: string;
  native_id: string;
  identity: string;
  new_id: string | null;
}

const ROW = 'SELECT entry, source, place, native_id, identity, new_id FROM entries';

const NAMED = `${ROW} WHERE native_id IN (SELECT value FROM json_each(:texts))`;

/** Reads through all entries: an index of them would slow down every send for a question that is seldom asked. */
const KNOWN_AS = `
  ${ROW} WHERE native_id IN (SELECT value FROM json_each(:ids)) OR new_id IN (SELECT value FROM json_each(:ids))
    OR identity IN (SELECT value FROM json_each(:identities))`;

const BEGINNING = `
  ${ROW} WHERE (native_id >= :text AND native_id <= :text || char(1114111))
    OR (new_id >= :text AND new_id <= :text || char(1114111))`;

/** How many candidates an ambiguous prefix lists. */
const LISTED = 10;

/**
 * All entries of one message, under whatever id: those it was given by a retry or a restoration, and those under which it
 * came back with its own `meta.id`. A message without one is followed by the ids alone, since others may have its body.
 * @param text an id with or without its source, an envelope's `meta.id`, or the start of an id
 * @throws BabelqError `ambiguous_id` for a start that fits several messages
 */
export function storyOf(statements: Statements, text: string): number[] {
  const story = new Story();
  for (const row of beginning(statements, text)) story.add(row);
  for (let known = -1; story.size > known; ) {
    known = story.size;
    const rows = statements.of<Row>(KNOWN_AS).all({
      ids: JSON.stringify(story.ids),
      identities: JSON.stringify(story.identities),
    });
    for (const row of rows) if (story.isOf(row)) story.add(row);
  }
  return story.entries;
}

/** What is known of one message, as its entries are found. */
class Story {
  readonly #entries = new Set<number>();
  /** Every id it is known by; of one that isn't unique everywhere, with its place. */
  readonly #keys = new Set<string>();
  readonly #ids = new Set<string>();
  readonly #identities = new Set<string>();

  /** Grows with everything that is learnt. */
  get size(): number {
    return this.#entries.size + this.#keys.size + this.#identities.size;
  }

  get entries(): number[] {
    return [...this.#entries];
  }

  get ids(): string[] {
    return [...this.#ids];
  }

  get identities(): string[] {
    return [...this.#identities];
  }

  isOf({ place, native_id, new_id, identity }: Row): boolean {
    return (
      this.#keys.has(keyOf(place, native_id)) ||
      (new_id !== null && this.#keys.has(keyOf(place, new_id))) ||
      this.#identities.has(identity)
    );
  }

  add({ entry, place, native_id, new_id, identity }: Row): void {
    this.#entries.add(entry);
    for (const id of new_id === null ? [native_id] : [native_id, new_id]) {
      this.#keys.add(keyOf(place, id));
      this.#ids.add(id);
    }
    if (isOwn(identity, native_id)) this.#identities.add(identity);
  }
}

/** A MessageId means one message wherever it lies; a table's key only within its table. */
function keyOf(place: string, native: string): string {
  return isWhole({ native }) ? native : `${place} ${native}`;
}

/** Whether an identity is the message's own `meta.id`, and neither a body's digest nor a table's key. */
function isOwn(identity: string, nativeId: string): boolean {
  return identity !== nativeId && !/^[0-9a-f]{64}$/.test(identity);
}

function beginning(statements: Statements, text: string): Row[] {
  const readings = readingsOf(text);
  const natives = JSON.stringify(readings.map(({ native }) => native));
  const named = statements
    .of<Row>(NAMED)
    .all({ texts: natives })
    .filter((row) =>
      readings.some(({ source, native }) => row.native_id === native && (source === null || row.source === source)),
    );
  if (named.length > 0) return oneOf(named, text);
  const known = statements
    .of<Row>(KNOWN_AS)
    .all({ ids: natives, identities: JSON.stringify([text]) })
    .filter((row) => row.identity === text || readings.some((reading) => isNew(row, reading)));
  if (known.length > 0) return known;
  const begun = readings.flatMap(({ source, native }) =>
    statements
      .of<Row>(BEGINNING)
      .all({ text: native })
      .filter((row) => source === null || row.source === source),
  );
  return oneOf(begun, text);
}

function isNew({ source, new_id }: Row, reading: Reading): boolean {
  return new_id === reading.native && (reading.source === null || reading.source === source);
}

/** @throws BabelqError `ambiguous_id` where the rows are about several messages */
function oneOf(rows: Row[], text: string): Row[] {
  const messages = new Map(rows.map((row) => [keyOf(row.place, row.native_id), `${row.source}/${row.native_id}`]));
  const own = new Set(rows.map(({ identity, native_id }) => (isOwn(identity, native_id) ? identity : null)));
  if (messages.size <= 1 || (own.size === 1 && !own.has(null))) return rows;
  const listed = [...messages.values()].slice(0, LISTED).join(', ');
  const more = messages.size > LISTED ? ', …' : '';
  throw new BabelqError('ambiguous_id', `${text} could be any of these: ${listed}${more}.`, {
    hint: 'Type more of the id, or the source before it.',
  });
}

interface Reading {
  source: string | null;
  native: string;
}

/** The ways an id may be cut into source and native id: both may hold slashes, and the source may be left out. */
function readingsOf(text: string): Reading[] {
  const readings: Reading[] = [{ source: null, native: text }];
  for (let at = text.indexOf('/'); at !== -1; at = text.indexOf('/', at + 1)) {
    readings.push({ source: text.slice(0, at), native: text.slice(at + 1) });
  }
  return readings.filter(({ native }) => native !== '');
}
