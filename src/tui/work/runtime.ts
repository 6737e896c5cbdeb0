import { asBabelqError, Interrupted } from '../../model/errors.ts';
import { doctor } from '../../model/operations/doctor.ts';
import { facts } from '../../model/operations/facts.ts';
import { historyOf, inspect } from '../../model/operations/inspect.ts';
import type { LogEntry, LogQuery, Source, SourceKind } from '../../model/ports.ts';
import type { Workspace } from '../../model/workspace.ts';
import type { OpenEditor } from '../options.ts';
import { restAfter } from '../rest.ts';
import { agedAt } from '../state/aging.ts';
import type { Effect, Event } from '../state/events.ts';
import { initialState, type Size, type State } from '../state/state.ts';
import { update } from '../state/update.ts';
import type { Away, Store } from '../views/app.tsx';
import { Actor } from './actor.ts';
import { Arranger } from './arranger.ts';
import type { WorkContext } from './context.ts';
import { Holder } from './holder.ts';
import { Reader } from './reader.ts';

/** How often the screens look at the clock, and at what is held, while something goes on. */
const BUSY_MS = 250;
/** How often the sources are asked for their counts: the ones with rows less often where counting takes long. */
const COUNT_MS = 15_000;

/** How often a jadpo app's rows are read again where that takes next to nothing. */
const REFRESH_MS = 10_000;

/** Lines of the log that are read. */
const LOGGED = 2000;
const LOGGED_OF_RUN = 10_000;

export interface RuntimeOptions {
  allowReceive: boolean;
  limit: number | 'all';
  size: Size;
  openEditor: OpenEditor;
  /** Whether what is shown is held from the start. */
  hold: boolean;
  /** Leaves: everything has ended, or (`atOnce`) nothing was waited for. */
  onLeave: (code: number, atOnce: boolean) => void;
  /** Something that must not happen did. */
  onFailure: (error: unknown) => void;
}

/** The state of the screens, and the work that it asks for. */
export class Runtime implements Store {
  readonly #workspace: Workspace;
  readonly #options: RuntimeOptions;
  readonly #listeners = new Set<() => void>();
  readonly #reader: Reader;
  readonly #arranger: Arranger;
  readonly #actor: Actor;
  readonly #holder: Holder;
  /** Ends what only asks: counts, an inspection. */
  readonly #asking = new AbortController();
  /** Work that must be waited for: what it receives is to be given back. */
  readonly #looking = new Set<Promise<void>>();
  #away: Away = (work) => work();
  #state: State;
  #timer: NodeJS.Timeout | null = null;
  /** When what is shown has aged, and of which state that is known. */
  #aged: { state: State; at: number } | null = null;
  readonly #countAt: Record<SourceKind, number> = { sqs: 0, jadpo: 0 };
  #refreshAt: number;

  constructor(workspace: Workspace, options: RuntimeOptions) {
    this.#workspace = workspace;
    this.#options = options;
    this.#refreshAt = workspace.clock.now() + REFRESH_MS;
    this.#state = initialState(workspace.sources, options.size, workspace.clock.now(), workspace.requireNote);
    const context: WorkContext = {
      workspace,
      allowReceive: options.allowReceive,
      limit: options.limit,
      openEditor: options.openEditor,
      away: (work) => this.#away(work),
      state: this.state,
      dispatch: this.dispatch,
      fail: options.onFailure,
    };
    this.#holder = new Holder(context);
    this.#reader = new Reader(context, (name) => Promise.all([this.#actor.settled(), this.#holder.pause([name])]));
    this.#arranger = new Arranger(context);
    this.#actor = new Actor(context, this.#reader, this.#holder);
  }

  readonly state = (): State => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** How the terminal is given to another program; the views know. */
  readonly onAway = (away: Away): void => {
    this.#away = away;
  };

