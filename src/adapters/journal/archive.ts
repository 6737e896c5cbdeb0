import { KEPT_MS } from '../../model/failure.ts';
import type { ArchivedMessage, ArchivePage } from '../../model/ports.ts';
import type { RememberedFacts, SqsMessage } from '../../model/sqs-message.ts';
import type { Statements } from './statements.ts';

/** How long a dismissed message, or one whose end was never heard, is kept. */
export const ARCHIVE_MS = KEPT_MS;

/** How long before a run another must have begun by whose clock a message was too old already. */
export const AGREED_MS = 86_400_000;

/** How many messages one `prune` drops at most: it comes with every run, and must not hold one up. */
export const PRUNED_AT_ONCE = 500;

const COLUMNS = `
  SELECT e.entry, r.id AS run, e.source, e.place, e.native_id, e.remembered, e.at, e.archived_until, e.state,
    m.message_id, m.body, m.attributes, m.system_attributes`;
const JOINS = 'JOIN runs r ON r.number = e.run JOIN messages m ON m.entry = e.entry';
// What is there can be had back, also past its time: a clock may be wrong.
const PAGE = 'e.place = :place AND e.archived_until IS NOT NULL AND e.entry > :after AND e.action = :action';

const ALL = `${COLUMNS} FROM entries e ${JOINS} WHERE ${PAGE} ORDER BY e.entry LIMIT :limit`;

/** One look into the index for each prefix; U+10FFFF sorts after everything that can follow it. */
const PREFIXED = `
  ${COLUMNS} FROM entries e ${JOINS} WHERE e.entry IN (
    SELECT e.entry FROM json_each(:prefixes) p CROSS JOIN entries e
    WHERE ${PAGE} AND e.native_id >= p.value AND e.native_id <= p.value || char(1114111)
  ) ORDER BY e.entry LIMIT :limit`;

/** A message of the archive as it lies in either kind of journal, its body as text. */
export interface ArchivedRow {
  entry: number;
  run: string;
  source: string;
  place: string;
  native_id: string;
  remembered: string | null;
  at: number;
  archived_until: number;
  state: string;
  message_id: string;
  body: string;
  attributes: string;
  system_attributes: string;
}

/** What was dismissed and is still kept, and the originals of what was sent edited. */
export class Archive {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  page(
    place: string,
    { after = 0, limit, nativeIdPrefixes, edited = false }: ArchivePage,
  ): { messages: ArchivedMessage[]; next: number | null } {
    const bound = { place, after, limit: limit + 1, action: edited ? 'retry' : 'dismiss' };
    const rows =
      nativeIdPrefixes === undefined
        ? this.#statements.of<ArchivedRow>(ALL).all(bound)
        : this.#statements.of<ArchivedRow>(PREFIXED).all({ ...bound, prefixes: JSON.stringify(nativeIdPrefixes) });
    const messages = rows.slice(0, limit).map(archivedMessage);
    return { messages, next: rows.length > limit ? (messages.at(-1)?.entry ?? null) : null };
  }

  count(place: string): number {
    const sql = 'SELECT count(*) AS count FROM entries WHERE place = ? AND archived_until IS NOT NULL AND action = ?';
    return this.#statements.of<{ count: number }>(sql).get(place, 'dismiss')?.count ?? 0;
  }

  /**
   * Drops messages that are older than thirty days, whatever became of them; a bounded number, the oldest. Their entries
   * stay in the log. Runs inside a transaction of the caller's, as a run begins.
   *
   * They must have been so old already when an earlier run began, a day ago or more: a clock that is wrong once, for
   * however many commands, takes nothing.
   */
  prune(now: number): void {
    const earlier = this.#statements
      .of<{ at: number | null }>('SELECT max(started_at) AS at FROM runs WHERE started_at <= ?')
      .get(now - AGREED_MS)?.at;
    if (earlier == null) return;
    const expired = this.#statements
      .of<{ entry: number }>(
        `SELECT e.entry FROM (SELECT entry FROM messages ORDER BY entry LIMIT ${PRUNED_AT_ONCE}) m
         JOIN entries e ON e.entry = m.entry WHERE e.at <= ?`,
      )
      .all(earlier - ARCHIVE_MS);
    for (const { entry } of expired) {
      this.#statements.of('UPDATE entries SET archived_until = NULL WHERE entry = ?').run(entry);
      this.#statements.of('DELETE FROM messages WHERE entry = ?').run(entry);
    }
  }
}

/** The message that a row of either kind of journal holds. */
export function archivedMessage(row: ArchivedRow): ArchivedMessage {
  const message: SqsMessage = {
    messageId: row.message_id,
    body: row.body,
    attributes: JSON.parse(row.attributes),
    systemAttributes: JSON.parse(row.system_attributes),
  };
  return {
    entry: row.entry,
    run: row.run,
    source: row.source,
    place: row.place,
    nativeId: row.native_id,
    message,
    remembered: rememberedFacts(row.remembered, new Date(row.archived_until).toISOString()),
    archivedAt: row.at,
    expiresAt: row.archived_until,
    confirmed: row.state === 'done',
  };
}

/** The facts as they were recorded, but for whether the message lies in the archive: that is known by where it was found. */
export function rememberedFacts(recorded: string | null, archivedUntil: string | null): RememberedFacts | null {
  if (recorded === null) return null;
  return { ...(JSON.parse(recorded) as RememberedFacts), archivedUntil };
}
