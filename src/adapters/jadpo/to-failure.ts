import { KEPT_MS, type Problem, type State, type WholeFailure } from '../../model/failure.ts';
import { fingerprint } from '../../model/fingerprint.ts';
import { nativeId } from './keys.ts';
import { problemsFrom } from './problems.ts';
import type { Row } from './store.ts';
import { textOf, utf8 } from './text.ts';
import { isoFrom, msFrom } from './times.ts';

/**
 * A parked row as a failure, as `jadpo deliveries` names it. What the table has no column for is null.
 * @param place.heldIn the table's name
 */
export function toFailure(row: Row, state: State, place: { source: string; heldIn: string }): WholeFailure {
  const queue = textOf(row.queue);
  const subject = filled(textOf(row.event));
  const messageId = filled(textOf(row.messageId));
  const recorded = filled(textOf(row.reason));
  const error = filled(textOf(row.error));
  const body = row.body instanceof Uint8Array ? utf8(row.body) : row.body;
  const reason = recorded ?? 'unclassified';
  const { problems, print } = causeOf({ reason, subject, error, problems: textOf(row.problems) });
  const blocked = retryBlocked(row, state);
  const statusAt = state === 'dismissed' ? msFrom(row.statusAt) : null;
  return {
    id: `${place.source}/${nativeId(row.key)}`,
    source: place.source,
    origin: 'jadpo',
    state,
    reason,
    reason_basis: recorded === null ? 'inferred' : 'recorded',
    queue,
    held_in: place.heldIn,
    retry_to: null,
    retry_to_basis: null,
    subject,
    title: titleOf(queue, subject, messageId),
    error,
    exception: null,
    problems: [...problems],
    attempts: null,
    receive_count: null,
    failed_at: isoFrom(row.parkedAt),
    sent_at: null,
    expires_at: statusAt !== null ? new Date(statusAt + KEPT_MS).toISOString() : null,
    message_id: messageId,
    trace_id: null,
    lang: null,
    schema_version: null,
    fingerprint: print,
    size_bytes: row.body === null ? 0 : Buffer.byteLength(row.body),
    retryable: blocked === null,
    retry_blocked: blocked,
    body,
    body_base64: row.body instanceof Uint8Array && body === null ? Buffer.from(row.body).toString('base64') : null,
    attributes: {},
    system_attributes: {},
  };
}

interface Recorded {
  reason: string;
  subject: string | null;
  error: string | null;
  problems: string | null;
}

interface Cause {
  problems: readonly Problem[];
  print: string;
}

/** So many causes are remembered, of so many characters at most. */
const MOST_CAUSES = 500;
const LONGEST_CAUSE = 1000;
const causes = new Map<string, Cause>();

/** A million failures have a few causes: what was made of each is remembered. */
function causeOf({ reason, subject, error, problems }: Recorded): Cause {
  const name = `${reason}\n${subject}\n${error}\n${problems}`;
  const known = causes.get(name);
  if (known !== undefined) return known;
  const found = problemsFrom(problems);
  const print = fingerprint({ origin: 'jadpo', reason, subject, exception: null, error, problems: found });
  const cause = { problems: Object.freeze(found), print };
  if (name.length <= LONGEST_CAUSE) {
    if (causes.size >= MOST_CAUSES) causes.clear();
    causes.set(name, cause);
  }
  return cause;
}

/** `queue warehouse_queue · OrderShipped`; the message's id where the event isn't known, else the queue alone. */
function titleOf(queue: string | null, subject: string | null, messageId: string | null): string {
  const named = `queue ${queue ?? '?'}`;
  if (subject !== null) return `${named} · ${subject}`;
  return messageId === null ? named : `${named} · message ${messageId}`;
}

function retryBlocked(row: Row, state: State): string | null {
  if (state === 'pending') return "It is already pending: the app's next tick reads it.";
  if (state === 'dismissed') return 'It is dismissed: restore it first.';
  return row.body === null ? 'Its body is missing from the table.' : null;
}

function filled(text: string | null): string | null {
  return text === null || text === '' ? null : text;
}
