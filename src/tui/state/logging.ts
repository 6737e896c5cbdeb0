import { OUTCOME_WORDS } from '../../model/display/outcomes.ts';
import type { LogEntry } from '../../model/ports.ts';
import type { EventOf } from './events.ts';
import {
  belowTop,
  type EntryScreen,
  type LogScreen,
  type RunScreen,
  type Screen,
  type State,
  topScreen,
  withTop,
} from './state.ts';
import { type Step, still } from './step.ts';
import { editLine, type LineCommand, type TextLine, typeInLine } from './text-line.ts';

/** One run of the log, with those of its messages that fit the filter. */
export interface LoggedRun {
  readonly run: string;
  readonly entries: readonly LogEntry[];
}

export function openLog(state: State): Step {
  const log: LogScreen = { kind: 'log', top: 0, cursor: 0, entries: 'reading', query: '', typing: null };
  const screens = state.screens.filter(({ kind }) => kind !== 'log' && kind !== 'run' && kind !== 'entry');
  return { state: { ...state, screens: [...screens, log] }, effects: [{ type: 'log' }] };
}

/** From the log into a run, from a run to one of its messages. */
export function openLogged(state: State): Step {
  const screen = topScreen(state);
  if (screen?.kind === 'log') {
    const run = runsOf(screen)[screen.cursor];
    if (run === undefined) return still(state);
    const opened: RunScreen = {
      kind: 'run',
      top: 0,
      cursor: 0,
      run: run.run,
      entries: run.entries,
      query: screen.query,
      typing: null,
    };
    return { state: over(state, opened), effects: [{ type: 'log_run', run: run.run }] };
  }
  if (screen?.kind !== 'run') return still(state);
  const entry = entriesOf(screen)[screen.cursor];
  if (entry === undefined) return still(state);
  const opened: EntryScreen = { kind: 'entry', top: 0, entry, story: 'reading' };
  return { state: over(state, opened), effects: [{ type: 'story', id: entry.id }] };
}

/** What the journal answered, for the screen that asked. */
export function logged(state: State, event: EventOf<'logged'> | EventOf<'run_logged'> | EventOf<'story'>): State {
  return {
    ...state,
    screens: state.screens.map((screen): Screen => {
      if (event.type === 'logged' && screen.kind === 'log') return { ...screen, entries: event.entries };
      if (event.type === 'run_logged' && screen.kind === 'run' && screen.run === event.run) {
        return { ...screen, entries: event.entries };
      }
      if (event.type === 'story' && screen.kind === 'entry' && screen.entry.id === event.id) {
        return { ...screen, story: event.entries };
      }
      return screen;
    }),
  };
}

export function startLogFilter(state: State): State {
  return onLog(state, (screen) => ({ ...screen, typing: { text: screen.query, caret: screen.query.length } }));
}

export function typeInLog(state: State, text: string): State {
  return withTyped(state, (line) => typeInLine(line, text));
}

export function editLogFilter(state: State, command: LineCommand | 'accept' | 'abandon'): State {
  if (command === 'accept') return onLog(state, (screen) => ({ ...screen, typing: null }));
  if (command === 'abandon') return onLog(state, (screen) => ({ ...screen, query: '', typing: null, cursor: 0 }));
  return withTyped(state, (line) => editLine(line, command));
}

/** In the log, Esc takes the filter away first, then the screen; null elsewhere. */
export function clearLogged(state: State): Step | null {
  const screen = topScreen(state);
  if (screen?.kind !== 'log' && screen?.kind !== 'run') return null;
  if (screen.query !== '') return still(editLogFilter(state, 'abandon'));
  return still(belowTop(state));
}

function withTyped(state: State, change: (line: TextLine) => TextLine): State {
  return onLog(state, (screen) => {
    if (screen.typing === null) return screen;
    const typing = change(screen.typing);
    return typing.text === screen.query
      ? { ...screen, typing }
      : { ...screen, typing, query: typing.text, cursor: 0, top: 0 };
  });
}

function onLog(state: State, change: (screen: LogScreen | RunScreen) => LogScreen | RunScreen): State {
  const screen = topScreen(state);
  if (screen?.kind !== 'log' && screen?.kind !== 'run') return state;
  return withTop(state, change(screen));
}

function over(state: State, screen: Screen): State {
  return { ...state, screens: [...state.screens, screen] };
}

/** What fits was looked for already, for the same entries and words. */
const found = new WeakMap<readonly LogEntry[], { query: string; runs: readonly LoggedRun[] }>();

/** The runs with messages that fit the filter, newest first. */
export function runsOf({ entries, query }: LogScreen): readonly LoggedRun[] {
  if (entries === 'reading' || 'error' in entries) return [];
  const known = found.get(entries);
  if (known?.query === query) return known.runs;
  const byRun = Map.groupBy(fitting(entries, query), ({ run }) => run);
  const runs = [...byRun].map(([run, some]) => ({ run, entries: some }));
  found.set(entries, { query, runs });
  return runs;
}

/** The messages of a run that fit the filter. */
export function entriesOf({ entries, query }: RunScreen): readonly LogEntry[] {
  return 'error' in entries ? [] : fitting(entries, query);
}

function fitting(entries: readonly LogEntry[], query: string): readonly LogEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  return entries.filter((entry) => {
    const text = [
      ...[entry.id, entry.new_id, entry.run, entry.action, OUTCOME_WORDS[entry.outcome], entry.reason],
      ...[entry.queue, entry.subject, entry.to, entry.by, entry.note, entry.detail],
    ]
      .join('\n')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
