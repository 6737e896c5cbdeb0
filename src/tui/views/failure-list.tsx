import { type ReactElement, useContext, useMemo } from 'react';
import { failureTable } from '../../model/display/failure-table.ts';
import { columnWidths, layRow, layTitles } from '../../model/display/table.ts';
import { displayWidth } from '../../model/display/width.ts';
import type { WholeFailure } from '../../model/failure.ts';
import { windowTop } from '../layout.ts';
import type { State } from '../state/state.ts';
import { brief } from '../text/brief.ts';
import { emptyLines } from '../text/empty.ts';
import { Lines, Painted } from './lines.tsx';
import { PaintContext } from './paint-context.ts';

/** The cursor's mark and the selection's, before each row: they show where there are no colours too. */
const MARKS = 3;
/** Rows that the widths of the columns are taken from: so they stay the same while the list is scrolled. */
const SAMPLE = 400;

/** Characters: more than any terminal is wide. */
const LONGEST = 1000;

const AS_IT_IS = { soon: (text: string) => text, near: (text: string) => text };

/** The list: titles, and of the rows only those in view. */
export function FailureList({ state, height }: { state: State; height: number }): ReactElement {
  const paint = useContext(PaintContext);
  const { list, now, size, selection } = state;
  const { rows, labels } = list;
  const { columns, cells, widths } = useMemo(() => {
    const sample = sampleOf(rows);
    const table = failureTable(rows);
    const measured = sample.map((failure) =>
      table.cells(brief(failure, LONGEST, 'end'), labels.get(failure.id) ?? failure.id, now, AS_IT_IS),
    );
    return { ...table, widths: columnWidths(table.columns, measured, size.columns - MARKS) };
  }, [rows, labels, size.columns, now]);
  if (rows.length === 0) return <Lines lines={emptyLines(state)} height={height + 1} />;
  const top = windowTop(list.top, list.cursor, height, rows.length);
  const expiry = { soon: (text: string) => paint.tone(text, 'bad'), near: (text: string) => paint.tone(text, 'warn') };
  const shown = rows.slice(top, top + height).map((failure, at) => {
    const here = top + at === list.cursor;
    const marks = `${here ? '>' : ' '}${selection.has(failure.id) ? '*' : ' '} `;
    const row = cells(
      brief(failure, LONGEST, 'end'),
      labels.get(failure.id) ?? failure.id,
      now,
      here ? AS_IT_IS : expiry,
    );
    const text = marks + layRow(columns, widths, row);
    if (here) return paint.tone(text + ' '.repeat(Math.max(0, size.columns - displayWidth(text))), 'inverse');
    return selection.has(failure.id) ? paint.tone(text, 'strong') : text;
  });
  const titles = paint.tone(' '.repeat(MARKS) + layTitles(columns, widths), 'dim');
  return <Painted lines={[titles, ...shown]} height={height + 1} />;
}

function sampleOf(rows: readonly WholeFailure[]): readonly WholeFailure[] {
  if (rows.length <= SAMPLE) return rows;
  const every = rows.length / SAMPLE;
  return Array.from({ length: SAMPLE }, (_, at) => rows[Math.floor(at * every)]).filter((row) => row !== undefined);
}
