import type { Clock } from '../../model/ports.ts';
import { type BatchAnswer, type ReceivedMessage, SqsCallError, type SqsClient } from './client.ts';
import { type Hold, Holds } from './holds.ts';
import { inLanes } from './lanes.ts';
import { MOST_HIDDEN_SECONDS } from './limits.ts';

/** Calls side by side: releasing must be quick, extending must leave room for the work. */
const RELEASE_LANES = 16;
const EXTEND_LANES = 4;
/** How often one entry's release is tried, and the first pause between (doubled each time). */
const RELEASE_TRIES = 5;
const FIRST_PAUSE_MS = 100;
/** The more is held, the longer each extension, so that the heartbeat makes some twenty calls a second at most. */
const HELD_PER_STEP = 5_000;
/** What SQS says of a handle whose message isn't hidden by it any more. */
const NOT_OURS = /ReceiptHandleIsInvalid|MessageNotInflight|InvalidParameterValue/;

/** What came of making messages visible again. */
export interface Released {
  /** How many are visible now, by our doing or by themselves. */
  released: number;
  /** How many could not be released, or may not have been: they become visible by themselves, the last at `until` (ms). */
  stuck: number;
  until: number | null;
  /** Why, where some are stuck. */
  trouble: SqsCallError | null;
}

/**
 * Keeps messages hidden from others, by a heartbeat that extends their visibility timeouts, and makes them visible again. A listing
 * and a redrive hold messages by the very same rules.
 */
export class Held {
  readonly visibilitySeconds: number;
  readonly #client: SqsClient;
  readonly #url: string;
  readonly #clock: Clock;
  readonly #holds: Holds;
  #beat: { stop: AbortController; done: Promise<void> } | null = null;
  #exhausted = false;

  /** @param visibilitySeconds what receives ask for, and what an extension gives at least */
  constructor(queue: { client: SqsClient; url: string; fifo: boolean }, clock: Clock, visibilitySeconds: number) {
    this.#client = queue.client;
    this.#url = queue.url;
    this.#clock = clock;
    this.#holds = new Holds(queue.fifo, clock);
    this.visibilitySeconds = visibilitySeconds;
  }

  /** How many are hidden by us, or may be. */
  get count(): number {
    return this.#holds.size + this.#holds.stuck;
  }

  /** How many of these aren't held on, and become visible by themselves. */
  get stuck(): number {
    return this.#holds.stuck;
  }

  /** When the last of it becomes visible by itself (ms); null where nothing is hidden now. */
  get until(): number | null {
    return this.#holds.until;
  }

  /** True once a message was held for as long as SQS allows: it becomes visible whatever we do. */
  get exhausted(): boolean {
    return this.#exhausted;
  }

  /**
   * Holds what a receive brought. A message that comes again takes the newest handle, the only one that still counts.
   * @param askedAt when the receive was sent, not when it was answered
   */
  take(messages: readonly ReceivedMessage[], askedAt: number): void {
    for (const message of messages) this.#holds.take(message, askedAt, this.visibilitySeconds);
  }

  /** The handle to act on a message with, and until when it is surely ours (ms); undefined where it isn't held. */
  of(messageId: string): { receiptHandle: string; surelyUntil: number } | undefined {
    return this.#holds.of(messageId);
  }

  /** Lets go of a message without a call: it was deleted, or is known to be another's. */
  forget(messageId: string): void {
    this.#holds.forget(messageId);
  }

