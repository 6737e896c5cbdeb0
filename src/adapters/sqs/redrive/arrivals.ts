import type { Failure } from '../../../model/failure.ts';
import type { SqsMessage } from '../../../model/sqs-message.ts';
import type { ReceivedMessage } from '../client.ts';

/** How far SQS's clock may be from ours where nothing has told us better (ms). */
const LIKELY_SKEW_MS = 10_000;

/**
 * Tells which messages were there when a run started, as far as can be told. SentTimestamp is by SQS's clock, which may
 * differ from ours: a message that is received for the first time says how much, since SQS notes when that was.
 */
export class Arrivals {
  readonly #startedAt: number;
  /** SQS's clock minus ours, between these. */
  #least = -LIKELY_SKEW_MS;
  #most = LIKELY_SKEW_MS;
  #measured = false;

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** Takes in what a receive tells of SQS's clock. */
  learn(messages: readonly ReceivedMessage[], askedAt: number, answeredAt: number): void {
    for (const { systemAttributes } of messages) {
      const at = epoch(systemAttributes.ApproximateFirstReceiveTimestamp);
      if (systemAttributes.ApproximateReceiveCount !== '1' || at === null || answeredAt < askedAt) continue;
      const least = this.#measured ? Math.max(this.#least, at - answeredAt) : at - answeredAt;
      const most = this.#measured ? Math.min(this.#most, at - askedAt) : at - askedAt;
      // Where they contradict each other a clock was set since the start, and what was told first is what counts.
      if (least > most) continue;
      this.#measured = true;
      [this.#least, this.#most] = [least, most];
    }
  }

  /**
   * Whether it surely or probably came after the start. A standard queue keeps the time of the first enqueueing when SQS
   * moves a message, so there a late arrival may look old; where the app recorded when it failed, that counts too.
   */
  cameLater(message: SqsMessage, failure: Failure): boolean {
    const skew = Math.min(Math.max(0, this.#least), this.#most);
    const sent = epoch(message.systemAttributes.SentTimestamp);
    if (sent !== null && sent > this.#startedAt + skew) return true;
    return failure.failed_at !== null && Date.parse(failure.failed_at) > this.#startedAt;
  }

  /** Whether it can be one that this run sent: sent after the start, as far as the clocks can tell. */
  mayHaveComeBack(message: SqsMessage): boolean {
    const sent = epoch(message.systemAttributes.SentTimestamp);
    return sent === null || sent >= this.#startedAt + this.#least;
  }
}

function epoch(text: string | undefined): number | null {
  return text !== undefined && /^[0-9]{1,16}$/.test(text) ? Number(text) : null;
}
