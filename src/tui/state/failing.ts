import type { WholeFailure } from '../../model/failure.ts';
import { layoutOf, type PaneBox, paneBoxes } from '../layout.ts';
import { type Document, foldableAt, holdersOf, matchesIn, type Row, rowAt, rowsOf } from '../text/document.ts';
import { paneText } from '../text/failure.ts';
import type { Effect } from './events.ts';
import { type FailureScreen, PANES } from './failure-state.ts';
import type { EditCommand } from './filtering.ts';
import { moveTo, placed } from './scroll.ts';
import { belowTop, hasBody, type State, topScreen, withTop } from './state.ts';
import { type Step, still } from './step.ts';
import { editLine, type TextLine, typeInLine } from './text-line.ts';

/** What the pane that the keys are for shows right now. */
interface Focus {
  readonly document: Document;
  readonly folded: ReadonlySet<number>;
  readonly rows: readonly Row[];
  readonly width: number;
  readonly height: number;
}

function focusOf(state: State, screen: FailureScreen): Focus {
  const box = paneBoxes(state.size, screen).find(({ pane }) => pane === screen.pane);
  if (box === undefined) throw new Error('The pane in use is not shown.');
  return { width: box.width, height: layoutOf(state).body, ...shownIn(state, screen, box) };
}

/** What a pane shows. */
export function shownIn(
  state: State,
  screen: FailureScreen,
  { pane, width }: PaneBox,
): Omit<Focus, 'width' | 'height'> {
  const text = paneText(screen, pane, width, state.now);
  const folded = pane === 'body' ? (screen.folded ?? text.folded) : text.folded;
  return { document: text.document, folded, rows: rowsOf(text.document, folded, width) };
}

/** Opens one failure, and asks for its history and for a body that isn't kept. */
export function openFailure(state: State, failure: WholeFailure | undefined): Step {
  if (failure === undefined) return still(state);
  const screens = state.screens.filter(({ kind }) => kind !== 'failure');
  return { state: { ...state, screens: [...screens, failureScreen(failure)] }, effects: lookInto(failure) };
}

function failureScreen(failure: WholeFailure, before?: FailureScreen): FailureScreen {
  const top = { cursor: 0, top: 0 };
  return {
    kind: 'failure',
    failure,
    history: 'reading',
    body: hasBody(failure) ? 'there' : 'reading',
    pane: before?.pane ?? 'summary',
    side: before?.side ?? 'summary',
    at: { summary: top, attributes: top, history: top, body: top },
    folded: null,
    search: before?.search ?? null,
  };
}

function lookInto(failure: WholeFailure): Effect[] {
  const history: Effect = { type: 'history', id: failure.id };
  return hasBody(failure) ? [history] : [history, { type: 'inspect', id: failure.id }];
}

/** From one failure to the one beside it in the list, in the same pane. */
export function stepFailure(state: State, by: 1 | -1): Step {
  const screen = topScreen(state);
  const moved = moveTo(state, state.list.cursor + by);
  const failure = moved.list.rows[moved.list.cursor];
  if (screen?.kind !== 'failure') return still(state);
  if (failure === undefined || moved.list.cursor === state.list.cursor) {
    return still({ ...state, notice: by === 1 ? 'This is the last one.' : 'This is the first one.' });
  }
  return { state: withScreen(moved, failureScreen(failure, screen)), effects: lookInto(failure) };
}

/** The next pane, or the one before. */
export function nextPane(state: State, by: 1 | -1): State {
  return onFailure(state, (screen) => {
    const pane = PANES[(PANES.indexOf(screen.pane) + by + PANES.length) % PANES.length] ?? 'summary';
    return { ...screen, pane, side: pane === 'body' ? screen.side : pane };
  });
}

/** Moves the body's cursor, or a pane's window. */
export function scrollPane(state: State, screen: FailureScreen, move: (at: number, page: number) => number): State {
  const { rows, height } = focusOf(state, screen);
  const at = screen.at[screen.pane];
  const page = Math.max(1, height - 1);
  if (screen.pane === 'body') return withScreen(state, putAt(screen, move(at.cursor, page), rows.length, height));
  const highest = Math.max(0, rows.length - height);
  const top = Math.max(0, Math.min(move(Math.min(at.top, highest), page), highest));
  return withScreen(state, { ...screen, at: { ...screen.at, [screen.pane]: { cursor: top, top } } });
}

function putAt(screen: FailureScreen, row: number, count: number, height: number): FailureScreen {
  const at = placed(screen.at[screen.pane], row, count, height);
  return { ...screen, at: { ...screen.at, [screen.pane]: at } };
}

