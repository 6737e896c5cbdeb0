import { ago, expiry } from '../../model/display/age.ts';
import { escapeText } from '../../model/display/escape.ts';
import { errorLine } from '../../model/display/reasons.ts';
import { shortIds } from '../../model/display/short-ids.ts';
import { grouped } from '../../model/display/verbs.ts';
import type { Failure } from '../../model/failure.ts';
import type { Listing } from '../../model/operations/list.ts';
import type { Terminal } from '../terminal.ts';
import type { Report } from './report.ts';
import { shellWord } from './shell-word.ts';
import { type Cell, type Column, layOut } from './table.ts';

/** The columns of a listing, in the order in which they are read; the numbers say what goes first where it is narrow. */
const COLUMNS = {
  id: { title: 'ID' },
  state: { title: 'STATE', drop: 3 },
  queue: { title: 'QUEUE', least: 8, drop: 1 },
  subject: { title: 'SUBJECT', least: 14, cut: 'start' },
  reason: { title: 'REASON', least: 8 },
  tries: { title: 'TRIES', align: 'right', drop: 6 },
  failed: { title: 'FAILED', drop: 4 },
  expires: { title: 'EXPIRES', drop: 2 },
  error: { title: 'ERROR', least: 12, drop: 5 },
} as const satisfies Record<string, Column>;

const HOUR = 3_600_000;

/** A listing in every form. @param now for the ages, in milliseconds */
export function failureReport(listing: Listing, now: number): Report<Failure> {
  return {
    document: listing,
    rows: listing.failures,
    id: ({ id }) => id,
    csv: FAILURE_CSV,
    show: (terminal) => showListing(listing, now, terminal),
  };
}

/** The table's columns with whole ids and exact times, for a spreadsheet. */
export const FAILURE_CSV: Report<Failure>['csv'] = [
  { name: 'id', value: ({ id }) => id },
  { name: 'state', value: ({ state }) => state },
  { name: 'queue', value: ({ queue }) => queue },
  { name: 'subject', value: ({ subject }) => subject },
  { name: 'reason', value: ({ reason }) => reason },
  { name: 'attempts', value: ({ attempts }) => attempts },
  { name: 'failed_at', value: ({ failed_at }) => failed_at },
  { name: 'sent_at', value: ({ sent_at }) => sent_at },
  { name: 'expires_at', value: ({ expires_at }) => expires_at },
  { name: 'error', value: (failure) => errorLine(failure) },
];

function showListing({ failures, sources }: Listing, now: number, terminal: Terminal): void {
  const ids = shortIds(
    failures,
    sources.map(({ name }) => name),
  );
  if (failures.length > 0) {
    const states = new Set(failures.map(({ state }) => state));
    const showState = states.size > 1 || !states.has('failed');
    const keys = (Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]).filter((key) => key !== 'state' || showState);
    const rows = failures.map((failure, at) => {
      const cells = cellsOf(failure, ids[at] ?? failure.id, now, terminal);
      return keys.map((key) => cells[key]);
    });
    const lines = layOut(
      keys.map((key) => COLUMNS[key]),
      rows,
      terminal.columns,
      terminal.paint.dim,
    );
    terminal.write(`${lines.join('\n')}\n`);
    terminal.say('');
  }
  for (const line of summary({ failures, sources }, now)) terminal.say(line);
  const first = ids[0];
  if (first !== undefined) terminal.say(`Look closer: babelq inspect ${shellWord(first)}`);
}

function cellsOf(failure: Failure, id: string, now: number, terminal: Terminal): Record<keyof typeof COLUMNS, Cell> {
  const expires = expiry(failure.expires_at, now);
  const colour =
    expires?.level === 'soon' ? terminal.paint.red : expires?.level === 'near' ? terminal.paint.yellow : null;
  return {
    id: { text: escapeText(id) },
    state: { text: failure.state },
    queue: { text: escapeText(failure.queue ?? '–') },
    subject: { text: escapeText(failure.subject ?? '–') },
    reason: { text: escapeText(failure.reason) },
    tries: { text: failure.attempts === null ? '–' : String(failure.attempts) },
    failed: { text: failedAgo(failure, now) },
    expires: { text: expires?.short ?? '–', ...(colour && { paint: colour }) },
    error: { text: errorLine(failure) },
  };
}

/** SQS doesn't record when it moved a message: then the time is when it was sent, and says so. */
function failedAgo(failure: Failure, now: number): string {
  if (failure.failed_at !== null) return ago(failure.failed_at, now);
  return failure.sent_at === null ? '–' : `sent ${ago(failure.sent_at, now)}`;
}

/** `43 failures: orders 42 of about 42, warehouse 1. 3 expire within 6 hours.` */
function summary({ failures, sources }: Listing, now: number): string[] {
  const readable = sources.filter(({ error }) => error === null);
  if (readable.length === 0) return [];
  const each = readable
    .map(({ name, listed, about }) => {
      return `${escapeText(name)} ${grouped(listed)}${about === null ? '' : ` of about ${grouped(about)}`}`;
    })
    .join(', ');
  const count =
    failures.length === 0
      ? 'No failures'
      : failures.length === 1
        ? '1 failure'
        : `${grouped(failures.length)} failures`;
  const soon = failures.filter(
    ({ expires_at }) => expires_at !== null && Date.parse(expires_at) - now < 6 * HOUR,
  ).length;
  const expiring = soon === 0 ? '' : ` ${grouped(soon)} ${soon === 1 ? 'expires' : 'expire'} within 6 hours.`;
  return [`${count}: ${each}.${expiring}`];
}
