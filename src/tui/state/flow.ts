import type { Action } from '../../model/action.ts';
import { ago } from '../../model/display/age.ts';
import { confirmation } from '../../model/display/confirmation.ts';
import { escapeText } from '../../model/display/escape.ts';
import { grouped } from '../../model/display/verbs.ts';
import type { SourcePart } from '../../model/operations/act.ts';
import type { Event, Outcome, Step } from './events.ts';
import type { Flow, Phase, ResultLine } from './flow-state.ts';
import { readSources } from './listing.ts';
import { type State, topScreen } from './state.ts';

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

/** Retries, dismisses or restores what is selected, or what the cursor is on; in a failure's own screen, that one. */
export function startFlow(state: State, action: Action): Step<State> {
  const screen = topScreen(state);
  const under = screen?.kind === 'failure' ? screen.failure : state.list.rows[state.list.cursor];
  const selected = screen?.kind === 'failure' ? [] : [...state.selection];
  const ids = selected.length > 0 ? selected : under === undefined ? [] : [under.id];
  if (ids.length === 0) return { state: { ...state, notice: 'There is nothing here to act on.' }, effects: [] };
  const hidden = selected.length > 0 ? state.list.hidden : 0;
  const remarks = hidden > 0 ? [`${grouped(hidden)} of the selected are not shown: the filter hides them.`] : [];
  return plan(open(state, action, ids, remarks));
}

/** Looks in the journal for the last dismissal first. */
export function startUndo(state: State): Step<State> {
  const opened = open(state, 'restore', [], []);
  return { state: opened, effects: [{ type: 'find_undo', flow: opened.flows }] };
}

export function undoFound(state: State, { flow: number, undoable }: Of<'undo_found'>): Step<State> {
  const flow = flowOf(state, number);
  if (flow === undefined) return { state, effects: [] };
  if (undoable === null) {
    const text = 'There is no dismissal of yours to undo.';
    return {
      state: replace(state, { ...flow, phase: { name: 'result', lines: [{ text, tone: 'plain' }] } }),
      effects: [],
    };
  }
  const remarks = [`Dismissed ${ago(undoable.at, state.now)}, in run ${undoable.run}.`];
  return plan(replace(state, { ...flow, ids: undoable.ids, remarks }));
}

function open(state: State, action: Action, ids: readonly string[], remarks: readonly string[]): State {
  const number = state.flows + 1;
  const flow: Flow = { kind: 'flow', number, action, ids, remarks, top: 0, phase: { name: 'planning', progress: [] } };
  return { ...state, flows: number, screens: [...state.screens, flow] };
}

function plan(state: State): Step<State> {
  const flow = topScreen(state);
  if (flow?.kind !== 'flow') return { state, effects: [] };
  return { state, effects: [{ type: 'plan', flow: flow.number, action: flow.action, ids: flow.ids }] };
}

export function flowProgress(state: State, event: Of<'plan_progress'> | Of<'act_progress'>): State {
  const flow = flowOf(state, event.flow);
  if (flow === undefined) return state;
  const { phase } = flow;
  if (event.type === 'plan_progress' && phase.name === 'planning') {
    return replace(state, { ...flow, phase: { ...phase, progress: event.progress } });
  }
  if (event.type === 'act_progress' && phase.name === 'acting') {
    return replace(state, { ...flow, phase: { ...phase, progress: event.progress } });
  }
  return state;
}

export function planned(state: State, { flow: number, planned }: Of<'planned'>): State {
  const flow = flowOf(state, number);
  if (flow?.phase.name !== 'planning') return state;
  const kinds = new Map(state.sources.map(({ name, kind }) => [name, kind]));
  const asked = confirmation(planned.plan, { kinds, parts: planned.sources, bypass: false });
  return replace(state, { ...flow, top: 0, phase: { name: 'confirming', planned, confirmation: asked } });
}

export function answer(state: State, yes: boolean): Step<State> {
  const flow = topScreen(state);
  if (flow?.kind !== 'flow' || flow.phase.name !== 'confirming') return { state, effects: [] };
  const { planned, confirmation } = flow.phase;
  if (!yes || confirmation.doable === 0) return close({ ...state, notice: 'Nothing was changed.' }, flow);
  const phase: Phase = {
    name: 'acting',
    total: confirmation.doable,
    startedAt: state.now,
    progress: [],
    stopping: false,
  };
  return {
    state: replace(state, { ...flow, top: 0, phase }),
    effects: [{ type: 'carry_out', flow: flow.number, action: flow.action, plan: planned.plan }],
  };
}

