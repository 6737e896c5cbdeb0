import { type Action, type ActionItem, type ActionReport, count, noCounts, type RecordedAction } from '../action.ts';
import { Budget, Pace } from '../budget.ts';
import { type BodyEdit, editFailure, sayEdited } from '../edit.ts';
import { asBabelqError, BabelqError } from '../errors.ts';
import { STATES, type State, type WholeFailure } from '../failure.ts';
import { describeFilter, type Filter, matches } from '../filter.ts';
import { IdSearch, nativeIdOf, notFound, wantedId } from '../ids.ts';
import {
  blockedFor,
  blockedItem,
  bodyDigest,
  changedDigest,
  changedTarget,
  destinationOf,
  type Plan,
  type PlannedItem,
} from '../plan.ts';
import type {
  ActProgress,
  ActRequest,
  ActResult,
  Aside,
  Clock,
  Journal,
  ReadProgress,
  Run,
  Selection,
  Shown,
  Source,
} from '../ports.ts';
import { FifoOrder } from './fifo-order.ts';
import { type HowEnded, inRun } from './in-run.ts';
import { pastOfPlan, unmetItem } from './past-plan.ts';
import { type Surveyed, survey } from './survey.ts';

/**
 * What an action is to take: ids as typed, or everything that matches. `whole` where the ids come from a listing, source
 * and all: then none is a prefix, and one that is gone can't be taken for another that begins with it.
 */
export type Asked = { kind: 'ids'; ids: readonly string[]; whole?: boolean } | { kind: 'filter'; filter: Filter };

export interface ActionAsk {
  action: Action;
  asked: Asked;
  sources: readonly Source[];
  journal: Journal;
  clock: Clock;
  /** Who, for the journal. */
  by: string;
  /** Why, for the journal. */
  note: string | null;
  /** Whether it must say why. */
  requireNote?: boolean;
  to?: string;
  bypass?: boolean;
  /** Changes the body that a retry sends. */
  edit?: BodyEdit;
  /** Messages a second. */
  rate?: number;
  max?: number;
  allowReceive: boolean;
  signal: AbortSignal;
  /** Called for every message that a plan names, by whoever needs more of it than the plan keeps. */
  onPlanned?: (failure: WholeFailure) => void;
  onRead?: (progress: ReadProgress) => void;
  onProgress?: (progress: ActProgress) => void;
  /** Called for every item as its outcome is known, so that a long run needn't be kept. */
  onItem?: (item: ActionItem) => void;
  /** A run that is under way, and that this is a part of: whoever began it ends it. */
  run?: Run;
}

/** What a source said of its part of an action. */
export interface SourcePart {
  name: string;
  seen: number;
  complete: boolean;
  note: string | null;
  allInFlight: ActResult['allInFlight'];
  error: BabelqError | null;
}

export interface Planned {
  plan: Plan;
  sources: SourcePart[];
}

export interface Acted {
  report: Omit<ActionReport, 'items'>;
  sources: SourcePart[];
  interrupted: boolean;
}

/**
 * The first pass: reads, remembers what the action would take, and gives everything back. Changes nothing.
 * @throws BabelqError for ids that are ambiguous, couldn't be checked, or all fit nothing; Interrupted
 */
export async function planAction(ask: ActionAsk): Promise<Planned> {
  const order = new FifoOrder();
  const heeding: ActionAsk = {
    ...ask,
    onPlanned: (failure) => {
      order.see(failure);
      ask.onPlanned?.(failure);
    },
  };
  const planned =
    ask.asked.kind === 'ids' ? await planIds(heeding, ask.asked) : await planMatches(heeding, ask.asked.filter);
  return { plan: { action: ask.action, items: order.sort(planned.items) }, sources: planned.surveyed.map(partOf) };
}

