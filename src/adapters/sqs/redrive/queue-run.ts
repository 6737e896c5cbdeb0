import { type BodyEdit, editBody } from '../../../model/edit.ts';
import { readBody } from '../../../model/envelope.ts';
import { BabelqError } from '../../../model/errors.ts';
import type { WholeFailure } from '../../../model/failure.ts';
import { identityOf } from '../../../model/identity.ts';
import { destinationOf, itemFor } from '../../../model/plan.ts';
import type { Recollection } from '../../../model/ports.ts';
import { resetBody } from '../../../model/reset.ts';
import type { SqsMessage } from '../../../model/sqs-message.ts';
import { versionGate } from '../../../model/version-gate.ts';
import { type ReceivedMessage, SqsCallError } from '../client.ts';
import type { Ending } from '../ending.ts';
import { groupOf } from '../fifo-group.ts';
import { BATCH, WAIT_SECONDS } from '../limits.ts';
import type { Context } from './context.ts';
import { GroupHeads } from './group-heads.ts';
import type { Verb } from './hands.ts';
import type { Ledger } from './ledger.ts';
import { type Leftover, Leftovers } from './leftovers.ts';
import { pastOnQueue } from './past.ts';
import { patiently } from './patience.ts';
import type { Pool } from './pool.ts';
import type { Work } from './pump.ts';
import type { Choice, Selector } from './select.ts';
import type { Met, Task } from './task.ts';

/** Receives that fail one after the other before the run gives up. */
const RECEIVE_TRIES = 6;

/** What a received message turned out to be. */
type Weighed = { task: Task } | { leftover: Leftover } | null;

/** Receives what lies on the queue, weighs each message by what the journal and the selection say, and hands it on. */
export class QueueRun implements Work<Task> {
  /** On FIFO nothing more of a group comes while one of it is in hand: what is ready goes. */
  readonly eager: boolean;
  readonly pool: Pool<Task>;
  readonly most: number;
  readonly leftovers: Leftovers;
  readonly heads: GroupHeads;
  readonly #context: Context;
  readonly #verb: Verb;
  readonly #selector: Selector;
  readonly #ledger: Ledger;
  readonly #ending: Ending;
  readonly #room: number;
  /** Received, and not weighed yet. */
  readonly #weighing = new Set<string>();
  /** FIFO groups of which `--max` left a message: what follows it is left too, even where there is room again. */
  readonly #leftForMax = new Set<string>();
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
    this.heads = new GroupHeads(context, (group) => parts.ledger.isHeldBack(group));
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
    const until = Math.max(this.#ending.sawAll ? 0 : this.#lostUntil, this.#ledger.undeletedUntil ?? 0);
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
    const { through, lettings } = this.#ledger;
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
    const again = messages.filter(({ messageId }) => this.#ledger.isUndeleted(messageId));
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
    if (this.#weighing.has(nativeId) || this.#ledger.knows(nativeId) || this.#ledger.isUndeleted(nativeId))
      return false;
    return this.#context.held.of(nativeId) === undefined;
  }

  /** On FIFO one receive after the other: what lies further back in a group must not be in line before its head is. */
  async #meet(messages: readonly ReceivedMessage[], lettings: number): Promise<void> {
    if (messages.length === 0) return;
    for (const { messageId } of messages) this.#weighing.add(messageId);
    if (!this.#context.queue.fifo) return this.#weighAll(messages, lettings);
    const turn = this.#meeting.then(() => this.#weighAll(messages, lettings));
    this.#meeting = turn.catch(() => {});
    return turn;
  }

  async #weighAll(messages: readonly ReceivedMessage[], lettings: number): Promise<void> {
    const { describer, journal, queue, request } = this.#context;
    const turn = this.#ledger.identities.ask();
    try {
      const read = messages.map((message) => readMessage(message, request.edit));
      const recollections = await journal.recall(
        queue.place,
        read.map(({ message, identity }) => ({ nativeId: message.messageId, identity })),
        request.run,
      );
      const failures = await patiently(this.#context, () =>
        describer.failuresOf(
          read.map(({ message, reading }, n) => ({
            message,
            reading,
            remembered: recollections[n]?.remembered ?? null,
          })),
        ),
      );
      const tasks: Task[] = [];
      const leftovers: Leftover[] = [];
      for (const [n, one] of read.entries()) {
        const met = { ...one, failure: failures[n] as WholeFailure, recollection: recollections[n] as Recollection };
        const weighed = await this.#weigh(met);
        if (weighed === null) continue;
        if ('task' in weighed) tasks.push(weighed.task);
        else leftovers.push(weighed.leftover);
      }
      // All at once: of a FIFO group the first must not be through before the others are in line behind it.
      // And where one before them was let go since they were asked for, they must not overtake it: they are met again behind it.
      const overtakes = ({ group }: Task) => group !== null && this.#ledger.letGoSince(group, lettings);
      const taken = tasks.filter((task) => !overtakes(task));
      this.#ledger.add(taken);
      this.#ledger.refuse(tasks.filter(overtakes));
      this.heads.took(taken.length + leftovers.length);
      await this.leftovers.remove(leftovers);
    } finally {
      this.#ledger.identities.answered(turn);
      for (const { messageId } of messages) this.#weighing.delete(messageId);
    }
  }

  async #weigh(met: Met): Promise<Weighed> {
    const { request } = this.#context;
    const { message, identity, failure, recollection } = met;
    const past = pastOnQueue(recollection, request.run);
    if (past.kind === 'tried') return this.#leave(message);
    const sentInRun = recollection.sentInRun || this.#ledger.identities.has(identity);
    const choice = this.#selector.choose(message, failure, { ...recollection, sentInRun });
    const leftover = { id: failure.id, nativeId: message.messageId, reason: failure.reason };

    switch (past.kind) {
      case 'left_over': {
        // A filter takes what was restored under its new id, and what this run sent has its item.
        const known = past.run === request.run.id || (past.was === 'restored' && request.selection.kind === 'match');
        const asked = choice.kind !== 'leave' && !known;
        return { leftover: { ...leftover, ...past, asked } };
      }
      case 'archived':
      case 'dismissed': {
        if (choice.kind !== 'act') break;
        if (request.action === 'dismiss') {
          const entry = past.kind === 'archived' ? past.entry : null;
          const asked = past.run !== request.run.id;
          return {
            leftover: { ...leftover, entry, run: past.run, to: 'archive', newId: null, was: 'archived', asked },
          };
        }
        if (past.kind === 'archived') break;
        return this.#skip(
          met,
          `It was dismissed by run ${past.run}, and lies here all the same: restore or dismiss it.`,
        );
      }
      case 'elsewhere': {
        if (choice.kind === 'leave') break;
        const group = groupOf(message, this.#context.queue);
        if (group !== null)
          this.#ledger.closeGroup(group, `Behind ${failure.id} in its FIFO group, which another run has.`);
        return this.#skip(met, `Run ${past.run} is under way and has it.`);
      }
    }
    return this.#prepare(met, choice);
  }

