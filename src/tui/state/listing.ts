import type { WholeFailure } from '../../model/failure.ts';
import { LISTED_STATES } from '../../model/failure.ts';
import { layoutOf } from '../layout.ts';
import { GROUP_ORDERS, type GroupOrder, nextOrder, ORDERS, saySorting } from '../work/orders.ts';
import type { EventOf } from './events.ts';
import { marked } from './marks.ts';
import { moveTo, placed } from './scroll.ts';
import { onReading } from './sources.ts';
import type { Asked, SourceState, State } from './state.ts';
import { type Step, still } from './step.ts';

/** Reads all sources for what the screens show by themselves. */
export function readEverything(state: State): Step {
  const read = readSources(
    state,
    state.sources.map(({ name }) => name),
    { line: '', states: new Set(LISTED_STATES) },
  );
  return { ...read, effects: [...read.effects, { type: 'count', sources: 'all' }] };
}

/** Reads the sources named; what is shown of them stays until it is done. */
export function readSources(state: State, names: readonly string[], asked: Asked): Step {
  const wanted = new Set(names);
  const sources = state.sources.map((source) =>
    wanted.has(source.name)
      ? { ...source, phase: 'reading' as const, reading: source.reading + 1, progress: null }
      : source,
  );
  const reading = sources.flatMap(({ name, reading }) => (wanted.has(name) ? [{ name, reading }] : []));
  return { state: { ...state, sources, asked }, effects: [{ type: 'read', sources: reading, asked }] };
}

/**
 * Reads everything again, in the states that the filter asks for. Where a source was too long to be listed whole, only
 * what fits the filter is read, so that it is found however deep it lies. New is then what comes from here on.
 */
export function readAgain(state: State): Step {
  const cut = state.asked.line !== '' || state.sources.some(({ report }) => report !== null && !report.complete);
  const { line, filter, error } = state.filter;
  const asked = { line: cut && error === null ? line.trim() : '', states: filter.states };
  return readSources(
    { ...state, marks: { ...state.marks, fresh: new Map() } },
    state.sources.map(({ name }) => name),
    asked,
  );
}

/**
 * Reads again by itself what can be read without harm: a jadpo app's rows, in silence, and not while an action has them.
 * An SQS queue never is: each look counts as a receive.
 */
export function refresh(state: State): Step {
  if (state.leaving !== null || state.screens.some(({ kind }) => kind === 'flow')) return still(state);
  const due = (source: SourceState) =>
    source.kind === 'jadpo' && (source.phase === 'read' || source.phase === 'failed');
  const sources = state.sources.map((source) => (due(source) ? { ...source, reading: source.reading + 1 } : source));
  const reading = sources.flatMap((source) => (due(source) ? [{ name: source.name, reading: source.reading }] : []));
  if (reading.length === 0) return still(state);
  return { state: { ...state, sources }, effects: [{ type: 'read', sources: reading, asked: state.asked }] };
}

/** What a reading brought; of one that was overtaken by a later one, nothing. */
export function readDone(state: State, event: EventOf<'read'>): Step {
  const { source, reading, failures, report } = event;
  const before = state.sources.find((one) => one.name === source && one.reading === reading);
  if (before === undefined) return still(state);
  if (before.phase === 'read' && report.error === null && sameFailures(before.failures, failures)) {
    const read = onReading(state, source, reading, (one) => ({ ...one, report, readAt: state.now, baseline: null }));
    return { state: read, effects: [] };
  }
  const done = onReading(state, source, reading, (one) => {
    const settled = { ...one, progress: null, error: report.error, baseline: null };
    if (report.error !== null) return { ...settled, phase: 'failed' as const };
    return { ...settled, phase: 'read' as const, report, failures, readAt: state.now, readFor: state.asked };
  });
  const kept = report.error === null ? withoutGone(marked(done, before, event)) : done;
  const arranged = arrange(kept);
  return { state: arranged.state, effects: [...arranged.effects, { type: 'count', sources: [source] }] };
}