async function planIds(
  ask: ActionAsk,
  { ids, whole }: Asked & { kind: 'ids' },
): Promise<{ items: PlannedItem[]; surveyed: Surveyed[] }> {
  const names = ask.sources.map(({ name }) => name);
  const search = new IdSearch<PlannedItem>(
    ids.map((id) => wantedId(id, names)),
    whole,
  );
  // A restoration has no business on the queue; the others look into the archive too, so that they can say what is there.
  const states: ReadonlySet<State> = new Set(ask.action === 'restore' ? ['dismissed'] : STATES);
  const surveyed = await survey(
    surveyRequest({ ...ask, sources: search.among(ask.sources) }, states, (source) => search.prefixesFor(source)),
    (failure, source, aside) => {
      search.meet(failure, () => planItem(ask, failure, source, aside));
      return { listed: true, next: search.satisfied ? 'enough' : 'more' };
    },
  );
  if (search.satisfied) {
    // All were found, so nothing that wasn't looked at could matter: there is nothing to say of it.
    for (const one of surveyed) {
      one.report.complete = true;
      if (one.report.listed === 0) one.error = null;
    }
  }
  const unchecked = search.satisfied
    ? []
    : surveyed.filter(({ report }) => !report.complete).map(({ report }) => report.name);
  const meant = search.end(unchecked);
  if (meant.every(({ found }) => found === undefined) && surveyed.every(sawAll)) {
    const what = ask.action === 'restore' ? 'dismissed message' : 'message';
    throw notFound(
      what,
      meant.map(({ wanted }) => wanted.text),
      names,
    );
  }
  const items = meant.map(({ wanted, found }): PlannedItem => {
    if (found !== undefined) return found.value;
    const trouble = surveyed.find(
      ({ report, error, allInFlight }) =>
        (wanted.source === null || wanted.source === report.name) && !sawAll({ report, error, allInFlight }),
    );
    return {
      id: wanted.text,
      source: wanted.source ?? '',
      nativeId: wanted.native,
      reason: '',
      queue: null,
      to: null,
      blocked: trouble === undefined ? 'Not found.' : `Not found, but not all of ${trouble.report.name} could be seen.`,
    };
  });
  return { items, surveyed };
}

function sawAll({ report, error, allInFlight }: Pick<Surveyed, 'report' | 'error' | 'allInFlight'>): boolean {
  return error === null && allInFlight === null && report.complete;
}

async function planMatches(ask: ActionAsk, filter: Filter): Promise<{ items: PlannedItem[]; surveyed: Surveyed[] }> {
  const items: PlannedItem[] = [];
  const now = ask.clock.now();
  const budget = new Budget(ask.max);
  const surveyed = await survey(surveyRequest(ask, filter.states), (failure, source, aside) => {
    if (budget.left === 0) return { listed: false, next: 'enough' };
    if (!matches(filter, failure, now)) return { listed: false, next: 'more' };
    const item = planItem(ask, failure, source, aside);
    items.push(item);
    if (item.blocked === null) budget.take(1);
    return { listed: true, next: budget.left === 0 ? 'enough' : 'more' };
  });
  // Not in the order in which they were met: that is SQS's chance, and a plan is read and compared.
  items.sort((a, b) => (a.id < b.id ? -1 : 1));
  return { items, surveyed };
}

function surveyRequest(
  ask: ActionAsk,
  states: ReadonlySet<State>,
  nativeIdPrefixes?: (source: string) => string[],
): Parameters<typeof survey>[0] {
  return {
    sources: ask.sources,
    states,
    allowReceive: ask.allowReceive,
    signal: ask.signal,
    ...(nativeIdPrefixes && { nativeIdPrefixes }),
    ...(ask.to !== undefined && { to: ask.to }),
    ...(ask.onRead && { onProgress: ask.onRead }),
  };
}

function planItem(
  { action, edit, onPlanned, to }: ActionAsk,
  failure: WholeFailure,
  source: Source,
  aside?: Aside,
): PlannedItem {
  onPlanned?.(failure);
  const elsewhere = action === 'retry' ? (source.elsewhere?.(to ?? null) ?? null) : null;
  const blocked = blockedFor(action, failure);
  const edited = edit === undefined || blocked !== null ? null : editFailure(failure, edit);
  return {
    id: failure.id,
    source: source.name,
    nativeId: nativeIdOf(failure),
    reason: failure.reason,
    queue: failure.queue,
    to: destinationOf(action, failure, source.heldIn),
    state: failure.state,
    digest: bodyDigest(failure),
    blocked: edited !== null && 'why' in edited ? edited.why : blocked,
    ...(edited !== null && 'changes' in edited && { changes: sayEdited(edited.changes) }),
    ...(aside?.possibleDouble === true && blocked === null && { possibleDouble: true as const }),
    ...(elsewhere !== null && { elsewhere }),
  };
}

