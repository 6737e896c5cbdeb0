import { confirmation } from '../../model/display/confirmation.ts';
import type { Planned } from '../../model/operations/plan-action.ts';
import type { EventOf } from './events.ts';
import { flowOf, plan, replace, topFlow } from './flow.ts';
import type { Flow, Options, TextOption } from './flow-state.ts';
import type { State } from './state.ts';
import { type Step, still } from './step.ts';
import { termsOf, whyNot } from './terms.ts';
import { editLine, type LineCommand, type TextLine, typeInLine } from './text-line.ts';

/** How long canaries are watched unless something else is typed. */
const WAIT = '2m';

/** Asks: what would be done, as the command line says it, with the options as they are. */
export function confirm(state: State, flow: Flow, planned: Planned): Step {
  const { rate, max, bypass, watching, to } = termsOf(flow.options);
  const edit = flow.editing?.change?.edit;
  const asked = confirmation(planned.plan, {
    sources: state.sources,
    parts: planned.sources,
    bypass,
    ...(edit && { edits: edit.says }),
    ...(rate !== undefined && { rate }),
    ...(max !== undefined && { max }),
  });
  const outlook = watching === null || asked.doable === 0 ? null : 'asking';
  const shown = replace(state, { ...flow, phase: { name: 'confirming', planned, confirmation: asked, outlook } });
  if (outlook === null || watching === null) return { state: shown, effects: [] };
  const foretell = { type: 'foretell', flow: flow.number, plan: planned.plan, watching } as const;
  return { state: shown, effects: [{ ...foretell, ...(to !== undefined && { to }) }] };
}

/** What a watch will do is known; what was asked for since is foretold apart. */
export function foretold(state: State, { flow: number, watching, forecast }: EventOf<'foretold'>): State {
  const flow = flowOf(state, number);
  if (flow?.phase.name !== 'confirming' || flow.phase.outlook === null) return state;
  const wanted = termsOf(flow.options).watching;
  if (wanted?.waitMs !== watching.waitMs || wanted.canary !== watching.canary) return state;
  return replace(state, { ...flow, phase: { ...flow.phase, outlook: forecast } });
}

export function startOption(state: State, option: TextOption): State {
  const flow = topFlow(state);
  if (flow === undefined) return state;
  const text = flow.options[option];
  return replace(state, { ...flow, typing: { option, line: { text, caret: text.length }, error: null } });
}

export function toggleBypass(state: State): Step {
  const flow = topFlow(state);
  if (flow?.phase.name !== 'confirming') return still(state);
  return withOptions(state, flow, { ...flow.options, bypass: !flow.options.bypass });
}

export function typeOption(state: State, text: string): State {
  return withLine(state, (line) => typeInLine(line, text));
}

/** Takes what was typed for an option where it can be taken, leaves it, or edits its line. */
export function editOption(state: State, command: LineCommand | 'accept' | 'abandon'): Step {
  if (command === 'accept') return accept(state);
  const flow = topFlow(state);
  if (command !== 'abandon') return { state: withLine(state, (line) => editLine(line, command)), effects: [] };
  return { state: flow === undefined ? state : replace(state, { ...flow, typing: null }), effects: [] };
}

function withLine(state: State, change: (line: TextLine) => TextLine): State {
  const flow = topFlow(state);
  if (flow?.typing == null) return state;
  return replace(state, { ...flow, typing: { ...flow.typing, line: change(flow.typing.line), error: null } });
}

function accept(state: State): Step {
  const flow = topFlow(state);
  if (flow?.typing == null) return still(state);
  const { option, line } = flow.typing;
  const options: Options = { ...flow.options, [option]: line.text.trim() };
  const error = whyNot(watchedCanaries(options, option));
  if (error !== null) {
    return { state: replace(state, { ...flow, typing: { ...flow.typing, error } }), effects: [] };
  }
  return withOptions(state, { ...flow, typing: null }, watchedCanaries(options, option));
}

/** Canaries are watched, or they are none: with the first comes a time, and without the time they go. */
function watchedCanaries(options: Options, changed: TextOption): Options {
  if (changed === 'wait' && options.wait === '') return { ...options, canary: '' };
  return options.canary !== '' && options.wait === '' ? { ...options, wait: WAIT } : options;
}

/** Another target needs another look at the messages; the rest only says more or less. */
function withOptions(state: State, flow: Flow, options: Options): Step {
  const changed: Flow = { ...flow, options };
  if (options.target !== flow.options.target) return plan(replace(state, changed));
  if (flow.phase.name !== 'confirming') return { state: replace(state, changed), effects: [] };
  return confirm(replace(state, changed), changed, flow.phase.planned);
}
