import { BabelqError, EXIT } from './errors.ts';
import type { Failure } from './failure.ts';

/** An id as a person typed it: with or without its source, whole or a prefix. */
export interface WantedId {
  text: string;
  /** Null where it may be any source's. */
  source: string | null;
  native: string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Reads an id against the sources' names; a text that begins with none of them is a native id, slashes and all. */
export function wantedId(text: string, sources: readonly string[]): WantedId {
  const trimmed = text.trim();
  if (trimmed === '')
    throw new BabelqError('usage', 'An id is empty.', { hint: 'Ids are in the first column of babelq deliveries.' });
  // The longest name first, so that a source `a/b` isn't taken for `a`.
  const named = sources.filter((name) => trimmed.startsWith(`${name}/`)).sort((a, b) => b.length - a.length)[0];
  if (named === undefined) return { text: trimmed, source: null, native: trimmed };
  const native = trimmed.slice(named.length + 1);
  if (native === '') {
    throw new BabelqError('usage', `The id ${trimmed} names a source and no message.`, {
      hint: `To take all of a source: --source ${named} --all.`,
    });
  }
  return { text: trimmed, source: named, native };
}

/** Whether nothing else can be meant: a whole MessageId (a UUID) stops the search as soon as it is met. */
export function isWhole(wanted: Pick<WantedId, 'native'>): boolean {
  return UUID.test(wanted.native);
}

/** The part of a failure's id after its source. */
export function nativeIdOf(failure: Pick<Failure, 'id' | 'source'>): string {
  return failure.id.slice(failure.source.length + 1);
}

interface Candidates<T> {
  wanted: WantedId;
  exact: { id: string; value: T }[];
  prefixed: { id: string; value: T }[];
}

/** A source that wasn't seen whole, and why, in a sentence; null where nothing is known of that. */
export interface Unseen {
  name: string;
  why: string | null;
}

/** `not all of orders, pays could be seen (orders: Access denied)` */
export function sayUnseen(sources: readonly Unseen[]): string {
  const whys = sources.flatMap(({ name, why }) =>
    why === null ? [] : [`${sources.length === 1 ? '' : `${name}: `}${why.replace(/\.$/, '')}`],
  );
  const names = sources.map(({ name }) => name).join(', ');
  return `not all of ${names} could be seen${whys.length === 0 ? '' : ` (${whys.join('; ')})`}`;
}

/** What there is none of. */
export type Missing = 'message' | 'dismissed message';

/** Nothing that a shell would read as anything else. */
const PLAIN = /^[\w./-]+$/;

/** The start of an id that may have been meant as a source's name. */
const SOURCE_LIKE = /^([\w.-]+)\//;

/** How many candidates an ambiguous prefix lists at most. */
const LISTED = 10;

/**
 * Collects what ids may mean while messages go by, and tells at the end what each meant: an exact id beats a prefix, and
 * a prefix must fit one message only. Meeting a message costs the same however many ids are wanted.
 */
export class IdSearch<T> {
  readonly #candidates: Candidates<T>[];
  readonly #byNative = new Map<string, Candidates<T>[]>();
  /** The lengths of the wanted ids: which starts of a message's id are looked up. */
  readonly #lengths: readonly number[];
  readonly #whole: boolean;
  /** How many are not found for certain yet. */
  #open: number;

  /** @param whole the ids are known to be whole (a listing's): none of them is taken for a prefix of another */
  constructor(wanted: readonly WantedId[], whole = false) {
    this.#whole = whole;
    this.#candidates = wanted.map((one) => ({ wanted: one, exact: [], prefixed: [] }));
    for (const candidates of this.#candidates) {
      const { native } = candidates.wanted;
      const same = this.#byNative.get(native);
      if (same === undefined) this.#byNative.set(native, [candidates]);
      else same.push(candidates);
    }
    this.#lengths = [...new Set(wanted.map(({ native }) => native.length))];
    this.#open = wanted.length;
  }

  /** Those of the sources that an id may mean: where each names its source, the others need not be looked at. */
  among<S extends { readonly name: string }>(sources: readonly S[]): S[] {
    return sources.filter(({ name }) => this.prefixesFor(name).length > 0);
  }

  /** The native ids wanted of a source, as the hint that lets a table look them up. */
  prefixesFor(source: string): string[] {
    return this.#candidates
      .filter(({ wanted }) => wanted.source === null || wanted.source === source)
      .map(({ wanted }) => wanted.native);
  }

