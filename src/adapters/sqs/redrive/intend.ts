import type { Intent } from '../../../model/ports.ts';
import type { Context } from './context.ts';
import type { Task } from './task.ts';

/** Which queue the journal is told of, and by which source it is reached. */
export type IntentPlace = Pick<Intent, 'source' | 'place'>;

/**
 * Puts on disk what is about to be done, with the whole messages, before any of it is begun.
 * @returns the entries in the tasks' order, null for a message that somebody else has begun something with meanwhile; null for all
 *   where the journal can't be written: then nothing was recorded, and the run ends
 */
export async function intend(
  { journal, request, stop }: Pick<Context, 'journal' | 'stop'> & { request: Pick<Context['request'], 'run'> },
  place: IntentPlace,
  tasks: readonly Task[],
): Promise<readonly (number | null)[] | null> {
  try {
    return await journal.intend(
      request.run,
      tasks.map((task) => intentOf(task, place)),
    );
  } catch (error) {
    stop.fail(error);
    return null;
  }
}

function intentOf(task: Task, { source, place }: IntentPlace): Intent {
  const { nativeId, identity, reason, queue, subject, to, possibleDouble, remembered, last } = task;
  const { kept, send, edited, restores, again } = task;
  return {
    source,
    place,
    nativeId,
    identity,
    reason,
    queue,
    subject,
    to,
    deduplicationId: send.deduplicationId ?? null,
    possibleDouble,
    message: kept,
    remembered,
    last,
    ...(edited && { edited }),
    ...(restores !== undefined && { restores }),
    ...(again && { again }),
  };
}
