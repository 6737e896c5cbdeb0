import type { Clock } from '../../model/ports.ts';
import { type ReceivedMessage, SqsCallError } from './client.ts';
import { Ending } from './ending.ts';
import type { Held } from './held.ts';
import { BATCH, MOST_IN_FLIGHT, WAIT_SECONDS } from './limits.ts';
import type { DeadLetterQueue } from './queue.ts';
import type { QueueAttributes } from './queue-attributes.ts';

/** Polls side by side at most. */
const MOST_POLLS = 8;
/** Never one alone: two that come back empty at once are believed sooner than one after the other. */
const PAIR = 2;
/** A queue that messages keep coming to has no end: so long after all of the start was seen, the reading ends. */
const LATE_MS = 10_000;

/** Throttled receives in a row that are borne, and how much longer each waits than the last. */
const MOST_THROTTLED = 16;
const THROTTLED_MS = 200;

/** Why a pass ended; nothing more is asked for then. */
export type End = 'empty' | 'enough' | 'aborted' | 'failed' | 'full' | 'growing' | 'twelve_hours';

/** How a queue is to be read. */
export interface PassRequest {
  signal: AbortSignal;
  /** How many SQS lets be in flight on one queue. */
  inFlightLimit?: number;
  onProgress: (progress: { seen: number; about: number | null; releasing?: number }) => void;
}

/**
 * Once through a queue: receives, several side by side, until nothing more comes or is wanted. It holds what it receives and gives
 * nothing back; that is for whoever made it, also where it failed. Keeps the ids of all that it met, as many as may be in flight.
 */
export class Pass {
  end: End | null = null;
  failure: unknown = null;
  readonly #queue: DeadLetterQueue;
  readonly #held: Held;
  readonly #clock: Clock;
  readonly #request: PassRequest;
  readonly #take: (messages: readonly ReceivedMessage[]) => Promise<'more' | 'enough'>;
  readonly #about: number | null;
  /** What was there at the start, visible or not. */
  readonly #lying: number;
  readonly #room: number;
  readonly #ending: Ending;
  readonly #met = new Set<string>();
  readonly #polls: Promise<void>[] = [];
  #running = 0;
  /** Receives in a row that were throttled, whatever the SDK's own patience. */
  #throttled = 0;
  #allMetAt: number | null = null;

  constructor(
    queue: DeadLetterQueue,
    held: Held,
    clock: Clock,
    request: PassRequest,
    take: (messages: readonly ReceivedMessage[]) => Promise<'more' | 'enough'>,
    start: QueueAttributes,
  ) {
    this.#queue = queue;
    this.#held = held;
    this.#clock = clock;
    this.#request = request;
    this.#take = take;
    this.#about = start.visible;
    this.#lying = lyingAt(start);
    this.#room = (request.inFlightLimit ?? MOST_IN_FLIGHT) - (start.inFlight ?? 0) - MOST_POLLS * BATCH;
    this.#ending = new Ending(queue.fifo ? 0 : this.#lying);
  }

  get met(): number {
    return this.#met.size;
  }

  /** The ids of all that was received, also of what came after the end. */
  get seen(): ReadonlySet<string> {
    return this.#met;
  }

  async run(): Promise<void> {
    this.#start(Math.min(MOST_POLLS, Math.max(PAIR, Math.ceil((this.#about ?? 0) / BATCH))));
    // More may be started while these are awaited.
    for (let n = 0; n < this.#polls.length; n += 1) await this.#polls[n];
  }

  #start(polls: number): void {
    for (let n = 0; n < polls && this.#running < MOST_POLLS; n += 1) {
      this.#running += 1;
      this.#polls.push(this.#poll());
    }
  }

  /** Polls until one comes back empty: then the others that are out decide whether that is believed. */
  async #poll(): Promise<void> {
    try {
      while (this.#goesOn()) if ((await this.#receive()) === 'empty') break;
    } catch (error) {
      await this.#broke(error);
    }
    this.#running -= 1;
    if (this.#running === 0 && this.#goesOn()) this.#start(PAIR);
  }

  async #broke(error: unknown): Promise<void> {
    if (error instanceof SqsCallError) {
      // A short poll would say this; with a long one it is the emulators that do.
      if (error.code === 'OverLimit') {
        this.end ??= 'full';
        return;
      }
      // One poll less, and the next one later: they grow again with what comes.
      if (error.trouble === 'throttled' && this.#throttled < MOST_THROTTLED) {
        this.#throttled += 1;
        await this.#clock.sleep(THROTTLED_MS * this.#throttled, this.#request.signal);
        return;
      }
    }
    this.failure ??= error;
    this.end = 'failed';
  }

  #goesOn(): boolean {
    if (this.#request.signal.aborted) this.end ??= 'aborted';
    else if (this.#held.count >= this.#room) this.end ??= 'full';
    else if (this.#held.exhausted) this.end ??= 'twelve_hours';
    return this.end === null;
  }

  async #receive(): Promise<'empty' | 'more'> {
    const askedAt = this.#clock.now();
    const messages = await this.#queue.client.receive(this.#queue.url, {
      max: BATCH,
      waitSeconds: WAIT_SECONDS,
      visibilitySeconds: this.#held.visibilitySeconds,
      signal: this.#request.signal,
    });
    this.#held.take(messages, askedAt);
    const fresh = messages.filter(({ messageId }) => !this.#met.has(messageId));
    for (const { messageId } of fresh) this.#met.add(messageId);
    // What comes after the end was only waited for so that it can be given back.
    if (this.end !== null || this.#request.signal.aborted) return 'more';
    // A message that was met before counts as nothing: SQS gave it out twice.
    this.#ending.polled(fresh.length);
    if (fresh.length === 0) {
      if (this.#ending.reached) this.end ??= 'empty';
      return 'empty';
    }
    this.#throttled = 0;
    if (messages.length === BATCH || this.#met.size < this.#lying) this.#start(1);
    const next = await this.#take(fresh);
    this.#request.onProgress({ seen: this.met, about: this.#about });
    if (next === 'enough') this.end ??= 'enough';
    if (this.#met.size >= this.#lying) {
      this.#allMetAt ??= this.#clock.now();
      if (this.#clock.now() - this.#allMetAt > LATE_MS) this.end ??= 'growing';
    }
    return 'more';
  }
}

/** All that lies on a queue, as its counts say: visible or not. */
export function lyingAt({ visible, inFlight, delayed }: QueueAttributes): number {
  return (visible ?? 0) + (inFlight ?? 0) + (delayed ?? 0);
}
