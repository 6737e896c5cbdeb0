import type { Command } from '../keys.ts';
import { editOption, typeOption } from './confirming.ts';
import { editSearch, typeInSearch } from './failing.ts';
import { type EditCommand, editFilter, typeInto } from './filtering.ts';
import { editLogFilter, typeInLog } from './logging.ts';
import { modeOf } from './mode.ts';
import { editPalette, typeInPalette } from './palette.ts';
import type { State } from './state.ts';
import { type Step, still } from './step.ts';

/** Text goes into the line that is being typed; nowhere where none is. */
export function typed(state: State, text: string): Step {
  switch (modeOf(state)) {
    case 'filtering':
      return typeInto(state, text);
    case 'option':
      return still(typeOption(state, text));
    case 'log_filtering':
      return still(typeInLog(state, text));
    case 'searching':
      return still(typeInSearch(state, text));
    case 'palette':
      return still(typeInPalette(state, text));
    default:
      return still(state);
  }
}

/** @param run what a command does that is chosen by its name */
export function editTyped(state: State, command: EditCommand, run: (state: State, command: Command) => Step): Step {
  switch (modeOf(state)) {
    case 'option':
      return editOption(state, command);
    case 'log_filtering':
      return still(editLogFilter(state, command));
    case 'searching':
      return still(editSearch(state, command));
    case 'palette':
      return editPalette(state, command, run);
    default:
      return editFilter(state, command);
  }
}
