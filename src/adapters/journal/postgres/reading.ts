import type {
  ArchivedMessage,
  ArchivePage,
  ImportedEntry,
  LogEntry,
  LogQuery,
  Recollection,
  Run,
  SentMessage,
} from '../../../model/ports.ts';
import { quoted } from '../../postgres/quoted.ts';
import { type ArchivedRow, archivedMessage, rememberedFacts } from '../archive.ts';
import { readingsOf } from '../id-readings.ts';
import { type LogRow, logEntry } from '../log.ts';
import { type EntryRow, recollect, UNFINISHED } from '../rules.ts';
import { type StoryQuestion, type StoryRow, storyOf } from '../story.ts';
import { ALIVE, parsed, toText } from './sql.ts';

/** Asks for one document, which a statement makes as JSON. `$1` is what is asked, with the time. */
export type Ask = (sql: string, asked: object) => Promise<string | null>;

interface Recalled {
  entries: (EntryRow & { run_id: string; alive: boolean })[];
  remembered: string | null;
  sent: boolean;
}

/** See the port. */
export async function recall(
  ask: Ask,
  schema: string,
  place: string,
  messages: readonly { nativeId: string; identity: string }[],
  run: Run | null,
): Promise<Recollection[]> {
  const S = quoted(schema);
  const sql = `
    WITH own AS MATERIALIZED (SELECT number FROM ${S}.runs WHERE id = $1::json ->> 'run')
    SELECT json_build_object('own', (SELECT number FROM own), 'messages', (
      SELECT coalesce(json_agg(json_build_object(
        'entries', (SELECT coalesce(json_agg(k), '[]') FROM (
          SELECT e.entry, e.run, e.action, e.state, e.target, e.new_id, e.deduplication_id, r.id AS run_id, ${ALIVE} AS alive
          FROM ${S}.entries e JOIN ${S}.runs r ON r.number = e.run
          WHERE e.native_id = w.native_id AND e.place = w.place AND e.action <> 'import') k),
        'remembered', (SELECT e.remembered FROM ${S}.entries e
          WHERE e.new_id = w.native_id AND e.action IN ('restore', 'import') AND e.place = w.place
          ORDER BY e.entry DESC LIMIT 1),
        'sent', EXISTS (SELECT 1 FROM ${S}.entries e, own
          WHERE e.run = own.number AND e.identity = w.identity AND e.digest IS NOT NULL AND e.place = w.place AND e.native_id <> w.native_id
            AND e.action = 'retry' AND e.state IN ('sent', 'done', 'uncertain'))) ORDER BY w.nth), '[]')
      FROM json_to_recordset($1::json -> 'messages') AS w(nth int, place text, native_id text, identity text)))`;
  const asked = {
    run: run === null ? null : toText(run.id),
    messages: messages.map(({ nativeId, identity }, nth) => ({
      nth,
      place: toText(place),
      native_id: toText(nativeId),
      identity: toText(identity),
    })),
  };
  const found = parsed<{ own: number | null; messages: Recalled[] }>(await ask(sql, asked));
  return found.messages.map(({ entries, remembered, sent }) =>
    recollect(entries, found.own, ({ run_id, alive }) => ({ id: run_id, alive }), {
      remembered: rememberedFacts(remembered, null),
      sentInRun: sent,
    }),
  );
}

/** See the port. */
export async function imported(
  ask: Ask,
  schema: string,
  place: string,
  nativeIds: readonly string[],
): Promise<(ImportedEntry | null)[]> {
  const S = quoted(schema);
  const sql = `
    SELECT coalesce(json_agg((
      SELECT json_build_object('run', r.id, 'newId', e.new_id) FROM ${S}.entries e JOIN ${S}.runs r ON r.number = e.run
      WHERE e.native_id = w.value AND e.place = $1::json ->> 'place' AND e.action = 'import'
        AND e.state NOT IN ('failed', 'void')
      ORDER BY e.entry DESC LIMIT 1) ORDER BY w.nth), '[]')
    FROM json_array_elements_text($1::json -> 'ids') WITH ORDINALITY AS w(value, nth)`;
  return parsed(await ask(sql, { place: toText(place), ids: nativeIds.map(toText) }));
}

/** See the port. */
export async function sent(ask: Ask, schema: string, run: Run): Promise<SentMessage[]> {
  const S = quoted(schema);
  const sql = `
    SELECT coalesce(json_agg(json_build_object('source', e.source, 'nativeId', e.native_id, 'identity', e.identity,
      'queue', e.queue, 'to', e.target, 'newId', e.new_id) ORDER BY e.entry), '[]')
    FROM ${S}.entries e JOIN ${S}.runs r ON r.number = e.run
    WHERE r.id = $1::json ->> 'run' AND e.action = 'retry' AND e.state IN ('sent', 'done')`;
  return parsed(await ask(sql, { run: toText(run.id) }));
}