  async #prepare(met: Met, choice: Choice): Promise<Weighed> {
    const { budget } = this.#context.request;
    if (choice.kind === 'leave') return this.#leave(met.message);
    if (choice.kind === 'skip') return this.#skip(met, choice.why);
    if (met.edit !== null && 'why' in met.edit) return this.#skip(met, met.edit.why);
    const group = groupOf(met.message, this.#context.queue);
    if ((group !== null && this.#leftForMax.has(group)) || budget.take(1) === 0) {
      if (group !== null) this.#leftForMax.add(group);
      this.#selector.unmeet(met.message.messageId);
      return this.#leave(met.message);
    }
    this.#ledger.identities.take(met.identity);
    const task = await patiently(this.#context, () => this.#verb.prepare(met));
    if (!('why' in task)) return { task };
    this.#ledger.identities.drop(met.identity, false);
    budget.putBack(1);
    return this.#skip(met, task.why);
  }

  /** Stays hidden until the run ends, or it would be met again and again. */
  #leave(message: SqsMessage): null {
    this.heads.passOver(message);
    return null;
  }

  #skip({ message, failure }: Met, why: string): null {
    const { queue, request, tally } = this.#context;
    const to = destinationOf(request.action, failure, queue.name);
    tally.item(itemFor(failure.id, failure.reason, 'skipped', { to, detail: why }));
    this.#ledger.ended(message.messageId);
    return this.#leave(message);
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
        `${held.count} messages of ${queue.name} that this doesn't take are held back, and SQS lets no more be in flight: what lies behind them can't be reached.`,
        { hint: 'Retry or dismiss those in front first, or move the whole queue with --native.' },
      ),
    );
  }
}

type Read = Omit<Met, 'failure' | 'recollection'>;

function readMessage(message: ReceivedMessage, edit: BodyEdit | undefined): Read {
  const reading = readBody(message.body, message.attributes);
  const reset = resetBody(message.body, reading, !versionGate(message.attributes).passed);
  if (edit === undefined) return { message, reading, reset, edit: null, identity: identityOf(reading, reset.body) };
  const edited = editBody(reset.body, edit);
  if ('why' in edited || edited.body === reset.body) {
    return { message, reading, reset, edit: edited, identity: identityOf(reading, reset.body) };
  }
  // It is known by what is sent, so that it is known when it comes back.
  const sent = { body: edited.body, changes: reset.changes };
  const identity = identityOf(readBody(edited.body, message.attributes), edited.body);
  return { message, reading, reset: sent, edit: edited, identity };
}
