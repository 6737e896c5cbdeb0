import type { Action } from '../../model/action.ts';
import type { EntryState, Intent, Recollection, Settlement } from '../../model/ports.ts';

/** What an entry may become and what that means for its message: the same whatever keeps the journal. */

/** The states in which an entry has not come to an end. */
const UNFINISHED_STATES = ['intended', 'uncertain', 'sent'] as const;
export type UnfinishedState = (typeof UNFINISHED_STATES)[number];

/** The same as SQL, for either kind of journal. */
export const UNFINISHED = `(${UNFINISHED_STATES.map((state) => `'${state}'`).join(', ')})`;

/** An entry of a message, as far as it decides what may be done with the message now. */
export interface EntryRow<S extends EntryState = EntryState> {
  entry: number;
  run: number;
  action: Action;
  state: S;
  target: string | null;
  new_id: string | null;
  deduplication_id: string | null;
}

/** An entry as far as it decides what its settlement means. */
export interface Settled {
  run: number;
  action: Action;
  state: EntryState;
  restores: number | null;
  archived_until: number | null;
}

/** What is called a run, and whether it lives. */
export interface RunFacts {
  id: string;
  alive: boolean;
}

/** Whether an entry in this state has not come to its end. */
export function isUnfinished(state: EntryState): state is UnfinishedState {
  return (UNFINISHED_STATES as readonly EntryState[]).includes(state);
}

/** Those that have not come to an end. */
function unfinishedOf<T extends EntryRow>(rows: readonly T[]): (T & EntryRow<UnfinishedState>)[] {
  return rows.filter((row): row is T & EntryRow<UnfinishedState> => isUnfinished(row.state));
}

/** SQLite's sorting would cost more than the look-up: there is hardly ever more than one. */
export function newest<T extends { entry: number }>(rows: readonly T[]): T | null {
  return rows.reduce<T | null>((best, row) => (best === null || row.entry > best.entry ? row : best), null);
}

/**
 * What an intent, which is no import, overtakes of what was left unfinished of its message; null where it is somebody else's: a
 * living run is at that very message, or somebody has begun something with it since it was recalled.
 * @param known all entries of the message but imports
 */
export function overtaken<T extends EntryRow>(
  known: readonly T[],
  { last, restores }: Pick<Intent, 'last' | 'restores'>,
  run: number,
  isAlive: (entry: T) => boolean,
): T[] | null {
  if (last !== undefined && last !== (newest(known)?.entry ?? null)) return null;
  const unfinished = unfinishedOf(known);
  if (unfinished.some((other) => other.run !== run && isAlive(other))) return null;
  // What is being restored stays in the archive until it is back on its queue.
  return unfinished.filter(({ entry }) => entry !== restores);
}

/** What is known never becomes less: an end stays, a send that was confirmed stays, an overtaken entry isn't reopened. */
export function mayBecome(from: EntryState, to: Settlement['state']): boolean {
  if (from === 'done') return false;
  return !(to === 'uncertain' && (from === 'sent' || from === 'void'));
}

/** A restoration has nothing to delete on a queue: once it is sent it is done. */
export function endOf({ restores }: Settled, state: Settlement['state']): Settlement['state'] {
  return restores !== null && state === 'sent' ? 'done' : state;
}

const KEEP = { release: false, forget: false };

/** What an end means for the message that is kept with an entry. `release`: it isn't the archive's any more; `forget`: its body goes. */
export function keeping(
  state: Settlement['state'],
  { action, archived_until }: Settled,
): { release: boolean; forget: boolean } {
  // What was sent was edited: this is the only copy of what it was.
  if (state === 'done' && action === 'retry' && archived_until !== null) return KEEP;
  if (state === 'void') return { release: true, forget: false };
  // It lies where it was.
  if (state === 'failed') return { release: archived_until !== null, forget: true };
  return state === 'done' && action !== 'dismiss' ? { release: false, forget: true } : KEEP;
}

/** Of a retry there is nothing to remember: its message never comes back to this place under an id that is known. */
export function isRemembered(action: string): boolean {
  return action !== 'retry';
}

/** Whether an intent's message is the archive's, for thirty days. */
export function isArchived(action: string, { message, edited }: Pick<Intent, 'message' | 'edited'>): boolean {
  return message !== null && (action === 'dismiss' || edited === true);
}

/** What is known of a message, from all of its entries but imports. */
export function recollect<T extends EntryRow>(
  entries: readonly T[],
  ownRun: number | null,
  factsOf: (entry: T) => RunFacts,
  more: Pick<Recollection, 'remembered' | 'sentInRun'>,
): Recollection {
  const unfinished = newest(unfinishedOf(entries));
  const finished = newest(entries.filter(({ state }) => state === 'done'));
  return {
    last: newest(entries)?.entry ?? null,
    unfinished: unfinished === null ? null : unfinishedEntry(unfinished, factsOf(unfinished), ownRun),
    finished: finished === null ? null : finishedEntry(finished, factsOf(finished)),
    ...more,
  };
}

function finishedEntry({ action, target, new_id }: EntryRow, { id }: RunFacts): Recollection['finished'] {
  return { run: id, action, to: target, newId: new_id };
}

function unfinishedEntry(
  row: EntryRow<UnfinishedState>,
  { id, alive }: RunFacts,
  ownRun: number | null,
): Recollection['unfinished'] {
  return {
    entry: row.entry,
    run: id,
    action: row.action,
    state: row.state,
    to: row.target,
    newId: row.new_id,
    deduplicationId: row.deduplication_id,
    alive: alive && row.run !== ownRun,
  };
}
