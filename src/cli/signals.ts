import { sayHeld } from '../model/display/held.ts';
import { EXIT } from '../model/errors.ts';
import type { Source } from '../model/ports.ts';

const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: EXIT.hungUp } as const;

/** Where signals come from and where a second one goes to: the process, or a test's stand-in. */
export interface SignalHost {
  on(signal: keyof typeof SIGNALS, listener: () => void): unknown;
  off(signal: keyof typeof SIGNALS, listener: () => void): unknown;
  exit(code: number): void;
}

/** Node's timers hold no longer time, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * The first signal asks the work to stop: it lets go of what it holds, finishes what it began, and then the run ends
 * with the signal's code. A second one leaves at once, and says what stays hidden for how long.
 */
export class Interrupts {
  readonly #abort = new AbortController();
  readonly #host: SignalHost;
  readonly #say: (line: string) => void;
  readonly #handlers: [keyof typeof SIGNALS, () => void][];
  #code: number | null = null;
  #sources: readonly Source[] = [];
  #asking = false;
  #timer: NodeJS.Timeout | undefined;
  #timedOut = false;
  #away = false;

  constructor(host: SignalHost, say: (line: string) => void) {
    this.#host = host;
    this.#say = say;
    this.#handlers = (Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]).map((signal) => [
      signal,
      () => this.#receive(SIGNALS[signal]),
    ]);
    for (const [signal, handler] of this.#handlers) host.on(signal, handler);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The exit code of the signal that came; null where none did. */
  get code(): number | null {
    return this.#code;
  }

  /** Whether the time that `limit` gave was over before the run was. */
  get timedOut(): boolean {
    return this.#timedOut;
  }

  /** Asks the work to stop after so long, as a signal would. At most 24 days. */
  limit(ms: number): void {
    this.#timer = setTimeout(
      () => {
        if (this.#code !== null) return;
        this.#timedOut = true;
        this.#stop('The time is over');
      },
      Math.min(ms, LONGEST_MS),
    );
  }

  /** The work is done, whatever comes of it: time no longer counts. */
  finished(): void {
    clearTimeout(this.#timer);
  }

  /** Says what may be held when a second signal comes. */
  watch(sources: readonly Source[]): void {
    this.#sources = sources;
  }

  /** While a person is asked nothing is held and nothing is begun, so a signal needs no words. */
  async whileAsking<T>(ask: () => Promise<T>): Promise<T> {
    const before = this.#asking;
    this.#asking = true;
    try {
      return await ask();
    } finally {
      this.#asking = before;
    }
  }

  /** While another program has the terminal: Ctrl+C is its own then. */
  async whileAway<T>(work: () => Promise<T>): Promise<T> {
    this.#away = true;
    try {
      return await this.whileAsking(work);
    } finally {
      this.#away = false;
    }
  }

  dispose(): void {
    this.finished();
    for (const [signal, handler] of this.#handlers) this.#host.off(signal, handler);
  }

  #receive(code: number): void {
    if (this.#away && code === SIGNALS.SIGINT) return;
    const first = this.#code === null && !this.#timedOut;
    this.#code ??= code;
    if (first) {
      this.#stop('Stopping');
      return;
    }
    const held = sayHeld(this.#sources, Date.now());
    if (held !== null) this.#say(held);
    this.#host.exit(code);
  }

  #stop(why: string): void {
    if (this.#sources.length > 0 && !this.#asking) {
      this.#say(`${why}: finishing what was begun and letting go of what is held…`);
    }
    this.#abort.abort();
  }
}
