import { type ActionItem, type ActionReport, count, noCounts } from '../action.ts';
import { Budget, Pace } from '../budget.ts';
import { asBabelqError, BabelqError } from '../errors.ts';
import { matches } from '../filter.ts';
import { blockedItem, type Plan } from '../plan.ts';
import type { ActRequest, Run, Selection, Shown, Source } from '../ports.ts';
import { type ActionAsk, describeAsked, refuseWithoutNote } from './action-ask.ts';
import { type HowEnded, inRun } from './in-run.ts';
import { refuseWithoutArchive } from './no-journal.ts';
import { type EndedPart, howEnded, partOf, partThatThrew, type SourcePart } from './parts.ts';
import { type PastPlan, pastOfPlan, unmetItem } from './past-plan.ts';

/** What came of an action; its items were told one by one. */
export interface Acted {
  report: Omit<ActionReport, 'items'>;
  sources: SourcePart[];
  interrupted: boolean;
}

/**
 * Does what a plan says and nothing that came later; without a plan (a filter, and nobody to ask) one pass that acts on
 * what it meets that matches and was there at the start, as far as can be told.
 * @throws BabelqError where nothing could begin (the journal can't be written, ids without a plan, a note that is missing)
 */
export async function carryOut(ask: ActionAsk, plan: Plan | null): Promise<Acted> {
  refuseWithoutNote(ask);
  if (plan === null && ask.action === 'restore') await refuseWithoutArchive(ask.journal, ask.sources);
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
  // What isn't met of a kept plan is told when all was seen: the journal may know what became of it.
  const unmet: ActionItem[] = [];
  const isUnmet = (item: ActionItem) =>
    plan?.madeAt !== undefined && item.outcome === 'skipped' && item.reason === null;
  const work = async (run: Run): Promise<{ result: Acted; how: HowEnded }> => {
    const parts = await actOnAll(ask, run, selections, (item) => {
      if (isUnmet(item)) unmet.push(item);
      else onItem(item);
    });
    if (plan !== null && past !== null) for (const item of unmetItems(unmet, plan, past, parts)) onItem(item);
    const how = howEnded(parts);
    const report = { action: ask.action, run: run.id, dry_run: false, ...counts };
    return { how, result: { report, sources: parts.map(({ part }) => part), interrupted: how === 'interrupted' } };
  };
  if (ask.run !== undefined) return (await work(ask.run)).result;
  return inRun({ ...ask, asked: describeAsked(ask) }, work);
}

/** All sources side by side, with one rate and one `--max` for all of them. */
function actOnAll(
  ask: ActionAsk,
  run: Run,
  selections: ReadonlyMap<Source, Selection>,
  onItem: (item: ActionItem) => void,
): Promise<EndedPart[]> {
  const request = {
    action: ask.action,
    run,
    bypass: ask.bypass ?? false,
    pace: ask.rate === undefined ? null : new Pace(ask.rate, ask.clock),
    budget: new Budget(ask.max),
    allowReceive: ask.allowReceive,
    signal: ask.signal,
    onItem,
    ...(ask.to !== undefined && { to: ask.to }),
    ...(ask.edit && { edit: ask.edit }),
    ...(ask.onProgress && { onProgress: ask.onProgress }),
  };
  return Promise.all([...selections].map(([source, selection]) => actOn(source, { ...request, selection })));
}

async function actOn(source: Source, request: ActRequest): Promise<EndedPart> {
  try {
    return partOf(source.name, await source.act(request));
  } catch (thrown) {
    if (thrown instanceof BabelqError && thrown.code === 'usage') throw asBabelqError(thrown, source.name);
    return partThatThrew(source.name, thrown, request.signal);
  }
}

/** What is said of a kept plan's messages that weren't met. */
function unmetItems(
  unmet: readonly ActionItem[],
  plan: Plan,
  past: PastPlan,
  parts: readonly EndedPart[],
): ActionItem[] {
  if (unmet.length === 0) return [];
  const whole = new Set(parts.filter(({ part }) => part.complete).map(({ part }) => part.name));
  const sources = new Map(plan.items.map(({ id, source }) => [id, source]));
  return unmet.map((item) => unmetItem(item, plan, past.begun.get(item.id), whole.has(sources.get(item.id) ?? '')));
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
