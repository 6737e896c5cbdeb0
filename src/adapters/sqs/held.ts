import type { Clock } from '../../model/ports.ts';
import { type BatchAnswer, type ReceivedMessage, SqsCallError, type SqsClient } from './client.ts';
import { groupOf } from './fifo-group.ts';
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

/**
 * One message that is hidden from others by us. Times are milliseconds since the epoch. Between `surelyUntil` and `latestUntil`,
 * as long as the call took that hid it, nobody can tell whether it still is: it isn't ours to act on any more, and counts as hidden
 * until it surely is visible.
 */
interface Hold {
  messageId: string;
  receiptHandle: string;
  /** Its FIFO group; null on a standard queue, where a group id orders nothing. */
  group: string | null;
  /** When its receive was asked for: not later than SQS began to count. */
  askedAt: number;
  /** Surely hidden until then. */
  surelyUntil: number;
  /** Visible by itself not later than then. */
  latestUntil: number;
  /** How long the last receive or extension hides it. */
  seconds: number;
  /** Deleted, made visible, or known to be another's: no answer that comes late makes it ours again. */
  over: boolean;
}

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
 * What is hidden from others by us: receipt handles with their deadlines, a heartbeat that extends them, and their
 * release. A listing and a redrive hold messages by the very same rules.
 */
export class Held {
  readonly visibilitySeconds: number;
  readonly #client: SqsClient;
  readonly #url: string;
  readonly #fifo: boolean;
  readonly #clock: Clock;
  readonly #holds = new Map<string, Hold>();
  /**
   * What isn't held on any more and may still be hidden: past the time in which it was surely ours, or let go of by a release that
   * nobody confirmed. It becomes visible by itself, and counts until then.
   */
  readonly #left = new Map<string, Hold>();
  #beat: { stop: AbortController; done: Promise<void> } | null = null;
  #exhausted = false;

  /** @param visibilitySeconds what receives ask for, and what an extension gives at least */
  constructor(queue: { client: SqsClient; url: string; fifo: boolean }, clock: Clock, visibilitySeconds: number) {
    this.#client = queue.client;
    this.#url = queue.url;
    this.#fifo = queue.fifo;
    this.#clock = clock;
    this.visibilitySeconds = visibilitySeconds;
  }

  /** How many are hidden by us, or may be. */
  get count(): number {
    return this.#holds.size + this.stuck;
  }

