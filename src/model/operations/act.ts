import { type ActionItem, type ActionReport, count, noCounts } from '../action.ts';
import { Budget, Pace } from '../budget.ts';
import { asBabelqError, BabelqError } from '../errors.ts';
import { matches } from '../filter.ts';
import { blockedItem, type Plan } from '../plan.ts';
import type { ActRequest, Run, Selection, Shown, Source } from '../ports.ts';
import { type ActionAsk, describeAsked, refuseWithoutNote } from './action-ask.ts';
import { type HowEnded, inRun } from './in-run.ts';
import { refuseWithoutArchive } from './no-journal.ts';
import type { SourcePart } from './parts.ts';
import { pastOfPlan, unmetItem } from './past-plan.ts';

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
