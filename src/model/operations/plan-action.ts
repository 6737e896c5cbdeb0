import { Budget } from '../budget.ts';
import { editFailure, sayEdited } from '../edit.ts';
import { BabelqError } from '../errors.ts';
import { STATES, type State, type WholeFailure } from '../failure.ts';
import { type Filter, matches } from '../filter.ts';
import { IdSearch, nativeIdOf, notFound, sayUnseen, wantedId } from '../ids.ts';
import {
  blockedFor,
  bodyDigest,
  changedDigest,
  changedTarget,
  destinationOf,
  type Plan,
  type PlannedItem,
} from '../plan.ts';
import type { Aside, Source } from '../ports.ts';
import type { ActionAsk, Asked } from './action-ask.ts';
import { FifoOrder } from './fifo-order.ts';
import { DISMISSED, refuseWithoutArchive, sayNoJournal } from './no-journal.ts';
import type { SourcePart } from './parts.ts';
import { pastOfPlan } from './past-plan.ts';
import { type Surveyed, survey, unseenOf } from './survey.ts';

export interface Planned {
  plan: Plan;
  sources: SourcePart[];
}

/**
 * The first pass: reads, remembers what the action would take, and gives everything back. Changes nothing.
 * @throws BabelqError for ids that are ambiguous, couldn't be checked, or all fit nothing; Interrupted
 */
export async function planAction(ask: ActionAsk): Promise<Planned> {
  if (ask.action === 'restore') await refuseWithoutArchive(ask.journal, ask.sources);
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
  const unseen = surveyed.flatMap((one) => unseenOf(one) ?? []);
  const meant = search.end(search.satisfied ? [] : unseen);
  if (meant.every(({ found }) => found === undefined) && unseen.length === 0) {
    const what = ask.action === 'restore' ? 'dismissed message' : 'message';
    const noJournal = await sayNoJournal(ask.journal, DISMISSED);
    throw notFound(
      what,
      meant.map(({ wanted }) => wanted.text),
      { sources: names, noJournal },
    );
  }
  const items = meant.map(({ wanted, found }): PlannedItem => {
    if (found !== undefined) return found.value;
    const where = unseen.filter(({ name }) => wanted.source === null || wanted.source === name);
    return {
      id: wanted.text,
      source: wanted.source ?? '',
      nativeId: wanted.native,
      reason: '',
      queue: null,
      to: null,
      blocked: where.length === 0 ? 'Not found.' : `Not found, but ${sayUnseen(where)}.`,
    };
  });
  return { items, surveyed };
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
