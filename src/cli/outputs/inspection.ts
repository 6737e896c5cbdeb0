import { ago, expiry, fullTime } from '../../model/display/age.ts';
import { escapeBlock, escapeText } from '../../model/display/escape.ts';
import { ORIGIN_WORDS, TARGET_WORDS } from '../../model/display/evidence.ts';
import { prettyBody } from '../../model/display/pretty.ts';
import { explain } from '../../model/display/reasons.ts';
import { grouped } from '../../model/display/verbs.ts';
import { displayWidth, padTo } from '../../model/display/width.ts';
import type { InspectedFailure } from '../../model/operations/inspect.ts';
import type { Terminal } from '../terminal.ts';
import { wrap } from './wrap.ts';

const LABEL = 11;

/** Prints one failure as a page: why first, then what to do, then the rest, the body last. */
export function showFailure(failure: InspectedFailure, now: number, terminal: Terminal): void {
  const page = new Page(terminal);
  const { paint } = terminal;
  page.line(`${paint.bold(escapeText(failure.id))}  ${escapeText(failure.title)}`);
  page.gap();
  showReason(failure, page, paint);
  page.gap();
  showPlace(failure, now, page, paint);
  page.gap();
  showIdentity(failure, page);
  page.pairs(
    'Attributes',
    Object.entries(failure.attributes).map(([name, { type, value }]) => [name, `${value}  (${type})`]),
  );
  page.pairs('From SQS', Object.entries(failure.system_attributes));
  showHistory(failure, now, page);
  showBody(failure, page, paint);
}

function showReason(failure: InspectedFailure, page: Page, paint: Terminal['paint']): void {
  const { meaning, details, before_retry } = explain(failure);
  page.field('Reason', `${failure.reason} (${failure.reason_basis})`, paint.bold);
  const problems = failure.problems.map(({ field, rule }) => `${field}: ${rule}`);
  page.field('', [meaning, ...details.filter((detail) => !problems.includes(detail))].join(' '));
  page.field('Error', failure.error);
  page.field('Exception', failure.exception);
  page.field('Problems', problems.join(', '));
  page.field('Fix first', before_retry);
  if (failure.retry_blocked !== null) page.field('Retry', `can't be done: ${failure.retry_blocked}`, paint.red);
  else if (failure.retry_to !== null) {
    const basis = failure.retry_to_basis === null ? '' : ` (${TARGET_WORDS[failure.retry_to_basis]})`;
    page.field('Retry to', `${failure.retry_to}${basis}`);
  } else page.field('Retry to', "its app's next tick");
}

function showPlace(failure: InspectedFailure, now: number, page: Page, paint: Terminal['paint']): void {
  const expires = expiry(failure.expires_at, now);
  const time = (iso: string | null) => (iso === null ? null : `${ago(iso, now)}, ${fullTime(iso)}`);
  page.field('State', `${failure.state}, in ${failure.held_in}; set aside by ${ORIGIN_WORDS[failure.origin]}`);
  page.field('Queue', failure.queue);
  page.field('Failed', time(failure.failed_at));
  page.field('Sent', time(failure.sent_at));
  if (expires !== null) {
    const colour = expires.level === 'soon' ? paint.red : expires.level === 'near' ? paint.yellow : undefined;
    page.field('Expires', `${expires.short}, ${fullTime(failure.expires_at)}`, colour);
  }
  page.field('Tries', failure.attempts === null ? null : `${failure.attempts}, as recorded`);
  page.field('Receives', failure.receive_count === null ? null : `${failure.receive_count}, with looks like this one`);
}

function showIdentity(failure: InspectedFailure, page: Page): void {
  page.field('Subject', failure.subject);
  page.field('Message id', failure.message_id);
  page.field('Trace', failure.trace_id);
  page.field('Written by', failure.lang);
  page.field('Version', failure.schema_version);
  page.field('Fingerprint', failure.fingerprint);
}

function showHistory({ history }: InspectedFailure, now: number, page: Page): void {
  page.pairs(
    'History',
    history.map(({ at, action, outcome, by, run, note }) => [
      ago(at, now),
      `${action} ${outcome.replace('_', ' ')} by ${by} (run ${run})${note === null ? '' : `: ${note}`}`,
    ]),
  );
}

function showBody(failure: InspectedFailure, page: Page, paint: Terminal['paint']): void {
  const { body, body_base64, size_bytes } = failure;
  const marks = [`${grouped(size_bytes)} bytes`];
  if (body === null) marks.push('not UTF-8, shown escaped');
  if (failure.redacted) marks.push('redacted');
  page.gap();
  page.line(`${paint.bold('Body')}  ${paint.dim(marks.join(', '))}`);
  if (body !== null) page.line(prettyBody(body));
  else page.line(escapeBlock(Buffer.from(body_base64 ?? '', 'base64').toString('latin1')));
}

/** Lines of a label and a value, wrapped to the terminal. Every value is escaped here, before it is painted. */
class Page {
  readonly #terminal: Terminal;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  line(text: string): void {
    this.#terminal.write(`${text}\n`);
  }

  gap(): void {
    this.line('');
  }

  /** Left out where the value isn't known. */
  field(label: string, value: string | null, paint: (text: string) => string = (text) => text): void {
    if (value === null || value === '') return;
    const text = escapeText(value);
    const { columns } = this.#terminal;
    const lines = columns === null ? [text] : wrap(text, columns - LABEL - 1);
    lines.forEach((part, at) => {
      this.line(`${this.#terminal.paint.dim(padTo(at === 0 ? label : '', LABEL))} ${paint(part)}`);
    });
  }

  /** A titled list; nothing where it is empty. */
  pairs(title: string, entries: readonly (readonly [string, string])[]): void {
    if (entries.length === 0) return;
    this.gap();
    this.line(this.#terminal.paint.bold(title));
    const names = entries.map(([name]) => escapeText(name));
    const width = Math.min(32, Math.max(...names.map(displayWidth)));
    entries.forEach(([, value], at) => {
      const name = names[at] ?? '';
      this.line(`  ${displayWidth(name) > width ? name : padTo(name, width)}  ${escapeText(value)}`);
    });
  }
}
