import { type ReactElement, useContext, useMemo } from 'react';
import { type Cell, type Column, columnWidths, layRow, layTitles } from '../../model/display/table.ts';
import { displayWidth } from '../../model/display/width.ts';
import { windowTop } from '../layout.ts';
import type { Cursor } from '../state/state.ts';
import type { Tone } from '../text/line.ts';
import { Painted } from './lines.tsx';
import { PaintContext } from './paint-context.ts';

/** The cursor's mark, the selection's, and what is new or gone, before each row: they show where there are no colours too. */
export const MARKS = 3;
/** Rows that the widths of the columns are taken from: so they stay the same while the list is scrolled. */
const SAMPLE = 400;

/** How an expiry stands out. */
export interface CellPaint {
  soon: (text: string) => string;
  near: (text: string) => string;
}

export const AS_IT_IS: CellPaint = { soon: (text) => text, near: (text) => text };

export interface TableProps<T> {
  rows: readonly T[];
  at: Cursor;
  columns: readonly Column[];
  /** Made anew where what it shows of a row has changed. */
  cells: (row: T, paint: CellPaint) => Cell[];
  marks: (row: T) => { selected: 'all' | 'some' | 'none'; change: 'new' | 'gone' | null };
  width: number;
  height: number;
}

const SELECTED = { all: '*', some: '-', none: ' ' } as const;

/** A list: titles, and of the rows only those in view. */
export function Table<T>({ rows, at, columns, cells, marks, width, height }: TableProps<T>): ReactElement {
  const paint = useContext(PaintContext);
  const widths = useMemo(() => {
    const measured = sampleOf(rows).map((row) => cells(row, AS_IT_IS));
    return columnWidths(columns, measured, width - MARKS);
  }, [rows, columns, cells, width]);
  const top = windowTop(at.top, at.cursor, height, rows.length);
  const coloured: CellPaint = { soon: (text) => paint.tone(text, 'bad'), near: (text) => paint.tone(text, 'warn') };
  const shown = rows.slice(top, top + height).map((row, index) => {
    const here = top + index === at.cursor;
    const { selected, change } = marks(row);
    const signs = `${here ? '>' : ' '}${SELECTED[selected]}${change === null ? ' ' : change === 'new' ? '+' : '×'}`;
    const text = signs + layRow(columns, widths, cells(row, here || change === 'gone' ? AS_IT_IS : coloured));
    if (here) return paint.tone(text + ' '.repeat(Math.max(0, width - displayWidth(text))), 'inverse');
    return paint.tone(text, toneOf(selected !== 'none', change));
  });
  const titles = paint.tone(' '.repeat(MARKS) + layTitles(columns, widths), 'dim');
  return <Painted lines={[titles, ...shown]} height={height + 1} />;
}

function toneOf(selected: boolean, change: 'new' | 'gone' | null): Tone {
  if (change === 'gone') return 'dim';
  return selected ? 'strong' : change === 'new' ? 'good' : 'plain';
}

/** Those of many rows that widths are taken from. */
export function sampleOf<T>(rows: readonly T[]): readonly T[] {
  if (rows.length <= SAMPLE) return rows;
  const every = rows.length / SAMPLE;
  return Array.from({ length: SAMPLE }, (_, at) => rows[Math.floor(at * every)]).filter((row) => row !== undefined);
}
