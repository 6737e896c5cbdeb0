import { grouped } from '../../model/display/verbs.ts';
import { type State, topScreen } from './state.ts';

/** What a key acts on. */
export interface Subject {
  readonly ids: readonly string[];
  /** What the confirmation says of it. */
  readonly remarks: readonly string[];
}

/** What is selected, else what the cursor is on; in a failure's own screen, that one. */
export function subjectOf(state: State): Subject {
  const screen = topScreen(state);
  const under = screen?.kind === 'failure' ? screen.failure : state.list.rows[state.list.cursor];
  const selected = screen?.kind === 'failure' ? [] : [...state.selection];
  if (selected.length === 0) return { ids: under === undefined ? [] : [under.id], remarks: [] };
  const { hidden } = state.list;
  return {
    ids: selected,
    remarks: hidden > 0 ? [`${grouped(hidden)} of the selected are not shown: the filter hides them.`] : [],
  };
}
