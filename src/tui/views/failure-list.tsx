import { type ReactElement, useMemo } from 'react';
import { failureTable } from '../../model/display/failure-table.ts';
import type { WholeFailure } from '../../model/failure.ts';
import type { State } from '../state/state.ts';
import { brief } from '../text/brief.ts';
import { emptyLines } from '../text/empty.ts';
import { ORDERS, titleFor } from '../work/orders.ts';
import { Lines } from './lines.tsx';
import { type CellPaint, Table } from './table.tsx';

/** Characters: more than any terminal is wide. */
const LONGEST = 1000;

export function FailureList({ state, height }: { state: State; height: number }): ReactElement {
  const { list, now, size, selection, marks } = state;
  const { rows, labels, sort } = list;
  const table = useMemo(() => failureTable(rows), [rows]);
  const columns = useMemo(
    () => table.columns.map((column) => ({ ...column, title: titleFor(column.title, ORDERS, sort) })),
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