/** Stops the first pass at once, and an action as soon as what it began is finished. */
export function cancel(state: State): Step<State> {
  const flow = topScreen(state);
  if (flow?.kind !== 'flow') return { state, effects: [] };
  const stop = { type: 'stop', flow: flow.number } as const;
  if (flow.phase.name === 'acting') {
    return { state: replace(state, { ...flow, phase: { ...flow.phase, stopping: true } }), effects: [stop] };
  }
  const closed = close({ ...state, notice: 'Nothing was changed.' }, flow);
  return { state: closed.state, effects: [stop, ...closed.effects] };
}

/** Takes the flow away, and reads what its first pass interrupted. */
function close(state: State, flow: Flow): Step<State> {
  const rest = { ...state, screens: state.screens.filter((screen) => screen !== flow) };
  return readStopped(rest, []);
}

function readStopped(state: State, besides: readonly string[]): Step<State> {
  const names = state.sources.flatMap(({ name, phase }) =>
    phase === 'stopped' || besides.includes(name) ? [name] : [],
  );
  return names.length === 0 ? { state, effects: [] } : readSources(state, names, state.asked);
}

/** Shows what came of it, and reads again where something may have changed. */
export function acted(state: State, { flow: number, outcome }: Of<'acted'>): Step<State> {
  const flow = flowOf(state, number);
  if (flow === undefined) return { state, effects: [] };
  const shown = replace(state, { ...flow, top: 0, phase: { name: 'result', lines: resultLines(outcome) } });
  const names = outcome.parts.map(({ name }) => name);
  // What was acted on isn't selected any more; what was skipped can be seen in the result and found again.
  const ids = new Set(flow.ids);
  const selection = new Set([...shown.selection].filter((id) => !ids.has(id)));
  // The failure whose screen lies below has moved.
  const screens = shown.screens.filter((screen) => screen.kind !== 'failure');
  return readStopped({ ...shown, selection, screens }, names);
}

function resultLines({ lines, parts, interrupted, error, report }: Outcome): ResultLine[] {
  const clean = report.done === report.matched && error === null && parts.every((part) => part.error === null);
  const out: ResultLine[] = lines.map((text, at) => ({
    text,
    tone: at > 0 ? 'plain' : clean ? 'good' : 'bad',
  }));
  if (interrupted) out.push({ text: 'You stopped it: what was not begun stays as it was.', tone: 'bad' });
  if (error !== null) out.push(...troubleLines(error.message, error.hint));
  for (const part of parts) out.push(...partLines(part));
  if (report.uncertain > 0) {
    out.push({ text: 'Uncertain: it may have been done. L shows what the journal knows.', tone: 'plain' });
  }
  if (report.run !== null) out.push({ text: '', tone: 'plain' }, { text: `Run ${report.run}`, tone: 'dim' });
  return out;
}

function partLines({ name, error, note, allInFlight }: SourcePart): ResultLine[] {
  const source = escapeText(name);
  const out: ResultLine[] = [];
  if (error !== null) out.push(...troubleLines(`${name}: ${error.message}`, error.hint));
  if (allInFlight !== null) {
    const { count, retryInSeconds } = allInFlight;
    const text = `${source}: 0 seen, ${grouped(count)} in flight, try again in ${retryInSeconds} s.`;
    out.push({ text, tone: 'bad' });
  }
  if (note !== null) out.push({ text: `${source}: ${escapeText(note)}`, tone: 'plain' });
  return out;
}

function troubleLines(message: string, hint: string | null): ResultLine[] {
  const lines: ResultLine[] = [{ text: escapeText(message), tone: 'bad' }];
  if (hint !== null) lines.push({ text: escapeText(hint), tone: 'plain' });
  return lines;
}

/** A first pass that couldn't be made. */
export function failFlow(state: State, { flow: number, message, hint }: Of<'flow_failed'>): Step<State> {
  const flow = flowOf(state, number);
  if (flow === undefined) return { state, effects: [] };
  const lines: ResultLine[] = [...troubleLines(message, hint), { text: 'Nothing was changed.', tone: 'dim' }];
  return readStopped(replace(state, { ...flow, top: 0, phase: { name: 'result', lines } }), []);
}

function flowOf(state: State, number: number): Flow | undefined {
  return state.screens.find((screen): screen is Flow => screen.kind === 'flow' && screen.number === number);
}

function replace(state: State, flow: Flow): State {
  const screens = state.screens.map((screen) =>
    screen.kind === 'flow' && screen.number === flow.number ? flow : screen,
  );
  return { ...state, screens };
}
