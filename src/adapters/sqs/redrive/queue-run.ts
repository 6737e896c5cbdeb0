import { messages } from '../../../model/display/counts.ts';
import { BabelqError } from '../../../model/errors.ts';
import { type ReceivedMessage, SqsCallError } from '../client.ts';
import type { Ending } from '../ending.ts';
import { BATCH, WAIT_SECONDS } from '../limits.ts';
import type { Context } from './context.ts';
import { GroupHeads } from './group-heads.ts';
import type { Verb } from './hands.ts';
import type { Ledger } from './ledger.ts';
import { Leftovers } from './leftovers.ts';
import type { Pool } from './pool.ts';
import type { Work } from './pump.ts';
import type { Selector } from './select.ts';
import type { Task } from './task.ts';
import { Weighing } from './weighing.ts';

/** Receives that fail one after the other before the run gives up. */
const RECEIVE_TRIES = 6;

/** Receives what lies on the queue until it is at its end, has each message weighed, and hands on what is taken. */
export class QueueRun implements Work<Task> {
  /** On FIFO nothing more of a group comes while one of it is in hand: what is ready goes. */
  readonly eager: boolean;
  readonly pool: Pool<Task>;
  readonly most: number;
  readonly leftovers: Leftovers;
  readonly heads: GroupHeads;
  readonly #context: Context;
  readonly #verb: Verb;
  readonly #weighing: Weighing;
  readonly #selector: Selector;
  readonly #ledger: Ledger;
  readonly #ending: Ending;
  readonly #room: number;
  /** Received, and not weighed yet. */
  readonly #unweighed = new Set<string>();
  /** The last receive of a FIFO queue that is being weighed. */
  #meeting: Promise<void> = Promise.resolve();
  #failures = 0;
  /** How many were through when a poll came back empty while some were in hand. */
  #blockedAt = -1;
  /** Until when what a lost answer brought stays hidden. */
  #lostUntil = 0;

  /** @param room how many messages may be held until SQS gives out no more */
  constructor(
    context: Context,
    parts: { pool: Pool<Task>; verb: Verb; selector: Selector; ledger: Ledger; ending: Ending; room: number },
  ) {
    this.#context = context;
    this.pool = parts.pool;
    this.#verb = parts.verb;
    this.#selector = parts.selector;
    this.#ledger = parts.ledger;
    this.#ending = parts.ending;
    this.#room = parts.room;
    this.leftovers = new Leftovers(context);
    this.heads = new GroupHeads(context, (group) => parts.ledger.groups.isClosed(group));
    this.#weighing = new Weighing(context, { ...parts, heads: this.heads });
    this.eager = context.queue.fifo;
    this.most = context.request.pace?.batch ?? BATCH;
  }