  /** How many of these aren't held on, and become visible by themselves. */
  get stuck(): number {
    for (const hold of this.#left.values()) if (!this.#mayBeHidden(hold)) this.#left.delete(hold.messageId);
    return this.#left.size;
  }

  /** When the last of it becomes visible by itself; null where nothing is hidden now. */
  get until(): number | null {
    let last = 0;
    for (const holds of [this.#holds, this.#left]) {
      for (const { latestUntil } of holds.values()) last = Math.max(last, latestUntil);
    }
    return last > this.#clock.now() ? last : null;
  }

  /** True once a message was held for as long as SQS allows: it becomes visible whatever we do. */
  get exhausted(): boolean {
    return this.#exhausted;
  }

  /**
   * Holds what a receive brought. A message that comes again takes the newest handle, the only one that still counts.
   * @param askedAt when the receive was sent, not when it was answered: SQS may have begun to count at once
   */
  take(messages: readonly ReceivedMessage[], askedAt: number): void {
    const now = this.#clock.now();
    const hidden = this.visibilitySeconds * 1000;
    for (const { messageId, receiptHandle, systemAttributes } of messages) {
      this.#holds.delete(messageId);
      this.#left.delete(messageId);
      this.#holds.set(messageId, {
        messageId,
        receiptHandle,
        group: groupOf({ systemAttributes }, { fifo: this.#fifo }),
        askedAt,
        surelyUntil: askedAt + hidden,
        latestUntil: now + hidden,
        seconds: this.visibilitySeconds,
        over: false,
      });
    }
  }

  /** The handle to act on a message with, and until when it is surely ours (ms); undefined where it isn't held. */
  of(messageId: string): { receiptHandle: string; surelyUntil: number } | undefined {
    return this.#holds.get(messageId);
  }

  /** Lets go of a message without a call: it was deleted, or is known to be another's. */
  forget(messageId: string): void {
    const hold = this.#holds.get(messageId);
    if (hold) this.#drop(hold);
    this.#left.delete(messageId);
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
      const due = [...this.#holds.values()].filter((hold) => hold.surelyUntil - now < (hold.seconds * 1000) / 2);
      await inLanes(due, EXTEND_LANES, null, (batch) => (signal.aborted ? undefined : this.#extend(batch)));
    }
  }

  /** Extends these now, whatever the heartbeat does. Afterwards `of` tells which are ours for how long. */
  async extend(messageIds: readonly string[]): Promise<void> {
    const holds = messageIds.map((id) => this.#holds.get(id)).filter((hold) => hold !== undefined);
    await inLanes(holds, EXTEND_LANES, null, (batch) => this.#extend(batch));
  }

  async #extend(batch: readonly Hold[]): Promise<void> {
    const askedAt = this.#clock.now();
    const wanted = this.visibilitySeconds * (1 + Math.floor(this.#holds.size / HELD_PER_STEP));
    const entries: { id: string; hold: Hold; handle: string; seconds: number }[] = [];
    for (const hold of batch) {
      // Past its deadline it may be another's, and a stale handle could hide it from its new owner.
      if (hold.surelyUntil <= askedAt) {
        this.#leave(hold);
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
      // It may have been done: then it stays hidden for longer than we may count on.
      if (error.mayHaveHappened) for (const entry of entries) this.#raise(entry.hold, entry.seconds);
      return;
    }
    const answered = new Set(answer.successful.map(({ id }) => id));
    for (const { id, hold, handle, seconds } of entries) {
      if (!answered.has(id) || hold.receiptHandle !== handle) continue;
      hold.surelyUntil = askedAt + seconds * 1000;
      hold.seconds = seconds;
      // Another extension may have found it past its deadline while this one was on its way: it is ours after all.
      if (!hold.over && !this.#holds.has(hold.messageId)) {
        this.#left.delete(hold.messageId);
        this.#holds.set(hold.messageId, hold);
      }
      this.#raise(hold, seconds);
    }
    for (const { id, code } of answer.failed) {
      const entry = entries[Number(id)];
      if (entry && NOT_OURS.test(code) && entry.hold.receiptHandle === entry.handle) this.#drop(entry.hold);
    }
  }

  #raise(hold: Hold, seconds: number): void {
    hold.latestUntil = Math.max(hold.latestUntil, this.#clock.now() + seconds * 1000);
  }

  /** It is hidden by us no more. */
  #drop(hold: Hold): void {
    hold.over = true;
    if (this.#holds.get(hold.messageId) === hold) this.#holds.delete(hold.messageId);
  }

  /** It isn't held on, and nobody has made it visible. */
  #leave(hold: Hold): void {
    if (this.#holds.get(hold.messageId) !== hold) return;
    this.#holds.delete(hold.messageId);
    if (this.#mayBeHidden(hold)) this.#left.set(hold.messageId, hold);
  }

  #mayBeHidden({ latestUntil }: Hold): boolean {
    return latestUntil > this.#clock.now();
  }

  /** Makes some visible again, and goes on holding the others. What is stuck isn't held on: it comes back by itself. */
  async release(messageIds: readonly string[]): Promise<Released> {
    return this.#release(messageIds.map((id) => this.#holds.get(id)).filter((hold) => hold !== undefined));
  }

  /**
   * Stops the heartbeat and makes everything visible again; `onLeft` hears how many are left. What was stuck before and may still
   * be hidden counts as stuck.
   */
  async releaseAll(onLeft?: (left: number) => void): Promise<Released> {
    await this.stop();
    const { released, trouble } = await this.#release([...this.#holds.values()], onLeft);
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
          this.#leave(hold);
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
    const stuck = () => lapsed.filter((hold) => this.#mayBeHidden(hold));
    for (let tried = 0; tried < RELEASE_TRIES; tried += 1) {
      if (tried > 0) await this.#clock.sleep(FIRST_PAUSE_MS * 2 ** (tried - 1));
      const now = this.#clock.now();
      // What is past its deadline may be in somebody else's hands, and a stale handle could show it to others too.
      for (const hold of pending.filter(({ surelyUntil }) => surelyUntil <= now)) {
        this.#leave(hold);
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
          if (gone.has(String(n))) this.#drop(hold);
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
