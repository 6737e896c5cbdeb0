import type { Action } from '../../model/action.ts';
import { ago } from '../../model/display/age.ts';
import { messages } from '../../model/display/counts.ts';
import { confirm } from './confirming.ts';
import type { EventOf } from './events.ts';
import { type Editing, type Flow, NO_OPTIONS, type Phase } from './flow-state.ts';
import { readSources } from './listing.ts';
import { resultLines, troubleLines } from './result.ts';
import { type State, topScreen } from './state.ts';
import { type Step, still } from './step.ts';
import { subjectOf } from './subject.ts';
import { termsOf } from './terms.ts';

/** Retries, dismisses or restores what is selected, or what the cursor is on. */
export function startFlow(state: State, action: Action): Step {
  const { ids, remarks } = subjectOf(state);
  if (ids.length === 0) return still({ ...state, notice: 'There is nothing here to act on.' });
  return plan(open(state, action, ids, remarks, null));
}

/** Retries one message with a body that the person edits first. */
export function startEdit(state: State): Step {
  const { ids } = subjectOf(state);
  if (ids.length === 0) return still({ ...state, notice: 'There is nothing here to edit.' });
  if (ids.length > 1) {
    return still({ ...state, notice: `One message is edited at a time; ${messages(ids.length)} are selected.` });
  }
  return plan(open(state, 'retry', ids, [], { change: null }));
}

/** Looks in the journal for the last dismissal first. */
export function startUndo(state: State): Step {
  const opened = open(state, 'restore', [], [], null);
  return { state: opened, effects: [{ type: 'find_undo', flow: opened.flows }] };
}

/** What the last dismissal took is planned to be restored; where there is none, it says so. */
export function undoFound(state: State, { flow: number, undoable }: EventOf<'undo_found'>): Step {
  const flow = flowOf(state, number);
  if (flow === undefined) return still(state);
  if (undoable === null) {
    const text = 'There is no dismissal of yours to undo.';
    return still(replace(state, { ...flow, phase: result([{ text, tone: 'plain' }]) }));
  }
  const remarks = [`Dismissed ${ago(undoable.at, state.now)}, in run ${undoable.run}.`];
  return plan(replace(state, { ...flow, ids: undoable.ids, remarks }));
}

function open(
  state: State,
  action: Action,
  ids: readonly string[],
  remarks: readonly string[],
  editing: Editing | null,
): State {
  const number = state.flows + 1;
  const flow: Flow = {
    kind: 'flow',
    number,
    action,
    ids,
    remarks,
    options: NO_OPTIONS,
    typing: null,
    editing,
    top: 0,
    ahead: null,
    phase: { name: 'planning', progress: [] },
  };
  // From a result it goes on; the way back is to where the person was before.
  const screens = state.screens.filter((screen) => screen.kind !== 'flow');
  return { ...state, flows: number, range: null, screens: [...screens, flow] };
}

/** Makes the first pass, anew where another target was named. */
export function plan(state: State): Step {
  const flow = topFlow(state);
  if (flow === undefined) return still(state);
  const { number, action, ids, options } = flow;
  const looking = replace(state, { ...flow, top: 0, phase: { name: 'planning', progress: [] } });
  const to = options.target === '' ? {} : { to: options.target };
  return { state: looking, effects: [{ type: 'plan', flow: number, action, ids, ...to }] };
}

/** Progress of a flow that is still in the phase that it is of. */
export function flowProgress(
  state: State,
  event: EventOf<'plan_progress'> | EventOf<'act_progress'> | EventOf<'watch_progress'>,
): State {
  const flow = flowOf(state, event.flow);
  if (flow === undefined) return state;
  const { phase } = flow;
  if (event.type === 'plan_progress' && phase.name === 'planning') {
    return replace(state, { ...flow, phase: { ...phase, progress: event.progress } });
  }
  if (event.type === 'act_progress' && phase.name === 'acting') {
    return replace(state, { ...flow, phase: { ...phase, progress: event.progress, watching: null } });
  }
  if (event.type === 'watch_progress' && phase.name === 'acting') {
    return replace(state, { ...flow, phase: { ...phase, watching: event.progress } });
  }
  return state;
}

/** What is there is known: asked about at once, or edited first. */
export function planned(state: State, { flow: number, planned, met }: EventOf<'planned'>): Step {
  const flow = flowOf(state, number);
  if (flow?.phase.name !== 'planning') return still(state);
  if (flow.editing === null || flow.editing.change !== null || met === null) return confirm(state, flow, planned);
  return {
    state: replace(state, { ...flow, phase: { name: 'editing', planned } }),
    effects: [{ type: 'edit', flow: number, failure: met, text: null }],
  };
}

/** How long (ms) no key may have been pressed before a yes counts, where keys came before the question was there. */
const QUIET_MS = 1000;

/** Keys that come before a question is there may be the start of what goes on into it: a note, typed too early. */
export function unbound(state: State, at: number): State {
  const flow = topFlow(state);
  if (flow === undefined) return state;
  const early = flow.phase.name === 'planning' || (flow.phase.name === 'confirming' && flow.ahead !== null);
  return early ? replace(state, { ...flow, ahead: at }) : state;
}

