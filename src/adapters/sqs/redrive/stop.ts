import { asBabelqError, type BabelqError } from '../../../model/errors.ts';

/** Whether a run goes on: until the person stops it, or it must stop by itself. What was begun is finished all the same. */
export class Stop {
  readonly #own = new AbortController();
  readonly #asked: AbortSignal;
  readonly #source: string;
  #error: BabelqError | null = null;

  constructor(asked: AbortSignal, source: string) {
    this.#asked = asked;
    this.#source = source;
    if (asked.aborted) this.#own.abort();
    else asked.addEventListener('abort', this.#abort, { once: true });
  }

  readonly #abort = (): void => this.#own.abort();

  /** Aborts for either cause. */
  get signal(): AbortSignal {
    return this.#own.signal;
  }

  get requested(): boolean {
    return this.#own.signal.aborted;
  }

  /** True where the person (or a signal) stopped it. */
  get interrupted(): boolean {
    return this.#asked.aborted;
  }

  /** Why it stopped by itself. */
  get error(): BabelqError | null {
    return this.#error;
  }

  /** Begins nothing new; the first cause is the one that is told. */
  fail(error: unknown): void {
    this.#error ??= asBabelqError(error, this.#source);
    this.#own.abort();
  }

  close(): void {
    this.#asked.removeEventListener('abort', this.#abort);
  }
}