function partOf({ report, seen, allInFlight, error }: Surveyed): SourcePart {
  return { name: report.name, seen, complete: report.complete, note: report.note, allInFlight, error };
}

/**
 * Looks at a kept plan again without carrying it out: what was done since, or has changed, is blocked and says why.
 * @throws Interrupted
 */
export async function reviewPlan(ask: ActionAsk, plan: Plan): Promise<Planned> {
  const { settled } = await pastOfPlan(ask.journal, plan);
  const open = plan.items.filter(({ id, blocked }) => blocked === null && !settled.has(id));
  const ids = open.map(({ id }) => id);
  const now = ids.length === 0 ? null : await lookAgain({ ...ask, asked: { kind: 'ids', ids, whole: true } });
  const met = new Map(now?.plan.items.map((item) => [item.id, item]));
  const items = plan.items.map((item): PlannedItem => {
    const done = settled.get(item.id);
    if (done !== undefined) return { ...item, blocked: done.detail };
    if (item.blocked !== null) return item;
    const { possibleDouble, elsewhere } = met.get(item.id) ?? {};
    return {
      ...item,
      blocked: changedSince(item, met.get(item.id)),
      ...(possibleDouble && { possibleDouble }),
      ...(elsewhere !== undefined && { elsewhere }),
    };
  });
  return { plan: { ...plan, items }, sources: now?.sources ?? [] };
}

async function lookAgain(ask: ActionAsk): Promise<Planned | null> {
  try {
    return await planAction(ask);
  } catch (error) {
    if (error instanceof BabelqError && error.code === 'nothing_matched') return null;
    throw error;
  }
}

function changedSince(item: PlannedItem, now: PlannedItem | undefined): string | null {
  if (now === undefined) return 'Not found.';
  if (now.blocked !== null) return now.blocked;
  if (item.state !== undefined && now.state !== undefined && item.state !== now.state) {
    return `It changed meanwhile: it was ${item.state}, and is ${now.state} now.`;
  }
  return changedTarget(item.to, now.to) ?? changedDigest(item.digest, now.digest);
}

/**
 * Does what a plan says and nothing that came later; without a plan (a filter, and nobody to ask) one pass that acts on
 * what it meets that matches and was there at the start, as far as can be told.
 * @throws BabelqError where nothing could begin (the journal can't be written, ids without a plan, a note that is missing)
 */
export async function carryOut(ask: ActionAsk, plan: Plan | null): Promise<Acted> {
  refuseWithoutNote(ask);
  const counts = noCounts();
  const onItem = (item: ActionItem): void => {
    count(counts, item);
    ask.onItem?.(item);
  };
  const past = plan === null ? null : await pastOfPlan(ask.journal, plan);
  const selections =
    plan === null || past === null ? selectMatching(ask) : selectPlanned(ask, plan, past.settled, onItem);
  if (selections.size === 0) {
    return { report: { action: ask.action, run: null, dry_run: false, ...counts }, sources: [], interrupted: false };
  }
  /** Of a kept plan: what wasn't met. What the journal says of it is told when all was seen. */
  const unmet: ActionItem[] = [];
  if (ask.run !== undefined) return (await actUnder(ask.run)).result;
  return inRun({ ...ask, asked: describeAsked(ask) }, actUnder);

  async function actUnder(run: Run): Promise<{ result: Acted; how: HowEnded }> {
    const request = {
      action: ask.action,
      run,
      bypass: ask.bypass ?? false,
      pace: ask.rate === undefined ? null : new Pace(ask.rate, ask.clock),
      budget: new Budget(ask.max),
      allowReceive: ask.allowReceive,
      signal: ask.signal,
      onItem: (item: ActionItem): void => {
        if (plan?.madeAt !== undefined && item.outcome === 'skipped' && item.reason === null) unmet.push(item);
        else onItem(item);
      },
      ...(ask.to !== undefined && { to: ask.to }),
      ...(ask.edit && { edit: ask.edit }),
      ...(ask.onProgress && { onProgress: ask.onProgress }),
    };
    const parts = await Promise.all(
      [...selections].map(([source, selection]) => actOn(source, { ...request, selection })),
    );
    if (plan !== null && past !== null && unmet.length > 0) {
      const whole = new Set(parts.filter(({ part }) => part.complete).map(({ part }) => part.name));
      const sources = new Map(plan.items.map(({ id, source }) => [id, source]));
      for (const item of unmet) {
        const sawAll = whole.has(sources.get(item.id) ?? '');
        onItem(unmetItem(item, plan, past.begun.get(item.id), sawAll));
      }
    }
    const interrupted = parts.some((part) => part.interrupted);
    const stopped = parts.some(({ part }) => part.error !== null);
    return {
      how: interrupted ? 'interrupted' : stopped ? 'stopped' : 'finished',
      result: {
        report: { action: ask.action, run: run.id, dry_run: false, ...counts },
        sources: parts.map(({ part }) => part),
        interrupted,
      },
    };
  }
}

