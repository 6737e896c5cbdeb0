import type { GroupMember } from '../../model/failure.ts';
import { layoutOf } from '../layout.ts';
import { editFilter, setArchive, withFilter } from './filtering.ts';
import { arrange } from './listing.ts';
import { onlyDismissed } from './mode.ts';
import { placed } from './scroll.ts';
import type { State } from './state.ts';
import { type Step, still } from './step.ts';

/** What `c` goes through; null is by cause. */
const GROUPINGS: readonly (GroupMember | null)[] = [null, 'reason', 'queue', 'subject', 'exception', 'source'];

/** From the groups to the failures of the one under the cursor. */
export function openGroup(state: State): State {
  const group = state.groups.rows[state.groups.cursor];
  if (group === undefined) return state;
  return {
    ...state,
    range: null,
    place: { kind: 'failures', group, line: state.filter.line },
    list: { ...state.list, rows: group.members, cursor: 0, top: 0 },
  };
}

/** From the groups to all failures, whatever their group. */
export function openAll(state: State): State {
  return {
    ...state,
    range: null,
    place: { kind: 'failures', group: null, line: state.filter.line },
    list: { ...state.list, rows: state.list.all, cursor: 0, top: 0 },
  };
}

/**
 * Back to the groups, where one was.
 * @param filter whether what was typed since stays, or the filter is again what it was
 */
export function leavePlace(state: State, filter: 'keep' | 'restore'): Step {
  const { place } = state;
  if (place.kind === 'groups') return still(state);
  // The archive was opened as a list: one goes back to where one came from.
  if (filter === 'restore' && place.group === null && onlyDismissed(state.filter.filter.states))
    return setArchive(state);
  const left = openGroups(state);
  return filter === 'keep' || place.line === state.filter.line
    ? { state: left, effects: [] }
    : withFilter(left, place.line);
}

/** Esc in a list: what was begun last ends first, the range, the filter, the selection, then the list. */
export function stepBack(state: State): Step {
  const { range, filter, place } = state;
  if (range !== null) return { state: { ...state, range: null, selection: range.before }, effects: [] };
  if (place.kind === 'failures') {
    return filter.line === place.line ? leavePlace(state, 'restore') : editFilter(state, 'abandon');
  }
  if (filter.line !== '') return editFilter(state, 'abandon');
  return { state: { ...state, selection: new Set() }, effects: [] };
}

/** What was dismissed instead of what failed, or back. */
export function toggleArchive(state: State): Step {
  const { state: next, effects } = setArchive(state);
  return { state: next.place.kind === 'groups' ? openGroups(next) : next, effects };
}

function openGroups(state: State): State {
  const { groups, list } = state;
  const next: State = { ...state, range: null, place: { kind: 'groups' }, list: { ...list, rows: list.all } };
  return {
    ...next,
    groups: { ...groups, ...placed(groups, groups.cursor, groups.rows.length, layoutOf(next).body) },
  };
}

/** Groups by the next thing that failures have in common. */
export function groupByNext(state: State): Step {
  const { groups } = state;
  const at = GROUPINGS.indexOf(groups.by?.[0] ?? null);
  const next = GROUPINGS[(at + 1) % GROUPINGS.length] ?? null;
  const by = next === null ? null : [next];
  return arrange({ ...state, groups: { ...groups, by, cursor: 0, top: 0 }, notice: `Grouped by ${next ?? 'cause'}.` });
}
