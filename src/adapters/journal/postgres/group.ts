import { hash } from 'node:crypto';
import { BabelqError } from '../../../model/errors.ts';
import type { EntryState, Intent, Run, Settlement } from '../../../model/ports.ts';
import type { Statements } from '../../postgres/postgres.ts';
import { quoted } from '../../postgres/quoted.ts';
import { ARCHIVE_MS } from '../archive.ts';
import {
  type EntryRow,
  endOf,
  isArchived,
  isRemembered,
  isTaken,
  isUnfinished,
  keeping,
  mayBecome,
  type Settled,
  unfinishedOf,
} from '../rules.ts';
import { ALIVE, json, NOW, orNull, parsed, toText } from './sql.ts';

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
  alive: boolean;
  /** Of an entry that is settled. */
  change: { new_id: string | null; detail: string | null; settled_at: number } | null;
}

interface Read {
  now: number;
  runs: { number: number; id: string }[];
  entries: Omit<Row, 'change'>[];
  imports: { place: string; native_id: string }[];
}

/**
 * Records what several calls want in one transaction, with as few statements as may be: lock the messages, read all that is
 * known of them, judge it here by the rules that every journal has, and write all of it at once.
 * @param time milliseconds; null for the server's
 */
export async function recordGroup(
  statements: Statements,
  schema: string,
  jobs: readonly Job[],
  time: number | null,
): Promise<Outcome[]> {
  const intents = jobs.flatMap((job) => (job.kind === 'intend' ? job.intents : []));
  const numbers = await lock(statements, schema, intents);
  const read = parsed<Read>(
    (await statements.run(readingFor(schema), [json({ now: time, ...askFor(jobs, intents) })])).rows[0]?.[0],
  );
  const group = new Group(read, numbers);
  const outcomes = jobs.map((job) => group.take(job));
  const writing = group.writing();
  if (writing !== null) await statements.run(writingTo(schema), [json(writing)]);
  return outcomes;
}

/**
 * Takes each message's lock, in one order, and draws a number for each intent: what is begun later with a message has the
 * higher number. A commit that the server was told to delay until it is on disk nobody may take back by a setting.
 */
async function lock(statements: Statements, schema: string, intents: readonly Intent[]): Promise<number[]> {
  const { rows } = await statements.run(
    `WITH durable AS MATERIALIZED (
       SELECT CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
         THEN set_config('synchronous_commit', 'on', true) END
     ), locked AS MATERIALIZED (
       SELECT pg_advisory_xact_lock(k.key) FROM (
         SELECT DISTINCT hashtextextended(w.place || ' ' || w.native_id, 0) AS key
         FROM json_to_recordset($1::json) AS w(place text, native_id text) ORDER BY 1) k
     )
     SELECT nextval($2::regclass) FROM generate_series(1, $3::int)
     WHERE (SELECT count(*) FROM durable) + (SELECT count(*) FROM locked) > 0`,
    [
      json(intents.map(({ place, nativeId }) => ({ place: toText(place), native_id: toText(nativeId) }))),
      `${quoted(schema)}.entry_numbers`,
      intents.length,
    ],
  );
  return rows.map(([number]) => Number(number));
}

function askFor(jobs: readonly Job[], intents: readonly Intent[]) {
  const settled = jobs.flatMap((job) => (job.kind === 'settle' ? job.settlements.map(({ entry }) => entry) : []));
  const restored = intents.flatMap(({ restores }) => restores ?? []);
  return {
    runs: [...new Set(jobs.flatMap((job) => (job.kind === 'intend' ? [toText(job.run.id)] : [])))],
    messages: intents.map(({ place, nativeId }) => ({ place: toText(place), native_id: toText(nativeId) })),
    entries: [...new Set([...settled, ...restored])],
  };
}

