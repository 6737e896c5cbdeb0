import { ago, expiry, fullTime } from '../../model/display/age.ts';
import { escapeBlock, escapeText } from '../../model/display/escape.ts';
import { ORIGIN_WORDS, TARGET_WORDS } from '../../model/display/evidence.ts';
import { prettyBody } from '../../model/display/pretty.ts';
import { explain } from '../../model/display/reasons.ts';
import { grouped } from '../../model/display/verbs.ts';
import type { WholeFailure } from '../../model/failure.ts';
import type { FailureScreen } from '../state/state.ts';
import { type Line, line, span } from './line.ts';
import { Page } from './page.ts';
import { cutText } from './wrap.ts';

/** One failure: why first, then what to do, then the rest, the body last. */
export function failureLines(screen: FailureScreen, width: number, now: number): Line[] {
  const { failure, body } = screen;
  const page = new Page(width);
  reasonFields(page, failure);
  placeFields(page.gap(), failure, now);
  page
    .gap()
    .field('Subject', failure.subject)
    .field('Message id', failure.message_id)
    .field('Trace', failure.trace_id)
    .field('Written by', failure.lang)
    .field('Version', failure.schema_version)
    .field('Cause', failure.fingerprint);
  if (body === 'there') {
    const attributes = Object.entries(failure.attributes);
    page.pairs(
      'Attributes',
      attributes.map(([name, { type, value }]) => [name, `${value}  (${type})`]),
    );
    page.pairs('From SQS', Object.entries(failure.system_attributes));
  }
  historyFields(page, screen, now);
  bodyFields(page, screen, width);
  return page.lines;
}

function reasonFields(page: Page, failure: WholeFailure): void {
  const { meaning, details, before_retry } = explain(failure);
  page.field('Reason', `${failure.reason} (${failure.reason_basis})`, 'strong');
  // These are escaped already; escaping what is safe changes nothing.
  page.field(' ', [meaning, ...details].join(' '));
  page.field('Error', failure.error);
  page.field('Exception', failure.exception);
  page.field('Problems', failure.problems.map(({ field, rule }) => `${field}: ${rule}`).join(', '));
  page.field('Fix first', before_retry, 'accent');
  if (failure.retry_blocked !== null) page.field('Retry', `can't be done: ${failure.retry_blocked}`, 'bad');
  else if (failure.retry_to !== null) {
    const basis = failure.retry_to_basis === null ? '' : ` (${TARGET_WORDS[failure.retry_to_basis]})`;
    page.field('Retry to', `${failure.retry_to}${basis}`);
  } else page.field('Retry to', "its app's next tick");
}

function placeFields(page: Page, failure: WholeFailure, now: number): void {
  const expires = expiry(failure.expires_at, now);
  const time = (iso: string | null) => (iso === null ? null : `${ago(iso, now)}, ${fullTime(iso)}`);
  page.field('Id', failure.id);
  page.field('State', `${failure.state}, in ${failure.held_in}; set aside by ${ORIGIN_WORDS[failure.origin]}`);
  page.field('Queue', failure.queue);
  page.field('Failed', time(failure.failed_at));
  page.field('Sent', time(failure.sent_at));
  if (expires !== null) {
    const tone = expires.level === 'soon' ? 'bad' : expires.level === 'near' ? 'warn' : 'plain';
    page.field('Expires', `${expires.short}, ${fullTime(failure.expires_at)}`, tone);
  }
  page.field('Tries', failure.attempts === null ? null : `${failure.attempts}, as recorded`);
  page.field('Receives', failure.receive_count === null ? null : `${failure.receive_count}, with babelq's own look`);
}

function historyFields(page: Page, { history }: FailureScreen, now: number): void {
  if (history === 'reading') return;
  if ('error' in history) {
    page.title('History').text(`The journal can't be read: ${history.error}`, 'bad');
    return;
  }
  page.pairs(
    'History',
    history.map(({ at, action, outcome, by, run, note }) => [
      ago(at, now),
      `${action} ${outcome.replace('_', ' ')} by ${by} (run ${run})${note === null ? '' : `: ${note}`}`,
    ]),
  );
}

function bodyFields(page: Page, { failure, body }: FailureScreen, width: number): void {
  const marks = [`${grouped(failure.size_bytes)} bytes`];
  if (failure.body === null && failure.body_base64 !== null) marks.push('not UTF-8, shown escaped');
  if (failure.redacted) marks.push('redacted');
  page.gap().add([span('Body', 'strong'), span(`  ${marks.join(', ')}`, 'dim')]);
  if (body === 'reading') page.text('It is not kept in memory: reading it from its queue…', 'accent');
  else if (body !== 'there') page.text(body.error, 'bad');
  else page.add(...bodyLines(failure, width));
}

/** The last bodies that were laid out: a megabyte isn't laid out again for every key. */
const laidOut = new WeakMap<WholeFailure, { width: number; lines: readonly Line[] }>();

function bodyLines(failure: WholeFailure, width: number): readonly Line[] {
  const known = laidOut.get(failure);
  if (known?.width === width) return known.lines;
  const shown =
    failure.body === null
      ? escapeBlock(Buffer.from(failure.body_base64 ?? '', 'base64').toString('latin1'))
      : prettyBody(failure.body);
  const lines = cutText(shown, width).map((text) => line(text));
  laidOut.set(failure, { width, lines });
  return lines;
}

/** What stands over it. */
export function failureTitle({ failure }: FailureScreen): string {
  return escapeText(failure.title);
}
