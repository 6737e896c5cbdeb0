import { type Confirmation, confirmation } from '../../model/display/confirmation.ts';
import type { BodyEdit } from '../../model/edit.ts';
import type { WholeFailure } from '../../model/failure.ts';
import type { ActionAsk } from '../../model/operations/action-ask.ts';
import { type Planned, planAction, reviewPlan } from '../../model/operations/plan-action.ts';
import type { Plan } from '../../model/plan.ts';
import type { Context } from '../context.ts';
import { whileReading } from '../reading.ts';
import { editByHand } from './by-hand.ts';

/**
 * The first pass: what is there, and what can be done. A plan that was kept is looked at again instead.
 * @throws BabelqError as planAction; Interrupted
 */
export function planned(ask: ActionAsk, kept: Plan | null, context: Context): Promise<Planned> {
  return whileReading(context, (onRead) =>
    kept === null ? planAction({ ...ask, onRead }) : reviewPlan({ ...ask, onRead }, kept),
  );
}

/**
 * The first pass for one message, and what a person makes of its body.
 * @returns the plan, with the edit where there is one; null where they left the body as it was
 * @throws BabelqError as planAction and editByHand; Interrupted
 */
export async function plannedByHand(
  ask: ActionAsk,
  redact: readonly string[],
  answers: NodeJS.ReadStream | null,
  context: Context,
): Promise<{ first: Planned; edit?: BodyEdit } | null> {
  const met = new Map<string, WholeFailure>();
  const first = await planned({ ...ask, onPlanned: (failure) => met.set(failure.id, failure) }, null, context);
  const [item] = first.plan.items;
  const failure = item === undefined || item.blocked !== null ? undefined : met.get(item.id);
  if (item === undefined || failure === undefined) return { first };
  const edit = await editByHand(failure, redact, answers, context);
  if (edit === null) return null;
  if (!('why' in edit)) return { first, edit };
  item.blocked = edit.why;
  return { first };
}

/** What a person sees of a plan before it is carried out. */
export function confirmationOf({ plan, sources }: Planned, ask: ActionAsk): Confirmation {
  return confirmation(plan, {
    sources: ask.sources,
    parts: sources,
    bypass: ask.bypass ?? false,
    ...(ask.edit && { edits: ask.edit.says }),
    ...(ask.rate !== undefined && { rate: ask.rate }),
    ...(ask.max !== undefined && { max: ask.max }),
  });
}