  wantsMore(fetching: number): boolean {
    const { held, request, clock, queue } = this.#context;
    if (this.#selector.satisfied || request.budget.left === 0) return false;
    if (held.count + fetching * BATCH >= this.#room) {
      if (fetching === 0 && !this.#ledger.busy) this.#stopFull();
      return false;
    }
    // On FIFO nothing more comes before one of those in hand is through.
    if (this.#ledger.busy && this.#blockedAt === this.#ledger.through) return false;
    if (!this.#ending.reached) return fetching === 0 || !this.#ending.isDecidedBy(fetching);
    if (this.heads.canGoOn) return fetching === 0 && !this.#ledger.busy;
    // What was hidden by a lost answer, or is sent and not deleted, comes back by itself: it is waited for.
    const now = clock.now();
    const until = Math.max(this.#ending.sawAll ? 0 : this.#lostUntil, this.#ledger.undeleted.hiddenUntil ?? 0);
    return now < until && until - now <= 2 * held.visibilitySeconds * 1000 && fetching < (queue.fifo ? 1 : 2);
  }

  async fetch(): Promise<boolean> {
    const { clock, held, queue, stop, throttle } = this.#context;
    await throttle.pause(stop.signal);
    if (stop.requested) return false;
    if (this.#ending.reached && this.heads.canGoOn) {
      await this.heads.goOn();
      this.#ending.again();
    }
    // While one of a FIFO group is in hand its queue gives out no more of it, so an empty answer says nothing.
    const quiet = !(queue.fifo && this.#ledger.busy);
    const { through } = this.#ledger;
    const { lettings } = this.#ledger.groups;
    const askedAt = clock.now();
    let messages: ReceivedMessage[];
    try {
      messages = await queue.client.receive(queue.url, {
        max: BATCH,
        waitSeconds: WAIT_SECONDS,
        visibilitySeconds: held.visibilitySeconds,
        signal: stop.signal,
      });
    } catch (error) {
      if (!(error instanceof SqsCallError)) throw error;
      this.#receiveFailed(error);
      return false;
    }
    this.#failures = 0;
    throttle.heard();
    const again = messages.filter(({ messageId }) => this.#ledger.undeleted.has(messageId));
    const fresh = messages.filter((message) => this.#isFresh(message));
    held.take(messages, askedAt);
    const met = fresh.length + again.length;
    if (met > 0 || quiet) this.#ending.polled(met);
    else this.#blockedAt = through;
    // What comes after the end was waited for only to be given back.
    if (stop.requested) return false;
    this.#selector.learn(messages, askedAt, clock.now());
    this.#context.tally.see(fresh.length);
    await this.#meet(fresh, lettings);
    if (again.length > 0) await this.#ledger.removeAgain(again.map(({ messageId }) => messageId));
    return messages.length === BATCH;
  }

  async carry(batch: Task[]): Promise<void> {
    await this.#verb.carry(batch, this.#ledger);
  }

  leave(tasks: Task[]): void {
    this.#ledger.letGo(tasks);
  }

  /** Not one that we have, are through with, or hold because it isn't taken: SQS may give a message out twice. */
  #isFresh(message: ReceivedMessage): boolean {
    const nativeId = message.messageId;
    if (this.heads.meetAgain(message)) return false;
    if (this.#unweighed.has(nativeId) || this.#ledger.knows(nativeId) || this.#ledger.undeleted.has(nativeId))
      return false;
    return this.#context.held.of(nativeId) === undefined;
  }

  /** On FIFO one receive after the other: what lies further back in a group must not be in line before its head is. */
  async #meet(messages: readonly ReceivedMessage[], lettings: number): Promise<void> {
    if (messages.length === 0) return;
    for (const { messageId } of messages) this.#unweighed.add(messageId);
    if (!this.#context.queue.fifo) return this.#weighAll(messages, lettings);
    const turn = this.#meeting.then(() => this.#weighAll(messages, lettings));
    this.#meeting = turn.catch(() => {});
    return turn;
  }

  async #weighAll(messages: readonly ReceivedMessage[], lettings: number): Promise<void> {
    const turn = this.#ledger.identities.ask();
    try {
      const { tasks, leftovers } = await this.#weighing.weigh(messages);
      // All at once: of a FIFO group the first must not be through before the others are in line behind it.
      // And where one before them was let go since they were asked for, they must not overtake it: they are met again behind it.
      const overtakes = ({ group }: Task) => group !== null && this.#ledger.groups.letGoSince(group, lettings);
      const taken = tasks.filter((task) => !overtakes(task));
      this.#ledger.add(taken);
      this.#ledger.refuse(tasks.filter(overtakes));
      this.heads.took(taken.length + leftovers.length);
      await this.leftovers.remove(leftovers);
    } finally {
      this.#ledger.identities.answered(turn);
      for (const { messageId } of messages) this.#unweighed.delete(messageId);
    }
  }

  #receiveFailed(error: SqsCallError): void {
    const { clock, held, queue, stop, throttle } = this.#context;
    if (error.code === 'OverLimit') {
      this.#stopFull();
      return;
    }
    this.#failures += 1;
    // What it brought is hidden, and comes back by itself.
    if (error.mayHaveHappened) this.#lostUntil = clock.now() + held.visibilitySeconds * 1000;
    if (error.trouble !== 'refused') throttle.trouble(error);
    const givesUp = error.trouble === 'refused' || this.#failures >= RECEIVE_TRIES || throttle.nobodyThere;
    if (givesUp) stop.fail(queue.explain(error));
  }

  #stopFull(): void {
    const { held, queue, stop } = this.#context;
    stop.fail(
      new BabelqError(
        'refused',
        `${messages(held.count)} of ${queue.name} that this doesn't take are held back, and SQS lets no more be in flight: what lies behind them can't be reached.`,
        { hint: 'Retry or dismiss those in front first, or move the whole queue with --native.' },
      ),
    );
  }
}
