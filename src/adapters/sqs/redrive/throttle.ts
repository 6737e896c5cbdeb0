import type { ActRequest, Clock } from '../../../model/ports.ts';
import type { SqsCallError } from '../client.ts';

/** How many calls may be under way at once. */
export interface ThrottleOptions {
  /** Calls side by side at the start. */
  first: number;
  /** Calls side by side at most, where an answer takes a few milliseconds. */
  most: number;
  /** The same where it takes so long that more can be under way before any of them waits for this process. */
  mostFar: number;
}

const CALLS: ThrottleOptions = { first: 4, most: 16, mostFar: 64 };
/** A core makes no more calls than this. */
const CALLS_PER_MS = 1;
/** With a rate there is no use in more calls side by side than this many messages a second each. */
const PACED_PER_CALL = 25;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;
/** So many times in a row no connection, with the pauses between some ten seconds: it won't come back just now. */
const UNREACHED = 7;
/** An answer this many times slower than the quickest says that more calls would only queue up. */
const SLOW = 2;
/** Differences below this say nothing. */
const NOISE_MS = 5;

/**
 * How many calls may be under way at once, looks for messages included. Starts modest, doubles until an answer comes
 * slowly and then grows by one, and is halved when the service throttles or fails; then everybody pauses, longer each
 * time, by a random part of it so that several babelq don't come back together.
 */
export class Throttle {
  readonly #clock: Clock;
  readonly #options: ThrottleOptions;
  /** Called when a call has ended. */
  onRoom: () => void = () => {};
  #limit: number;
  #busy = 0;
  #looking = 0;
  /** No answer was slow yet, and nothing failed. */
  #finding = true;
  #waiting: (() => void)[] = [];
  #quickest = Number.POSITIVE_INFINITY;
  #quickInARow = 0;
  #troubles = 0;
  #unreached = 0;
  /** Ends when the service may be called again. */
  #pause: Promise<void> | null = null;

  constructor(clock: Clock, options: ThrottleOptions) {
    this.#clock = clock;
    this.#limit = Math.min(options.first, options.most);
    this.#options = options;
  }

  /** As many as the rate of a run needs, else as many as `calls` says. */
  static forRun(
    { pace }: Pick<ActRequest, 'pace'>,
    { clock, calls = CALLS }: { clock: Clock; calls?: ThrottleOptions },
  ): Throttle {
    if (pace === null) return new Throttle(clock, calls);
    const most = Math.min(calls.most, Math.max(1, Math.ceil(pace.rate / PACED_PER_CALL)));
    return new Throttle(clock, { first: Math.min(calls.first, most), most, mostFar: most });
  }

  get limit(): number {
    return this.#limit;
  }

  /** Looks take half the calls at most: a long poll may stay for what only another call brings about. */
  get roomToLook(): boolean {
    return this.#looking < Math.ceil(this.#limit / 2) && this.#looking + this.#busy < this.#limit;
  }

  /** No connection can be made: then there are no pauses, for what is begun is tried once more and given up. */
  get nobodyThere(): boolean {
    return this.#unreached >= UNREACHED;
  }

  /** Counts a look for messages, which may poll for long, among the calls. */
  async look<T>(work: () => Promise<T>): Promise<T> {
    this.#looking += 1;
    try {
      return await work();
    } finally {
      this.#looking -= 1;
      this.#wake();
    }
  }

  /** Runs one call when there is room for it and no pause. */
  async call<T>(work: () => Promise<T>): Promise<T> {
    while (this.#busy >= Math.max(1, this.#limit - this.#looking) && !this.nobodyThere)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#busy += 1;
    try {
      await this.pause();
      const began = this.#clock.now();
      const result = await work();
      this.#answered(this.#clock.now() - began);
      return result;
    } finally {
      this.#busy -= 1;
      this.#wake();
      this.onRoom();
    }
  }

  /** Waits as long as the service is to be left alone; less where the signal aborts. */
  async pause(signal?: AbortSignal): Promise<void> {
    while (this.#pause !== null && !signal?.aborted) {
      await (signal === undefined ? this.#pause : unlessAborted(this.#pause, signal));
    }
  }

  /**
   * The service throttled or failed: fewer calls, after a pause.
   * @param error where the whole call failed
   */
  trouble(error?: SqsCallError): void {
    this.#quickInARow = 0;
    this.#finding = false;
    // Calls that were under way together tell of the same trouble.
    if (this.#pause !== null) return;
    this.#unreached = error?.trouble === 'unreachable' ? this.#unreached + 1 : 0;
    if (this.nobodyThere) {
      this.#wake();
      return;
    }
    this.#limit = Math.max(1, Math.floor(this.#limit / 2));
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#troubles);
    this.#troubles += 1;
    // Slept, not reckoned by the clock: that may be set.
    this.#pause = this.#clock.sleep(Math.ceil(longest * (0.5 + Math.random() / 2))).then(() => {
      this.#pause = null;
    });
  }

  /** Somebody is there. */
  heard(): void {
    this.#unreached = 0;
  }

  #answered(ms: number): void {
    this.heard();
    this.#troubles = 0;
    this.#quickest = Math.min(this.#quickest, ms);
    if (ms > this.#quickest * SLOW + NOISE_MS) {
      this.#quickInARow = 0;
      this.#finding = false;
      return;
    }
    this.#quickInARow += 1;
    if (!this.#finding && this.#quickInARow < this.#limit) return;
    const { most, mostFar } = this.#options;
    if (this.#limit >= Math.min(mostFar, Math.max(most, Math.ceil(this.#quickest * CALLS_PER_MS)))) return;
    this.#quickInARow = 0;
    this.#limit += 1;
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done);
    work.then(done);
  });
}
