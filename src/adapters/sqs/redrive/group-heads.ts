import type { SqsMessage } from '../../../model/sqs-message.ts';
import { groupOf } from '../fifo-group.ts';
import type { Context } from './context.ts';

/**
 * The FIFO groups whose first messages are passed over (they don't match, or can't be done). SQS gives out nothing that
 * lies behind them while they are hidden. So when the queue seems to end and something of it was taken since, they are
 * given back and received again, together with what moved up behind them; messages that were passed over once are known.
 * A group that is ten such messages deep can't be seen past.
 */
export class GroupHeads {
  readonly #context: Context;
  readonly #isHeldBack: (group: string) => boolean;
  /** By MessageId, their group: a small record of each, until the run ends. */
  readonly #passedOver = new Map<string, string>();
  readonly #blocked = new Set<string>();
  #taken = 0;

  /** @param isHeldBack whether nothing more of a group may go in this run */
  constructor(context: Context, isHeldBack: (group: string) => boolean) {
    this.#context = context;
    this.#isHeldBack = isHeldBack;
  }

  /** How many groups can't be seen past now. */
  get blocked(): number {
    return this.#blocked.size;
  }

  passOver(message: SqsMessage): void {
    const group = groupOf(message, this.#context.queue);
    if (group === null) return;
    this.#passedOver.set(message.messageId, group);
    this.#blocked.add(group);
  }

  /** Whether it is one that was passed over, received again. */
  meetAgain({ messageId }: SqsMessage): boolean {
    const group = this.#passedOver.get(messageId);
    if (group !== undefined) this.#blocked.add(group);
    return group !== undefined;
  }

  /** So many were taken from the queue. */
  took(messages: number): void {
    this.#taken += messages;
  }

  /** Whether something may have moved up behind them. Where looks count towards a RedrivePolicy nothing is looked at twice. */
  get canGoOn(): boolean {
    return this.#taken > 0 && this.#blocked.size > 0 && this.#context.queue.attributes.redrivePolicy === null;
  }

  /** Gives them back, but for groups that are held back: those keep their order. */
  async goOn(): Promise<void> {
    this.#taken = 0;
    const open = [...this.#passedOver].filter(([, group]) => !this.#isHeldBack(group));
    for (const [, group] of open) this.#blocked.delete(group);
    await this.#context.held.release(open.map(([nativeId]) => nativeId));
  }
}
