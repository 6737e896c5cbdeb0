import { SMALLEST, type State, topScreen } from './state/state.ts';
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

export function layoutOf(state: State): Layout {
  const header = headerLines(state).length;
  const place = topScreen(state) === undefined ? placeLines(state).length : 0;
  const bottom = promptLines(state).length + FOOTER;
  return { header, place, bottom, body: Math.max(1, state.size.rows - header - place - TITLE - bottom) };
}

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
