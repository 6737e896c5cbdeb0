import { sayEdited } from '../../../model/edit.ts';
import type { Settlement } from '../../../model/ports.ts';
import type { SqsMessage } from '../../../model/sqs-message.ts';
import type { SqsCallError } from '../client.ts';
import { groupOf } from '../fifo-group.ts';
import type { Context, Destination } from './context.ts';
import type { Hands, Verb } from './hands.ts';
import { type Past, pastOf } from './past.ts';
import { type Sent, sayNotSent, sendBatch, unsentState } from './send.ts';
import { aboutMet, type Met, sendTask, type Task } from './task.ts';
import { deduplicationIdOf, editedDeduplicationIdOf, forRetry, isOfEdited } from './transform.ts';

/**
 * Sends messages back to where they failed: intent on disk, send, new id on disk, delete, end on disk. Only what is
 * confirmed as sent is deleted.
 */
export class Retry implements Verb {
  readonly #context: Context;
  /** The queues that were sent to, and those of them that refused, with what was said. */
  readonly #used = new Set<string>();
  readonly #closed = new Map<string, string>();

  constructor(context: Context) {
    this.#context = context;
  }

  async prepare(met: Met): Promise<Task | { why: string }> {
    const { queue, request } = this.#context;
    const { message, failure } = met;
    const destination = await this.#destinationOf(met);
    if (destination === null) return { why: `The queue ${failure.retry_to} is not there any more.` };
    const past = pastOf(met.recollection, request.run);
    const changes = met.edit !== null && 'changes' in met.edit ? met.edit.changes : null;
    const isEdited = changes !== null && changes.length > 0;
    const made = forRetry(message, met.reset, destination, request.bypass, () =>
      isEdited ? editedDeduplicationIdOf(message, met.reset.body) : repeatedId(past, destination.name, message),
    );
    if (made.blocked !== null) return { why: made.blocked };
    return sendTask(aboutMet(met), made, destination, {
      group: groupOf(message, queue),
      kept: message,
      remembered: null,
      possibleDouble: past.kind === 'doubtful',
      last: met.recollection.last,
      edited: isEdited,
      detail: [changes && sayEdited(changes), made.detail].filter((part) => part !== null).join(' ') || null,
    });
  }

  async carry(batch: Task[], hands: Hands): Promise<void> {
    const destination = batch[0]?.destination;
    if (!destination) return;
    const closed = this.#closed.get(destination.url);
    if (closed !== undefined) {
      for (const task of batch) hands.skip(task, closed);
      return;
    }
    const begun = await hands.intend(await hands.begin(batch));
    if (begun.length === 0) return;
    this.#used.add(destination.url);
    const tasks = begun.map(({ task }) => task);
    const sending = await sendBatch(this.#context, destination, tasks, (task) => hands.isOurs(task));

    const ended = begun.map((one) => ({ ...one, sent: sending.outcomes.get(one.task) as Sent }));
    await hands.record(ended.map(({ task, entry, sent }) => settlementOf(task, entry, sent)));
    for (const { task, sent } of ended) {
      if (sent.kind === 'sent') hands.next(task);
      else
        hands.end(task, sent.kind === 'unknown' ? 'uncertain' : 'failed', sayNotSent(sent, 'on the dead-letter queue'));
    }
    if (sending.closed !== null) this.#close(destination, sending.closed);
    await hands.remove(
      ended.flatMap(({ task, entry, sent }) => (sent.kind === 'sent' ? [{ task, entry, newId: sent.newId }] : [])),
    );
  }

  async #destinationOf({ failure }: Met): Promise<Destination | null> {
    const target = await this.#context.describer.targetOf(failure);
    return target === null || target.url === null ? null : { ...target, url: target.url };
  }

  /** A queue that refuses: what else was to go there is skipped, and where nothing else is open the run ends. */
  #close(destination: Destination, error: SqsCallError): void {
    const explained = this.#context.queue.explain(error, destination.name);
    this.#closed.set(destination.url, explained.message);
    if (this.#closed.size >= this.#used.size) this.#context.stop.fail(explained);
  }
}

/**
 * The repeat of a send that may have been done carries the same id, so that a FIFO queue drops it; but not that of one that
 * was edited, which this isn't: it would be dropped in favour of another text, and called sent.
 */
function repeatedId(past: Past, to: string, message: SqsMessage): string {
  const same = past.kind === 'doubtful' && past.to === to ? past.deduplicationId : null;
  return same === null || isOfEdited(same) ? deduplicationIdOf(message) : same;
}

function settlementOf({ possibleDouble, edited, detail }: Task, entry: number, sent: Sent): Settlement {
  return sent.kind === 'sent'
    ? { entry, state: 'sent', newId: sent.newId, ...(edited && detail !== null && { detail }) }
    : { entry, state: unsentState(sent, possibleDouble), detail: sent.why };
}
