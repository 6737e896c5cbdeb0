import type { FailureScreen, Pane } from './state/failure-state.ts';
import { type Size, SMALLEST, type State, topScreen } from './state/state.ts';
import { headerLines } from './text/header.ts';
import { placeLines } from './text/place.ts';
import { promptLines } from './text/prompt.ts';

/** How many lines each part of the screen takes. */
export interface Layout {
  readonly header: number;
  /** What says which list it is. */
  readonly place: number;
  /** The list's rows, or a page's lines, without their title. */
  readonly body: number;
  readonly bottom: number;
}

const TITLE = 1;
const FOOTER = 1;

/** The height of each part, with one line of the body at least. */
export function layoutOf(state: State): Layout {
  const header = headerLines(state).length;
  const place = topScreen(state) === undefined ? placeLines(state).length : 0;
  const bottom = promptLines(state).length + FOOTER;
  return { header, place, bottom, body: Math.max(1, state.size.rows - header - place - TITLE - bottom) };
}

/** Below it nothing can be read, and the screens say so. */
export function isTooSmall({ size }: State): boolean {
  return size.columns < SMALLEST.columns || size.rows < SMALLEST.rows;
}

/** Where a window of `height` lines starts, so that the cursor is in it and no line is left empty that needn't be. */
export function windowTop(top: number, cursor: number, height: number, count: number): number {
  const highest = Math.max(0, count - height);
  const lowest = Math.min(top, highest);
  if (cursor < lowest) return Math.max(0, cursor);
  if (cursor >= lowest + height) return Math.min(highest, cursor - height + 1);
  return Math.max(0, lowest);
}

/** A part of the screen that shows one pane of a failure, as high as the rest of the screen lets it be. */
export interface PaneBox {
  readonly pane: Pane;
  readonly left: number;
  /** Of its text: what stands before each line of a body is left of it. */
  readonly width: number;
}

/** From so many columns on a failure's body stands beside its other panes. */
const TWO_PANES = 120;
/** What stands before each line of a body: the cursor, and whether it is folded. */
export const GUTTER = 3;
/** Between two panes. */
const BETWEEN = 3;

/** The panes of a failure that are shown: one, or where there is room the body beside it. */
export function paneBoxes({ columns }: Size, { pane, side }: FailureScreen): PaneBox[] {
  const gutterOf = (one: Pane) => (one === 'body' ? GUTTER : 0);
  if (columns < TWO_PANES) return [{ pane, left: 0, width: Math.max(1, columns - gutterOf(pane)) }];
  const left = Math.floor((columns - BETWEEN) * 0.45);
  const right = left + BETWEEN;
  return [
    { pane: side, left: 0, width: left },
    { pane: 'body', left: right, width: columns - right - GUTTER },
  ];
}
