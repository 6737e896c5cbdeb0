import { hash } from 'node:crypto';
import type { Action } from '../../model/action.ts';
import { BabelqError } from '../../model/errors.ts';
import type { EntryState, Intent, Run, Settlement } from '../../model/ports.ts';
import { ARCHIVE_MS } from './archive.ts';
import type { Runs } from './runs.ts';
import type { Statements } from './statements.ts';

/** The states in which an entry has not come to an end, as SQL. */
export const UNFINISHED = `('intended', 'uncertain', 'sent')`;

type UnfinishedState = 'intended' | 'uncertain' | 'sent';

/** An entry of a message, as far as it decides what may be done with the message now. */
export interface EntryRow<S extends EntryState = EntryState> {
  entry: number;
  run: number;
  action: Action;
  state: S;
  target: string | null;
  new_id: string | null;
  deduplication_id: string | null;
  at: number;
}

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

interface Settled {
  run: number;
  action: Action;
  state: EntryState;
  restores: number | null;
  archived_until: number | null;
}

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
    if (intent.last !== undefined && intent.last !== (newest(known)?.entry ?? null)) return false;
    const earlier = unfinishedOf(known);
    if (earlier.some((other) => other.run !== run && this.#runs.factsOf(other.run, now).alive)) return false;
    if (restores !== null && !this.#isKept(restores)) return false;
    for (const other of earlier) {
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
    // Of a retry there is nothing to remember: its message never comes back to this place under an id that is known.
    const remembered = run.action === 'retry' ? null : intent.remembered;
    const isArchived = message !== null && (run.action === 'dismiss' || intent.edited === true);
    if (isArchived && run.action === 'dismiss') this.#replaceArchived(intent);
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
        isArchived ? now + ARCHIVE_MS : null,
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
      // A restoration has nothing to delete on a queue: once it is sent it is done.
      const end = before.restores !== null && state === 'sent' ? 'done' : state;
      this.#statements.of(SETTLE).run(end, newId, detail, now, entry);
      const change = Number(isUnfinished(end)) - Number(isUnfinished(before.state));
      counts.set(before.run, (counts.get(before.run) ?? 0) + change);
      this.#afterwards(entry, end, before, now);
    }
    for (const [run, change] of counts) this.#runs.countUnfinished(run, change);
  }

  /** What an outcome means for the messages that are kept. */
  #afterwards(entry: number, state: Settlement['state'], before: Settled, now: number): void {
    const { action, restores, archived_until } = before;
    // What was sent was edited: this is the only copy of what it was.
    if (state === 'done' && action === 'retry' && archived_until !== null) return;
    if (state === 'void') {
      this.#statements.of('UPDATE entries SET archived_until = NULL WHERE entry = ?').run(entry);
    } else if (state === 'failed' && archived_until !== null) {
      // It lies where it was.
      this.#drop(entry);
    } else if (state === 'failed' || (state === 'done' && action !== 'dismiss')) {
      this.#statements.of('DELETE FROM messages WHERE entry = ?').run(entry);
      if (state === 'done' && restores !== null) this.#leaveArchive(restores, now);
    }
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
    this.#statements.of('UPDATE entries SET archived_until = NULL WHERE entry = ?').run(entry);
    this.#statements.of('DELETE FROM messages WHERE entry = ?').run(entry);
  }
}

/** What is known never becomes less: an end stays, a send that was confirmed stays, an overtaken entry isn't reopened. */
function mayBecome(from: EntryState, to: Settlement['state']): boolean {
  if (from === 'done') return false;
  return !(to === 'uncertain' && (from === 'sent' || from === 'void'));
}

function isUnfinished(state: EntryState): state is UnfinishedState {
  return state === 'intended' || state === 'uncertain' || state === 'sent';
}

/** Those that have not come to an end. */
export function unfinishedOf(rows: readonly EntryRow[]): EntryRow<UnfinishedState>[] {
  return rows.filter((row): row is EntryRow<UnfinishedState> => isUnfinished(row.state));
}

/** SQLite's sorting would cost more than the look-up: there is hardly ever more than one. */
export function newest<T extends { entry: number }>(rows: readonly T[]): T | null {
  return rows.reduce<T | null>((best, row) => (best === null || row.entry > best.entry ? row : best), null);
}
