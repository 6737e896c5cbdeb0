import { parseLine } from '../../model/filter/line.ts';
import type { Command } from '../keys.ts';
import type { Step } from './events.ts';
import { arrange, readSources } from './listing.ts';
import { onlyDismissed } from './mode.ts';
import { type FilterState, LISTED_STATES, type State } from './state.ts';

const EDITS = {
  erase: cutBefore(previousGrapheme),
  erase_ahead: (text, caret) => [text.slice(0, caret) + text.slice(nextGrapheme(text, caret)), caret],
  erase_word: cutBefore((text, caret) => text.slice(0, caret).search(/\S*\s*$/)),
  erase_line: (text, caret) => [text.slice(caret), 0],
  caret_left: (text, caret) => [text, previousGrapheme(text, caret)],
  caret_right: (text, caret) => [text, nextGrapheme(text, caret)],
  caret_start: (text) => [text, 0],
  caret_end: (text) => [text, text.length],
} as const satisfies Partial<Record<Command, (text: string, caret: number) => readonly [string, number]>>;

type EditCommand = keyof typeof EDITS | 'accept' | 'abandon';

export function isEdit(command: Command): command is EditCommand {
  return command in EDITS || command === 'accept' || command === 'abandon';
}

export function startFilter(state: State): State {
  return { ...state, filter: { ...state.filter, caret: state.filter.line.length } };
}

export function typeInto(state: State, text: string): Step<State> {
  const { line, caret } = state.filter;
  const at = caret ?? line.length;
  return withLine(state, line.slice(0, at) + text + line.slice(at), at + text.length);
}

export function editFilter(state: State, command: EditCommand): Step<State> {
  if (command === 'accept') return readStates(withCaret(state, null));
  if (command === 'abandon') {
    const cleared = withLine(state, '', null);
    const read = readStates(cleared.state);
    return { state: read.state, effects: [...cleared.effects, ...read.effects] };
  }
  const { line, caret } = state.filter;
  // Erasing in an empty line leaves it, as in other programs with a `/`.
  if (command === 'erase' && line === '') return editFilter(state, 'abandon');
  const [text, at] = EDITS[command](line, caret ?? line.length);
  return text === line ? { state: withCaret(state, at), effects: [] } : withLine(state, text, at);
}

/** Shows what was dismissed, or what wasn't: the same as typing `state:dismissed`, or taking it out. */
export function setArchive(state: State): Step<State> {
  const archived = onlyDismissed(state.filter.filter.states);
  const rest = state.filter.line.replace(/(?:^|\s+)state:\S*/g, '').trim();
  const typed = withLine(state, archived ? rest : `state:dismissed ${rest}`.trim(), null);
  const read = readStates({ ...typed.state, selection: new Set() });
  return { state: read.state, effects: [...typed.effects, ...read.effects] };
}

function withCaret(state: State, caret: number | null): State {
  return { ...state, filter: { ...state.filter, caret } };
}

function withLine(state: State, line: string, caret: number | null): Step<State> {
  const { filter, error } = parseLine(line, LISTED_STATES);
  const next: FilterState = { line, filter, error: error && { message: error.message, hint: error.hint }, caret };
  return arrange({ ...state, filter: next });
}

/** Other states than those that were read lie elsewhere: the archive, or the queue. They are read once the line is done. */
function readStates(state: State): Step<State> {
  const { states } = state.filter.filter;
  const read = state.asked.states;
  if (states.size === read.size && [...states].every((one) => read.has(one))) return { state, effects: [] };
  return readSources(
    state,
    state.sources.map(({ name }) => name),
    { line: '', states },
  );
}

function cutBefore(start: (text: string, caret: number) => number): (text: string, caret: number) => [string, number] {
  return (text, caret) => {
    const from = start(text, caret);
    return [text.slice(0, from) + text.slice(caret), from];
  };
}

function previousGrapheme(text: string, caret: number): number {
  const last = [...new Intl.Segmenter().segment(text.slice(0, caret))].at(-1);
  return last?.index ?? 0;
}

function nextGrapheme(text: string, caret: number): number {
  const [first] = new Intl.Segmenter().segment(text.slice(caret));
  return caret + (first?.segment.length ?? 0);
}
