import type { Effect } from './events.ts';
import type { State } from './state.ts';

/** What comes of something that happened: the state after it, and the work that it asks for. */
export interface Step {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** A step that asks for no work. */
export function still(state: State): Step {
  return { state, effects: [] };
}
