import { type ActionItem, type Counts, count, noCounts } from '../action.ts';
import { itemFor, type Plan, type PlannedItem } from '../plan.ts';
import type { Run, Source } from '../ports.ts';
import { type Acted, carryOut } from './act.ts';
import { type ActionAsk, describeAsked, refuseWithoutNote } from './action-ask.ts';
import { inRun } from './in-run.ts';
import type { SourcePart } from './parts.ts';
import { pastOfPlan } from './past-plan.ts';
import { type Watched, type WatchProgress, watch } from './watch.ts';

export interface WatchWish {
  /** How long to watch at most, after everything was sent (ms). */
  waitMs: number;
  /** So many go first, and the rest only where all of these are known to stay away; null for all at once. */
  canary: number | null;
  /** Called for each that was done, before it is watched: it is told as an item when that is over. */
  onDone?: (item: ActionItem) => void;
  /** Called when a watch begins: the queues are those that it will read. */
  onWatch?: (watch: { canary: boolean; messages: number; queues: readonly string[] }) => void;
  onProgress?: (progress: WatchProgress) => void;
}

/** How the canaries ended. */
interface CanaryResult {
  /** How many were to go first. */
  sent: number;
  /** All of them were done, and are known to stay away. */
  passed: boolean;
  watched: Watched | null;
}

export interface ActedWatched extends Acted {
  /** Null where nothing was there to watch, or the canaries stopped it. */
  watched: Watched | null;
  /** Null without canaries. */
  canary: CanaryResult | null;
  /** How many came back, canaries too. */
  back: number;
  /** When the first was sent, and when the watching ended (ms). */
  startedAt: number;
  endedAt: number;
}

/**
 * Retries, and watches what comes back. An item that was done is told when it is known whether it returned. With canaries
 * a plan is needed: those go first, and what can't go on then is told as skipped.
 * @throws BabelqError where nothing could begin, as carryOut
 */
export async function retryAndWatch(ask: ActionAsk, plan: Plan | null, wish: WatchWish): Promise<ActedWatched> {
  refuseWithoutNote(ask);
  const startedAt = ask.clock.now();
  // What a kept plan's message came to since is told, and neither retried nor watched.
  const settled = new Set(plan === null ? [] : (await pastOfPlan(ask.journal, plan)).settled.keys());
  if (plan !== null && doableOf(plan, settled).length === 0) {
    const acted = await carryOut(ask, plan);
    return { ...acted, watched: null, canary: null, back: 0, startedAt, endedAt: ask.clock.now() };
  }
  return inRun({ ...ask, asked: describeAsked(ask) }, async (run) => {
    const result = await new WatchedRun(ask, run, wish, settled).carry(plan, startedAt);
    const stopped = result.sources.some(({ error }) => error !== null) || result.canary?.passed === false;
    return { result, how: result.interrupted ? 'interrupted' : stopped ? 'stopped' : 'finished' };
  });
}

/** One part of a run: what was retried, and what came of it. */
interface Stage {
  acted: Acted;
  watched: Watched | null;
  /** All were done, and are known to stay away. */
  passed: boolean;
}

class WatchedRun {
  readonly #ask: ActionAsk;
  readonly #run: Run;
  readonly #wish: WatchWish;
  readonly #settled: ReadonlySet<string>;
  readonly #counts: Counts = noCounts();
  /** Full ids of all that the run met. */
  readonly #known = new Set<string>();

  constructor(ask: ActionAsk, run: Run, wish: WatchWish, settled: ReadonlySet<string>) {
    this.#ask = ask;
    this.#run = run;
    this.#wish = wish;
    this.#settled = settled;
  }

