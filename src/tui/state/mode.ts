import type { State as FailureState } from '../../model/failure.ts';
import { type Mode, TYPING } from '../keys.ts';
import { isTooSmall } from '../layout.ts';
import type { Flow, Phase } from './flow-state.ts';
import { type State, topScreen } from './state.ts';

/** What the keys mean right now. */
export function modeOf(state: State): Mode {
  if (state.leaving !== null) return 'leaving';
  const screen = topScreen(state);
  if (screen?.kind === 'flow') {
    if (screen.phase.name === 'acting') return screen.phase.stopping ? 'stopping' : 'acting';
    if (isTooSmall(state)) return 'too_small';
    if (screen.typing !== null) return 'option';
    if (screen.phase.name === 'confirming') return confirmingMode(screen, screen.phase, state);
    if (screen.phase.name === 'result' && screen.phase.undoable) return 'dismissal';
    return screen.phase.name;
  }
  if (isTooSmall(state)) return 'too_small';
  if ((screen?.kind === 'log' || screen?.kind === 'run') && screen.typing !== null) return 'log_filtering';
  if (screen?.kind === 'failure' && screen.search?.typing != null) return 'searching';
  if (screen?.kind === 'failure') return screen.failure.state === 'dismissed' ? 'archived' : 'failure';
  if (screen !== undefined) return screen.kind;
  if (state.filter.caret !== null) return 'filtering';
  const archive = onlyDismissed(state.filter.filter.states);
  if (state.place.kind === 'groups') return archive ? 'archive_groups' : 'groups';
  return archive ? 'archive' : 'failures';
}

function confirmingMode(
  { action, editing }: Flow,
  { confirmation, planned }: Extract<Phase, { name: 'confirming' }>,
  { sources }: State,
): Mode {
  if (confirmation.doable === 0) {
    // Parked messages have no target.
    const names = new Set(sources.filter(({ kind }) => kind === 'sqs').map(({ name }) => name));
    const mayGoElsewhere = action === 'retry' && planned.plan.items.some(({ source }) => names.has(source));
    return mayGoElsewhere ? 'impossible_retry' : 'impossible';
  }
  if (action !== 'retry') return 'confirming';
  return editing === null ? 'confirming_retry' : 'confirming_edit';
}

/** Whether a line is being typed: then keys that do nothing else are its text. */
export function isTyping(mode: Mode): boolean {
  return TYPING.includes(mode);
}

/** Whether a filter asks for the archive alone. */
export function onlyDismissed(states: ReadonlySet<FailureState>): boolean {
  return states.size === 1 && states.has('dismissed');
}
