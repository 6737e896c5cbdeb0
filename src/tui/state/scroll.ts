import type { Command } from '../keys.ts';
import { layoutOf, windowTop } from '../layout.ts';
import { pageOf } from '../text/pages.ts';
import { scrollPane } from './failing.ts';
import { growRange } from './selection.ts';
import { type Cursor, type State, topScreen, withTop } from './state.ts';

const SCROLLING = {
  up: (at, _page) => at - 1,
  down: (at, _page) => at + 1,
  page_up: (at, page) => at - page,
  page_down: (at, page) => at + page,
  first: () => 0,
  last: () => Number.MAX_SAFE_INTEGER,
} as const satisfies Partial<Record<Command, (at: number, page: number) => number>>;

type ScrollCommand = keyof typeof SCROLLING;

export function isScroll(command: Command): command is ScrollCommand {
  return command in SCROLLING;
}

/** Moves the list's cursor, or a page's window. */
export function scroll(state: State, command: ScrollCommand): State {
  const { body } = layoutOf(state);
  const page = Math.max(1, body - 1);
  const screen = topScreen(state);
  if (screen === undefined) {
    const { cursor } = state.place.kind === 'groups' ? state.groups : state.list;
    return moveTo(state, SCROLLING[command](cursor, page));
  }
  if (screen.kind === 'failure') return scrollPane(state, screen, SCROLLING[command]);
  const { length } = pageOf(state, screen).lines;
  if ('cursor' in screen) {
    const cursor = clamp(SCROLLING[command](screen.cursor, page), length - 1);
    const rows = { ...screen, cursor, top: windowTop(screen.top, cursor, body, length) };
    return withTop(state, rows);
  }
  const highest = Math.max(0, length - body);
  const from = Math.min(screen.top, highest);
  const top = clamp(SCROLLING[command](from, page), highest);
  return top === screen.top ? state : withTop(state, { ...screen, top });
}

/** Puts the cursor of the list on a row, or the one nearest to it, and the row into view; a range goes along. */
export function moveTo(state: State, row: number): State {
  const { groups, list, place } = state;
  const { body } = layoutOf(state);
  const moved: State =
    place.kind === 'groups'
      ? { ...state, groups: { ...groups, ...placed(groups, row, groups.rows.length, body) } }
      : { ...state, list: { ...list, ...placed(list, row, list.rows.length, body) } };
  return growRange(moved);
}

/** A cursor on a row, in a window of `height` rows. */
export function placed({ top }: Cursor, row: number, count: number, height: number): Cursor {
  const cursor = clamp(row, count - 1);
  return { cursor, top: windowTop(top, cursor, height, count) };
}

function clamp(at: number, highest: number): number {
  return Math.max(0, Math.min(at, highest));
}