  async carry(plan: Plan | null, startedAt: number): Promise<ActedWatched> {
    for (const { id } of plan?.items ?? []) this.#known.add(id);
    const { canary: number } = this.#wish;
    if (number === null || plan === null) {
      const stage = await this.#stage(plan, this.#ask.max, false);
      return this.#result([stage], null, startedAt);
    }
    const { first, rest } = chooseCanaries(
      plan,
      Math.min(number, this.#ask.max ?? number),
      this.#ask.sources,
      this.#settled,
    );
    const canaries = await this.#stage(first, undefined, true);
    const sent = doableOf(first, this.#settled).length;
    const result: CanaryResult = { sent, passed: canaries.passed, watched: canaries.watched };
    if (rest.items.length === 0) return this.#result([canaries], result, startedAt);
    if (!canaries.passed || this.#ask.signal.aborted) {
      for (const item of rest.items) this.#tell(skipped(item, this.#whyNot(canaries)));
      return this.#result([canaries], { ...result, passed: false }, startedAt);
    }
    const left = this.#ask.max === undefined ? undefined : Math.max(0, this.#ask.max - sent);
    return this.#result([canaries, await this.#stage(rest, left, false)], result, startedAt);
  }

  async #stage(plan: Plan | null, max: number | undefined, canary: boolean): Promise<Stage> {
    const { max: _, ...ask } = this.#ask;
    const done: ActionItem[] = [];
    // What couldn't be done from the start, or is done already, was no canary.
    const others = new Set(this.#settled);
    for (const { id, blocked } of plan?.items ?? []) if (blocked !== null) others.add(id);
    let passed = true;
    const acted = await carryOut(
      {
        ...ask,
        run: this.#run,
        ...(max !== undefined && { max }),
        onItem: (item) => {
          this.#known.add(item.id);
          if (item.outcome !== 'done' && !others.has(item.id)) passed = false;
          if (item.outcome === 'done') this.#wish.onDone?.(item);
          if (item.outcome === 'done' && !others.has(item.id)) done.push(item);
          else this.#tell(item);
        },
      },
      plan,
    );
    const watched = done.length === 0 ? null : await this.#watch(done, canary);
    for (const item of done) {
      const fate = watched?.fates.get(item.id);
      const detail = [item.detail, fate?.detail ?? null].filter((part) => part !== null).join(' ');
      this.#tell({ ...item, returned: fate?.returned ?? null, detail: detail === '' ? null : detail });
    }
    const away = watched?.counts.away ?? 0;
    passed &&= away === done.length && !acted.interrupted && watched?.interrupted !== true;
    // One that nothing was heard of, since its source failed, is not known either.
    passed &&= plan === null || done.length === doableOf(plan, others).length;
    return { acted, watched, passed };
  }

  #watch(done: readonly ActionItem[], canary: boolean): Promise<Watched> {
    const { sources, journal, clock, to, allowReceive, signal } = this.#ask;
    const read = sources.filter(({ name, kind }) => kind === 'sqs' && done.some(({ id }) => id.startsWith(`${name}/`)));
    this.#wish.onWatch?.({ canary, messages: done.length, queues: read.map(({ heldIn }) => heldIn) });
    return watch({
      run: this.#run,
      ids: new Set(done.map(({ id }) => id)),
      known: this.#known,
      sources,
      journal,
      clock,
      ...(to !== undefined && { to }),
      allowReceive,
      waitMs: this.#wish.waitMs,
      signal,
      ...(this.#wish.onProgress && { onProgress: this.#wish.onProgress }),
    });
  }

  #tell(item: ActionItem): void {
    count(this.#counts, item);
    this.#ask.onItem?.(item);
  }

  #whyNot({ acted, watched, passed }: Stage): string {
    if (acted.interrupted || watched?.interrupted || passed)
      return 'Not begun: interrupted while the canaries were watched.';
    const { back = 0, unknown = 0 } = watched?.counts ?? {};
    const undone = acted.report.skipped + acted.report.failed + acted.report.uncertain;
    const parts = [
      back > 0 ? `${back} came back` : null,
      unknown > 0 ? `of ${unknown} it can't be told` : null,
      undone > 0 ? `${undone} could not be retried` : null,
    ].filter((part) => part !== null);
    return parts.length === 0
      ? 'Not begun: not all of the canaries are known to stay away.'
      : `Not begun: of the canaries ${parts.join(' and ')}.`;
  }

  #result(stages: readonly Stage[], canary: CanaryResult | null, startedAt: number): ActedWatched {
    const last = stages.at(-1);
    return {
      report: { action: this.#ask.action, run: this.#run.id, dry_run: false, ...this.#counts },
      sources: merged(stages.map(({ acted }) => acted.sources)),
      interrupted: stages.some(({ acted, watched }) => acted.interrupted || watched?.interrupted === true),
      watched: canary !== null && stages.length === 1 ? null : (last?.watched ?? null),
      canary,
      back: stages.reduce((sum, { watched }) => sum + (watched?.counts.back ?? 0), 0),
      startedAt,
      endedAt: this.#ask.clock.now(),
    };
  }
}

/** What a source said in a later part is the newer word, but an error stays. */
function merged(all: readonly (readonly SourcePart[])[]): SourcePart[] {
  const parts = new Map<string, SourcePart>();
  for (const part of all.flat()) {
    const before = parts.get(part.name);
    parts.set(part.name, before?.error ? { ...part, error: before.error } : part);
  }
  return [...parts.values()];
}

function doableOf({ items }: Plan, settled: ReadonlySet<string>): PlannedItem[] {
  return items.filter(({ id, blocked }) => blocked === null && !settled.has(id));
}

function skipped({ id, reason, to }: PlannedItem, why: string): ActionItem {
  return itemFor(id, reason || null, 'skipped', { to, detail: why });
}

/**
 * The first so many of a plan, one of each kind (source, queue, reason, target) in turn, so that what may go wrong differently
 * is tried. Of a FIFO queue they are its first ones, or the rest of a group would overtake them or be overtaken. What
 * can't be done, and what is settled, goes with the first: it is told once.
 */
export function chooseCanaries(
  plan: Plan,
  number: number,
  sources: readonly Pick<Source, 'name' | 'heldIn'>[],
  settled: ReadonlySet<string> = new Set(),
): { first: Plan; rest: Plan } {
  const fifo = new Set(sources.filter(({ heldIn }) => heldIn.endsWith('.fifo')).map(({ name }) => name));
  const kinds = new Map<string, PlannedItem[]>();
  const doable = new Set(doableOf(plan, settled));
  for (const item of doable) {
    const { source, queue, reason, to } = item;
    const kind = JSON.stringify(fifo.has(source) ? [source] : [source, queue, reason, to]);
    const of = kinds.get(kind);
    if (of === undefined) kinds.set(kind, [item]);
    else of.push(item);
  }
  const chosen = new Set<PlannedItem>();
  for (let turn = 0; chosen.size < Math.min(number, doable.size); turn += 1) {
    for (const of of kinds.values()) {
      const item = of[turn];
      if (item !== undefined && chosen.size < number) chosen.add(item);
    }
  }
  return {
    first: { ...plan, items: plan.items.filter((item) => chosen.has(item) || !doable.has(item)) },
    rest: { ...plan, items: plan.items.filter((item) => !chosen.has(item) && doable.has(item)) },
  };
}

/** Whether something came back, or the canaries aren't known to stay away: exit 5, before any other. */
export function cameBack({ back, canary }: Pick<ActedWatched, 'back' | 'canary'>): boolean {
  return back > 0 || canary?.passed === false;
}
