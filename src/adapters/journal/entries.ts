import { hash } from 'node:crypto';
import { BabelqError } from '../../model/errors.ts';
import type { Intent, Run, Settlement } from '../../model/ports.ts';
import type { SqsMessage } from '../../model/sqs-message.ts';
import { ARCHIVE_MS } from './archive.ts';
import { documentOf, insertEntries, type NewEntry } from './insert.ts';
import {
  type EntryRow,
  endOf,
  isArchived,
  isRemembered,
  isUnfinished,
  keeping,
  mayBecome,
  newest,
  overtaken,
  type Settled,
} from './rules.ts';
import type { Runs } from './runs.ts';
import type { Statements } from './statements.ts';

const ENTRY_ROW = 'e.entry, e.run, e.action, e.state, e.target, e.new_id, e.deduplication_id';

// Hardly ever finds one, and is asked for every message: a join or an order would cost more than the look-up.
const ENTRIES_OF = `SELECT ${ENTRY_ROW} FROM entries e WHERE native_id = ? AND place = ? AND action <> 'import'`;

/** The same for many messages of a place, each with its number among those asked for. */
const ENTRIES_OF_MANY = `
  SELECT w.key AS nth, ${ENTRY_ROW} FROM json_each(?) w CROSS JOIN entries e
  WHERE e.native_id = w.value AND e.place = ? AND e.action <> 'import'`;

/** An import begins nothing with a message that lies on the place: it puts another there. */
const IMPORTS_OF = `
  SELECT entry, run, new_id FROM entries
  WHERE native_id = ? AND place = ? AND action = 'import' AND state NOT IN ('failed', 'void')`;

const SETTLED = 'SELECT run, action, state, restores, archived_until FROM entries WHERE entry = ?';

/** How many of a stretch are as its first one is. */
const LIKE_IT = `
  SELECT count(*) AS count FROM entries
  WHERE entry BETWEEN ? AND ? AND run = ? AND action = ? AND state = ? AND restores IS ? AND archived_until IS ?`;

const SETTLE = `
  UPDATE entries SET state = ?, new_id = ifnull(?, new_id), detail = ifnull(?, detail), settled_at = ?
  WHERE entry BETWEEN ? AND ?`;

/** The entries: what was about to be done, and what came of it. Every method runs inside a transaction of the caller's. */
export class Entries {
  readonly #statements: Statements;
  readonly #runs: Runs;

  constructor(statements: Statements, runs: Runs) {
    this.#statements = statements;
    this.#runs = runs;
  }

  /** All that was begun with one message, in no order. */
  of(place: string, nativeId: string): EntryRow[] {
    return this.#statements.of<EntryRow>(ENTRIES_OF).all(nativeId, place);
  }

