import { hash } from 'node:crypto';
import { BabelqError } from '../../model/errors.ts';
import type { Intent, Run, Settlement } from '../../model/ports.ts';
import { ARCHIVE_MS } from './archive.ts';
import {
  type EntryRow,
  endOf,
  isArchived,
  isRemembered,
  isTaken,
  isUnfinished,
  keeping,
  mayBecome,
  newest,
  type Settled,
  unfinishedOf,
} from './rules.ts';
import type { Runs } from './runs.ts';
import type { Statements } from './statements.ts';

/** The states in which an entry has not come to an end, as SQL. */
export const UNFINISHED = `('intended', 'uncertain', 'sent')`;

// Hardly ever finds one, and is asked for every message: a join or an order would cost more than the look-up.
const ENTRIES_OF = `
  SELECT entry, run, action, state, target, new_id, deduplication_id, at FROM entries
  WHERE native_id = ? AND place = ? AND action <> 'import'`;

/** An import begins nothing with a message that lies on the place: it puts another there. */
const IMPORTS_OF = `
  SELECT entry, run, new_id FROM entries
  WHERE native_id = ? AND place = ? AND action = 'import' AND state NOT IN ('failed', 'void')`;

const INSERT = `
  INSERT INTO entries (run, action, source, place, native_id, identity, reason, queue, subject, target,
    deduplication_id, possible_double, restores, remembered, digest, state, at, archived_until)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'intended', ?, ?)`;

const SETTLE = `
  UPDATE entries SET state = ?, new_id = ifnull(?, new_id), detail = ifnull(?, detail), settled_at = ? WHERE entry = ?`;

const SETTLED = 'SELECT run, action, state, restores, archived_until FROM entries';

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
    const entries = intents.map((intent) =>
      this.#claim(number, run, intent, now) ? this.#insert(number, run, intent, now) : null,
    );
    this.#runs.countUnfinished(number, entries.filter((entry) => entry !== null).length);
    return entries;
  }

  /**
   * Overtakes what earlier runs left unfinished of this message, unless somebody living is still at it, or somebody has
   * begun something with it since it was recalled.
   */
  #claim(run: number, { action }: Run, intent: Intent, now: number): boolean {
    const { nativeId, place, restores = null } = intent;
    if (action === 'import') return intent.again === true || this.importOf(place, nativeId) === null;
    const known = this.of(place, nativeId);
    if (isTaken(known, intent, run, (other) => this.#runs.factsOf(other.run, now).alive)) return false;
    if (restores !== null && !this.#isKept(restores)) return false;
    for (const other of unfinishedOf(known)) {
      // What is being restored stays in the archive until it is back on its queue.
      if (other.entry === restores) continue;
      this.#overtake(other.entry, other.run, now);
      if (intent.message !== null) this.#drop(other.entry);
    }
    return true;
  }

  #isKept(entry: number): boolean {
    const kept = this.#statements.of('SELECT 1 FROM entries WHERE entry = ? AND archived_until IS NOT NULL');
    return kept.get(entry) !== undefined;
  }

  #insert(number: number, run: Run, intent: Intent, now: number): number {
    const { message } = intent;
    const remembered = isRemembered(run.action) ? intent.remembered : null;
    const archived = isArchived(run.action, intent);
    if (archived && run.action === 'dismiss') this.#replaceArchived(intent);
    const { lastInsertRowid } = this.#statements
      .of(INSERT)
      .run(
        number,
        run.action,
        intent.source,
        intent.place,
        intent.nativeId,
        intent.identity,
        intent.reason,
        intent.queue,
        intent.subject,
        intent.to,
        intent.deduplicationId,
        intent.possibleDouble ? 1 : 0,
        intent.restores ?? null,
        remembered === null ? null : JSON.stringify(remembered),
        message === null ? null : hash('sha256', message.body, 'buffer'),
        now,
        archived ? now + ARCHIVE_MS : null,
      );
    const entry = Number(lastInsertRowid);
    if (message !== null) {
      const { messageId, body, attributes, systemAttributes } = message;
      this.#statements
        .of('INSERT INTO messages VALUES (?, ?, ?, ?, ?)')
        .run(entry, messageId, body, JSON.stringify(attributes), JSON.stringify(systemAttributes));
    }
    return entry;
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
    for (const { entry, state, newId = null, detail = null } of settlements) {
      const before = this.#statements.of<Settled>(`${SETTLED} WHERE entry = ?`).get(entry);
      if (before === undefined) throw new BabelqError('internal', `The journal has no entry ${entry}.`);
      if (!mayBecome(before.state, state)) continue;
      const end = endOf(before, state);
      this.#statements.of(SETTLE).run(end, newId, detail, now, entry);
      const change = Number(isUnfinished(end)) - Number(isUnfinished(before.state));
      counts.set(before.run, (counts.get(before.run) ?? 0) + change);
      this.#afterwards(entry, end, before, now);
    }
    for (const [run, change] of counts) this.#runs.countUnfinished(run, change);
  }

  #afterwards(entry: number, state: Settlement['state'], before: Settled, now: number): void {
    const end = keeping(state, before);
    if (end === 'release') this.#release(entry);
    else if (end === 'drop') this.#drop(entry);
    else if (end === 'forget') this.#forget(entry);
    if (state === 'done' && before.restores !== null) this.#leaveArchive(before.restores, now);
  }

  /** It is back on its queue. Where its delete was never confirmed, that no longer matters. */
  #leaveArchive(entry: number, now: number): void {
    const archived = this.#statements.of<Settled>(`${SETTLED} WHERE entry = ?`).get(entry);
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

  #release(entry: number): void {
    this.#statements.of('UPDATE entries SET archived_until = NULL WHERE entry = ?').run(entry);
  }

  #forget(entry: number): void {
    this.#statements.of('DELETE FROM messages WHERE entry = ?').run(entry);
  }
}