/** Whether a reading brought nothing new: then nothing needs to be made or drawn anew. */
function sameFailures(before: readonly WholeFailure[], after: readonly WholeFailure[]): boolean {
  return (
    before.length === after.length &&
    before.every((one, at) => {
      const other = after[at];
      return (
        other !== undefined &&
        one.id === other.id &&
        one.state === other.state &&
        one.failed_at === other.failed_at &&
        one.expires_at === other.expires_at &&
        one.fingerprint === other.fingerprint &&
        one.retry_blocked === other.retry_blocked &&
        one.body === other.body
      );
    })
  );
}

/** What is no longer there is no longer selected. */
function withoutGone(state: State): State {
  if (state.selection.size === 0) return state;
  const selection = new Set<string>();
  for (const { failures } of state.sources) {
    for (const { id } of failures) if (state.selection.has(id)) selection.add(id);
  }
  return { ...state, selection };
}

/** Asks for what was read to be filtered, ordered and grouped. */
export function arrange(state: State): Step {
  const wanted = state.list.wanted + 1;
  return {
    state: { ...state, list: { ...state.list, wanted } },
    effects: [{ type: 'arrange', arrangement: wanted }],
  };
}

/** The cursors stay on their group and failure, wherever those are now; where one is gone, on what took its place. */
export function arranged(state: State, { arrangement, result, labels, took }: EventOf<'arranged'>): State {
  const { list, groups, place } = state;
  if (arrangement !== list.wanted) return state;
  const group =
    place.kind === 'failures' && place.group !== null
      ? (result.groups.find(({ name }) => name === place.group?.name) ?? { ...place.group, members: [], count: 0 })
      : null;
  const rows = group === null ? result.rows : group.members;
  const { body } = layoutOf(state);
  const next: State = {
    ...state,
    place: place.kind === 'failures' ? { ...place, group } : place,
    groups: {
      ...groups,
      rows: result.groups,
      span: result.span,
      ...followed(groups, groups.rows[groups.cursor]?.name, result.groups, (one) => one.name, list.touched, body),
    },
    list: {
      ...list,
      rows,
      all: result.rows,
      labels,
      soon: result.soon,
      shown: arrangement,
      arrangedAt: state.now,
      took,
      ...followed(list, list.rows[list.cursor]?.id, rows, (one) => one.id, list.touched, body),
    },
  };
  return moveTo(next, next.place.kind === 'groups' ? next.groups.cursor : next.list.cursor);
}

/** The cursor on the row with the same name, which stays on its line of the screen where it can. */
function followed<T>(
  { cursor, top }: { cursor: number; top: number },
  name: string | undefined,
  rows: readonly T[],
  nameOf: (row: T) => string,
  touched: boolean,
  height: number,
): { cursor: number; top: number } {
  const found = name === undefined || !touched ? -1 : rows.findIndex((row) => nameOf(row) === name);
  const at = found === -1 ? cursor : found;
  return placed({ cursor, top: Math.max(0, top + at - cursor) }, at, rows.length, height);
}

/** Only groups by cause have a subject. */
function nextGroupOrder(order: GroupOrder, byCause: boolean): GroupOrder {
  const next = nextOrder(GROUP_ORDERS, order);
  return next === 'subject' && !byCause ? nextOrder(GROUP_ORDERS, next) : next;
}

/** The next order of the list that is shown, or the same the other way round. */
export function changeOrder(state: State, change: 'next' | 'reverse'): Step {
  const { groups, list, place } = state;
  if (place.kind === 'groups') {
    const sort =
      change === 'next'
        ? { order: nextGroupOrder(groups.sort.order, groups.by === null), reversed: false }
        : { ...groups.sort, reversed: !groups.sort.reversed };
    return arrange({ ...state, groups: { ...groups, sort }, notice: `Order: ${saySorting(GROUP_ORDERS, sort)}.` });
  }
  const sort =
    change === 'next'
      ? { order: nextOrder(ORDERS, list.sort.order), reversed: false }
      : { ...list.sort, reversed: !list.sort.reversed };
  return arrange({ ...state, list: { ...list, sort }, notice: `Order: ${saySorting(ORDERS, sort)}.` });
}
