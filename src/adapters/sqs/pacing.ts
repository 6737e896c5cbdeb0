import { Interrupted } from '../../model/errors.ts';
import type { Clock } from '../../model/ports.ts';
import { SqsCallError } from './client.ts';

/** How often a call that was throttled is made at most. */
const TRIES = 6;
const FIRST_PAUSE_MS = 500;
/** After so many answers in a row the rate may grow again. */
const QUIET = 20;

/** Calls that only look, at a rate: never faster than was asked for, and slower where the service throttles. */
export class Pacing {
  readonly #clock: Clock;
  readonly #most: number;
  #rate: number;
  #next = 0;
  #answered = 0;

  /** @param rate calls a second at most */
  constructor(clock: Clock, rate: number) {
    this.#clock = clock;
    this.#most = rate;
    this.#rate = rate;
  }

  /** @throws SqsCallError as the call does, also where it is throttled to the end; Interrupted */
  async call<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      await this.#turn(signal);
      try {
        const result = await work();
        this.#quiet();
        return result;
      } catch (error) {
        if (!(error instanceof SqsCallError) || error.trouble !== 'throttled' || tries >= TRIES) throw error;
        this.#slowDown(tries);
      }
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    const at = Math.max(now, this.#next);
    this.#next = at + 1000 / this.#rate;
    if (at > now) await this.#clock.sleep(at - now, signal);
    if (signal.aborted) throw new Interrupted();
  }

  #slowDown(tries: number): void {
    this.#answered = 0;
    this.#rate = Math.max(1, this.#rate / 2);
    this.#next = Math.max(
      this.#next,
      this.#clock.now() + FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2),
    );
  }

  #quiet(): void {
    this.#answered += 1;
    if (this.#answered % QUIET === 0) this.#rate = Math.min(this.#most, this.#rate * 1.5);
  }
}
