import { sayProblem, type WholeFailure } from '../failure.ts';
import type { HistoryEntry } from '../operations/inspect.ts';
import { ago, expiry, fullTime } from './age.ts';
import { sayCount } from './counts.ts';
import { escapeText } from './escape.ts';
import { ORIGIN_WORDS, TARGET_WORDS } from './evidence.ts';
import { OUTCOME_WORDS } from './outcomes.ts';
import { explain } from './reasons.ts';

/** How a value stands out: `strong` is what to read first, `soon` and `near` an expiry, `blocked` what can't be done. */
export type Tone = 'plain' | 'strong' | 'soon' | 'near' | 'blocked';

/** A line of the page: both texts are escaped. An empty label goes on with the field above it. */
export interface Field {
  label: string;
  value: string;
  tone: Tone;
}

/** A titled list of names and values, both escaped. */
export interface FieldList {
  title: string;
  entries: readonly (readonly [string, string])[];
}

/** One failure as a page: why first, then what to do, then where it is and what it is; nothing that isn't known. */
export interface FailurePage {
  /** Blocks of fields, with a gap between them. */
  blocks: Field[][];
  /** Attributes, system attributes and history; never empty ones. */
  lists: FieldList[];
  /** What is to be said of the body before it: its size, and what it isn't. */
  bodyMarks: string[];
}

/** Lays out everything known of a failure. @param now for the ages, in milliseconds */
export function failurePage(failure: WholeFailure, history: readonly HistoryEntry[], now: number): FailurePage {
  const { attributes, system_attributes, body, redacted, size_bytes } = failure;
  const lists: FieldList[] = [
    {
      title: 'Attributes',
      entries: Object.entries(attributes).map(([name, { type, value }]) => [name, `${value}  (${type})`]),
    },
    { title: 'From SQS', entries: Object.entries(system_attributes) },
    { title: 'History', entries: history.map((entry) => historyEntry(entry, now)) },
  ];
  const bodyMarks = [`${sayCount(size_bytes)} bytes`];
  if (body === null) bodyMarks.push('not UTF-8, shown escaped');
  if (redacted) bodyMarks.push('redacted');
  return {
    blocks: [why(failure), where(failure, now), what(failure)],
    lists: lists.filter(({ entries }) => entries.length > 0).map(escapeList),
    bodyMarks,
  };
}

function why(failure: WholeFailure): Field[] {
  const { meaning, details, before_retry } = explain(failure);
  const problems = failure.problems.map(sayProblem);
  const retry =
    failure.retry_blocked !== null
      ? field('Retry', `can't be done: ${failure.retry_blocked}`, 'blocked')
      : field('Retry to', targetOf(failure));
  return known([
    field('Reason', `${failure.reason} (${failure.reason_basis})`, 'strong'),
    // The fields that were refused have a line of their own.
    field('', [meaning, ...details.filter((detail) => !problems.includes(detail))].join(' ')),
    field('Error', failure.error),
    field('Exception', failure.exception),
    field('Problems', problems.join(', ')),
    field('Fix first', before_retry),
    retry,
  ]);
}

function targetOf({ retry_to, retry_to_basis }: WholeFailure): string {
  if (retry_to === null) return "its app's next tick";
  return retry_to_basis === null ? retry_to : `${retry_to} (${TARGET_WORDS[retry_to_basis]})`;
}

function setAside({ origin, reason }: WholeFailure): string {
  return reason === 'unclassified' ? 'who put it there is not recorded' : `set aside by ${ORIGIN_WORDS[origin]}`;
}

function where(failure: WholeFailure, now: number): Field[] {
  const time = (iso: string | null) => (iso === null ? null : `${ago(iso, now)}, ${fullTime(iso)}`);
  const expires = expiry(failure.expires_at, now);
  const tone = expires === null || expires.level === 'later' ? 'plain' : expires.level;
  return known([
    field('State', `${failure.state}, in ${failure.held_in}; ${setAside(failure)}`),
    field('Queue', failure.queue),
    field('Failed', time(failure.failed_at)),
    field('Sent', time(failure.sent_at)),
    field('Expires', expires === null ? null : `${expires.short}, ${fullTime(failure.expires_at)}`, tone),
    field('Tries', failure.attempts === null ? null : `${failure.attempts}, as recorded`),
    field('Receives', failure.receive_count === null ? null : `${failure.receive_count}, with looks like this one`),
  ]);
}

function what(failure: WholeFailure): Field[] {
  return known([
    field('Subject', failure.subject),
    field('Message id', failure.message_id),
    field('Trace', failure.trace_id),
    field('Written by', failure.lang),
    field('Version', failure.schema_version),
    field('Fingerprint', failure.fingerprint),
  ]);
}

function historyEntry({ at, action, outcome, by, run, note }: HistoryEntry, now: number): [string, string] {
  const why = note === null ? '' : `: ${note}`;
  return [ago(at, now), `${action} ${OUTCOME_WORDS[outcome]} by ${by} (run ${run})${why}`];
}

function field(label: string, value: string | null, tone: Tone = 'plain'): Field | null {
  return value === null || value === '' ? null : { label, value: escapeText(value), tone };
}

function known(fields: readonly (Field | null)[]): Field[] {
  return fields.filter((one) => one !== null);
}

function escapeList({ title, entries }: FieldList): FieldList {
  return { title, entries: entries.map(([name, value]) => [escapeText(name), escapeText(value)]) };
}
