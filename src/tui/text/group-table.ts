import { failedAgo } from '../../model/display/age.ts';
import { sayCount } from '../../model/display/counts.ts';
import { escapeText } from '../../model/display/escape.ts';
import { type ExpiryPaint, expiryCell } from '../../model/display/failure-table.ts';
import { GROUP_COLUMNS } from '../../model/display/group-columns.ts';
import type { Cell, Column } from '../../model/display/table.ts';
import type { GroupMember } from '../../model/failure.ts';
import type { Group } from '../work/grouping.ts';
import { sparkline, sparkTitle } from './sparkline.ts';

export interface GroupTable {
  columns: readonly Column[];
  /**
   * A row's cells, escaped.
   * @param now for the ages, in milliseconds
   * @param withError false where there is no room for the errors: what has no subject is then known by its error
   */
  cells: (group: Group, now: number, paint: ExpiryPaint, withError: boolean) => Cell[];
}

/** Characters of a text that are looked at: more than any terminal is wide. */
const LONGEST = 1000;

/** Grouped by cause a group is known by these two. */
const OF_A_CAUSE: readonly GroupMember[] = ['reason', 'subject'];

/** The table of groups. @param by null for by cause @param span milliseconds that the histograms go back */
export function groupTable(by: readonly GroupMember[] | null, span: number): GroupTable {
  const members = by ?? OF_A_CAUSE;
  const columns: Column[] = [
    { title: 'COUNT', align: 'right' },
    ...members.map((member) => GROUP_COLUMNS[member]),
    { title: 'LAST' },
    { title: 'EXPIRES', drop: 1 },
    { title: sparkTitle(span), drop: 2 },
    { title: 'ERROR', least: 12, drop: 3 },
  ];
  const cells: GroupTable['cells'] = (group, now, paint, withError) => {
    const { key, count, gone, fresh, last_failed_at, time_basis, expires_at, histogram, sample } = group;
    return [
      {
        text: `${sayCount(count - gone)}${fresh > 0 ? ` +${sayCount(fresh)}` : ''}${gone > 0 ? ` −${sayCount(gone)}` : ''}`,
      },
      ...members.map(
        (member): Cell =>
          member === 'subject' && by === null && key.subject == null && (!withError || sample === null)
            ? { text: escapeText(inPlaceOfSubject(group)), cut: 'end' }
            : { text: escapeText((key[member] ?? '–').slice(-LONGEST)) },
      ),
      { text: failedAgo(last_failed_at, now, time_basis) },
      expiryCell(expires_at, now, paint),
      { text: sparkline(histogram) },
      { text: escapeText(sample ?? '–') },
    ];
  };
  return { columns, cells };
}

/** What tells it from other groups without a subject: what went wrong, else where. */
function inPlaceOfSubject({ sample, members: [first] }: Group): string {
  if (sample !== null) return `– ${sample}`;
  return first === undefined ? '–' : `– in ${first.queue ?? first.held_in}`;
}
