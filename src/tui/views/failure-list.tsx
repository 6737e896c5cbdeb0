import { type ReactElement, useMemo } from 'react';
import { type FailureColumn, failureTable } from '../../model/display/failure-table.ts';
import type { WholeFailure } from '../../model/failure.ts';
import type { State } from '../state/state.ts';
import { brief } from '../text/brief.ts';
import { emptyLines } from '../text/empty.ts';
import type { Group } from '../work/grouping.ts';
import { ORDERS, wayOf } from '../work/orders.ts';
import { Lines } from './lines.tsx';
import { type CellPaint, Table } from './table.tsx';

/** Characters: more than any terminal is wide. */
const LONGEST = 1000;

export function FailureList({ state, height }: { state: State; height: number }): ReactElement {
  const { list, now, size, selection, marks, place } = state;
  const { rows, labels, sort } = list;
  const group = place.kind === 'failures' ? place.group : null;
  // What all of a group share stands over the list.
  const table = useMemo(() => failureTable(rows, group === null ? [] : sharedBy(group)), [rows, group]);
  const columns = useMemo(
    () => table.columns.map((column) => ({ ...column, title: `${column.title}${wayOf(column.title, ORDERS, sort)}` })),
    [table, sort],
  );
  const cells = useMemo(
    () => (failure: WholeFailure, paint: CellPaint) =>
      table.cells(brief(failure, LONGEST, 'end'), labels.get(failure.id) ?? failure.id, now, paint),
    [table, labels, now],
  );
  if (rows.length === 0) return <Lines lines={emptyLines(state)} height={height + 1} />;
  return (
    <Table
      rows={rows}
      at={list}
      columns={columns}
      cells={cells}
      marks={({ id }) => ({
        selected: selection.has(id) ? 'all' : 'none',
        change: marks.gone.has(id) ? 'gone' : marks.fresh.has(id) ? 'new' : null,
      })}
      width={size.columns}
      height={height}
    />
  );
}

function sharedBy({ key }: Group): FailureColumn[] {
  return (['reason', 'subject', 'queue'] as const).filter((member) => Object.hasOwn(key, member));
}
