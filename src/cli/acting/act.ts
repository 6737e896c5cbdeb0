import type { Action, PlanTerms } from '../../model/action.ts';
import { confirmation } from '../../model/display/confirmation.ts';
import { escapeText } from '../../model/display/escape.ts';
import { Tally } from '../../model/display/tally.ts';
import { messages, VERBS } from '../../model/display/verbs.ts';
import { type BodyEdit, type Mend, mendEdit } from '../../model/edit.ts';
import { BabelqError, EXIT } from '../../model/errors.ts';
import type { WholeFailure } from '../../model/failure.ts';
import { type Acted, carryOut } from '../../model/operations/act.ts';
import { type ActionAsk, type Asked, refuseWithoutNote } from '../../model/operations/action-ask.ts';
import { exitOf } from '../../model/operations/exit.ts';
import { mergeParts, type SourcePart } from '../../model/operations/parts.ts';
import { type Planned, planAction, reviewPlan } from '../../model/operations/plan-action.ts';
import { type ActedWatched, cameBack, retryAndWatch } from '../../model/operations/retry-watched.ts';
import { rateOf, wholeNumber } from '../../model/options/numbers.ts';
import { refuseNoQueue } from '../../model/options/target.ts';
import { type Watching, type WatchOptions, watchingOf } from '../../model/options/watching.ts';
import { type Plan, plannedItem } from '../../model/plan.ts';
import { planOf } from '../../model/plan-file.ts';
import type { Context } from '../context.ts';
import { anyFilter } from '../filter-options.ts';
import type { OpenedWorkspace } from '../open.ts';
import { itemReporter } from '../outputs/items.ts';
import { readProgress } from '../reading.ts';
import { complainOf } from '../trouble.ts';
import { actProgress } from './act-progress.ts';
import { type AskedOptions, askedFor, settleAsked } from './asked.ts';
import { editByHand } from './by-hand.ts';
import { isMend, refuseForEdit } from './edits.ts';
import { readKeptPlan } from './kept-plan.ts';
import { moveNatively } from './native.ts';
import { sayNext } from './next.ts';
import { readYes, whereToAsk } from './prompt.ts';
import { foretell, reportWatched, watchProgress } from './watching.ts';
import { keepYoungHeapSmall } from './young-heap.ts';

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

/** What retry, dismiss and restore have in common: first what, then do. */
export async function act(action: Action, ids: string[], options: ActOptions, context: Context): Promise<number> {
  refuseNoQueue(options.to);
  if (options.native) return moveNatively(ids, options, context);
  const watching = watchingOf(options);
  const max = options.max === undefined ? undefined : wholeNumber(options.max, '--max');
  const rate = options.rate === undefined ? undefined : rateOf(options.rate);
  const mend: Mend = { set: options.set ?? [], unset: options.unset ?? [] };
  const typedEdit = isMend(mend) ? mendEdit(mend) : undefined;
  if (options.edit) refuseForEdit(ids, options);
  const wanted = options.plan === undefined ? askedFor(action, ids, options) : null;
  const isPiped = options.stdin === true || options.plan === '-';
  const answers = options.yes || options.dryRun ? null : whereToAsk(context.io, isPiped);
  if (!options.yes && !options.dryRun && answers === null) {
    throw new BabelqError('usage', 'There is nobody here to confirm, so nothing was touched.', {
      hint: `Add --yes to ${action} without asking, or --dry-run to see what it would do.`,
    });
  }
  const kept =
    options.plan === undefined ? null : await readKeptPlan(action, options.plan, besidePlan(ids, options), context);
  const asked: Asked =
    wanted === null
      ? { kind: 'ids', ids: kept?.items.map(({ id }) => id) ?? [], whole: true }
      : await settleAsked(wanted, context.io.stdin, context.signal);
  const workspace = await context.open();
  const { sources, journal, clock, operator } = workspace;
  const to = kept === null ? options.to : (kept.terms.to ?? undefined);
  const bypass = kept === null ? (options.bypass ?? false) : kept.terms.bypass;
  const edit = kept !== null && isMend(kept.terms) ? mendEdit(kept.terms) : typedEdit;
  const ask: ActionAsk = {
    action,
    asked,
    sources,
    journal,
    clock,
    by: operator,
    note: options.reasonNote ?? null,
    requireNote: workspace.requireNote,
    ...(to !== undefined && { to }),
    bypass,
    ...(edit && { edit }),
    ...(rate !== undefined && { rate }),
    ...(max !== undefined && { max }),
    allowReceive: context.global.allowReceive,
    signal: context.signal,
  };
  const made = kept === null ? null : planOf(kept, kept.name, action, sources);
  if (kept !== null && kept.left > 0)
    context.terminal.say(`${messages(kept.left)} that the plan couldn't do are left.`);
  if (options.dryRun) {
    const terms = kept?.terms ?? termsOf(ask, mend);
    const planned = made === null ? await plan(ask, context) : await review(ask, made, context);
    return showPlan(ask, planned, terms, watching, context);
  }
  refuseWithoutNote(ask);
  // Canaries need to be chosen among what is there.
  const onePass = options.yes === true && asked.kind === 'filter' && watching?.canary == null;
  if (onePass) {
    refuseLosableArchive(
      action,
      sources.map(({ kind }) => kind),
      workspace,
      context,
    );
    context.terminal.say('One pass: it takes what it meets that matches and was there when it began.');
    return carry(ask, null, watching, context);
  }
  const byHand = options.edit ? await planByHand(ask, workspace.redact, answers, context) : null;
  if (byHand === 'cancelled') {
    context.terminal.complain('The body was left as it was; nothing was changed. Without --edit it is retried so.');
    return EXIT.couldNot;
  }
  if (byHand !== null && byHand.edit !== null) ask.edit = byHand.edit;
  const planned = byHand?.planned ?? (made === null ? await plan(ask, context) : { plan: made, sources: [] });
  const kinds = new Map(sources.map(({ name, kind }) => [name, kind]));
  refuseLosableArchive(
    action,
    planned.plan.items.flatMap(({ source, blocked }) => (blocked === null ? [kinds.get(source) ?? 'sqs'] : [])),
    workspace,
    context,
  );
  const { will, warnings } =
    watching === null ? { will: [], warnings: [] } : await foretell(watching, planned.plan, ask);
  if (answers === null) for (const line of warnings) context.terminal.say(line);
  if (answers !== null) {
    // A plan may be old: what a person says yes to is what is there now.
    const shown = made === null ? planned : await review(ask, made, context);
    if (!(await confirmed(shown, ask, [...will, ...warnings], answers, context))) {
      context.terminal.complain('Nothing was changed.');
      return EXIT.couldNot;
    }
  }
  return carry(ask, planned, watching, context);
}

