import { Tally } from '../../model/display/tally.ts';
import { asBabelqError, Interrupted } from '../../model/errors.ts';
import { wantedId } from '../../model/ids.ts';
import { type ActionAsk, carryOut, planAction, refuseWithoutNote } from '../../model/operations/act.ts';
import { lastDismissal } from '../../model/operations/undo.ts';
import type { ActProgress, ReadProgress, Source } from '../../model/ports.ts';
import type { Effect, Outcome } from '../state/events.ts';
import { throttled, type WorkContext } from './context.ts';
import type { Reader } from './reader.ts';

/** Makes the first pass of a flow, and carries out what was confirmed. */
export class Actor {
  readonly #context: WorkContext;
  readonly #reader: Reader;
  readonly #running = new Map<number, { abort: AbortController; done: Promise<void> }>();

  constructor(context: WorkContext, reader: Reader) {
    this.#context = context;
    this.#reader = reader;
  }

  get busy(): boolean {
    return this.#running.size > 0;
  }

  /** Stops a flow's work, or all, and resolves when what was begun is finished and all is given back. */
  async stop(flow?: number): Promise<void> {
    const stopped = [...this.#running].filter(([number]) => flow === undefined || number === flow);
    for (const [, { abort }] of stopped) abort.abort();
    await Promise.all(stopped.map(([, { done }]) => done));
  }

  /** Resolves when what runs now has ended. */
  async settled(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  findUndo({ flow }: Effect & { type: 'find_undo' }): void {
    const { journal, operator, sources } = this.#context.workspace;
    this.#run(flow, async () => {
      const undoable = await lastDismissal(
        journal,
        operator,
        sources.map(({ name }) => name),
      );
      this.#context.dispatch({ type: 'undo_found', flow, undoable });
    });
  }

  plan(effect: Effect & { type: 'plan' }): void {
    const { flow, ids } = effect;
    this.#run(flow, async (signal) => {
      const sources = this.#sourcesOf(ids);
      // Nobody should confirm what will be refused.
      refuseWithoutNote(this.#ask(effect, sources, ids, signal));
      // What a listing under way holds, the first pass wouldn't see.
      await this.#reader.stop(sources.map(({ name }) => name));
      const { onProgress, end } = this.#bySource<ReadProgress>((progress) =>
        this.#context.dispatch({ type: 'plan_progress', flow, progress }),
      );
      try {
        const planned = await planAction({ ...this.#ask(effect, sources, ids, signal), onRead: onProgress });
        end();
        this.#context.dispatch({ type: 'planned', flow, planned });
      } finally {
        end();
      }
    });
  }

  carryOut(effect: Effect & { type: 'carry_out' }): void {
    const { flow, action, plan } = effect;
    this.#run(flow, async (signal) => {
      const doable = plan.items.filter(({ blocked }) => blocked === null).map(({ id }) => id);
      const sources = this.#sourcesOf(doable);
      await this.#reader.stop(sources.map(({ name }) => name));
      const tally = new Tally();
      const { onProgress, end } = this.#bySource<ActProgress>((progress) =>
        this.#context.dispatch({ type: 'act_progress', flow, progress }),
      );
      const ask = { ...this.#ask(effect, sources, doable, signal), onProgress, onItem: tally.add.bind(tally) };
      const outcome = await carryOut(ask, plan)
        .then(
          (acted): Outcome => ({
            report: acted.report,
            parts: acted.sources,
            interrupted: acted.interrupted,
            lines: tally.lines(action),
            error: null,
          }),
        )
        .catch((thrown: unknown): Outcome => {
          // Where something was done already, what is known of it must be told with the trouble.
          const { message, hint } = asBabelqError(thrown);
          const report = { action, run: null, dry_run: false, ...tally.counts };
          const parts = sources.map(({ name }) => notSeen(name));
          return { report, parts, interrupted: signal.aborted, lines: tally.lines(action), error: { message, hint } };
        })
        .finally(end);
      this.#context.dispatch({ type: 'acted', flow, outcome });
    });
  }

  #run(flow: number, work: (signal: AbortSignal) => Promise<void>): void {
    const abort = new AbortController();
    const done = work(abort.signal)
      .catch((thrown: unknown) => {
        if (thrown instanceof Interrupted) return;
        const { message, hint } = asBabelqError(thrown);
        this.#context.dispatch({ type: 'flow_failed', flow, message, hint });
      })
      .catch(this.#context.fail)
      .finally(() => {
        if (this.#running.get(flow)?.abort === abort) this.#running.delete(flow);
      });
    this.#running.set(flow, { abort, done });
  }

  #ask(
    { action }: { action: ActionAsk['action'] },
    sources: readonly Source[],
    ids: readonly string[],
    signal: AbortSignal,
  ): ActionAsk {
    const { workspace, allowReceive } = this.#context;
    return {
      action,
      asked: { kind: 'ids', ids, whole: true },
      sources,
      journal: workspace.journal,
      clock: workspace.clock,
      by: workspace.operator,
      note: null,
      requireNote: workspace.requireNote,
      allowReceive,
      signal,
    };
  }

  /** Only where the messages lie: nothing else is received. */
  #sourcesOf(ids: readonly string[]): Source[] {
    const { sources } = this.#context.workspace;
    const names = sources.map(({ name }) => name);
    const wanted = new Set(ids.map((id) => wantedId(id, names).source));
    return sources.filter(({ name }) => wanted.has(name));
  }

  #bySource<P extends { source: string }>(
    pass: (all: readonly P[]) => void,
  ): { onProgress: (progress: P) => void; end: () => void } {
    const latest = new Map<string, P>();
    const { call, end } = throttled<void>(() => pass([...latest.values()]));
    return {
      onProgress: (progress) => {
        latest.set(progress.source, progress);
        call();
      },
      end,
    };
  }
}

function notSeen(name: string): Outcome['parts'][number] {
  return { name, seen: 0, complete: false, note: null, allInFlight: null, error: null };
}
