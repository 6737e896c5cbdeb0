import type { AllInFlight, Clock } from '../../model/ports.ts';
import { type ReceivedMessage, SqsCallError } from './client.ts';
import { Ending } from './ending.ts';
import { Held, type Released } from './held.ts';
import { BATCH, DEFAULT_VISIBILITY_SECONDS, MOST_IN_FLIGHT, VISIBILITY_SECONDS, WAIT_SECONDS } from './limits.ts';
import type { DeadLetterQueue } from './queue.ts';
import type { QueueAttributes } from './queue-attributes.ts';
import { sayStuck } from './stuck.ts';

/** Polls side by side at most. */
const MOST_POLLS = 8;
/** Never one alone: two that come back empty at once are believed sooner than one after the other. */
const PAIR = 2;
/** A queue that messages keep coming to has no end: so long after all of the start was seen, the reading ends. */
const LATE_MS = 10_000;

/** Throttled receives in a row that are borne, and how much longer each waits than the last. */
const MOST_THROTTLED = 16;
const THROTTLED_MS = 200;

type End = 'empty' | 'enough' | 'aborted' | 'failed' | 'full' | 'growing' | 'twelve_hours';

/** How a reading of a queue went. */
export interface QueueReading {
  /** Why it ended. */
  end: End;
  /** How many lie there, approximately: as SQS says, and no fewer than were seen; null where it doesn't tell. */
  about: number | null;
  /** All that lies there was seen. */
  complete: boolean;
  /** What a person must know of it, in words. */
  notes: string[];
  allInFlight: AllInFlight | null;
}

interface ReadingRequest {
  signal: AbortSignal;
  /** How many SQS lets be in flight on one queue. */
  inFlightLimit?: number;
  onProgress: (progress: { seen: number; about: number | null; releasing?: number }) => void;
}

/**
 * Receives all that can be seen of a queue, hands each message over once, and keeps what it got hidden meanwhile, so that
 * it meets none twice. Whatever ends it, the polls under way end first, and everything is made visible again.
 * @param take is handed what a receive brought, and answers whether it wants more
 * @throws BabelqError, and what `take` throws, after everything was given back
 */
export async function readQueue(
  queue: DeadLetterQueue,
  clock: Clock,
  request: ReadingRequest,
  take: (messages: readonly ReceivedMessage[]) => Promise<'more' | 'enough'>,
): Promise<QueueReading> {
  const start = await queue.refresh();
  const held = new Held(queue, clock, VISIBILITY_SECONDS);
  queue.track(held);
  const pass = new Pass(queue, held, clock, request, take, start);
  held.start();
  let released: Released;
  try {
    await pass.run();
  } finally {
    released = await held.releaseAll((releasing) =>
      request.onProgress({ seen: pass.met, about: start.visible, releasing }),
    );
  }
  if (pass.failure !== null) {
    throw pass.failure instanceof SqsCallError ? queue.explain(pass.failure) : pass.failure;
  }
  return report(queue, pass, start, released);
}

/** The receives of one reading, several side by side. */
export class Pass {
  end: End | null = null;
  failure: unknown = null;
  readonly #queue: DeadLetterQueue;
  readonly #held: Held;
  readonly #clock: Clock;
  readonly #request: ReadingRequest;
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
    request: ReadingRequest,
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

async function report(
  queue: DeadLetterQueue,
  pass: Pass,
  start: QueueAttributes,
  released: Released,
): Promise<QueueReading> {
  const end = pass.end ?? 'empty';
  const { met } = pass;
  const notes: string[] = [];
  let missing = Math.max(0, lyingAt(start) - met);
  let counts = start;
  if (end === 'empty' && missing > 0) {
    // Some may have gone while it was read, and the counts are approximate and late: ask once more before saying so.
    counts = await queue.refresh();
    missing = Math.max(0, Math.min(missing, lyingAt(counts) - met));
  }
  const complete = end === 'empty' && missing === 0 && start.visible !== null;
  if (end === 'empty' && missing > 0) notes.push(whatIsMissing(queue, missing, counts, met));
  if (end === 'full') {
    notes.push(`SQS lets only about ${number(MOST_IN_FLIGHT)} messages be in flight, so what lies behind was not seen`);
  }
  if (end === 'growing') notes.push('messages kept coming while it was read');
  if (end === 'twelve_hours') notes.push('SQS keeps a message hidden for twelve hours at most, so the reading ended');
  const stuck = sayStuck(queue, released);
  if (stuck !== null) notes.push(stuck);
  if (queue.redriveSourcesNote !== null) notes.push(queue.redriveSourcesNote);
  const inFlight = Math.max(start.inFlight ?? 0, counts.inFlight ?? 0);
  return {
    end,
    about: start.visible === null ? null : complete ? met : Math.max(start.visible, met),
    complete,
    notes,
    allInFlight:
      end === 'empty' && met === 0 && inFlight > 0
        ? { count: inFlight, retryInSeconds: start.visibilityTimeoutSeconds ?? DEFAULT_VISIBILITY_SECONDS }
        : null,
  };
}

function whatIsMissing(queue: DeadLetterQueue, missing: number, counts: QueueAttributes, met: number): string {
  if (queue.fifo && (counts.visible ?? 0) > 0) {
    return `only the first messages of each FIFO group can be seen: about ${number(missing)} of about ${number(met + missing)} were not`;
  }
  const delayed = Math.min(missing, counts.delayed ?? 0);
  const hidden = Math.min(missing - delayed, counts.inFlight ?? 0);
  const parts = [
    hidden > 0 ? `about ${number(hidden)} are in flight elsewhere` : null,
    delayed > 0 ? `about ${number(delayed)} are delayed` : null,
    missing > hidden + delayed ? `about ${number(missing - hidden - delayed)} could not be seen` : null,
  ];
  return parts.filter((part) => part !== null).join(', ');
}

function lyingAt({ visible, inFlight, delayed }: QueueAttributes): number {
  return (visible ?? 0) + (inFlight ?? 0) + (delayed ?? 0);
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}