function besidePlan(ids: readonly string[], options: ActOptions): string[] {
  const { all, stdin, to, bypass, edit, set, unset } = options;
  const given = { ids: ids.length > 0, '--all': all, '--stdin': stdin, filters: anyFilter(options) };
  const edits = { '--edit': edit, '--set': set !== undefined, '--unset': unset !== undefined };
  const terms = { '--to': to !== undefined, '--bypass': bypass, ...edits };
  return Object.entries({ ...given, ...terms }).flatMap(([name, isGiven]) => (isGiven ? [name] : []));
}

function termsOf({ clock, to, bypass }: ActionAsk, mend: Mend): PlanTerms {
  const made_at = new Date(clock.now()).toISOString();
  return { version: 1, made_at, to: to ?? null, bypass: bypass ?? false, ...mend };
}

async function plan(ask: ActionAsk, context: Context): Promise<Planned> {
  const progress = readProgress(context);
  return planAction({ ...ask, onRead: progress.onProgress }).finally(() => progress.end());
}

/** The first pass for one message, and what a person makes of its body. */
async function planByHand(
  ask: ActionAsk,
  redact: readonly string[],
  answers: NodeJS.ReadStream | null,
  context: Context,
): Promise<{ planned: Planned; edit: BodyEdit | null } | 'cancelled'> {
  const met = new Map<string, WholeFailure>();
  const planned = await plan({ ...ask, onPlanned: (failure) => met.set(failure.id, failure) }, context);
  const [item] = planned.plan.items;
  const failure = item === undefined || item.blocked !== null ? undefined : met.get(item.id);
  if (item === undefined || failure === undefined) return { planned, edit: null };
  const edit = await editByHand(failure, redact, answers, context);
  if (edit === null) return 'cancelled';
  if ('why' in edit) item.blocked = edit.why;
  return { planned, edit: 'why' in edit ? null : edit };
}

async function review(ask: ActionAsk, made: Plan, context: Context): Promise<Planned> {
  const progress = readProgress(context);
  return reviewPlan({ ...ask, onRead: progress.onProgress }, made).finally(() => progress.end());
}

/** Shows what would be done and asks; true without asking where nothing can be done, since then nothing will be. */
async function confirmed(
  planned: Planned,
  ask: ActionAsk,
  outlook: readonly string[],
  answers: NodeJS.ReadStream,
  context: Context,
): Promise<boolean> {
  const { terminal } = context;
  const { question, lines, doable } = confirmationOf(planned, ask);
  if (doable === 0) return true;
  for (const line of [...lines, ...outlook]) terminal.complain(line);
  terminal.complain('');
  terminal.draw(`${terminal.paintNotes.bold(question)} [y/N] `);
  return context.whileAsking(() => readYes(answers, context.signal));
}

function confirmationOf({ plan, sources }: Planned, ask: ActionAsk): ReturnType<typeof confirmation> {
  return confirmation(plan, {
    kinds: new Map(ask.sources.map(({ name, kind }) => [name, kind])),
    parts: sources,
    bypass: ask.bypass ?? false,
    ...(ask.edit && { edits: ask.edit.says }),
    ...(ask.rate !== undefined && { rate: ask.rate }),
    ...(ask.max !== undefined && { max: ask.max }),
  });
}