  /** How a message was put on a place from a file, or may have been; the newest. */
  importOf(place: string, nativeId: string): Pick<EntryRow, 'entry' | 'run' | 'new_id'> | null {
    return newest(this.#statements.of<Pick<EntryRow, 'entry' | 'run' | 'new_id'>>(IMPORTS_OF).all(nativeId, place));
  }

  /** The new entries' numbers; null for an intent that is somebody else's already (see the port). */
  intend(run: Run, intents: readonly Intent[], now: number): (number | null)[] {
    const number = this.#runs.numberOf(run);
    const entries = together(intents).flatMap((part) => this.#intend(number, run, part, now));
    this.#runs.countUnfinished(number, entries.filter((entry) => entry !== null).length);
    return entries;
  }

  /** @param intents with different messages of one place */
  #intend(number: number, run: Run, intents: readonly Intent[], now: number): (number | null)[] {
    const known = run.action === 'import' ? [] : this.#ofAll(intents);
    const claimed = intents.filter((intent, nth) => this.#claim(number, run, intent, known[nth] ?? [], now));
    const [first, ...others] = claimed.map((intent) => this.#newEntry(number, run, intent, now));
    if (first === undefined) return intents.map(() => null);
    let entry = insertEntries(this.#statements, [first, ...others]);
    const numbers = new Map(claimed.map((intent) => [intent, entry++]));
    for (const [{ message }, number] of numbers) if (message !== null) this.#keep(number, message);
    return intents.map((intent) => numbers.get(intent) ?? null);
  }

  /** All that was begun with each of some messages of one place; only those have a member of which something is known. */
  #ofAll(intents: readonly Intent[]): EntryRow[][] {
    const known: EntryRow[][] = [];
    const rows = this.#statements
      .of<EntryRow & { nth: number }>(ENTRIES_OF_MANY)
      .all(documentOf(intents.map(({ nativeId }) => nativeId)), intents[0]?.place);
    for (const { nth, ...row } of rows) {
      const ofMessage = known[nth];
      if (ofMessage === undefined) known[nth] = [row];
      else ofMessage.push(row);
    }
    return known;
  }

  /**
   * Overtakes what earlier runs left unfinished of this message, unless somebody living is still at it, or somebody has
   * begun something with it since it was recalled.
   * @param known all that was begun with it
   */
  #claim(run: number, { action }: Run, intent: Intent, known: readonly EntryRow[], now: number): boolean {
    const { nativeId, place, restores = null } = intent;
    if (action === 'import') return intent.again === true || this.importOf(place, nativeId) === null;
    const left = overtaken(known, intent, run, (other) => this.#runs.factsOf(other.run, now).alive);
    if (left === null || (restores !== null && !this.#isKept(restores))) return false;
    for (const other of left) {
      this.#overtake(other.entry, other.run, now);
      if (intent.message !== null) this.#drop(other.entry);
    }
    return true;
  }

  #isKept(entry: number): boolean {
    const kept = this.#statements.of('SELECT 1 FROM entries WHERE entry = ? AND archived_until IS NOT NULL');
    return kept.get(entry) !== undefined;
  }

  #newEntry(number: number, { action }: Run, intent: Intent, now: number): NewEntry {
    const { message, remembered } = intent;
    const archived = isArchived(action, intent);
    if (archived && action === 'dismiss') this.#replaceArchived(intent);
    return {
      run: number,
      action,
      source: intent.source,
      place: intent.place,
      native_id: intent.nativeId,
      identity: intent.identity,
      reason: intent.reason,
      queue: intent.queue,
      subject: intent.subject,
      target: intent.to,
      deduplication_id: intent.deduplicationId,
      possible_double: intent.possibleDouble ? 1 : 0,
      restores: intent.restores ?? null,
      remembered: remembered === null || !isRemembered(action) ? null : JSON.stringify(remembered),
      digest: message === null ? null : hash('sha256', message.body),
      at: now,
      archived_until: archived ? now + ARCHIVE_MS : null,
    };
  }

  #keep(entry: number, { messageId, body, attributes, systemAttributes }: SqsMessage): void {
    this.#statements
      .of('INSERT INTO messages VALUES (?, ?, ?, ?, ?)')
      .run(entry, messageId, body, JSON.stringify(attributes), JSON.stringify(systemAttributes));
  }

  /** A message that is dismissed again (its delete was confirmed and it was there all the same) is archived once. */
  #replaceArchived({ place, nativeId }: Intent): void {
    const kept = this.#statements
      .of<{ entry: number }>(
        'SELECT entry FROM entries WHERE place = ? AND native_id = ? AND archived_until IS NOT NULL',
      )
      .all(place, nativeId);
    for (const { entry } of kept) this.#drop(entry);
  }

  settle(settlements: readonly Settlement[], now: number): void {
    const counts = new Map<number, number>();
    for (const stretch of stretches(settlements)) {
      for (const one of this.#areAlike(stretch) ? [stretch] : each(stretch)) this.#settle(one, counts, now);
    }
    for (const [run, change] of counts) this.#runs.countUnfinished(run, change);
  }

  /** @param stretch entries that are alike, so that the same becomes of them */
  #settle({ first, last, state, newId, detail }: Stretch, counts: Map<number, number>, now: number): void {
    const before = this.#settled(first);
    if (before === undefined) throw new BabelqError('internal', `The journal has no entry ${first}.`);
    if (!mayBecome(before.state, state)) return;
    const end = endOf(before, state);
    this.#statements.of(SETTLE).run(end, newId, detail, now, first, last);
    const change = (last - first + 1) * (Number(isUnfinished(end)) - Number(isUnfinished(before.state)));
    counts.set(before.run, (counts.get(before.run) ?? 0) + change);
    const { release, forget } = keeping(end, before);
    if (release) this.#release(first, last);
    if (forget) this.#forget(first, last);
    if (end === 'done' && before.restores !== null) this.#leaveArchive(before.restores, now);
  }

  #areAlike({ first, last }: Stretch): boolean {
    const before = first === last ? undefined : this.#settled(first);
    if (before === undefined) return first === last;
    const { run, action, state, restores, archived_until } = before;
    const like = this.#statements
      .of<{ count: number }>(LIKE_IT)
      .get(first, last, run, action, state, restores, archived_until);
    return like?.count === last - first + 1;
  }