/**
 * The configuration may ask that every action says why. Worth asking before anything is read, too.
 * @throws BabelqError `usage`
 */
export function refuseWithoutNote({
  action,
  note,
  requireNote,
}: Pick<ActionAsk, 'note' | 'requireNote'> & { action: RecordedAction }): void {
  if (!requireNote || (note !== null && note.trim() !== '')) return;
  throw new BabelqError('usage', `To ${action} needs a reason: the configuration has require_note.`, {
    hint: `Say why, for the journal: babelq ${action} … --reason-note 'the gateway is back'`,
  });
}

function selectMatching(ask: ActionAsk): Map<Source, Selection> {
  if (ask.asked.kind === 'ids') throw new BabelqError('internal', 'Ids are acted on by a plan only.');
  const { filter } = ask.asked;
  const startedAt = ask.clock.now();
  const selection: Selection = {
    kind: 'match',
    states: filter.states,
    matches: (failure) => matches(filter, failure, startedAt),
    startedAt,
  };
  return new Map(ask.sources.map((source) => [source, selection]));
}

function selectPlanned(
  ask: ActionAsk,
  plan: Plan,
  settled: ReadonlyMap<string, ActionItem>,
  onItem: (item: ActionItem) => void,
): Map<Source, Selection> {
  const ids = new Map<string, Map<string, Shown>>();
  for (const item of plan.items) {
    const over = item.blocked === null ? settled.get(item.id) : blockedItem(item);
    if (over !== undefined) {
      onItem(over);
      continue;
    }
    const { to, state, digest } = item;
    const ofSource = ids.get(item.source) ?? new Map<string, Shown>();
    ofSource.set(item.nativeId, { to, ...(state && { state }), ...(digest && { digest }) });
    ids.set(item.source, ofSource);
  }
  const selections = new Map<Source, Selection>();
  for (const source of ask.sources) {
    const ofSource = ids.get(source.name);
    if (ofSource !== undefined) selections.set(source, { kind: 'ids', ids: ofSource });
  }
  return selections;
}

async function actOn(source: Source, request: ActRequest): Promise<{ part: SourcePart; interrupted: boolean }> {
  try {
    const { interrupted, seen, complete, note, allInFlight, error } = await source.act(request);
    return { part: { name: source.name, seen, complete, note, allInFlight, error }, interrupted };
  } catch (thrown) {
    const error = asBabelqError(thrown, source.name);
    if (error.code === 'usage') throw error;
    const part = { name: source.name, seen: 0, complete: false, note: null, allInFlight: null, error };
    return { part, interrupted: request.signal.aborted };
  }
}

/** What was asked, in words: a filter, or the first ids. */
export function describeAsked(ask: Pick<ActionAsk, 'asked'>): string {
  if (ask.asked.kind === 'filter') return describeFilter(ask.asked.filter);
  const { ids } = ask.asked;
  return ids.length <= 3 ? ids.join(', ') : `${ids.slice(0, 3).join(', ')} and ${ids.length - 3} more`;
}
