import type { VirtualTime } from './clock.ts';
import type { Ledger } from './invariants.ts';
import { type Token, tokenIn } from './messages.ts';
import type { SimulatedQueue, StoredMessage } from './queue.ts';
import type { Random } from './random.ts';

/**
 * The app behind a target: it handles what it gets, or fails it, and then either dead-letters it by itself (sends the
 * record, deletes the message) or leaves it to SQS, whose RedrivePolicy moves it.
 */
export class Consumer {
  /** How likely it fails a message. */
  failing: number;
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #ledger: Ledger;
  readonly #queue: SimulatedQueue;
  readonly #dead: SimulatedQueue;
  readonly #tokens: ReadonlyMap<number, Token>;
  #cancel: () => void = () => {};

  constructor(
    world: { time: VirtualTime; random: Random; ledger: Ledger; tokens: ReadonlyMap<number, Token> },
    queue: SimulatedQueue,
    dead: SimulatedQueue,
    failing: number,
  ) {
    this.#time = world.time;
    this.#random = world.random;
    this.#ledger = world.ledger;
    this.#tokens = world.tokens;
    this.#queue = queue;
    this.#dead = dead;
    this.failing = failing;
  }

  start(): void {
    this.#cancel = this.#time.after(this.#random.between(200, 5000), () => {
      this.#poll();
      this.start();
    });
  }

  stop(): void {
    this.#cancel();
  }

  #poll(): void {
    this.#ledger.actor = 'the consumer';
    for (const { message, handle } of this.#queue.receive(10, 20) ?? []) {
      if (!this.#random.chance(this.failing)) {
        this.#ledger.consumed(message);
        this.#queue.delete(handle);
      } else this.#fail(message, handle);
    }
  }

  #fail(message: StoredMessage, handle: string): void {
    const again = this.#tokens.get(tokenIn(message.body))?.deadAgain ?? null;
    if (again !== null && this.#random.chance(0.5)) {
      const { attributes, groupId, deduplicationId, traceHeader } = message;
      this.#dead.send({
        body: again(this.#time.now()),
        attributes,
        ...(groupId !== undefined && { groupId }),
        ...(deduplicationId !== undefined && { deduplicationId: this.#random.uuid() }),
        ...(traceHeader !== undefined && { traceHeader }),
      });
      this.#queue.delete(handle);
    } else this.#queue.changeVisibility(handle, 0);
  }
}