async function showPlan(
  ask: ActionAsk,
  planned: Planned,
  terms: PlanTerms,
  watching: Watching | null,
  context: Context,
): Promise<number> {
  const { terminal, global } = context;
  const { lines, doable } = confirmationOf(planned, ask);
  if (watching !== null) {
    const { will, warnings } = await foretell(watching, planned.plan, ask);
    lines.push(...will, ...warnings);
  }
  const tally = new Tally();
  const reporter = itemReporter(global.output, ask.action, terminal, () => {
    terminal.write(`${VERBS[ask.action].planned} ${messages(doable)}; nothing was changed.\n`);
    for (const line of lines) terminal.write(`${line}\n`);
  });
  for (const item of planned.plan.items.map(plannedItem)) {
    tally.add(item);
    reporter.item(item);
  }
  const report = { action: ask.action, run: null, dry_run: true, plan: terms, ...tally.counts };
  if (tally.counts.matched > 0 || global.output !== 'table') reporter.end(report);
  sayErrors(planned.sources, context);
  return exitOf(report, planned.sources);
}

async function carry(
  ask: ActionAsk,
  planned: Planned | null,
  watching: Watching | null,
  context: Context,
): Promise<number> {
  keepYoungHeapSmall();
  const { terminal, global } = context;
  const { action } = ask;
  const tally = new Tally();
  const doable = planned?.plan.items.filter(({ blocked }) => blocked === null).length ?? null;
  const progress = actProgress(action, doable, context, () => ask.clock.now());
  const reporter = itemReporter(global.output, action, terminal, () => {
    for (const line of tally.lines(action)) terminal.write(`${line}\n`);
  });
  const heeded: ActionAsk = {
    ...ask,
    onProgress: progress.onProgress,
    onItem: (item) => {
      // What is watched was counted when it was done; what became of it then is told apart.
      if (watching === null || item.outcome !== 'done') tally.add(item);
      reporter.item(item);
    },
  };
  const watch = watching === null ? null : watchProgress(watching, context, () => progress.end());
  const acting: Promise<Acted | ActedWatched> =
    watching === null
      ? carryOut(heeded, planned?.plan ?? null)
      : retryAndWatch(heeded, planned?.plan ?? null, { ...watching, ...watch, onDone: (item) => tally.add(item) });
  const acted = await acting
    .catch((error: unknown) => {
      // Where something was done already, what is known of it must be told before the trouble.
      progress.end();
      if (tally.counts.matched === 0) throw error;
      reporter.end({ action, run: null, dry_run: false, ...tally.counts });
      const { exit } = complainOf(error, terminal, { json: global.output === 'json', verbose: global.verbose });
      return tally.counts.done + tally.counts.uncertain > 0 ? EXIT.partly : exit;
    })
    .finally(() => {
      progress.end();
      watch?.end();
    });
  if (typeof acted === 'number') return acted;
  const sources = mergeParts(planned?.sources ?? [], acted.sources);
  if (acted.report.matched > 0 || global.output !== 'table') reporter.end(acted.report);
  const isWatched = 'canary' in acted;
  if (isWatched) reportWatched(acted, ask, context);
  sayErrors(sources, context);
  const code =
    isWatched && cameBack(acted)
      ? EXIT.failuresMatch
      : acted.interrupted
        ? exitOfStopped(acted.report)
        : exitOf(acted.report, sources);
  if (global.output === 'table') sayNext(acted, tally, terminal);
  return code;
}

/** Where it was stopped, by a limit of time: a signal's own code counts more. */
function exitOfStopped({ done, uncertain }: Acted['report']): number {
  return done + uncertain > 0 ? EXIT.partly : EXIT.couldNot;
}

function sayErrors(sources: readonly SourcePart[], { terminal, global }: Context): void {
  const how = { json: global.output === 'json', verbose: global.verbose };
  for (const { name, error, note } of sources) {
    // Also beside an error: how much stays hidden, for how long, matters most where the server is gone.
    if (note !== null && (error !== null || !how.json)) terminal.say(escapeText(`${name}: ${note}`));
    if (error !== null) complainOf(error, terminal, how);
  }
}

/**
 * With nobody watching, the only copy of a dismissed SQS message must not lie where a container forgets it.
 * @throws BabelqError `usage`
 */
function refuseLosableArchive(
  action: Action,
  kinds: readonly ('sqs' | 'jadpo')[],
  workspace: OpenedWorkspace,
  { io }: Context,
): void {
  if (action !== 'dismiss' || !kinds.includes('sqs')) return;
  if (workspace.journalNamed || io.stderr.isTTY === true) return;
  throw new BabelqError('usage', 'Dismissing from SQS with nobody watching needs a journal that will still be there.', {
    hint: `The archive would be in ${workspace.journal.location}. Name its place: --journal FILE, journal: in babelq.yaml, $BABELQ_JOURNAL or $XDG_STATE_HOME.`,
  });
}
