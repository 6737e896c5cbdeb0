import type { Mode } from '../keys.ts';
import { isTooSmall } from '../layout.ts';
import { type State, topScreen } from './state.ts';

/** What the keys mean right now. */
export function modeOf(state: State): Mode {
  if (state.leaving !== null) return 'leaving';
  const screen = topScreen(state);
  if (screen?.kind === 'flow') {
    if (screen.phase.name === 'acting') return screen.phase.stopping ? 'stopping' : 'acting';
    if (isTooSmall(state)) return 'too_small';
    return screen.phase.name;
  }
  if (isTooSmall(state)) return 'too_small';
  if (screen !== undefined) return screen.kind;
  return state.filter.caret === null ? 'failures' : 'filtering';
}
