import { Interrupted } from '../../model/errors.ts';
import type { WholeFailure } from '../../model/failure.ts';
import { parseLine } from '../../model/filter/line.ts';
import { type Filter, parseFilter } from '../../model/filter.ts';
import { list } from '../../model/operations/list.ts';
import type { ReadProgress, Source } from '../../model/ports.ts';
import type { Effect } from '../state/events.ts';
import type { Asked } from '../state/state.ts';
import { throttled, type WorkContext } from './context.ts';

/** Bytes of bodies that are kept in memory, of all sources together; the others are read when they are looked at. */
const BODIES_KEPT = 128 * 1024 * 1024;

interface Reading {
  abort: AbortController;
  /** Resolves when it is over and everything is given back; never rejects. */
  done: Promise<void>;
}

/** Reads the sources side by side, each for itself: one that is slow or fails doesn't keep the others. */
export class Reader {
  readonly #context: WorkContext;
  readonly #waitFor: (source: string) => Promise<unknown>;
  readonly #readings = new Map<string, Reading>();

  /** @param waitFor resolves when nobody here has any of the source's messages: what one holds, a listing wouldn't see */
  constructor(context: WorkContext, waitFor: (source: string) => Promise<unknown>) {
    this.#context = context;
    this.#waitFor = waitFor;
  }

  get busy(): boolean {
    return this.#readings.size > 0;
  }

  read({ sources, asked }: Effect & { type: 'read' }): void {
    for (const { name, reading } of sources) {
      const source = this.#context.workspace.sources.find((one) => one.name === name);
      if (source !== undefined) this.#begin(source, reading, asked);
    }
  }

  /** Stops the readings of these sources, or all, and resolves when everything is given back. */
  async stop(names?: readonly string[]): Promise<void> {
    const stopped = [...this.#readings].filter(([name]) => names === undefined || names.includes(name));
    for (const [, { abort }] of stopped) abort.abort();
    await Promise.all(stopped.map(([, { done }]) => done));
  }

  /** Resolves when what is being read now has been. */
  async settled(): Promise<void> {
    await Promise.all([...this.#readings.values()].map(({ done }) => done));
  }

  #begin(source: Source, reading: number, asked: Asked): void {
    const before = this.#readings.get(source.name);
    before?.abort.abort();
    const abort = new AbortController();
    const done = Promise.all([before?.done, this.#waitFor(source.name)])
      .then(() => this.#read(source, reading, asked, abort.signal))
      .catch(this.#context.fail)
      .finally(() => {
        if (this.#readings.get(source.name)?.abort === abort) this.#readings.delete(source.name);
      });
    this.#readings.set(source.name, { abort, done });
  }

  async #read(source: Source, reading: number, asked: Asked, signal: AbortSignal): Promise<void> {
    const { workspace, allowReceive, limit, dispatch } = this.#context;
    const progress = throttled<ReadProgress>((said) =>
      dispatch({ type: 'read_progress', source: source.name, reading, progress: said }),
    );
    try {
      if (signal.aborted) throw new Interrupted();
      const { failures, sources } = await list({
        sources: [source],
        filter: filterOf(asked),
        limit,
        withBody: true,
        redact: workspace.redact,
        allowReceive,
        clock: workspace.clock,
        signal,
        onProgress: progress.call,
        breathe: () => new Promise((done) => setImmediate(done)),
      });
      progress.end();
      const [report] = sources;
      if (report === undefined) return;
      const whole = failures.filter((failure): failure is WholeFailure => 'body' in failure);
      const kept = keepSome(whole, BODIES_KEPT / workspace.sources.length);
      dispatch({ type: 'read', source: source.name, reading, failures: kept, report });
    } catch (error) {
      progress.end();
      if (!(error instanceof Interrupted)) throw error;
      dispatch({ type: 'read_stopped', source: source.name, reading });
    }
  }
}

function filterOf({ line, states }: Asked): Filter {
  const given = [...states];
  return line === '' ? parseFilter({}, given) : parseLine(line, given).filter;
}

/** Lets go of the bodies that come after the first so many bytes. */
function keepSome(failures: readonly WholeFailure[], most: number): WholeFailure[] {
  let kept = 0;
  return failures.map((failure) => {
    kept += failure.size_bytes;
    return kept <= most ? failure : { ...failure, body: null, body_base64: null };
  });
}
