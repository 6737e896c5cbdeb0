import type { Clock } from './ports.ts';

/** `--max N`: how many messages a run may still act on, shared by its sources. */
export class Budget {
  #left: number;

  constructor(max: number = Number.POSITIVE_INFINITY) {
    this.#left = max;
  }

  get left(): number {
    return this.#left;
  }

  /** Takes up to `wanted`, and answers how many it got. */
  take(wanted: number): number {
    const granted = Math.min(wanted, this.#left);
    this.#left -= granted;
    return granted;
  }

  /** Puts back what was taken and not used: a message that was skipped after all. */
  putBack(unused: number): void {
    this.#left += unused;
  }
}

/** How often a second a paced run may send at most: small enough batches that the rate is smooth. */
const TURNS_A_SECOND = 5;

/** `--rate N`: messages a second, smooth, shared by all that send in a run. */
export class Pace {
  readonly rate: number;
  readonly #clock: Clock;
  #next = 0;

  /** @param rate messages a second, above 0 (fractions are fine: 0.5 is one every two seconds) */
  constructor(rate: number, clock: Clock) {
    this.rate = rate;
    this.#clock = clock;
  }

  /** How many messages one call should send at most (1 to 10), so that the rate doesn't come in bursts. */
  get batch(): number {
    return Math.max(1, Math.min(10, Math.floor(this.rate / TURNS_A_SECOND)));
  }

  /** Resolves when `messages` may be sent; at once, without taking the turn's time, when the signal aborts. */
  async turn(messages: number, signal?: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    const start = Math.max(now, this.#next);
    this.#next = start + (messages * 1000) / this.rate;
    if (start > now) await this.#clock.sleep(start - now, signal);
  }
}
