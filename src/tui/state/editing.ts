import { LEFT_AS_IT_WAS } from '../../model/display/change.ts';
import { replacement } from '../../model/edit.ts';
import { confirm } from './confirming.ts';
import type { EventOf } from './events.ts';
import { close, flowOf, replace, topFlow } from './flow.ts';
import type { BodyChange } from './flow-state.ts';
import type { State } from './state.ts';
import { type Step, still } from './step.ts';

/** The editor was closed: what was saved is asked about, or what is wrong with it is told. */
export function edited(state: State, { flow: number, result }: EventOf<'edited'>): Step {
  const flow = flowOf(state, number);
  if (flow?.phase.name !== 'editing') return still(state);
  const { planned } = flow.phase;
  switch (result.kind) {
    case 'unchanged':
      return close({ ...state, notice: `${LEFT_AS_IT_WAS} r retries it so.` }, flow);
    case 'unsendable': {
      const { why, saved } = result;
      return {
        state: replace(state, { ...flow, top: 0, phase: { name: 'unsendable', planned, why, saved } }),
        effects: [],
      };
    }
    case 'impossible': {
      const items = planned.plan.items.map((item) => ({ ...item, blocked: item.blocked ?? result.why }));
      return confirm(state, flow, { ...planned, plan: { ...planned.plan, items } });
    }
    case 'changed': {
      const { before, after, saved, lines, warning } = result;
      const change: BodyChange = { edit: replacement(before, after), saved, lines, warning };
      return confirm(state, { ...flow, top: 0, editing: { change } }, planned);
    }
  }
}

/** Opens the editor on what was saved. */
export function editAgain(state: State): Step {
  const flow = topFlow(state);
  if (flow?.editing == null) return still(state);
  const { phase, number } = flow;
  if (phase.name !== 'confirming' && phase.name !== 'unsendable') return still(state);
  const text = phase.name === 'unsendable' ? phase.saved : (flow.editing.change?.saved ?? null);
  return {
    state: replace(state, { ...flow, phase: { name: 'editing', planned: phase.planned } }),
    effects: [{ type: 'edit', flow: number, failure: null, text }],
  };
}
