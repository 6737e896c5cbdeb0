import { failedAgo } from '../../model/display/age.ts';
import { counted, sayCount } from '../../model/display/counts.ts';
import { escapeText } from '../../model/display/escape.ts';
import { GROUP_COLUMNS } from '../../model/display/group-columns.ts';
import { shellWord } from '../../model/display/shell-word.ts';
import { type Column, layOut } from '../../model/display/table.ts';
import type { GroupMember } from '../../model/failure.ts';
import type { FailureGroup, Grouped } from '../../model/operations/groups.ts';
import type { Terminal } from '../terminal.ts';
import type { Report } from './report.ts';
import { sayListed } from './source-trouble.ts';

/** The members of a key that the table shows where failures are grouped by cause; an exception is shown by its error. */
const OF_A_CAUSE: readonly GroupMember[] = ['fingerprint', 'reason', 'subject'];

/**
 * Groups in every form.
 * @param all how many there are, where not all are shown
 * @param by null for by cause
 * @param now for the ages, in milliseconds
 * @param again options for the command line that is shown to be typed next
 */
export function groupReport(
  result: Grouped,
  all: number,
  by: readonly GroupMember[] | null,
  now: number,
  again: string,
): Report<FailureGroup> {
  const members = by ?? (Object.keys(result.groups[0]?.key ?? {}) as GroupMember[]);
  return {
    document: result,
    rows: result.groups,
    // One of each is enough to look at.
    id: ({ sample_ids: [id = ''] }) => id,
    csv: [
      ...members.map((member) => ({ name: member, value: ({ key }: FailureGroup) => key[member] ?? null })),
      { name: 'count', value: ({ count }) => count },
      { name: 'first_failed_at', value: ({ first_failed_at }) => first_failed_at },
      { name: 'last_failed_at', value: ({ last_failed_at }) => last_failed_at },
      { name: 'time_basis', value: ({ time_basis }) => time_basis },
      { name: 'sample', value: ({ sample }) => sample },
      { name: 'sample_ids', value: ({ sample_ids }) => sample_ids.join(' ') },
    ],
    show: (terminal) => show(result, all, by, now, again, terminal),
  };
}

function show(
  { groups, sources }: Grouped,
  all: number,
  by: readonly GroupMember[] | null,
  now: number,
  again: string,
  terminal: Terminal,
): void {
  const members = by ?? OF_A_CAUSE;
  if (groups.length > 0) {
    const columns: Column[] = [
      { title: 'COUNT', align: 'right' },
      ...members.map((member) => GROUP_COLUMNS[member]),
      { title: 'FIRST', drop: 3 },
      { title: 'LAST', drop: 2 },
      { title: 'ERROR', least: 12, drop: 1 },
    ];
    const rows = groups.map(({ key, count, first_failed_at, last_failed_at, time_basis, sample }) => [
      { text: sayCount(count) },
      ...members.map((member) => ({ text: escapeText(key[member] ?? '–') })),
      { text: failedAgo(first_failed_at, now, time_basis) },
      { text: failedAgo(last_failed_at, now, time_basis) },
      { text: escapeText(sample ?? '–') },
    ]);
    terminal.write(`${layOut(columns, rows, terminal.columns, terminal.paint.dim).join('\n')}\n`);
    terminal.say('');
  }
  const readable = sources.filter(({ error }) => error === null);
  if (readable.length > 0) terminal.say(summary(groups.length, all, readable));
  if (groups.some(({ time_basis }) => time_basis === 'sent_at' || time_basis === 'both')) {
    terminal.say('SQS does not record when it sets a message aside itself: its time is when it was sent.');
  }
  const [first] = groups;
  if (first !== undefined) terminal.say(`Look closer: ${closer(first, by)}${again}`);
}

/** `3 groups of 2,000 failures: orders 1,990 of about 1,990, warehouse 10 of about 10.` */
function summary(shown: number, all: number, sources: Grouped['sources']): string {
  const total = sources.reduce((sum, { listed }) => sum + listed, 0);
  const failures = total === 0 ? 'no failures' : counted(total, 'failure');
  const count = `${all === 0 ? 'No groups' : counted(all, 'group')} of ${failures}: ${sayListed(sources)}.`;
  return shown < all ? `${count} The ${sayCount(shown)} largest are shown.` : count;
}

function closer({ key, sample_ids: [id = ''] }: FailureGroup, by: readonly GroupMember[] | null): string {
  return by === null ? `babelq deliveries --fingerprint ${key.fingerprint}` : `babelq inspect ${shellWord(id)}`;
}
