import type { Action, PlanTerms } from '../../model/action.ts';
import { LEFT_AS_IT_WAS } from '../../model/display/change.ts';
import { messages } from '../../model/display/counts.ts';
import { type Mend, mendEdit } from '../../model/edit.ts';
import { EXIT } from '../../model/errors.ts';
import { type ActionAsk, type Asked, refuseWithoutNote } from '../../model/operations/action-ask.ts';
import { exitOf } from '../../model/operations/exit.ts';
import { rateOf, wholeNumber } from '../../model/options/numbers.ts';
import { refuseNoQueue } from '../../model/options/target.ts';
import { type Watching, type WatchOptions, watchingOf } from '../../model/options/watching.ts';
import { doableItems, type Plan, plannedItem } from '../../model/plan.ts';
import { planOf } from '../../model/plan-file.ts';
import type { Context } from '../context.ts';
import type { OpenedWorkspace } from '../open.ts';
import { type AskedOptions, askedFor, settleAsked } from './asked.ts';
import { confirms, whoConfirms } from './asking.ts';
import { carry } from './carry.ts';
import { showDryRun } from './dry-run.ts';
import { isMend, refuseForEdit } from './edits.ts';
import { type KeptPlan, readKeptPlan, refuseBesidePlan } from './kept-plan.ts';
import { refuseLosableArchive } from './losable-archive.ts';
import { moveNatively } from './native.ts';
import { sayErrors } from './parts-trouble.ts';
import { confirmationOf, planned, plannedByHand } from './planning.ts';
import { foretell } from './watching.ts';

export interface ActOptions extends AskedOptions, WatchOptions {
  dryRun?: boolean;
  yes?: boolean;
  max?: string;
  rate?: string;
  reasonNote?: string;
  to?: string;
  bypass?: boolean;
  plan?: string;
  edit?: boolean;
  set?: string[];
  unset?: string[];
  native?: boolean;
}

/** What retry, dismiss and restore have in common: first what, then do. Answers the exit code. */
export async function act(action: Action, ids: string[], options: ActOptions, context: Context): Promise<number> {
  refuseNoQueue(options.to);
  if (options.native) return moveNatively(ids, options, context);
  // All that can be wrong with what was typed is told before anything is read or opened.
  const watching = watchingOf(options);
  const limits = limitsOf(options);
  const mend: Mend = { set: options.set ?? [], unset: options.unset ?? [] };
  const typed = { ...limits, bypass: options.bypass ?? false, ...withTo(options.to), ...withEdit(mend) };
  if (options.edit) refuseForEdit(ids, options);
  if (options.plan !== undefined) refuseBesidePlan(ids, options);
  const wanted = options.plan === undefined ? askedFor(action, ids, options) : null;
  const answers = whoConfirms(action, options, context.io, options.stdin === true || options.plan === '-');

  const file = options.plan === undefined ? null : await readKeptPlan(action, options.plan, context);
  const asked = wanted === null ? idsOf(file) : await settleAsked(wanted, context.io.stdin, context.signal);
  const workspace = await context.open();
  const { sources, journal, clock, operator, requireNote } = workspace;
  const ask: ActionAsk = {
    action,
    asked,
    sources,
    journal,
    clock,
    by: operator,
    note: options.reasonNote ?? null,
    requireNote,
    ...(file === null ? typed : { ...limits, ...termsOfPlan(file) }),
    allowReceive: context.global.allowReceive,
    signal: context.signal,
  };
  const kept = file === null ? null : planOf(file, file.name, action, sources);
  if (file !== null && file.left > 0)
    context.terminal.say(`${messages(file.left)} that the plan couldn't do are left.`);

  if (options.dryRun) return dryRun(ask, kept, file?.terms ?? termsOf(ask, mend), watching, context);
  refuseWithoutNote(ask);
  // Canaries need to be chosen among what is there.
  const isOnePass = options.yes === true && asked.kind === 'filter' && watching?.canary == null;
  if (isOnePass) return onePass(ask, watching, workspace, context);

  const byHand = options.edit ? await plannedByHand(ask, workspace.redact, answers, context) : undefined;
  if (byHand === null) {
    context.terminal.complain(`${LEFT_AS_IT_WAS} Without --edit it is retried so.`);
    return EXIT.couldNot;
  }
  if (byHand?.edit !== undefined) ask.edit = byHand.edit;
  const made = kept === null ? null : { plan: kept, sources: [] };
  const first = byHand?.first ?? made ?? (await planned(ask, null, context));
  const touched = new Set(doableItems(first.plan).map(({ source }) => source));
  refuseLosableArchive(
    action,
    sources.filter(({ name }) => touched.has(name)),
    workspace,
    context.io,
  );
  const outlook = await foretell(watching, first.plan, ask);
  if (answers === null) for (const line of outlook.warnings) context.terminal.say(line);
  else {
    // A plan may be old: what a person says yes to is what is there now.
    const shown = kept === null ? first : await planned(ask, kept, context);
    const more = [...outlook.will, ...outlook.warnings];
    if (!(await confirms(confirmationOf(shown, ask), more, answers, context))) {
      context.terminal.complain('Nothing was changed.');
      return EXIT.couldNot;
    }
  }
  return carry(ask, first, watching, context);
}

/** Acts on what it meets that matches, without a plan: nobody is here to say yes to one. */
function onePass(
  ask: ActionAsk,
  watching: Watching | null,
  workspace: OpenedWorkspace,
  context: Context,
): Promise<number> {
  refuseLosableArchive(ask.action, ask.sources, workspace, context.io);
  context.terminal.say('One pass: it takes what it meets that matches and was there when it began.');
  return carry(ask, null, watching, context);
}

async function dryRun(
  ask: ActionAsk,
  kept: Plan | null,
  terms: PlanTerms,
  watching: Watching | null,
  context: Context,
): Promise<number> {
  const shown = await planned(ask, kept, context);
  const { will, warnings } = await foretell(watching, shown.plan, ask);
  const items = shown.plan.items.map(plannedItem);
  const report = showDryRun(
    ask.action,
    items,
    confirmationOf(shown, ask),
    [...will, ...warnings],
    terms,
    context,
    shown.sources,
  );
  sayErrors(shown.sources, context);
  return exitOf(report, shown.sources);
}

function limitsOf({ max, rate }: ActOptions): Pick<ActionAsk, 'max' | 'rate'> {
  return {
    ...(max !== undefined && { max: wholeNumber(max, '--max') }),
    ...(rate !== undefined && { rate: rateOf(rate) }),
  };
}

function withTo(to: string | null | undefined): Pick<ActionAsk, 'to'> {
  return to == null ? {} : { to };
}

function withEdit(mend: Mend): Pick<ActionAsk, 'edit'> {
  return isMend(mend) ? { edit: mendEdit(mend) } : {};
}

/** A plan says itself how its messages are to be sent. */
function termsOfPlan({ terms }: KeptPlan): Pick<ActionAsk, 'to' | 'bypass' | 'edit'> {
  return { bypass: terms.bypass, ...withTo(terms.to), ...withEdit(terms) };
}

function idsOf(file: KeptPlan | null): Asked {
  return { kind: 'ids', ids: file?.items.map(({ id }) => id) ?? [], whole: true };
}

function termsOf({ clock, to, bypass }: ActionAsk, mend: Mend): PlanTerms {
  const made_at = new Date(clock.now()).toISOString();
  return { version: 1, made_at, to: to ?? null, bypass: bypass ?? false, ...mend };
}
