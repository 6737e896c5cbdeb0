import { sayCount } from '../../model/display/counts.ts';
import { hiddenOf, targetsOf } from './selection.ts';
import { type State, topScreen } from './state.ts';

/** What a key acts on. */
export interface Subject {
  readonly ids: readonly string[];
  /** What the confirmation says of it. */
  readonly remarks: readonly string[];
}

/** What is selected, else what the cursor is on, of a group all; in a failure's own screen, that one. */
export function subjectOf(state: State): Subject {
  const screen = topScreen(state);
  if (screen?.kind === 'failure') return { ids: [screen.failure.id], remarks: [] };
  const hidden = hiddenOf(state);
  return {
    ids: targetsOf(state),
    remarks: hidden > 0 ? [`${sayCount(hidden)} of the selected are not in the list that is shown.`] : [],
  };
}
