import { hash } from 'node:crypto';
import { BabelqError } from '../../../model/errors.ts';
import type { EntryState, Intent, Run, Settlement } from '../../../model/ports.ts';
import { ARCHIVE_MS } from '../archive.ts';
import {
  type EntryRow,
  endOf,
  isArchived,
  isRemembered,
  isUnfinished,
  keeping,
  mayBecome,
  overtaken,
  type Settled,
} from '../rules.ts';
import { orNull, toText } from './sql.ts';

/** What one call wants to have recorded. */
export type Job =
  | { kind: 'intend'; run: Run; intents: readonly Intent[] }
  | { kind: 'settle'; settlements: readonly Settlement[] };

/** What a call is answered with, or what it failed with; then nothing of it was recorded, and all of the others. */
export type Outcome = { value: (number | null)[] | undefined } | { error: unknown };

/** An entry while a group is being worked on. */
interface Row extends EntryRow, Settled {
  place: string;
  native_id: string;
  at: number;
  alive: boolean;
  /** Of an entry that is settled. */
  change: { new_id: string | null; detail: string | null; settled_at: number } | null;
}

/** What the reading statement found of all that a group is about. */
export interface Found {
  now: number;
  runs: { number: number; id: string }[];
  entries: Omit<Row, 'change'>[];
  imports: { place: string; native_id: string }[];
}

/**
 * What becomes of a group of calls, one after the other, by the rules that every journal has. Works in memory on what was found, and
 * answers with what is to be written.
 */
export class Judging {
  readonly #now: number;
  readonly #numbers: number[];
  readonly #runs: ReadonlyMap<string, number>;
  readonly #entries = new Map<number, Row>();
  readonly #ofMessage = new Map<string, Row[]>();
  readonly #imported: Set<string>;
  readonly #inserted = new Map<number, Intent>();
  readonly #changed = new Set<number>();
  readonly #forgotten = new Set<number>();

  constructor(found: Found, numbers: number[]) {
    this.#now = found.now;
    this.#numbers = numbers;
    this.#runs = new Map(found.runs.map(({ id, number }) => [id, number]));
    this.#imported = new Set(found.imports.map(({ place, native_id }) => keyOf(place, native_id)));
    for (const row of found.entries) this.#know({ ...row, change: null });
  }

  take(job: Job): Outcome {
    try {
      if (job.kind === 'intend') return { value: this.#intend(job.run, job.intents) };
      this.#settle(job.settlements);
      return { value: undefined };
    } catch (error) {
      return { error };
    }
  }

  #intend(run: Run, intents: readonly Intent[]): (number | null)[] {
    // Drawn for this call, and gone with it.
    const numbers = this.#numbers.splice(0, intents.length);
    const number = this.#runs.get(run.id);
    if (number === undefined) throw new BabelqError('internal', `The journal doesn't know the run ${run.id}.`);
    return intents.map((intent, at) => {
      const entry = numbers[at];
      if (entry === undefined || !this.#claim(number, run, intent)) return null;
      this.#insert(entry, number, run, intent);
      return entry;
    });
  }

  #claim(run: number, { action }: Run, intent: Intent): boolean {
    const { place, nativeId, restores = null } = intent;
    const key = keyOf(place, nativeId);
    if (action === 'import') return intent.again === true || !this.#imported.has(key);
    const known = this.#ofMessage.get(key) ?? [];
    const left = overtaken(known, intent, run, ({ alive }) => alive);
    if (left === null) return false;
    if (restores !== null && (this.#entries.get(restores)?.archived_until ?? null) === null) return false;
    for (const other of left) {
      this.#overtake(other);
      if (intent.message !== null) this.#drop(other);
    }
    return true;
  }

  #insert(entry: number, number: number, run: Run, intent: Intent): void {
    const { place, nativeId } = intent;
    const key = keyOf(place, nativeId);
    const archived = isArchived(run.action, intent);
    // A message that is dismissed again is archived once.
    if (archived && run.action === 'dismiss') {
      for (const other of this.#ofMessage.get(key) ?? []) if (other.archived_until !== null) this.#drop(other);
    }
    this.#inserted.set(entry, intent);
    if (run.action === 'import') this.#imported.add(key);
    this.#know({
      entry,
      run: number,
      action: run.action as Row['action'],
      place,
      native_id: nativeId,
      state: 'intended',
      target: intent.to,
      new_id: null,
      deduplication_id: intent.deduplicationId,
      at: this.#now,
      restores: intent.restores ?? null,
      archived_until: archived ? this.#now + ARCHIVE_MS : null,
      alive: true,
      change: null,
    });
  }

