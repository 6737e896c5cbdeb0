import { messageSize } from '../../../model/size.ts';
import { archiveFacts } from './archive-facts.ts';
import type { Context } from './context.ts';
import type { Hands, Verb } from './hands.ts';
import { pastOf } from './past.ts';
import type { Met, Task } from './task.ts';

/** Sets messages aside: into the archive, on disk, and only then off the queue. */
export class Dismiss implements Verb {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  async prepare(met: Met): Promise<Task> {
    const { queue, describer, request } = this.#context;
    const { message, failure, identity, recollection } = met;
    const past = pastOf(recollection, request.run);
    return {
      id: failure.id,
      nativeId: message.messageId,
      message,
      identity,
      reason: failure.reason,
      queue: failure.queue,
      subject: failure.subject,
      to: 'archive',
      destination: null,
      place: queue.url,
      group: null,
      bytes: messageSize(message.body, message.attributes),
      entry: { body: message.body, attributes: message.attributes },
      remembered: await archiveFacts(describer, met),
      possibleDouble: past.kind === 'doubtful',
      last: met.recollection.last,
      detail: null,
    };
  }

  async carry(batch: Task[], hands: Hands): Promise<void> {
    const tasks = await hands.begin(batch);
    const begun = await hands.intend(tasks);
    await hands.remove(begun.map(({ task, entry }) => ({ task, entry, newId: null })));
  }
}
