import { asBabelqError, Interrupted } from '../../model/errors.ts';
import { wantedId } from '../../model/ids.ts';
import type { Holding, HoldRequest, ReadProgress, Source } from '../../model/ports.ts';
import type { Effect } from '../state/events.ts';
import { sayLetGo } from '../state/holding.ts';
import { throttled, type WorkContext } from './context.ts';

interface Hold {
  abort: AbortController;
  /** Resolves when it was taken, or wasn't and everything was given back; never rejects. */
  taken: Promise<Holding | null>;
  count: number;
}

/** Keeps messages hidden from everyone else, until they are let go: on every way out, too. */
export class Holder {
  readonly #context: WorkContext;
  readonly #holds = new Map<string, Hold>();
  /** What is being made visible again, by source. */
  readonly #ending = new Map<string, Promise<number>>();
  #closed = false;

  constructor(context: WorkContext) {
    this.#context = context;
  }

  /** Whether anything is hidden by it, or is being taken or given back. */
  get holds(): boolean {
    return this.#holds.size > 0 || this.#ending.size > 0;
  }

  hold({ source: name, ids }: Effect & { type: 'hold' }): void {
    const { workspace, allowReceive, dispatch, fail } = this.#context;
    const source = workspace.sources.find((one) => one.name === name);
    if (this.#closed || source?.hold === undefined || this.#holds.has(name)) return;
    const abort = new AbortController();
    const names = workspace.sources.map((one) => one.name);
    const progress = throttled<ReadProgress>(({ seen }) =>
      dispatch({ type: 'held', source: name, part: { phase: 'taking', count: seen } }),
    );
    const request = {
      nativeIds: new Set(ids.map((id) => wantedId(id, names).native)),
      allowReceive,
      signal: abort.signal,
      onProgress: progress.call,
    };
    const hold: Hold = { abort, taken: Promise.resolve(null), count: 0 };
    hold.taken = this.#taking(source, request)
      .then((holding) => {
        progress.end();
        hold.count = holding.count;
        if (!abort.signal.aborted) {
          const { count, endsAt, note } = holding;
          dispatch({ type: 'held', source: name, part: { phase: 'held', count, endsAt, note } });
        }
        return holding;
      })
      .catch((thrown: unknown) => {
        progress.end();
        if (this.#holds.get(name) === hold) this.#holds.delete(name);
        if (thrown instanceof Interrupted) return null;
        const { message } = asBabelqError(thrown);
        dispatch({ type: 'held', source: name, part: { phase: 'over', count: 0, endsAt: null, note: message } });
        return null;
      })
      .catch((thrown: unknown) => {
        fail(thrown);
        return null;
      });
    this.#holds.set(name, hold);
  }

  /** Tells where fewer are held than before: taken by others after an outage, or visible again by SQS's own rule. */
  async look(): Promise<void> {
    for (const [source, hold] of this.#holds) {
      const holding = await Promise.race([hold.taken, null]);
      if (holding === null || holding.count === hold.count || this.#holds.get(source) !== hold) continue;
      hold.count = holding.count;
      const phase = holding.count === 0 ? 'over' : 'held';
      this.#context.dispatch({ type: 'held', source, part: { phase, count: holding.count } });
    }
  }

  /** Makes what is held of these sources visible, so that something else can receive it; it is taken again after that. */
  async pause(names: readonly string[]): Promise<void> {
    const held = names.filter((name) => this.#holds.has(name));
    if (held.length === 0) return;
    const released = this.#release(held);
    for (const source of held) {
      this.#context.dispatch({ type: 'held', source, part: { phase: 'paused', count: 0, endsAt: null, note: null } });
    }
    await released;
  }

  /** Makes everything visible again, and says how that went. */
  async letGo(): Promise<void> {
    const stuck = await this.#release([...this.#holds.keys()]);
    this.#context.dispatch({ type: 'noticed', notice: sayLetGo(stuck) });
  }

  /** Makes everything visible again; nothing is held after that. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#release([...this.#holds.keys(), ...this.#ending.keys()]);
  }

  async #taking(source: Source, request: HoldRequest): Promise<Holding> {
    await this.#ending.get(source.name);
    if (source.hold === undefined || request.signal.aborted) throw new Interrupted();
    return source.hold(request);
  }

  async #release(names: readonly string[]): Promise<number> {
    const stuck = await Promise.all(names.map((name) => this.#releaseOne(name)));
    return stuck.reduce((sum, one) => sum + one, 0);
  }

  #releaseOne(name: string): Promise<number> {
    const hold = this.#holds.get(name);
    if (hold === undefined) return this.#ending.get(name) ?? Promise.resolve(0);
    this.#holds.delete(name);
    hold.abort.abort();
    const ended = hold.taken
      .then(async (holding) => (holding === null ? 0 : (await holding.release()).stuck))
      .finally(() => {
        if (this.#ending.get(name) === ended) this.#ending.delete(name);
      });
    this.#ending.set(name, ended);
    return ended;
  }
}
