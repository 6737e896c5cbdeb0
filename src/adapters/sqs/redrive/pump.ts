import { BATCH } from '../limits.ts';
import { bytesOf, type Pool, type Waiting } from './pool.ts';
import type { Stop } from './stop.ts';
import type { Throttle } from './throttle.ts';

/** What a pump moves: `fetch` fills the pool, `carry` empties it. */
export interface Work<T extends Waiting> {
  readonly pool: Pool<T>;
  /** Whether another fetch is wanted now, with so many under way. */
  wantsMore(fetching: number): boolean;
  /** Fills the pool; answers whether as much came as could: then what waits may wait for company. */
  fetch(): Promise<boolean>;
  carry(batch: T[]): Promise<void>;
  /** Entries a batch at most: fewer than ten where a rate is to be smooth. */
  readonly most: number;
  /** Whether a batch goes at once, without waiting for company. */
  readonly eager: boolean;
  /** What was waiting when the run stopped: it is not begun. */
  leave(items: T[]): void;
}

/** How much of the largest message is remembered from batch to batch. */
const FADING = 0.9;
/** What is in hand at most, in bytes, as far as what comes can be foreseen: messages may have a mebibyte each. */
const MOST_BYTES_IN_HAND = 32 * 1_048_576;

/**
 * Keeps as many calls under way as the throttle allows: fetches while there is room in hand, and a batch as soon as one
 * is full, or as soon as nothing is coming that could fill it. What is in hand stays bounded, however long the queue is.
 */
export class Pump<T extends Waiting> {
  readonly #work: Work<T>;
  readonly #throttle: Throttle;
  readonly #stop: Stop;
  #fetching = 0;
  #carrying = 0;
  /** Messages that were begun and have not ended. */
  #inHand = 0;
  #bytes = 0;
  /** Bytes of the largest message of late: what the next ones may have. */
  #large = 0;
  #thin = true;
  #wake: () => void = () => {};

  constructor(work: Work<T>, throttle: Throttle, stop: Stop) {
    this.#work = work;
    this.#throttle = throttle;
    this.#stop = stop;
    throttle.onRoom = () => this.#wake();
  }

  /** Resolves when there is nothing more to fetch and everything begun has ended. */
  async run(): Promise<void> {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      if (this.#stop.requested) this.#work.leave(this.#work.pool.drain());
      else this.#begin();
      if (this.#fetching === 0 && this.#carrying === 0) {
        if (this.#stop.requested || this.#work.pool.size === 0) return;
      }
      await woken;
    }
  }

  /** Something changed: a group's next message may go. */
  wake(): void {
    this.#wake();
  }

  #begin(): void {
    const { pool, most, eager } = this.#work;
    for (;;) {
      // The journal works while calls are under way: so twice as much in hand as there are calls.
      const room = this.#throttle.limit * 2 * BATCH - this.#inHand;
      if (room > 0) {
        const batch = pool.take(most, eager || this.#fetching === 0 || this.#thin);
        if (batch !== null) {
          this.#carry(batch);
          continue;
        }
      }
      const expected = this.#inHand + pool.size + this.#fetching * BATCH;
      if (!this.#throttle.roomToLook || expected > (this.#throttle.limit * 2 - 1) * BATCH) return;
      const bytes = this.#bytes + pool.bytes + (this.#fetching + 1) * BATCH * this.#large;
      if (bytes > MOST_BYTES_IN_HAND && this.#fetching + this.#carrying > 0) return;
      if (!this.#work.wantsMore(this.#fetching)) return;
      this.#fetch();
    }
  }

  #fetch(): void {
    this.#fetching += 1;
    const fetched = this.#throttle
      .look(() => this.#work.fetch())
      .then((plenty) => {
        this.#thin = !plenty;
      });
    this.#watch(fetched, () => {
      this.#fetching -= 1;
    });
  }

  #carry(batch: T[]): void {
    this.#carrying += 1;
    this.#inHand += batch.length;
    const bytes = bytesOf(batch);
    this.#bytes += bytes;
    this.#large = Math.max(this.#large * FADING, ...batch.map((item) => item.bytes));
    this.#watch(this.#work.carry(batch), () => {
      this.#carrying -= 1;
      this.#inHand -= batch.length;
      this.#bytes -= bytes;
    });
  }

  #watch(task: Promise<void>, ended: () => void): void {
    task
      .catch((error) => this.#stop.fail(error))
      .then(() => {
        ended();
        this.#wake();
      });
  }
}