  #settled(entry: number): Settled | undefined {
    return this.#statements.of<Settled>(SETTLED).get(entry);
  }

  /** It is back on its queue. Where its delete was never confirmed, that no longer matters. */
  #leaveArchive(entry: number, now: number): void {
    const archived = this.#settled(entry);
    if (archived !== undefined && isUnfinished(archived.state)) this.#overtake(entry, archived.run, now);
    this.#drop(entry);
  }

  #overtake(entry: number, run: number, now: number): void {
    this.#statements.of(`UPDATE entries SET state = 'void', settled_at = ? WHERE entry = ?`).run(now, entry);
    this.#runs.countUnfinished(run, -1);
  }

  #drop(entry: number): void {
    this.#release(entry);
    this.#forget(entry);
  }

  #release(first: number, last = first): void {
    this.#statements.of('UPDATE entries SET archived_until = NULL WHERE entry BETWEEN ? AND ?').run(first, last);
  }

  #forget(first: number, last = first): void {
    this.#statements.of('DELETE FROM messages WHERE entry BETWEEN ? AND ?').run(first, last);
  }
}

/** Cuts intents, in their order, where the place changes, or where a message comes a second time: what the first began counts then. */
function together(intents: readonly Intent[]): Intent[][] {
  const parts: Intent[][] = [];
  let part: Intent[] = [];
  let met = new Set<string>();
  for (const intent of intents) {
    if (part.length === 0 || part[0]?.place !== intent.place || met.has(intent.nativeId)) {
      part = [];
      met = new Set();
      parts.push(part);
    }
    part.push(intent);
    met.add(intent.nativeId);
  }
  return parts;
}

/** Entries whose numbers follow one another, and what is said of each of them. */
interface Stretch {
  first: number;
  last: number;
  state: Settlement['state'];
  newId: string | null;
  detail: string | null;
}

function stretches(settlements: readonly Settlement[]): Stretch[] {
  const found: Stretch[] = [];
  let stretch: Stretch | undefined;
  for (const { entry, state, newId = null, detail = null } of settlements) {
    if (
      stretch !== undefined &&
      entry === stretch.last + 1 &&
      state === stretch.state &&
      newId === stretch.newId &&
      detail === stretch.detail
    ) {
      stretch.last = entry;
    } else {
      stretch = { first: entry, last: entry, state, newId, detail };
      found.push(stretch);
    }
  }
  return found;
}

function each(stretch: Stretch): Stretch[] {
  const { first, last } = stretch;
  return Array.from({ length: last - first + 1 }, (_, at) => ({ ...stretch, first: first + at, last: first + at }));
}