/**
 * A yes begins, once all that must be known or said for it is; anything else leaves everything as it was.
 * @param at when it was pressed
 */
export function answer(state: State, yes: boolean, at: number): Step {
  const flow = topFlow(state);
  if (flow?.phase.name !== 'confirming') return still(state);
  const { planned, confirmation, outlook } = flow.phase;
  if (yes && flow.ahead !== null && at - flow.ahead < QUIET_MS) {
    const waiting = replace(state, { ...flow, ahead: at });
    return still({
      ...waiting,
      notice: "Typed before this was asked, so it doesn't count. Read it, then press y.",
    });
  }
  if (!yes || confirmation.doable === 0) return close({ ...state, notice: 'Nothing was changed.' }, flow);
  const terms = termsOf(flow.options);
  if (state.requireNote && terms.note === null) {
    const typing = { option: 'note', line: { text: '', caret: 0 }, error: null } as const;
    return still({ ...replace(state, { ...flow, typing }), notice: 'The configuration asks why, for the journal.' });
  }
  if (outlook === 'asking') {
    return still({ ...state, notice: 'The queues are being asked whether that time is enough: a moment.' });
  }
  const phase: Phase = {
    name: 'acting',
    total: confirmation.doable,
    startedAt: state.now,
    progress: [],
    watching: null,
    stopping: false,
  };
  const edit = flow.editing?.change?.edit ?? null;
  const { number, action } = flow;
  return {
    state: replace(state, { ...flow, top: 0, phase }),
    effects: [{ type: 'carry_out', flow: number, action, planned, terms, edit }],
  };
}

/** Stops the first pass at once, and an action as soon as what it began is finished. */
export function cancel(state: State): Step {
  const flow = topFlow(state);
  if (flow === undefined) return still(state);
  const stop = { type: 'stop', flow: flow.number } as const;
  if (flow.phase.name === 'acting') {
    return { state: replace(state, { ...flow, phase: { ...flow.phase, stopping: true } }), effects: [stop] };
  }
  const closed = close({ ...state, notice: 'Nothing was changed.' }, flow);
  return { state: closed.state, effects: [stop, ...closed.effects] };
}

/** Takes the flow away, and reads what its first pass interrupted. */
export function close(state: State, flow: Flow): Step {
  const rest = { ...state, screens: state.screens.filter((screen) => screen !== flow) };
  return readStopped(rest, []);
}

function readStopped(state: State, besides: readonly string[]): Step {
  const names = state.sources.flatMap(({ name, phase }) =>
    phase === 'stopped' || besides.includes(name) ? [name] : [],
  );
  return names.length === 0 ? still(state) : readSources(state, names, state.asked);
}

/** Shows what came of it, and reads again where something may have changed. */
export function acted(state: State, { flow: number, outcome }: EventOf<'acted'>): Step {
  const flow = flowOf(state, number);
  if (flow === undefined) return still(state);
  const undoable = flow.action === 'dismiss' && outcome.report.done > 0;
  const shown = replace(state, { ...flow, top: 0, phase: { name: 'result', lines: resultLines(outcome), undoable } });
  const names = outcome.parts.map(({ name }) => name);
  // What was acted on isn't selected any more; what was skipped can be seen in the result and found again.
  const ids = new Set(flow.ids);
  const selection = new Set([...shown.selection].filter((id) => !ids.has(id)));
  // The failure whose screen lies below has moved.
  const screens = shown.screens.filter((screen) => screen.kind !== 'failure');
  const marks = { ...shown.marks, ours: ids };
  return readStopped({ ...shown, selection, screens, marks }, names);
}

/** A first pass that couldn't be made, or a body that couldn't be edited. */
export function failFlow(state: State, { flow: number, message, hint }: EventOf<'flow_failed'>): Step {
  const flow = flowOf(state, number);
  if (flow === undefined) return still(state);
  const lines = [...troubleLines(message, hint), { text: 'Nothing was changed.', tone: 'dim' } as const];
  return readStopped(replace(state, { ...flow, top: 0, phase: result(lines) }), []);
}

function result(lines: Extract<Phase, { name: 'result' }>['lines']): Phase {
  return { name: 'result', lines, undoable: false };
}

/** The flow that the keys are for; undefined where another screen lies over it, or none is open. */
export function topFlow(state: State): Flow | undefined {
  const screen = topScreen(state);
  return screen?.kind === 'flow' ? screen : undefined;
}

/** The flow that an answer is for; undefined where it was closed meanwhile. */
export function flowOf(state: State, number: number): Flow | undefined {
  return state.screens.find((screen): screen is Flow => screen.kind === 'flow' && screen.number === number);
}

/** The flow of that number as it is now. */
export function replace(state: State, flow: Flow): State {
  const screens = state.screens.map((screen) =>
    screen.kind === 'flow' && screen.number === flow.number ? flow : screen,
  );
  return { ...state, screens };
}