/** Folds what begins at the line under the cursor, or unfolds it; within something, folds that. */
export function fold(state: State): State {
  return onFailure(state, (screen) => {
    if (screen.pane !== 'body') return screen;
    const { document, folded, rows, width, height } = focusOf(state, screen);
    const line = rows[screen.at.body.cursor]?.line;
    const holder = line === undefined ? null : foldableAt(document, line);
    if (holder === null) return screen;
    const next = new Set(folded);
    if (!next.delete(holder)) next.add(holder);
    const shown = rowsOf(document, next, width);
    return putAt({ ...screen, folded: next }, rowAt(shown, holder, 0), shown.length, height);
  });
}

/** Folds all there is within the outermost, or unfolds everything where something is folded. */
export function foldAll(state: State): State {
  return onFailure(state, (screen) => {
    if (screen.pane !== 'body') return screen;
    const { document, folded, rows, width, height } = focusOf(state, screen);
    const inner = document.lines.flatMap(({ ends }, at) => (ends === null || at === 0 ? [] : [at]));
    const next = new Set(folded.size > 0 ? [] : inner);
    const line = rows[screen.at.body.cursor]?.line ?? 0;
    const shown = rowsOf(document, next, width);
    return putAt({ ...screen, folded: next }, rowAt(shown, line, 0), shown.length, height);
  });
}

export function startSearch(state: State): State {
  return onFailure(state, (screen) => {
    const query = screen.search?.query ?? '';
    const match = screen.search?.match ?? null;
    return { ...screen, search: { query, match, typing: { text: query, caret: query.length } } };
  });
}

export function typeInSearch(state: State, text: string): State {
  return onFailure(state, (screen) =>
    screen.search?.typing ? searched(state, screen, typeInLine(screen.search.typing, text)) : screen,
  );
}

/** Goes on with what is looked for, takes it back, or edits its line. */
export function editSearch(state: State, command: EditCommand): State {
  return onFailure(state, (screen) => {
    const { search } = screen;
    if (search?.typing == null) return screen;
    if (command === 'abandon') return { ...screen, search: null };
    if (command === 'accept') return { ...screen, search: search.query === '' ? null : { ...search, typing: null } };
    if (command === 'erase' && search.typing.text === '') return { ...screen, search: null };
    return searched(state, screen, editLine(search.typing, command));
  });
}

/** To the next place where it stands, or the one before; from the end it goes on at the top. */
export function nextMatch(state: State, by: 1 | -1): State {
  const screen = topScreen(state);
  if (screen?.kind !== 'failure') return state;
  if (screen.search === null) return { ...state, notice: 'Nothing is looked for: / asks what.' };
  const { document } = focusOf(state, screen);
  const matches = matchesIn(document, screen.search.query);
  if (matches.length === 0) return state;
  const from = screen.search.match ?? (by === 1 ? -1 : 0);
  return withScreen(state, atMatch(state, screen, (from + by + matches.length) % matches.length));
}

/** Esc: what is looked for goes first. */
export function leaveFailure(state: State): State {
  const screen = topScreen(state);
  if (screen?.kind === 'failure' && screen.search !== null) return withScreen(state, { ...screen, search: null });
  return belowTop(state);
}

/** Looks for what was typed, from where one is. */
function searched(state: State, screen: FailureScreen, typing: TextLine): FailureScreen {
  const next: FailureScreen = { ...screen, search: { query: typing.text, typing, match: null } };
  const { document, rows } = focusOf(state, screen);
  const matches = matchesIn(document, typing.text);
  if (matches.length === 0) return next;
  const line = rows[screen.at[screen.pane].cursor]?.line ?? 0;
  const ahead = matches.findIndex((match) => match.line >= line);
  return atMatch(state, next, ahead === -1 ? 0 : ahead);
}

/** Brings a match into view, and unfolds what it lies in. */
function atMatch(state: State, screen: FailureScreen, index: number): FailureScreen {
  const { document, folded, width, height } = focusOf(state, screen);
  const match = matchesIn(document, screen.search?.query ?? '')[index];
  if (match === undefined || screen.search === null) return screen;
  const hiding = holdersOf(document, folded, match.line);
  const shown = hiding.length === 0 ? folded : new Set([...folded].filter((at) => !hiding.includes(at)));
  const rows = rowsOf(document, shown, width);
  const found = { ...screen, search: { ...screen.search, match: index } };
  const unfolded = shown === folded ? found : { ...found, folded: shown };
  return putAt(unfolded, rowAt(rows, match.line, match.from), rows.length, height);
}

function onFailure(state: State, change: (screen: FailureScreen) => FailureScreen): State {
  const screen = topScreen(state);
  return screen?.kind === 'failure' ? withScreen(state, change(screen)) : state;
}

function withScreen(state: State, screen: FailureScreen): State {
  return withTop(state, screen);
}