/** All that the rules ask about, as one document; the entries stay as they are until the transaction ends. */
function readingFor(schema: string): string {
  const S = quoted(schema);
  return `
    WITH asked AS MATERIALIZED (
      SELECT e.entry FROM json_to_recordset($1::json -> 'messages') AS w(place text, native_id text)
        JOIN ${S}.entries e ON e.native_id = w.native_id AND e.place = w.place AND e.action <> 'import'
      UNION SELECT w.value::bigint FROM json_array_elements_text($1::json -> 'entries') w
      UNION SELECT e.restores FROM json_array_elements_text($1::json -> 'entries') w
        JOIN ${S}.entries e ON e.entry = w.value::bigint WHERE e.restores IS NOT NULL
    ), held AS MATERIALIZED (
      SELECT e.entry, e.run, e.action, e.place, e.native_id, e.state, e.target, e.new_id, e.deduplication_id, e.at, e.restores,
        e.archived_until, ${ALIVE} AS alive
      FROM ${S}.entries e JOIN ${S}.runs r ON r.number = e.run WHERE e.entry IN (SELECT entry FROM asked)
      ORDER BY e.entry FOR NO KEY UPDATE OF e
    )
    SELECT json_build_object(
      'now', ${NOW},
      'runs', (SELECT coalesce(json_agg(json_build_object('number', r.number, 'id', r.id)), '[]') FROM ${S}.runs r
        WHERE r.id IN (SELECT value FROM json_array_elements_text($1::json -> 'runs'))),
      'entries', (SELECT coalesce(json_agg(h), '[]') FROM held h),
      'imports', (SELECT coalesce(json_agg(json_build_object('place', e.place, 'native_id', e.native_id)), '[]')
        FROM json_to_recordset($1::json -> 'messages') AS w(place text, native_id text)
        JOIN ${S}.entries e ON e.native_id = w.native_id AND e.place = w.place
        WHERE e.action = 'import' AND e.state NOT IN ('failed', 'void')))`;
}

/** The changes of a group, worked out in memory. */
class Group {
  readonly #now: number;
  readonly #numbers: number[];
  readonly #runs: ReadonlyMap<string, number>;
  readonly #entries = new Map<number, Row>();
  readonly #ofMessage = new Map<string, Row[]>();
  readonly #imported: Set<string>;
  readonly #inserted = new Map<number, Intent>();
  readonly #changed = new Set<number>();
  readonly #forgotten = new Set<number>();

  constructor(read: Read, numbers: number[]) {
    this.#now = read.now;
    this.#numbers = numbers;
    this.#runs = new Map(read.runs.map(({ id, number }) => [id, number]));
    this.#imported = new Set(read.imports.map(({ place, native_id }) => keyOf(place, native_id)));
    for (const row of read.entries) this.#know({ ...row, change: null });
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
    if (isTaken(known, intent, run, ({ alive }) => alive)) return false;
    if (restores !== null && (this.#entries.get(restores)?.archived_until ?? null) === null) return false;
    for (const other of unfinishedOf(known)) {
      // What is being restored stays in the archive until it is back on its queue.
      if (other.entry === restores) continue;
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
      const kept = keeping(end, before);
      if (kept === 'release' || kept === 'drop') this.#release(row);
      if (kept === 'forget' || kept === 'drop') this.#forgotten.add(entry);
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

/** One statement for everything: an entry is changed once, and its keys are checked when all of it is there. */
function writingTo(schema: string): string {
  const S = quoted(schema);
  return `
    WITH inserted AS (
      INSERT INTO ${S}.entries (entry, run, action, source, place, native_id, identity, reason, queue, subject, target,
        deduplication_id, possible_double, restores, remembered, digest, state, new_id, detail, at, settled_at, archived_until)
      SELECT entry, run, action, source, place, native_id, identity, reason, queue, subject, target, deduplication_id,
        possible_double, restores, remembered, decode(digest, 'base64'), state, new_id, detail, at, settled_at, archived_until
      FROM json_to_recordset($1::json -> 'inserted') AS w(entry bigint, run bigint, action text, source text, place text,
        native_id text, identity text, reason text, queue text, subject text, target text, deduplication_id text,
        possible_double boolean, restores bigint, remembered text, digest text, state text, new_id text, detail text,
        at bigint, settled_at bigint, archived_until bigint)
    ), stored AS (
      INSERT INTO ${S}.messages (entry, message_id, body, attributes, system_attributes)
      SELECT entry, message_id, decode(body, 'base64'), attributes, system_attributes
      FROM json_to_recordset($1::json -> 'messages')
        AS w(entry bigint, message_id text, body text, attributes text, system_attributes text)
    ), changed AS (
      UPDATE ${S}.entries e SET state = w.state, new_id = coalesce(w.new_id, e.new_id), detail = coalesce(w.detail, e.detail),
        settled_at = coalesce(w.settled_at, e.settled_at), archived_until = w.archived_until
      FROM json_to_recordset($1::json -> 'changed')
        AS w(entry bigint, state text, new_id text, detail text, settled_at bigint, archived_until bigint)
      WHERE e.entry = w.entry
    )
    DELETE FROM ${S}.messages m USING json_array_elements_text($1::json -> 'forgotten') w WHERE m.entry = w.value::bigint`;
}

function keyOf(place: string, nativeId: string): string {
  return `${place} ${nativeId}`;
}
