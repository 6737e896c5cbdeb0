import { messageSize } from '../../../model/size.ts';
import { archiveFacts } from './archive-facts.ts';
import type { Context } from './context.ts';
import type { Hands, Verb } from './hands.ts';
import { pastOf } from './past.ts';
import { aboutMet, type Met, type Task } from './task.ts';

/** Sets messages aside: into the archive, on disk, and only then off the queue. */
export class Dismiss implements Verb {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  async prepare(met: Met): Promise<Task> {
    const { queue, describer, request } = this.#context;
    const { message, recollection } = met;
    const { body, attributes } = message;
    return {
      ...aboutMet(met),
      to: 'archive',
      destination: null,
      batchKey: queue.url,
      // Nothing is sent that could overtake another: the archive has no order to keep.
      group: null,
      bytes: messageSize(body, attributes),
      send: { body, attributes },
      kept: message,
      remembered: await archiveFacts(describer, met),
      possibleDouble: pastOf(recollection, request.run).kind === 'doubtful',
      last: recollection.last,
      detail: null,
    };
  }

  async carry(batch: Task[], hands: Hands): Promise<void> {
    const tasks = await hands.begin(batch);
    const begun = await hands.intend(tasks);
    await hands.remove(begun.map(({ task, entry }) => ({ task, entry, newId: null })));
  }
}
