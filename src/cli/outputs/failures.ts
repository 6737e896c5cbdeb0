import { expiresSoon } from '../../model/display/age.ts';
import { counted, sayCount } from '../../model/display/counts.ts';
import { failureTable } from '../../model/display/failure-table.ts';
import { errorLine } from '../../model/display/reasons.ts';
import { shellWord } from '../../model/display/shell-word.ts';
import { shortIds } from '../../model/display/short-ids.ts';
import { layOut } from '../../model/display/table.ts';
import type { Failure } from '../../model/failure.ts';
import type { Listing } from '../../model/operations/list.ts';
import type { Terminal } from '../terminal.ts';
import type { Report } from './report.ts';
import { sayListed } from './source-trouble.ts';

/**
 * A listing in every form.
 * @param now for the ages, in milliseconds
 * @param again options for the command line that is shown to be typed next
 */
export function failureReport(listing: Listing, now: number, again: string): Report<Failure> {
  return {
    document: listing,
    rows: listing.failures,
    id: ({ id }) => id,
    csv: FAILURE_CSV,
    show: (terminal) => showListing(listing, now, again, terminal),
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

function showListing({ failures, sources }: Listing, now: number, again: string, terminal: Terminal): void {
  const ids = shortIds(
    failures,
    sources.map(({ name }) => name),
  );
  if (failures.length > 0) {
    const { columns, cells } = failureTable(failures);
    const paint = { soon: terminal.paint.red, near: terminal.paint.yellow };
    const rows = failures.map((failure, at) => cells(failure, ids[at] ?? failure.id, now, paint));
    const lines = layOut(columns, rows, terminal.columns, terminal.paint.dim);
    terminal.write(`${lines.join('\n')}\n`);
    terminal.say('');
  }
  for (const line of summary({ failures, sources }, now)) terminal.say(line);
  const first = ids[0];
  if (first !== undefined) terminal.say(`Look closer: babelq inspect ${shellWord(first)}${again}`);
}

/** `43 failures: orders 42 of about 42, warehouse 1. 3 expire within 6 hours.` */
function summary({ failures, sources }: Listing, now: number): string[] {
  const readable = sources.filter(({ error }) => error === null);
  if (readable.length === 0) return [];
  const seen = readable.every(({ complete }) => complete) && readable.some(({ about }) => (about ?? 0) > 0);
  const none = seen ? 'No failure matches' : 'No failures';
  const count = failures.length === 0 ? none : counted(failures.length, 'failure');
  const soon = failures.filter(({ expires_at }) => expiresSoon(expires_at, now)).length;
  const expiring = soon === 0 ? '' : ` ${sayCount(soon)} ${soon === 1 ? 'expires' : 'expire'} within 6 hours.`;
  return [`${count}: ${sayListed(readable)}.${expiring}`];
}
