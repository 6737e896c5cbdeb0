import type { WholeFailure } from '../../model/failure.ts';
import { moveTo } from './scroll.ts';
import type { State } from './state.ts';

/** The ids that an action would take: what is selected, else what the cursor is on. */
export function targetsOf(state: State): readonly string[] {
  if (state.selection.size > 0) return [...state.selection];
  return memberIds(state, cursorOf(state));
}

/** How many of the selected the list doesn't show: the filter hides them, or they are of another group. */
export function hiddenOf({ selection, list }: State): number {
  return selection.size - countSelected(selection, list.rows);
}

const counted = new WeakMap<ReadonlySet<string>, WeakMap<readonly WholeFailure[], number>>();

/** How many of these are selected; counted once for each selection. */
export function countSelected(selection: ReadonlySet<string>, failures: readonly WholeFailure[]): number {
  if (selection.size === 0) return 0;
  const known = counted.get(selection) ?? new WeakMap<readonly WholeFailure[], number>();
  counted.set(selection, known);
  let count = known.get(failures);
  if (count === undefined) {
    count = 0;
    for (const { id } of failures) if (selection.has(id)) count += 1;
    known.set(failures, count);
  }
  return count;
}

/** Selects what is under the cursor, or takes it back, and goes on to the next; it ends a range. */
export function select(state: State): State {
  if (state.range !== null) return { ...state, range: null };
  const ids = memberIds(state, cursorOf(state));
  if (ids.length === 0) return state;
  const selection = new Set(state.selection);
  const all = ids.every((id) => selection.has(id));
  for (const id of ids) {
    if (all) selection.delete(id);
    else selection.add(id);
  }
  return moveTo({ ...state, selection }, cursorOf(state) + 1);
}

/** Selects all that match; where they are all selected, nothing any more. */
export function selectAll(state: State): State {
  const selection = new Set(state.selection);
  for (const { id } of state.list.rows) if (!state.marks.gone.has(id)) selection.add(id);
  const more = selection.size > state.selection.size;
  return { ...state, range: null, selection: more ? selection : new Set() };
}

/** Begins a range at the cursor, or ends it. */
export function startRange(state: State): State {
  if (state.range !== null) return { ...state, range: null };
  const from = nameAt(state, cursorOf(state));
  return from === undefined ? state : growRange({ ...state, range: { from, before: state.selection } });
}

/** A row further, as a range. */
export function extendRange(state: State, by: 1 | -1): State {
  return moveTo(state.range === null ? startRange(state) : state, cursorOf(state) + by);
}

/** What is in the range is selected, whichever way the cursor went. */
export function growRange(state: State): State {
  const { range } = state;
  if (range === null) return state;
  const rows: readonly { id?: string; name?: string }[] =
    state.place.kind === 'groups' ? state.groups.rows : state.list.rows;
  const start = rows.findIndex(({ id, name }) => (name ?? id) === range.from);
  if (start === -1) return { ...state, range: null };
  const cursor = cursorOf(state);
  const selection = new Set(range.before);
  for (let at = Math.min(start, cursor); at <= Math.max(start, cursor); at++) {
    for (const id of memberIds(state, at)) selection.add(id);
  }
  return { ...state, selection };
}

/** The row of the list that is shown. */
export function cursorOf({ place, groups, list }: State): number {
  return place.kind === 'groups' ? groups.cursor : list.cursor;
}

function nameAt({ place, groups, list }: State, at: number): string | undefined {
  return place.kind === 'groups' ? groups.rows[at]?.name : list.rows[at]?.id;
}

/** The ids of a row, without those that have left. */
function memberIds({ place, groups, list, marks }: State, at: number): string[] {
  const one = list.rows[at];
  const failures = place.kind === 'groups' ? (groups.rows[at]?.members ?? []) : one === undefined ? [] : [one];
  return failures.flatMap(({ id }) => (marks.gone.has(id) ? [] : [id]));
}
