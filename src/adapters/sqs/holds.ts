import type { Clock } from '../../model/ports.ts';
import type { ReceivedMessage } from './client.ts';
import { groupOf } from './fifo-group.ts';

/**
 * One message that is hidden from others by us. Times are milliseconds since the epoch. Between `surelyUntil` and `latestUntil`,
 * as long as the call took that hid it, nobody can tell whether it still is: it isn't ours to act on any more, and counts as hidden
 * until it surely is visible.
 */
export interface Hold {
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

/** Which messages are hidden from others by us, and until when. Makes no call; an entry each, of as many as may be in flight. */
export class Holds {
  readonly #fifo: boolean;
  readonly #clock: Clock;
  readonly #held = new Map<string, Hold>();
  /**
   * What isn't held on any more and may still be hidden: past the time in which it was surely ours, or let go of by a release that
   * nobody confirmed. It becomes visible by itself, and counts until then.
   */
  readonly #left = new Map<string, Hold>();

  constructor(fifo: boolean, clock: Clock) {
    this.#fifo = fifo;
    this.#clock = clock;
  }

  /** How many are held on. */
  get size(): number {
    return this.#held.size;
  }

  /** How many are not, and may still be hidden. */
  get stuck(): number {
    for (const hold of this.#left.values()) if (!this.mayBeHidden(hold)) this.#left.delete(hold.messageId);
    return this.#left.size;
  }

  /** When the last of all these becomes visible by itself; null where nothing is hidden now. */
  get until(): number | null {
    let last = 0;
    for (const holds of [this.#held, this.#left]) {
      for (const { latestUntil } of holds.values()) last = Math.max(last, latestUntil);
    }
    return last > this.#clock.now() ? last : null;
  }

  get all(): Hold[] {
    return [...this.#held.values()];
  }

  of(messageId: string): Hold | undefined {
    return this.#held.get(messageId);
  }

  /** Those of these that are held on. */
  among(messageIds: readonly string[]): Hold[] {
    return messageIds.flatMap((id) => this.#held.get(id) ?? []);
  }

  /** @param askedAt when the receive was sent: SQS may have begun to count at once */
  take({ messageId, receiptHandle, systemAttributes }: ReceivedMessage, askedAt: number, seconds: number): void {
    this.#held.delete(messageId);
    this.#left.delete(messageId);
    this.#held.set(messageId, {
      messageId,
      receiptHandle,
      group: groupOf({ systemAttributes }, { fifo: this.#fifo }),
      askedAt,
      surelyUntil: askedAt + seconds * 1000,
      latestUntil: this.#clock.now() + seconds * 1000,
      seconds,
      over: false,
    });
  }

  /** An extension was confirmed. */
  extended(hold: Hold, askedAt: number, seconds: number): void {
    hold.surelyUntil = askedAt + seconds * 1000;
    hold.seconds = seconds;
    this.mayBeExtended(hold, seconds);
    // Another extension may have found it past its deadline while this one was on its way: it is ours after all.
    if (hold.over || this.#held.has(hold.messageId)) return;
    this.#left.delete(hold.messageId);
    this.#held.set(hold.messageId, hold);
  }

  /** An extension may have been done: then it stays hidden for longer than we may count on. */
  mayBeExtended(hold: Hold, seconds: number): void {
    hold.latestUntil = Math.max(hold.latestUntil, this.#clock.now() + seconds * 1000);
  }

  /** It is hidden by us no more. */
  drop(hold: Hold): void {
    hold.over = true;
    for (const holds of [this.#held, this.#left]) {
      if (holds.get(hold.messageId) === hold) holds.delete(hold.messageId);
    }
  }

  /** The same of a message, whichever hold of it there is. */
  forget(messageId: string): void {
    const hold = this.#held.get(messageId) ?? this.#left.get(messageId);
    if (hold !== undefined) this.drop(hold);
  }

  /** It isn't held on, and nobody has made it visible. */
  leave(hold: Hold): void {
    if (this.#held.get(hold.messageId) !== hold) return;
    this.#held.delete(hold.messageId);
    if (this.mayBeHidden(hold)) this.#left.set(hold.messageId, hold);
  }

  mayBeHidden({ latestUntil }: Hold): boolean {
    return latestUntil > this.#clock.now();
  }
}