/** See the port. */
export async function archived(
  ask: Ask,
  schema: string,
  place: string,
  { after = 0, limit, nativeIdPrefixes, edited = false }: ArchivePage,
): Promise<{ messages: ArchivedMessage[]; next: number | null }> {
  const S = quoted(schema);
  const begins =
    nativeIdPrefixes === undefined
      ? ''
      : `AND EXISTS (SELECT 1 FROM json_array_elements_text($1::json -> 'prefixes') p WHERE starts_with(e.native_id, p.value))`;
  const sql = `
    SELECT coalesce(json_agg(k ORDER BY k.entry), '[]') FROM (
      SELECT e.entry, r.id AS run, e.source, e.place, e.native_id, e.remembered, e.at, e.archived_until, e.state, m.message_id,
        translate(encode(m.body, 'base64'), E'\\n', '') AS body, m.attributes, m.system_attributes
      FROM ${S}.entries e JOIN ${S}.runs r ON r.number = e.run JOIN ${S}.messages m ON m.entry = e.entry
      WHERE e.place = $1::json ->> 'place' AND e.archived_until IS NOT NULL AND e.entry > ($1::json ->> 'after')::bigint
        AND e.action = $1::json ->> 'action' ${begins}
      ORDER BY e.entry LIMIT ($1::json ->> 'limit')::bigint) k`;
  const asked = {
    place: toText(place),
    after,
    limit: limit + 1,
    action: edited ? 'retry' : 'dismiss',
    prefixes: nativeIdPrefixes?.map(toText) ?? [],
  };
  const rows = parsed<ArchivedRow[]>(await ask(sql, asked));
  const messages = rows
    .slice(0, limit)
    .map((row) => archivedMessage({ ...row, body: Buffer.from(row.body, 'base64').toString() }));
  return { messages, next: rows.length > limit ? (messages.at(-1)?.entry ?? null) : null };
}

/** See the port. */
export async function countArchived(ask: Ask, schema: string, place: string): Promise<number> {
  const sql = `
    SELECT count(*) FROM ${quoted(schema)}.entries e
    WHERE e.place = $1::json ->> 'place' AND e.archived_until IS NOT NULL AND e.action = 'dismiss'`;
  return Number(await ask(sql, { place: toText(place) }));
}

/** Named as a source and a native id, and under the ids that a restoration or an import gave. */
const OF_IDS = (S: string) => `e.entry IN (
  SELECT o.entry FROM json_to_recordset($1::json -> 'ids') AS w(source text, native_id text)
    JOIN ${S}.entries o ON o.native_id = w.native_id AND o.source = w.source
  UNION ALL
  SELECT o.entry FROM json_to_recordset($1::json -> 'ids') AS w(source text, native_id text)
    JOIN ${S}.entries o ON o.new_id = w.native_id AND o.source = w.source AND o.action IN ('restore', 'import'))`;

/** See the port. @throws BabelqError `ambiguous_id` */
export async function log(ask: Ask, schema: string, query: LogQuery): Promise<LogEntry[]> {
  const S = quoted(schema);
  const conditions: string[] = [];
  const asked: Record<string, unknown> = { limit: query.limit ?? null };
  const restrict = (condition: string, name: string, value: unknown): void => {
    conditions.push(condition);
    asked[name] = value;
  };
  if (query.run !== undefined) restrict(`starts_with(r.id, $1::json ->> 'run')`, 'run', toText(query.run));
  if (query.ids !== undefined) {
    const ids = query.ids
      .flatMap(readingsOf)
      .map(([source, native]) => ({ source: toText(source), native_id: toText(native) }));
    restrict(OF_IDS(S), 'ids', ids);
  }
  if (query.story !== undefined) {
    const entries = new Set<number>();
    for (const text of query.story) for (const entry of await storyIn(ask, S, text)) entries.add(entry);
    restrict(inList('e.entry', 'story', 'bigint'), 'story', [...entries]);
  }
  if (query.sources !== undefined) restrict(inList('e.source', 'sources'), 'sources', query.sources.map(toText));
  if (query.since !== undefined) restrict(`e.at >= ($1::json ->> 'since')::bigint`, 'since', query.since);
  if (query.before !== undefined) restrict(`e.at < ($1::json ->> 'before')::bigint`, 'before', query.before);
  if (query.by !== undefined) restrict(`r.by = $1::json ->> 'by'`, 'by', toText(query.by));
  if (query.unfinished === true) conditions.push(`e.state IN ${UNFINISHED} AND NOT ${ALIVE}`);
  const sql = `
    SELECT coalesce(json_agg(k ORDER BY k.entry DESC), '[]') FROM (
      SELECT e.entry, r.id AS run, e.action, e.source, e.native_id, e.reason, e.queue, e.subject, e.target, e.new_id, e.state,
        ${ALIVE}::int AS alive, e.possible_double::int AS possible_double, e.at, r.by, r.note, e.detail
      FROM ${S}.entries e JOIN ${S}.runs r ON r.number = e.run
      ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
      ORDER BY e.entry DESC LIMIT ($1::json ->> 'limit')::bigint) k`;
  return parsed<LogRow[]>(await ask(sql, asked)).map(logEntry);
}

async function storyIn(ask: Ask, S: string, text: string): Promise<number[]> {
  const story = storyOf(text);
  for (let next = story.next(); ; next = story.next(await answer(ask, S, next.value))) {
    if (next.done === true) return next.value;
  }
}

async function answer(ask: Ask, S: string, question: StoryQuestion): Promise<StoryRow[]> {
  const [where, asked] = whereOf(question);
  const sql = `
    SELECT coalesce(json_agg(k), '[]') FROM (
      SELECT e.entry, e.source, e.place, e.native_id, e.identity, e.new_id FROM ${S}.entries e
      WHERE ${where}) k`;
  return parsed(await ask(sql, asked));
}

function whereOf(question: StoryQuestion): [where: string, asked: object] {
  switch (question.kind) {
    case 'named':
      return [inList('e.native_id', 'ids'), { ids: question.ids.map(toText) }];
    case 'known':
      return [
        [inList('e.native_id', 'ids'), inList('e.new_id', 'ids'), inList('e.identity', 'identities')].join(' OR '),
        { ids: question.ids.map(toText), identities: question.identities.map(toText) },
      ];
    case 'beginning':
      return [
        `starts_with(e.native_id, $1::json ->> 'text') OR starts_with(e.new_id, $1::json ->> 'text')`,
        { text: toText(question.text) },
      ];
  }
}

function inList(column: string, name: string, type = 'text'): string {
  return `${column} IN (SELECT value::${type} FROM json_array_elements_text($1::json -> '${name}'))`;
}
