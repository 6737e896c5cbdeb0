import type { Command } from '../keys.ts';
import { layoutOf, windowTop } from '../layout.ts';
import { pageOf } from '../text/pages.ts';
import { type Screen, type State, topScreen } from './state.ts';

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
  if (screen === undefined) return moveTo(state, SCROLLING[command](state.list.cursor, page));
  const { length } = pageOf(state, screen).lines;
  if ('cursor' in screen) {
    const cursor = clamp(SCROLLING[command](screen.cursor, page), length - 1);
    const rows = { ...screen, cursor, top: windowTop(screen.top, cursor, body, length) };
    return { ...state, screens: [...state.screens.slice(0, -1), rows] };
  }
  const highest = Math.max(0, length - body);
  const from = Math.min(screen.top, highest);
  return withTop(state, screen, clamp(SCROLLING[command](from, page), highest));
}

/** Puts the cursor on a row, or the one nearest to it, and the row into view. */
export function moveTo(state: State, row: number): State {
  const { list } = state;
  const cursor = clamp(row, list.rows.length - 1);
  const top = windowTop(list.top, cursor, layoutOf(state).body, list.rows.length);
  return cursor === list.cursor && top === list.top ? state : { ...state, list: { ...list, cursor, top } };
}

function withTop(state: State, screen: Screen, top: number): State {
  return top === screen.top ? state : { ...state, screens: [...state.screens.slice(0, -1), { ...screen, top }] };
}

function clamp(at: number, highest: number): number {
  return Math.max(0, Math.min(at, highest));
}
