import { displayWidth, fitEndTo, fitTo, padTo } from './width.ts';

export interface Column {
  title: string;
  align?: 'right';
  /** Which end of a text that is too long goes; the start of a URN says least. */
  cut?: 'start';
  /** How narrow it may become, in columns; undefined for one that is never cut. */
  least?: number;
  /** Dropped when there is no room, the highest first; undefined for one that always stays. */
  drop?: number;
}

export interface Cell {
  text: string;
  /** Which end of this one goes, where it isn't as in the rest of its column. */
  cut?: 'start' | 'end';
  paint?: (text: string) => string;
}

const GAP = 2;

/**
 * Lays rows out in columns, titles first. With a width, no line is wider unless a column that is never cut is: columns
 * with nothing in them go first, then those that may be dropped, then the widest are cut. Texts must be escaped already.
 */
export function layOut(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number | null,
  paintTitle: (text: string) => string = (text) => text,
): string[] {
  const widths = columnWidths(columns, rows, width);
  return [layTitles(columns, widths, paintTitle), ...rows.map((row) => layRow(columns, widths, row))];
}

/** The widths that `layOut` gives the columns; 0 for one that is dropped. */
export function columnWidths(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number | null,
): number[] {
  const natural = columns.map(({ title }, at) =>
    Math.max(displayWidth(title), ...chunkedMax(rows, (row) => displayWidth(row[at]?.text ?? ''))),
  );
  return width === null ? natural : widthsFor(columns, rows, natural, width);
}

/** The titles of columns of these widths, as a row. */
export function layTitles(
  columns: readonly Column[],
  widths: readonly number[],
  paint: (text: string) => string = (text) => text,
): string {
  return layRow(
    columns,
    widths,
    columns.map(({ title }) => ({ text: title, paint })),
  );
}

/** One row in columns of these widths. */
export function layRow(columns: readonly Column[], widths: readonly number[], cells: readonly Cell[]): string {
  const kept = columns.flatMap((column, at) => {
    const size = widths[at];
    return size === undefined || size === 0 ? [] : [{ column, cell: cells[at], size }];
  });
  return kept
    .map(({ column, cell, size }, index) => {
      const { text, paint, cut: end = column.cut }: Cell = cell ?? { text: '' };
      const cut = end === 'start' ? fitEndTo(text, size) : fitTo(text, size);
      const last = index === kept.length - 1;
      const padded = column.align === 'right' ? padTo(cut, size, 'right') : last ? cut : padTo(cut, size);
      return paint ? paint(padded) : padded;
    })
    .join(' '.repeat(GAP))
    .trimEnd();
}

/** Math.max over a spread of a hundred thousand arguments overflows the stack. */
function chunkedMax<T>(items: readonly T[], of: (item: T) => number): number[] {
  let most = 0;
  for (const item of items) most = Math.max(most, of(item));
  return [most];
}

/** The columns' widths; 0 for one that is dropped. */
function widthsFor(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  natural: readonly number[],
  width: number,
): number[] {
  const widths = [...natural];
  const total = (sizes: readonly number[]) => {
    const there = sizes.filter((size) => size > 0);
    return there.reduce((all, size) => all + size, 0) + GAP * Math.max(0, there.length - 1);
  };
  const leastOf = (at: number): number => Math.min(widths[at] ?? 0, columns[at]?.least ?? widths[at] ?? 0);
  const squeezed = () => total(widths.map((_, at) => leastOf(at)));
  const droppable = columns
    .map(({ drop }, at) => ({ drop, at, empty: rows.every((row) => isEmpty(row[at]?.text)) }))
    .filter((column): column is typeof column & { drop: number } => column.drop !== undefined)
    .sort((a, b) => Number(b.empty) - Number(a.empty) || b.drop - a.drop);
  for (const { at, empty } of droppable) {
    // An empty column is worth no letter of another; a full one goes only where cutting alone can't make room.
    if ((empty ? total(widths) : squeezed()) <= width) continue;
    widths[at] = 0;
  }
  // Take from whichever is widest beyond its least, a column at a time: the narrow ones stay whole longest.
  for (let excess = total(widths) - width; excess > 0; excess--) {
    let widest = -1;
    for (let at = 0; at < widths.length; at++) {
      const spare = (widths[at] ?? 0) - leastOf(at);
      if (spare > 0 && (widest === -1 || (widths[at] ?? 0) >= (widths[widest] ?? 0))) widest = at;
    }
    if (widest === -1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text === '' || text === '–';
}
