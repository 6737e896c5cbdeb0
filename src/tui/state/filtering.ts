import { LISTED_STATES } from '../../model/failure.ts';
import { parseLine } from '../../model/filter/line.ts';
import type { Command } from '../keys.ts';
import { arrange, readSources } from './listing.ts';
import { onlyDismissed } from './mode.ts';
import type { FilterState, Place, State } from './state.ts';
import { type Step, still } from './step.ts';
import { editLine, isLineCommand, type LineCommand, typeInLine } from './text-line.ts';

export type EditCommand = LineCommand | 'accept' | 'abandon';

/** Whether a command is about the line that is typed. */
export function isEdit(command: Command): command is EditCommand {
  return isLineCommand(command) || command === 'accept' || command === 'abandon';
}

export function startFilter(state: State): State {
  return { ...state, filter: { ...state.filter, caret: state.filter.line.length } };
}

export function typeInto(state: State, text: string): Step {
  const { line, caret } = state.filter;
  const typed = typeInLine({ text: line, caret: caret ?? line.length }, text);
  return withLine(state, typed.text, typed.caret);
}

/** Keeps the filter, takes back what was typed of it here, or edits its line. */
export function editFilter(state: State, command: EditCommand): Step {
  if (command === 'accept') return readStates(withCaret(state, null));
  if (command === 'abandon') {
    return withFilter(state, state.place.kind === 'groups' ? '' : state.place.line);
  }
  const { line, caret } = state.filter;
  // Erasing in an empty line leaves it, as in other programs with a `/`.
  if (command === 'erase' && line === '') return editFilter(state, 'abandon');
  const edited = editLine({ text: line, caret: caret ?? line.length }, command);
  if (edited.text === line) return { state: withCaret(state, edited.caret), effects: [] };
  return withLine(state, edited.text, edited.caret);
}

/** Shows what was dismissed, or what wasn't: the same as typing `state:dismissed`, or taking it out. */
export function setArchive(state: State): Step {
  const archived = onlyDismissed(state.filter.filter.states);
  const rest = state.filter.line.replace(/(?:^|\s+)state:\S*/g, '').trim();
  const line = archived ? rest : `state:dismissed ${rest}`.trim();
  const place: Place = archived ? { kind: 'groups' } : { kind: 'failures', group: null, line };
  const list = { ...state.list, cursor: 0, top: 0 };
  return withFilter({ ...state, place, list, range: null, selection: new Set() }, line);
}

/** Filters by a line that isn't typed any more. */
export function withFilter(state: State, line: string): Step {
  const typed = withLine(state, line, null);
  const read = readStates(typed.state);
  return { state: read.state, effects: [...typed.effects, ...read.effects] };
}

function withCaret(state: State, caret: number | null): State {
  return { ...state, filter: { ...state.filter, caret } };
}

function withLine(state: State, line: string, caret: number | null): Step {
  const { filter, error } = parseLine(line, LISTED_STATES);
  const next: FilterState = { line, filter, error: error && { message: error.message, hint: error.hint }, caret };
  return arrange({ ...state, filter: next });
}

/** Other states than those that were read lie elsewhere: the archive, or the queue. They are read once the line is done. */
function readStates(state: State): Step {
  const { states } = state.filter.filter;
  const read = state.asked.states;
  if (states.size === read.size && [...states].every((one) => read.has(one))) return still(state);
  return readSources(
    state,
    state.sources.map(({ name }) => name),
    { line: '', states },
  );
}
