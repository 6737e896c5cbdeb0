import type { RecordedAction } from '../../model/action.ts';
import type { EntryState, LogEntry, LogQuery } from '../../model/ports.ts';
import { readingsOf } from './id-readings.ts';
import { UNFINISHED } from './rules.ts';
import { ALIVE } from './runs.ts';
import type { Statements } from './statements.ts';
import { type StoryQuestion, type StoryRow, storyOf } from './story.ts';

/** What was done to these messages, and the restorations and imports that gave them their ids. */
const OF_IDS = `e.entry IN (
  SELECT o.entry FROM json_each(:ids) w CROSS JOIN entries o
  WHERE o.native_id = json_extract(w.value, '$[1]') AND o.source = json_extract(w.value, '$[0]')
  UNION ALL
  SELECT o.entry FROM json_each(:ids) w CROSS JOIN entries o
  WHERE o.action = 'restore' AND o.new_id = json_extract(w.value, '$[1]') AND o.source = json_extract(w.value, '$[0]')
  UNION ALL
  SELECT o.entry FROM json_each(:ids) w CROSS JOIN entries o
  WHERE o.action = 'import' AND o.new_id = json_extract(w.value, '$[1]') AND o.source = json_extract(w.value, '$[0]'))`;

/** By the few runs that left something, not through all that ever was. */
const LEFT_UNFINISHED = `
  e.state IN ${UNFINISHED} AND e.run IN (SELECT r.number FROM runs r WHERE r.unfinished > 0 AND NOT ${ALIVE})`;

/** An entry with its run, as either kind of journal reads it for the log. */
export interface LogRow {
  run: string;
  action: RecordedAction;
  source: string;
  native_id: string;
  reason: string;
  queue: string | null;
  subject: string | null;
  target: string | null;
  new_id: string | null;
  state: EntryState;
  alive: number;
  possible_double: number;
  at: number;
  by: string;
  note: string | null;
  detail: string | null;
}

/**
 * What was done, newest first, by the order in which it was recorded.
 * @throws BabelqError `ambiguous_id`
 */
export function readLog(statements: Statements, query: LogQuery, now: number): LogEntry[] {
  const conditions: string[] = [];
  const bound: Record<string, unknown> = { now, limit: query.limit ?? -1 };
  const restrict = (condition: string, name: string, value: unknown): void => {
    conditions.push(condition);
    bound[name] = value;
  };
  if (query.run !== undefined) {
    restrict('e.run IN (SELECT number FROM runs WHERE id >= :run AND id <= :run || char(1114111))', 'run', query.run);
  }
  if (query.ids !== undefined) restrict(OF_IDS, 'ids', JSON.stringify(query.ids.flatMap(readingsOf)));
  if (query.story !== undefined) {
    const entries = new Set(query.story.flatMap((text) => storyIn(statements, text)));
    restrict('e.entry IN (SELECT value FROM json_each(:story))', 'story', JSON.stringify([...entries]));
  }
  if (query.sources !== undefined) {
    restrict('e.source IN (SELECT value FROM json_each(:sources))', 'sources', JSON.stringify(query.sources));
  }
  if (query.since !== undefined) restrict('e.at >= :since', 'since', query.since);
  if (query.before !== undefined) restrict('e.at < :before', 'before', query.before);
  if (query.by !== undefined) restrict('r.by = :by', 'by', query.by);
  if (query.unfinished === true) conditions.push(LEFT_UNFINISHED);
  const sql = `
    SELECT r.id AS run, e.action, e.source, e.native_id, e.reason, e.queue, e.subject, e.target, e.new_id, e.state,
      ${ALIVE} AS alive, e.possible_double, e.at, r.by, r.note, e.detail
    FROM entries e JOIN runs r ON r.number = e.run
    ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
    ORDER BY e.entry DESC LIMIT :limit`;
  return statements.of<LogRow>(sql).all(bound).map(logEntry);
}

const STORY_ROW = 'SELECT entry, source, place, native_id, identity, new_id FROM entries';
const NAMED = `${STORY_ROW} WHERE native_id IN (SELECT value FROM json_each(:ids))`;
/** Reads through all entries: an index of them would slow down every send for a question that is seldom asked. */
const KNOWN_AS = `
  ${STORY_ROW} WHERE native_id IN (SELECT value FROM json_each(:ids)) OR new_id IN (SELECT value FROM json_each(:ids))
    OR identity IN (SELECT value FROM json_each(:identities))`;
const BEGINNING = `
  ${STORY_ROW} WHERE (native_id >= :text AND native_id <= :text || char(1114111))
    OR (new_id >= :text AND new_id <= :text || char(1114111))`;

function storyIn(statements: Statements, text: string): number[] {
  const story = storyOf(text);
  for (let next = story.next(); ; next = story.next(answer(statements, next.value))) {
    if (next.done === true) return next.value;
  }
}

function answer(statements: Statements, question: StoryQuestion): StoryRow[] {
  switch (question.kind) {
    case 'named':
      return statements.of<StoryRow>(NAMED).all({ ids: JSON.stringify(question.ids) });
    case 'known':
      return statements
        .of<StoryRow>(KNOWN_AS)
        .all({ ids: JSON.stringify(question.ids), identities: JSON.stringify(question.identities) });
    case 'beginning':
      return statements.of<StoryRow>(BEGINNING).all({ text: question.text });
  }
}

/** The line of the log that a row comes to. */
export function logEntry(row: LogRow): LogEntry {
  return {
    run: row.run,
    action: row.action,
    id: `${row.source}/${row.native_id}`,
    source: row.source,
    reason: row.reason,
    queue: row.queue,
    subject: row.subject,
    to: row.target,
    new_id: row.new_id,
    outcome: outcomeOf(row),
    possible_double: row.possible_double === 1,
    at: new Date(row.at).toISOString(),
    by: row.by,
    note: row.note,
    detail: row.detail,
  };
}

function outcomeOf({ state, alive }: Pick<LogRow, 'state' | 'alive'>): LogEntry['outcome'] {
  switch (state) {
    case 'done':
    case 'failed':
      return state;
    case 'void':
      return 'overtaken';
    default:
      return alive === 1 ? 'under_way' : 'uncertain';
  }
}
