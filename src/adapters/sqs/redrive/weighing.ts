import { type BodyEdit, editBody } from '../../../model/edit.ts';
import { readBody } from '../../../model/envelope.ts';
import type { WholeFailure } from '../../../model/failure.ts';
import { identityOf } from '../../../model/identity.ts';
import { destinationOf, itemFor } from '../../../model/plan.ts';
import type { Recollection } from '../../../model/ports.ts';
import { resetBody } from '../../../model/reset.ts';
import type { SqsMessage } from '../../../model/sqs-message.ts';
import { versionGate } from '../../../model/version-gate.ts';
import type { ReceivedMessage } from '../client.ts';
import { groupOf } from '../fifo-group.ts';
import type { Context } from './context.ts';
import type { GroupHeads } from './group-heads.ts';
import type { Verb } from './hands.ts';
import type { Ledger } from './ledger.ts';
import type { Leftover } from './leftovers.ts';
import { pastOnQueue, sayElsewhere } from './past.ts';
import { patiently } from './patience.ts';
import type { Choice, Selector } from './select.ts';
import type { Met, Task } from './task.ts';

/** What a received message turned out to be; null where it is left as it lies. */
type Weighed = { task: Task } | { leftover: Leftover } | null;

/**
 * Decides what becomes of each message that was received: by what the journal knows of it, by what was asked for, and by
 * what the action can do with it.
 */
export class Weighing {
  readonly #context: Context;
  readonly #verb: Verb;
  readonly #selector: Selector;
  readonly #ledger: Ledger;
  readonly #heads: GroupHeads;
  /** FIFO groups of which `--max` left a message: what follows it is left too, even where there is room again. */
  readonly #leftForMax = new Set<string>();

  constructor(context: Context, parts: { verb: Verb; selector: Selector; ledger: Ledger; heads: GroupHeads }) {
    this.#context = context;
    this.#verb = parts.verb;
    this.#selector = parts.selector;
    this.#ledger = parts.ledger;
    this.#heads = parts.heads;
  }

  /**
   * Those of these that are to be acted on, and those that earlier runs left over, both in their order. Of the others it has told
   * the item, where they have one.
   * @throws BabelqError where the journal can't be read, or the queues around can't be asked for
   */
  async weigh(messages: readonly ReceivedMessage[]): Promise<{ tasks: Task[]; leftovers: Leftover[] }> {
    const tasks: Task[] = [];
    const leftovers: Leftover[] = [];
    for (const met of await this.#meet(messages)) {
      const weighed = await this.#weigh(met);
      if (weighed === null) continue;
      if ('task' in weighed) tasks.push(weighed.task);
      else leftovers.push(weighed.leftover);
    }
    return { tasks, leftovers };
  }

  async #meet(messages: readonly ReceivedMessage[]): Promise<Met[]> {
    const { describer, journal, queue, request } = this.#context;
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
    return read.map((one, n) => ({
      ...one,
      failure: failures[n] as WholeFailure,
      recollection: recollections[n] as Recollection,
    }));
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
        const { run } = past;
        if (request.action === 'dismiss') {
          // The archive has it: what lies here is only deleted.
          const entry = past.kind === 'archived' ? past.entry : null;
          const asked = run !== request.run.id;
          return { leftover: { ...leftover, entry, run, to: 'archive', newId: null, was: 'archived', asked } };
        }
        // It never left the queue, so it may be retried: the archive lets go of its copy.
        if (past.kind === 'archived') break;
        return this.#skip(met, `It was dismissed by run ${run}, and lies here all the same: restore or dismiss it.`);
      }
      case 'elsewhere': {
        if (choice.kind === 'leave') break;
        const group = groupOf(message, this.#context.queue);
        if (group !== null)
          this.#ledger.closeGroup(group, `Behind ${failure.id} in its FIFO group, which another run has.`);
        return this.#skip(met, sayElsewhere(past));
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
    this.#heads.passOver(message);
    return null;
  }

  #skip({ message, failure }: Met, why: string): null {
    const { queue, request, tally } = this.#context;
    const to = destinationOf(request.action, failure, queue.name);
    tally.item(itemFor(failure.id, failure.reason, 'skipped', { to, detail: why }));
    this.#ledger.ended(message.messageId);
    return this.#leave(message);
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
