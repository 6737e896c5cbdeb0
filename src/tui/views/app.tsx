import { Box, useApp, useInput, usePaste, useWindowSize } from 'ink';
import { type ReactElement, useEffect, useSyncExternalStore } from 'react';
import { commandFor } from '../keys.ts';
import { isTooSmall, layoutOf } from '../layout.ts';
import type { Paint } from '../paint.ts';
import { pressesOf } from '../press.ts';
import type { Event } from '../state/events.ts';
import { isTyping, modeOf } from '../state/mode.ts';
import { type Screen, SMALLEST, type State, topScreen } from '../state/state.ts';
import { headerLines } from '../text/header.ts';
import { footerLine } from '../text/help.ts';
import { line } from '../text/line.ts';
import { placeLines } from '../text/place.ts';
import { promptLines } from '../text/prompt.ts';
import { wrapText } from '../text/wrap.ts';
import { FailureList } from './failure-list.tsx';
import { FailurePanes } from './failure-panes.tsx';
import { GroupList } from './group-list.tsx';
import { Lines } from './lines.tsx';
import { Page } from './page.tsx';
import { PaintContext } from './paint-context.ts';

/** Gives the terminal to another program while it runs. */
export type Away = (work: () => Promise<void>) => Promise<void>;

/** Where the state lives. */
export interface Store {
  state(): State;
  subscribe(listener: () => void): () => void;
  dispatch(event: Event): void;
  onAway(away: Away): void;
}

/** The whole of the screens: draws the store's state, and tells it of keys, pastes and sizes. */
export function App({ store, paint }: { store: Store; paint: Paint }): ReactElement {
  const state = useSyncExternalStore(store.subscribe, store.state, store.state);
  const { columns, rows } = useWindowSize();
  const { suspendTerminal } = useApp();
  useEffect(() => store.onAway((work) => suspendTerminal(work)), [store, suspendTerminal]);
  useEffect(() => store.dispatch({ type: 'resized', size: { columns, rows } }), [store, columns, rows]);
  useInput((input, key) => {
    for (const press of pressesOf(input, key)) {
      const mode = modeOf(store.state());
      const command = commandFor(mode, press.key);
      const at = performance.now();
      if (command !== undefined) store.dispatch({ type: 'command', command, at });
      else if (!isTyping(mode)) store.dispatch({ type: 'unbound', at });
      else if (press.text !== '') store.dispatch({ type: 'typed', text: press.text });
    }
  });
  usePaste((text) => store.dispatch({ type: 'pasted', text }));
  return (
    <PaintContext value={paint}>
      <Screens state={state} />
    </PaintContext>
  );
}

/** The state as it is drawn. */
export function Screens({ state }: { state: State }): ReactElement {
  const { columns, rows } = state.size;
  const mode = modeOf(state);
  if (mode === 'leaving' || isTooSmall(state)) return <Lines lines={plainWords(state)} height={rows} />;
  const layout = layoutOf(state);
  const screen = topScreen(state);
  const footer = footerLine(mode, columns);
  return (
    <Box flexDirection="column" height={rows} width={columns} overflow="hidden">
      <Lines lines={headerLines(state)} height={layout.header} />
      {screen === undefined ? (
        <>
          <Lines lines={placeLines(state)} height={layout.place} />
          {state.place.kind === 'groups' ? (
            <GroupList state={state} height={layout.body} />
          ) : (
            <FailureList state={state} height={layout.body} />
          )}
        </>
      ) : (
        <OverList state={state} screen={screen} height={layout.body} />
      )}
      <Lines lines={[...promptLines(state), footer]} height={layout.bottom} />
    </Box>
  );
}

/** What lies over the list. */
function OverList({ state, screen, height }: { state: State; screen: Screen; height: number }): ReactElement {
  if (screen.kind === 'failure') return <FailurePanes state={state} screen={screen} />;
  return <Page state={state} screen={screen} height={height} />;
}

/** What is shown where the screens can't be, or are no longer. */
function plainWords(state: State): ReturnType<typeof line>[] {
  const { columns, rows } = state.size;
  const words =
    state.leaving !== null
      ? 'Letting go of what is held, and finishing what was begun… Ctrl+C once more leaves at once.'
      : `babelq needs ${SMALLEST.columns}×${SMALLEST.rows}; this terminal has ${columns}×${rows}. Make it larger, or press q.`;
  return wrapText(words, columns).map((text) => line(text));
}
