import { type ReactElement, useMemo } from 'react';
import { columnWidths } from '../../model/display/table.ts';
import { countSelected } from '../state/selection.ts';
import type { State } from '../state/state.ts';
import { emptyLines } from '../text/empty.ts';
import { type GroupTable, groupTable } from '../text/group-table.ts';
import type { Group } from '../work/grouping.ts';
import { GROUP_ORDERS, SHARED, wayOf } from '../work/orders.ts';
import { Lines } from './lines.tsx';
import { AS_IT_IS, type CellPaint, MARKS, sampleOf, Table } from './table.tsx';

export function GroupList({ state, height }: { state: State; height: number }): ReactElement {
  const { groups, now, size, selection } = state;
  const { rows, by, span, sort } = groups;
  const table = useMemo(() => groupTable(by, span), [by, span]);
  const columns = useMemo(
    () =>
      table.columns.map((column, at) => {
        const way = wayOf(at === 1 ? SHARED : column.title, GROUP_ORDERS, sort);
        return { ...column, title: `${column.title}${way}` };
      }),
    [table, sort],
  );
  const withError = useMemo(() => hasRoomForErrors(table, rows, size.columns, now), [table, rows, size.columns, now]);
  const cells = useMemo(
    () => (group: Group, paint: CellPaint) => table.cells(group, now, paint, withError),
    [table, now, withError],
  );
  if (rows.length === 0) return <Lines lines={emptyLines(state)} height={height + 1} />;
  return (
    <Table
      rows={rows}
      at={groups}
      columns={columns}
      cells={cells}
      marks={({ members, fresh, gone, count }) => {
        const selected = countSelected(selection, members);
        return {
          selected: selected === 0 ? 'none' : selected === count - gone ? 'all' : 'some',
          change: gone === count ? 'gone' : fresh > 0 ? 'new' : null,
        };
      }}
      width={size.columns}
      height={height}
    />
  );
}

/** The errors stand in the last column. */
function hasRoomForErrors({ columns, cells }: GroupTable, rows: readonly Group[], width: number, now: number): boolean {
  const measured = sampleOf(rows).map((row) => cells(row, now, AS_IT_IS, true));
  return columnWidths(columns, measured, width - MARKS).at(-1) !== 0;
}