  readonly dispatch = (event: Event): void => {
    try {
      const { state, effects } = update(this.#state, event);
      if (state !== this.#state) {
        this.#state = state;
        for (const listener of this.#listeners) listener();
      }
      for (const effect of effects) this.#perform(effect);
    } catch (error) {
      this.#options.onFailure(error);
    }
  };

  start(): void {
    this.#timer = setInterval(() => this.#tick(), BUSY_MS);
    this.dispatch({ type: 'started', hold: this.#options.hold });
  }

  /** Whether leaving takes a moment: something is held, or being done. */
  get holdsOrBusy(): boolean {
    return this.busy || this.#holder.holds;
  }

  /** Whether messages may be held for a moment, or something is being done to them. */
  get busy(): boolean {
    return this.#reader.busy || this.#actor.busy || this.#looking.size > 0;
  }

  /** Ends all work: what was begun is finished, what was held is given back when it resolves. */
  async stop(): Promise<void> {
    this.#asking.abort();
    await Promise.allSettled([this.#reader.stop(), this.#actor.stop(), this.#holder.close(), ...this.#looking]);
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #tick(): void {
    const now = this.#workspace.clock.now();
    this.#holder.look().catch(this.#options.onFailure);
    const held = this.#workspace.sources.map((source) => source.held().count);
    const changed = held.some((count, at) => count !== this.#state.sources[at]?.held);
    if (this.#aged?.state !== this.#state) this.#aged = { state: this.#state, at: agedAt(this.#state) };
    if (this.busy || changed || now >= this.#aged.at) this.dispatch({ type: 'ticked', now, held });
    // What is received just now is counted otherwise by some servers, and no news.
    if (!this.busy) this.#count(this.#workspace.sources.filter(({ kind }) => now >= this.#countAt[kind]));
    if (now >= this.#refreshAt && !this.busy) void this.#refresh();
  }

  async #refresh(): Promise<void> {
    this.#refreshAt = Number.POSITIVE_INFINITY;
    const from = performance.now();
    this.dispatch({ type: 'refreshing' });
    await this.#reader.settled();
    this.#refreshAt = this.#workspace.clock.now() + restAfter(performance.now() - from, REFRESH_MS);
  }

  #perform(effect: Effect): void {
    switch (effect.type) {
      case 'read':
        this.#reader.read(effect);
        break;
      case 'count':
        this.#count(
          this.#workspace.sources.filter(({ name }) => effect.sources === 'all' || effect.sources.includes(name)),
        );
        break;
      case 'arrange':
        this.#arranger.arrange(effect.arrangement);
        break;
      case 'inspect':
        this.#look(() => this.#inspect(effect.id));
        break;
      case 'history':
        this.#look(() => this.#history(effect.id));
        break;
      case 'log':
        this.#look(async () => this.dispatch({ type: 'logged', entries: await this.#logged({ limit: LOGGED }) }));
        break;
      case 'examine':
        this.#look(() => this.#examine());
        break;
      case 'log_run': {
        const { run } = effect;
        this.#look(async () =>
          this.dispatch({ type: 'run_logged', run, entries: await this.#logged({ run, limit: LOGGED_OF_RUN }) }),
        );
        break;
      }
      case 'story': {
        const { id } = effect;
        this.#look(async () => this.dispatch({ type: 'story', id, entries: await this.#logged({ story: [id] }) }));
        break;
      }
      case 'hold':
        this.#holder.hold(effect);
        break;
      case 'let_go':
        this.#look(() => this.#holder.letGo());
        break;
      case 'find_undo':
        this.#actor.findUndo(effect);
        break;
      case 'plan':
        this.#actor.plan(effect);
        break;
      case 'edit':
        this.#actor.edit(effect);
        break;
      case 'foretell':
        this.#actor.foretell(effect);
        break;
      case 'carry_out':
        this.#actor.carryOut(effect);
        break;
      case 'stop':
        this.#look(() => this.#actor.stop(effect.flow));
        break;
      case 'leave':
        void this.stop().then(() => this.#options.onLeave(effect.code, false));
        break;
      case 'leave_now':
        this.#options.onLeave(effect.code, true);
        break;
    }
  }

  #look(work: () => Promise<void>): void {
    const done = work()
      .catch(this.#options.onFailure)
      .finally(() => this.#looking.delete(done));
    this.#looking.add(done);
  }

  /** Not waited for at the end: it receives nothing. */
  #count(which: readonly Source[]): void {
    for (const kind of ['sqs', 'jadpo'] as const) {
      const sources = which.filter((source) => source.kind === kind);
      if (sources.length === 0) continue;
      const from = performance.now();
      this.#countAt[kind] = this.#workspace.clock.now() + COUNT_MS;
      facts(sources, this.#asking.signal).then(
        (counted) => {
          if (this.#asking.signal.aborted) return;
          this.dispatch({ type: 'counted', facts: counted });
          // To ask SQS is to wait for it; to count rows is work.
          if (kind === 'jadpo') {
            this.#countAt.jadpo = this.#workspace.clock.now() + restAfter(performance.now() - from, COUNT_MS);
          }
        },
        (error: unknown) => {
          if (!(error instanceof Interrupted)) this.#options.onFailure(error);
        },
      );
    }
  }

  async #inspect(id: string): Promise<void> {
    const source = this.#workspace.sources.find(({ name }) => id.startsWith(`${name}/`));
    if (source !== undefined) await this.#holder.pause([source.name]);
    try {
      const { failures } = await inspect({
        sources: source === undefined ? this.#workspace.sources : [source],
        ids: [id],
        journal: this.#workspace.journal,
        redact: this.#workspace.redact,
        allowReceive: this.#options.allowReceive,
        signal: this.#asking.signal,
      });
      const failure = failures.find((one) => one.id === id);
      if (failure !== undefined) this.dispatch({ type: 'inspected', id, failure });
      else this.dispatch({ type: 'inspect_failed', id, error: 'It is no longer there.' });
    } catch (error) {
      if (!(error instanceof Interrupted)) this.dispatch({ type: 'inspect_failed', id, error: sentence(error) });
    }
  }

  async #history(id: string): Promise<void> {
    const history = await historyOf(this.#workspace.journal, id).catch((error: unknown) => ({
      error: sentence(error),
    }));
    this.dispatch({ type: 'history', id, history });
  }

  async #examine(): Promise<void> {
    const { sources, journal, clock } = this.#workspace;
    const nodeVersion = process.versions.node;
    try {
      const { findings } = await doctor({
        sources,
        journal,
        clock,
        nodeVersion,
        sample: 0,
        allowReceive: this.#options.allowReceive,
        signal: this.#asking.signal,
      });
      this.dispatch({ type: 'examined', findings });
    } catch (error) {
      if (!(error instanceof Interrupted)) this.dispatch({ type: 'examined', findings: { error: sentence(error) } });
    }
  }

  #logged(query: LogQuery): Promise<readonly LogEntry[] | { error: string }> {
    return this.#workspace.journal.log(query).catch((error: unknown) => ({ error: sentence(error) }));
  }
}

/** What happened and what to do. */
function sentence(error: unknown): string {
  const { message, hint } = asBabelqError(error);
  return hint === null ? message : `${message} ${hint}`;
}
