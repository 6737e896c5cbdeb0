import { nextOrder, ORDERS } from '../work/orders.ts';
import type { Event, Step } from './events.ts';
import { moveTo } from './scroll.ts';
import { onReading } from './sources.ts';
import { type Asked, LISTED_STATES, type State } from './state.ts';

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

/** Reads all sources for what the screens show by themselves. */
export function readEverything(state: State): Step<State> {
  const read = readSources(
    state,
    state.sources.map(({ name }) => name),
    { line: '', states: new Set(LISTED_STATES) },
  );
  return { ...read, effects: [...read.effects, { type: 'count', sources: 'all' }] };
}

/** Reads the sources named; what is shown of them stays until it is done. */
export function readSources(state: State, names: readonly string[], asked: Asked): Step<State> {
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
 * what fits the filter is read, so that it is found however deep it lies.
 */
export function readAgain(state: State): Step<State> {
  const cut = state.asked.line !== '' || state.sources.some(({ report }) => report !== null && !report.complete);
  const { line, filter, error } = state.filter;
  const asked = { line: cut && error === null ? line.trim() : '', states: filter.states };
  return readSources(
    state,
    state.sources.map(({ name }) => name),
    asked,
  );
}

export function readDone(state: State, { source, reading, failures, report }: Of<'read'>): Step<State> {
  const done = onReading(state, source, reading, (one) => {
    const settled = { ...one, progress: null, error: report.error, baseline: null };
    if (report.error !== null) return { ...settled, phase: 'failed' as const };
    return { ...settled, phase: 'read' as const, report, failures, readAt: state.now };
  });
  const fresh = done.sources.some((one) => one.name === source && one.reading === reading);
  if (!fresh) return { state, effects: [] };
  const kept = report.error === null ? withoutGone(done) : done;
  const arranged = arrange(kept);
  return { state: arranged.state, effects: [...arranged.effects, { type: 'count', sources: [source] }] };
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

/** Asks for what was read to be filtered and ordered. */
export function arrange(state: State): Step<State> {
  const wanted = state.list.wanted + 1;
  return {
    state: { ...state, list: { ...state.list, wanted } },
    effects: [{ type: 'arrange', arrangement: wanted }],
  };
}

/** The cursor stays on its failure, wherever that is now; where it is gone, on what took its place. */
export function arranged(state: State, { arrangement, result, labels }: Of<'arranged'>): State {
  const { list } = state;
  if (arrangement !== list.wanted) return state;
  const under = list.rows[list.cursor]?.id;
  const at = under === undefined || list.cursor === 0 ? -1 : result.rows.findIndex(({ id }) => id === under);
  const { rows, soon, hidden } = result;
  return moveTo(
    { ...state, list: { ...list, rows, labels, soon, hidden, shown: arrangement } },
    at === -1 ? list.cursor : at,
  );
}

export function changeOrder(state: State): Step<State> {
  const order = nextOrder(state.order);
  return arrange({ ...state, order, notice: `Order: ${ORDERS[order].says}.` });
}

/** Selects the row under the cursor, or takes it back, and goes on to the next. */
export function select(state: State): State {
  const failure = state.list.rows[state.list.cursor];
  if (failure === undefined) return state;
  const selection = new Set(state.selection);
  if (!selection.delete(failure.id)) selection.add(failure.id);
  return moveTo({ ...state, selection }, state.list.cursor + 1);
}

/** Selects all that match; where they are all selected, nothing any more. */
export function selectAll(state: State): State {
  const { rows } = state.list;
  const selection = new Set(state.selection);
  for (const { id } of rows) selection.add(id);
  if (selection.size > state.selection.size) return { ...state, selection };
  return { ...state, selection: new Set(), list: { ...state.list, hidden: 0 } };
}