  /** Takes one message; `value` is only asked for where an id fits. */
  meet(failure: Pick<Failure, 'id' | 'source'>, value: () => T): void {
    const native = nativeIdOf(failure);
    for (const length of this.#lengths) {
      if (length > native.length || (this.#whole && length < native.length)) continue;
      for (const candidates of this.#byNative.get(native.slice(0, length)) ?? []) {
        if (candidates.wanted.source !== null && candidates.wanted.source !== failure.source) continue;
        if (length === native.length) this.#meetExact(candidates, failure.id, value);
        else if (candidates.exact.length === 0 && candidates.prefixed.length <= LISTED) {
          if (!candidates.prefixed.some(({ id }) => id === failure.id)) {
            candidates.prefixed.push({ id: failure.id, value: value() });
          }
        }
      }
    }
  }

  #meetExact({ wanted, exact }: Candidates<T>, id: string, value: () => T): void {
    if (exact.some((found) => found.id === id)) return;
    if (exact.length === 0 && (this.#whole ? wanted.source !== null : isWhole(wanted))) this.#open -= 1;
    exact.push({ id, value: value() });
  }

  /** True when every id is whole and found: nothing that comes could change what they mean. */
  get satisfied(): boolean {
    return this.#open === 0;
  }

  /**
   * What each id meant; undefined where it fits nothing. The same message named twice comes once.
   * @param unchecked sources that weren't seen whole, and why: a prefix that could also fit one of theirs is refused,
   *   unless the caller only looks (null)
   * @throws BabelqError `ambiguous_id` with the candidates, `unchecked_id`
   */
  end(unchecked: readonly Unseen[] | null): { wanted: WantedId; found: { id: string; value: T } | undefined }[] {
    const seen = new Set<string>();
    const results: { wanted: WantedId; found: { id: string; value: T } | undefined }[] = [];
    for (const { wanted, exact, prefixed } of this.#candidates) {
      const fitting = exact.length > 0 ? exact : prefixed;
      if (fitting.length > 1) {
        const listed = fitting.slice(0, LISTED).map(({ id }) => id);
        const more = fitting.length > LISTED ? ', …' : '';
        throw new BabelqError('ambiguous_id', `${wanted.text} could be any of these: ${listed.join(', ')}${more}.`, {
          hint: 'Type more of the id, or the source before it.',
        });
      }
      const found = fitting[0];
      const isPrefix = exact.length === 0 && found !== undefined;
      const notSeen = unchecked?.filter(({ name }) => wanted.source === null || wanted.source === name) ?? [];
      if (isPrefix && notSeen.length > 0) {
        throw new BabelqError(
          'unchecked_id',
          `${wanted.text} fits ${found.id}, but ${sayUnseen(notSeen)}, so another message may fit it too.`,
          { hint: `Give the whole id: ${found.id}` },
        );
      }
      if (found === undefined || !seen.has(found.id)) results.push({ wanted, found });
      if (found !== undefined) seen.add(found.id);
    }
    return results;
  }
}

function hintFor(what: Missing, [id]: readonly string[]): string {
  const past = `babelq log ${id === undefined || !PLAIN.test(id) ? 'ID' : id} says what babelq did with it`;
  return what === 'message'
    ? `babelq deliveries lists what is there, without what somebody else holds at the moment; ${past}.`
    : `babelq deliveries --state dismissed lists what can be restored; ${past}.`;
}

/** Says that what stands before an id's slash is no source's name, where it looks like one; else nothing. */
function strangerIn(missing: readonly string[], sources: readonly string[]): string {
  for (const id of missing) {
    const name = SOURCE_LIKE.exec(id)?.[1];
    if (name === undefined || sources.some((source) => id.startsWith(`${source}/`))) continue;
    return `No source here is named ${name}: there ${sources.length === 1 ? 'is' : 'are'} ${sources.join(', ')}. `;
  }
  return '';
}

export interface LookedAt {
  /** The names of the sources that were looked at. */
  sources: readonly string[];
  /** Those of them that weren't seen whole. */
  unseen?: readonly Unseen[];
  /** Where there is no journal: the sentence that says so. */
  noJournal?: string | null;
  /** The exit code it leads to, where something else was found. */
  exit?: number;
}

/** The error for ids that fit nothing. */
export function notFound(
  what: Missing,
  missing: readonly string[],
  { sources, unseen = [], noJournal = null, exit = EXIT.nothingMatched }: LookedAt,
): BabelqError {
  const listed = missing.slice(0, LISTED).join(', ');
  const more = missing.length > LISTED ? `, … (${missing.length} ids)` : '';
  const none = `No ${what} has the ${missing.length === 1 ? 'id' : 'ids'} ${listed}${more}`;
  const past = noJournal === null ? '' : `${noJournal} `;
  return new BabelqError('nothing_matched', unseen.length === 0 ? `${none}.` : `${none}, but ${sayUnseen(unseen)}.`, {
    hint: `${past}${strangerIn(missing, sources)}${hintFor(what, missing)}`,
    exit,
  });
}
