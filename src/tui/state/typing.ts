import { editOption, typeOption } from './confirming.ts';
import type { Step } from './events.ts';
import { type EditCommand, editFilter, typeInto } from './filtering.ts';
import { modeOf } from './mode.ts';
import type { State } from './state.ts';

/** Text goes into the line that is being typed; nowhere where none is. */
export function typed(state: State, text: string): Step<State> {
  switch (modeOf(state)) {
    case 'filtering':
      return typeInto(state, text);
    case 'option':
      return { state: typeOption(state, text), effects: [] };
    default:
      return { state, effects: [] };
  }
}

export function editTyped(state: State, command: EditCommand): Step<State> {
  return modeOf(state) === 'option' ? editOption(state, command) : editFilter(state, command);
}