  /** Starts the heartbeat: what is held stays hidden until `stop`, or `releaseAll`. */
  start(): void {
    if (this.#beat) return;
    const stop = new AbortController();
    const done = this.#beating(stop.signal);
    // Whoever stops it hears of what broke it; until then nobody listens.
    done.catch(() => undefined);
    this.#beat = { stop, done };
  }

  /** Ends the heartbeat, and waits for an extension under way: it must not land after a release. */
  async stop(): Promise<void> {
    const beat = this.#beat;
    this.#beat = null;
    beat?.stop.abort();
    await beat?.done;
  }

  async #beating(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#clock.sleep((this.visibilitySeconds * 1000) / 4, signal);
      if (signal.aborted) return;
      const now = this.#clock.now();
      const due = this.#holds.all.filter((hold) => hold.surelyUntil - now < (hold.seconds * 1000) / 2);
      await inLanes(due, EXTEND_LANES, null, (batch) => (signal.aborted ? undefined : this.#extend(batch)));
    }
  }

  /** Extends these now, whatever the heartbeat does. Afterwards `of` tells which are ours for how long. */
  async extend(messageIds: readonly string[]): Promise<void> {
    await inLanes(this.#holds.among(messageIds), EXTEND_LANES, null, (batch) => this.#extend(batch));
  }

  async #extend(batch: readonly Hold[]): Promise<void> {
    const askedAt = this.#clock.now();
    const wanted = this.visibilitySeconds * (1 + Math.floor(this.#holds.size / HELD_PER_STEP));
    const entries: { id: string; hold: Hold; handle: string; seconds: number }[] = [];
    for (const hold of batch) {
      // Past its deadline it may be another's, and a stale handle could hide it from its new owner.
      if (hold.surelyUntil <= askedAt) {
        this.#holds.leave(hold);
        continue;
      }
      const left = MOST_HIDDEN_SECONDS - Math.ceil((askedAt - hold.askedAt) / 1000);
      const seconds = Math.min(wanted, left);
      if (seconds < wanted) this.#exhausted = true;
      if (seconds > 0 && askedAt + seconds * 1000 > hold.surelyUntil) {
        entries.push({ id: String(entries.length), hold, handle: hold.receiptHandle, seconds });
      }
    }
    if (entries.length === 0) return;
    let answer: BatchAnswer;
    try {
      answer = await this.#change(entries);
    } catch (error) {
      if (!(error instanceof SqsCallError)) throw error;
      if (error.mayHaveHappened) for (const { hold, seconds } of entries) this.#holds.mayBeExtended(hold, seconds);
      return;
    }
    const answered = new Set(answer.successful.map(({ id }) => id));
    for (const { id, hold, handle, seconds } of entries) {
      if (answered.has(id) && hold.receiptHandle === handle) this.#holds.extended(hold, askedAt, seconds);
    }
    for (const { id, code } of answer.failed) {
      const entry = entries[Number(id)];
      if (entry && NOT_OURS.test(code) && entry.hold.receiptHandle === entry.handle) this.#holds.drop(entry.hold);
    }
  }

  /** Makes some visible again, and goes on holding the others. What is stuck isn't held on: it comes back by itself. */
  async release(messageIds: readonly string[]): Promise<Released> {
    return this.#release(this.#holds.among(messageIds));
  }

  /**
   * Stops the heartbeat and makes everything visible again; `onLeft` hears how many are left. What was stuck before and may still
   * be hidden counts as stuck.
   */
  async releaseAll(onLeft?: (left: number) => void): Promise<Released> {
    await this.stop();
    const { released, trouble } = await this.#release(this.#holds.all, onLeft);
    return { released, stuck: this.count, until: this.until, trouble };
  }

  /**
   * Last in, first out: on FIFO a group stays blocked by its head, which comes free last, so nobody is given a later
   * message of it first. On a standard queue the order says nothing.
   */
  async #release(holds: readonly Hold[], onLeft?: (left: number) => void): Promise<Released> {
    const result: Released = { released: 0, stuck: 0, until: null, trouble: null };
    let left = holds.length;
    let givenUp: SqsCallError | null = null;
    await inLanes(
      [...holds].reverse(),
      RELEASE_LANES,
      ({ group }) => group,
      async (batch) => {
        const outcome: { stuck: readonly Hold[]; trouble: SqsCallError | null } = givenUp
          ? { stuck: batch, trouble: givenUp }
          : await this.#releaseBatch(batch);
        // Where a whole call is refused again and again the next one will be too; what is left comes back by itself.
        if (outcome.trouble) givenUp = outcome.trouble;
        result.trouble ??= outcome.trouble;
        result.released += batch.length - outcome.stuck.length;
        result.stuck += outcome.stuck.length;
        for (const hold of outcome.stuck) {
          result.until = Math.max(result.until ?? 0, hold.latestUntil);
          // A release whose answer was lost may have been done: nothing that is still on its way may take it back.
          hold.over = true;
          this.#holds.leave(hold);
        }
        left -= batch.length;
        onLeft?.(left);
      },
    );
    return result;
  }

  async #releaseBatch(batch: readonly Hold[]): Promise<{ stuck: readonly Hold[]; trouble: SqsCallError | null }> {
    let pending = [...batch];
    let trouble: SqsCallError | null = null;
    const lapsed: Hold[] = [];
    const stuck = () => lapsed.filter((hold) => this.#holds.mayBeHidden(hold));
    for (let tried = 0; tried < RELEASE_TRIES; tried += 1) {
      if (tried > 0) await this.#clock.sleep(FIRST_PAUSE_MS * 2 ** (tried - 1));
      const now = this.#clock.now();
      // What is past its deadline may be in somebody else's hands, and a stale handle could show it to others too.
      for (const hold of pending.filter(({ surelyUntil }) => surelyUntil <= now)) {
        this.#holds.leave(hold);
        lapsed.push(hold);
      }
      pending = pending.filter((hold) => hold.surelyUntil > now);
      if (pending.length === 0) return { stuck: stuck(), trouble: null };
      try {
        const entries = pending.map((hold, n) => ({ id: String(n), handle: hold.receiptHandle, seconds: 0 }));
        const answer = await this.#change(entries);
        trouble = null;
        const gone = new Set(answer.successful.map(({ id }) => id));
        for (const { id, code } of answer.failed) {
          if (NOT_OURS.test(code)) gone.add(id);
          else gone.delete(id);
        }
        const kept: Hold[] = [];
        for (const [n, hold] of pending.entries()) {
          if (gone.has(String(n))) this.#holds.drop(hold);
          else kept.push(hold);
        }
        pending = kept;
        if (pending.length === 0) return { stuck: stuck(), trouble: null };
      } catch (error) {
        if (!(error instanceof SqsCallError)) throw error;
        trouble = error;
        if (error.trouble === 'refused') break;
      }
    }
    return { stuck: [...pending, ...stuck()], trouble };
  }

  #change(entries: readonly { id: string; handle: string; seconds: number }[]): Promise<BatchAnswer> {
    return this.#client.changeVisibilityBatch(
      this.#url,
      entries.map(({ id, handle, seconds }) => ({ id, receiptHandle: handle, seconds })),
    );
  }
}
