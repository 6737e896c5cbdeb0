import { BabelqError } from '../../model/errors.ts';
import { isWhole } from '../../model/ids.ts';
import { readingsOf } from './id-readings.ts';

/** An entry as far as it says which message it is about. */
export interface StoryRow {
  entry: number;
  source: string;
  place: string;
  native_id: string;
  identity: string;
  new_id: string | null;
}

/** What a journal is asked on the way; it answers with all entries that fit. */
export type StoryQuestion =
  /** Those of messages with one of these ids. */
  | { kind: 'named'; ids: string[] }
  /** Those of messages that have, got, or are known to their app by one of these. */
  | { kind: 'known'; ids: string[]; identities: string[] }
  /** Those of messages that have or got an id that begins so. */
  | { kind: 'beginning'; text: string };

/** How many candidates an ambiguous prefix lists. */
const LISTED = 10;

/**
 * All entries of one message, under whatever id: those it was given by a retry or a restoration, and those under which it
 * came back with its own `meta.id`. A message without one is followed by the ids alone, since others may have its body.
 * @param text an id with or without its source, an envelope's `meta.id`, or the start of an id
 * @throws BabelqError `ambiguous_id` for a start that fits several messages
 */
export function* storyOf(text: string): Generator<StoryQuestion, number[], StoryRow[]> {
  const story = new Story();
  for (const row of yield* beginning(text)) story.add(row);
  for (let known = -1; story.size > known; ) {
    known = story.size;
    const rows = yield { kind: 'known', ids: story.ids, identities: story.identities };
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

  isOf({ place, native_id, new_id, identity }: StoryRow): boolean {
    return (
      this.#keys.has(keyOf(place, native_id)) ||
      (new_id !== null && this.#keys.has(keyOf(place, new_id))) ||
      this.#identities.has(identity)
    );
  }

  add({ entry, place, native_id, new_id, identity }: StoryRow): void {
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

function* beginning(text: string): Generator<StoryQuestion, StoryRow[], StoryRow[]> {
  const readings = meaningsOf(text);
  const ids = readings.map(({ native }) => native);
  const named = (yield { kind: 'named', ids }).filter((row) =>
    readings.some(({ source, native }) => row.native_id === native && (source === null || row.source === source)),
  );
  if (named.length > 0) return oneOf(named, text);
  const known = (yield { kind: 'known', ids, identities: [text] }).filter(
    (row) => row.identity === text || readings.some((reading) => isNew(row, reading)),
  );
  if (known.length > 0) return known;
  const begun: StoryRow[] = [];
  for (const { source, native } of readings) {
    const rows = yield { kind: 'beginning', text: native };
    begun.push(...rows.filter((row) => source === null || row.source === source));
  }
  return oneOf(begun, text);
}

function isNew({ source, new_id }: StoryRow, reading: Reading): boolean {
  return new_id === reading.native && (reading.source === null || reading.source === source);
}

/** @throws BabelqError `ambiguous_id` where the rows are about several messages */
function oneOf(rows: StoryRow[], text: string): StoryRow[] {
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

/** What an id that somebody typed may mean: the source may be left out. */
function meaningsOf(text: string): Reading[] {
  const cut = readingsOf(text).map(([source, native]): Reading => ({ source, native }));
  return [{ source: null, native: text }, ...cut].filter(({ native }) => native !== '');
}
