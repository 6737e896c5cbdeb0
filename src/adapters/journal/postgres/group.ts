import type { Intent } from '../../../model/ports.ts';
import type { Statements } from '../../postgres/postgres.ts';
import { quoted } from '../../postgres/quoted.ts';
import { type Found, type Job, Judging, type Outcome } from './judging.ts';
import { ALIVE, json, NOW, parsed, toText } from './sql.ts';

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
  const found = parsed<Found>(
    (await statements.run(readingFor(schema), [json({ now: time, ...askFor(jobs, intents) })])).rows[0]?.[0],
  );
  const judging = new Judging(found, numbers);
  const outcomes = jobs.map((job) => judging.take(job));
  const writing = judging.writing();
  if (writing !== null) await statements.run(writingTo(schema), [json(writing)]);
  return outcomes;
}

/**
 * Takes each message's lock, in one order, and draws a number for each intent: what is begun later with a message has the
 * higher number. Where a setting would have the server confirm commits before they are on disk, this one waits for it all the same.
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