  #settle(settlements: readonly Settlement[]): void {
    const unknown = settlements.find(({ entry }) => !this.#entries.has(entry));
    if (unknown !== undefined) throw new BabelqError('internal', `The journal has no entry ${unknown.entry}.`);
    for (const { entry, state, newId = null, detail = null } of settlements) {
      const row = this.#entries.get(entry) as Row;
      if (!mayBecome(row.state, state)) continue;
      const before: Settled = { ...row };
      const end = endOf(before, state);
      this.#become(row, end, { new_id: newId, detail });
      const { release, forget } = keeping(end, before);
      if (release) this.#release(row);
      if (forget) this.#forgotten.add(entry);
      if (end === 'done' && before.restores !== null) this.#leaveArchive(before.restores);
    }
  }

  /** It is back on its queue. Where its delete was never confirmed, that no longer matters. */
  #leaveArchive(entry: number): void {
    const archived = this.#entries.get(entry);
    if (archived === undefined) return;
    if (isUnfinished(archived.state)) this.#overtake(archived);
    this.#drop(archived);
  }

  #overtake(row: Row): void {
    this.#become(row, 'void', { new_id: null, detail: null });
  }

  #become(row: Row, state: EntryState, { new_id, detail }: { new_id: string | null; detail: string | null }): void {
    row.state = state;
    row.change = {
      new_id: new_id ?? row.change?.new_id ?? null,
      detail: detail ?? row.change?.detail ?? null,
      settled_at: this.#now,
    };
    this.#changed.add(row.entry);
  }

  #drop(row: Row): void {
    this.#release(row);
    this.#forgotten.add(row.entry);
  }

  #release(row: Row): void {
    if (row.archived_until === null) return;
    row.archived_until = null;
    this.#changed.add(row.entry);
  }

  #know(row: Row): void {
    this.#entries.set(row.entry, row);
    if ((row.action as string) === 'import') return;
    const key = keyOf(row.place, row.native_id);
    const rows = this.#ofMessage.get(key);
    if (rows === undefined) this.#ofMessage.set(key, [row]);
    else rows.push(row);
  }

  /** What is to be written; null where that is nothing. */
  writing() {
    const inserted = [...this.#inserted].map(([entry, intent]) => insertedRow(this.#entries.get(entry) as Row, intent));
    const messages = [...this.#inserted].flatMap(([entry, { message }]) =>
      message === null || this.#forgotten.has(entry)
        ? []
        : {
            entry,
            message_id: toText(message.messageId),
            body: Buffer.from(message.body).toString('base64'),
            attributes: toText(JSON.stringify(message.attributes)),
            system_attributes: toText(JSON.stringify(message.systemAttributes)),
          },
    );
    const changed = [...this.#changed].flatMap((entry) => {
      const { state, archived_until, change } = this.#entries.get(entry) as Row;
      if (this.#inserted.has(entry)) return [];
      return {
        entry,
        state,
        archived_until,
        new_id: orNull(change?.new_id ?? null),
        detail: orNull(change?.detail ?? null),
        settled_at: change?.settled_at ?? null,
      };
    });
    const forgotten = [...this.#forgotten].filter((entry) => !this.#inserted.has(entry));
    if (inserted.length + changed.length + forgotten.length === 0) return null;
    return { inserted, messages, changed, forgotten };
  }
}

function insertedRow(row: Row, intent: Intent) {
  const { message, remembered } = intent;
  return {
    entry: row.entry,
    run: row.run,
    action: row.action,
    source: toText(intent.source),
    place: toText(intent.place),
    native_id: toText(intent.nativeId),
    identity: toText(intent.identity),
    reason: toText(intent.reason),
    queue: orNull(intent.queue),
    subject: orNull(intent.subject),
    target: orNull(intent.to),
    deduplication_id: orNull(intent.deduplicationId),
    possible_double: intent.possibleDouble,
    restores: row.restores,
    remembered: remembered === null || !isRemembered(row.action) ? null : toText(JSON.stringify(remembered)),
    digest: message === null ? null : hash('sha256', message.body, 'base64'),
    state: row.state,
    new_id: orNull(row.change?.new_id ?? null),
    detail: orNull(row.change?.detail ?? null),
    at: row.at,
    settled_at: row.change?.settled_at ?? null,
    archived_until: row.archived_until,
  };
}

function keyOf(place: string, nativeId: string): string {
  return `${place} ${nativeId}`;
}
