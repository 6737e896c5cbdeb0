import { type ReactElement, useMemo } from 'react';
import { countSelected } from '../state/selection.ts';
import type { State } from '../state/state.ts';
import { emptyLines } from '../text/empty.ts';
import { groupTable } from '../text/group-table.ts';
import type { Group } from '../work/grouping.ts';
import { GROUP_ORDERS, SHARED, wayOf } from '../work/orders.ts';
import { Lines } from './lines.tsx';
import { type CellPaint, Table } from './table.tsx';

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
  const cells = useMemo(() => (group: Group, paint: CellPaint) => table.cells(group, now, paint), [table, now]);
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
