import { asBabelqError, Interrupted } from '../../model/errors.ts';
import type { WholeFailure } from '../../model/failure.ts';
import { wantedId } from '../../model/ids.ts';
import type { ActionAsk } from '../../model/operations/action-ask.ts';
import { planAction } from '../../model/operations/plan-action.ts';
import { lastDismissal } from '../../model/operations/undo.ts';
import { doableItems } from '../../model/plan.ts';
import type { ActProgress, ReadProgress, Source } from '../../model/ports.ts';
import { forecast } from '../../model/watch/forecast.ts';
import type { Effect } from '../state/events.ts';
import { BodyEditing } from './body-editing.ts';
import { carry } from './carrying.ts';
import { throttled, type WorkContext } from './context.ts';
import type { Holder } from './holder.ts';
import type { Reader } from './reader.ts';

/** Makes the first pass of a flow, and carries out what was confirmed. */
export class Actor {
  readonly #context: WorkContext;
  readonly #reader: Reader;
  readonly #holder: Holder;
  readonly #running = new Map<number, { abort: AbortController; done: Promise<void> }>();
  /** The message that is edited, of the last flow that edits one. */
  #editing: { flow: number; body: BodyEditing } | null = null;

  constructor(context: WorkContext, reader: Reader, holder: Holder) {
    this.#context = context;
    this.#reader = reader;
    this.#holder = holder;
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

  plan({ flow, action, ids, to }: Effect & { type: 'plan' }): void {
    this.#run(flow, async (signal) => {
      const sources = this.#sourcesOf(ids);
      await this.#letGo(sources);
      const { onProgress, end } = this.#bySource<ReadProgress>((progress) =>
        this.#context.dispatch({ type: 'plan_progress', flow, progress }),
      );
      const met: WholeFailure[] = [];
      const ask: ActionAsk = {
        ...this.#ask(action, sources, ids, signal),
        ...(to !== undefined && { to }),
        onRead: onProgress,
        // Only where one is asked for may it be edited: of many no body is kept.
        ...(ids.length === 1 && { onPlanned: (failure) => met.push(failure) }),
      };
      try {
        const planned = await planAction(ask);
        end();
        const only = doableItems(planned.plan)[0];
        this.#context.dispatch({
          type: 'planned',
          flow,
          planned,
          met: met.find(({ id }) => id === only?.id) ?? null,
        });
      } finally {
        end();
      }
    });
  }

  edit({ flow, failure, text }: Effect & { type: 'edit' }): void {
    const { workspace, openEditor, away, dispatch } = this.#context;
    if (failure !== null) this.#editing = { flow, body: new BodyEditing(failure) };
    const editing = this.#editing;
    if (editing?.flow !== flow) return;
    this.#run(flow, async () => {
      const result = await editing.body.edit(text, workspace.redact, openEditor, away);
      dispatch({ type: 'edited', flow, result });
    });
  }

  foretell({ flow, plan, watching, to }: Effect & { type: 'foretell' }): void {
    this.#run(flow, async (signal) => {
      const sources = this.#sourcesOf(plan.items.map(({ id }) => id));
      const ask = { ...watching, plan, sources, signal, ...(to !== undefined && { to }) };
      this.#context.dispatch({ type: 'foretold', flow, watching, forecast: await forecast(ask) });
    });
  }

  carryOut(effect: Effect & { type: 'carry_out' }): void {
    const { flow, action, planned, terms, edit } = effect;
    this.#run(flow, async (signal) => {
      const doable = doableItems(planned.plan).map(({ id }) => id);
      const sources = this.#sourcesOf(doable);
      await this.#letGo(sources);
      const { onProgress, end } = this.#bySource<ActProgress>((progress) =>
        this.#context.dispatch({ type: 'act_progress', flow, progress }),
      );
      const { to, rate, max, bypass, note } = terms;
      const ask: ActionAsk = {
        ...this.#ask(action, sources, doable, signal),
        note,
        bypass,
        ...(to !== undefined && { to }),
        ...(rate !== undefined && { rate }),
        ...(max !== undefined && { max }),
        ...(edit !== null && { edit }),
        onProgress,
      };
      const outcome = await carry(ask, effect, (progress) =>
        this.#context.dispatch({ type: 'watch_progress', flow, progress }),
      ).finally(end);
      this.#context.dispatch({ type: 'acted', flow, outcome });
    });
  }

  /** What a listing under way has received, or what is held on purpose, no action would be given. */
  async #letGo(sources: readonly Source[]): Promise<void> {
    const names = sources.map(({ name }) => name);
    await Promise.all([this.#reader.stop(names), this.#holder.pause(names)]);
  }

  #run(flow: number, work: (signal: AbortSignal) => Promise<void>): void {
    const before = this.#running.get(flow);
    const abort = new AbortController();
    const done = (before?.done ?? Promise.resolve())
      .then(() => work(abort.signal))
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
    action: ActionAsk['action'],
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
