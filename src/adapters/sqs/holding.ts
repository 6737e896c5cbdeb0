import { sayCount } from '../../model/display/counts.ts';
import { Interrupted } from '../../model/errors.ts';
import { unlessAborted } from '../../model/interruptible.ts';
import type { Clock, Holding, HoldRequest } from '../../model/ports.ts';
import { SqsCallError } from './client.ts';
import { Held } from './held.ts';
import { MOST_HIDDEN_SECONDS, MOST_IN_FLIGHT, VISIBILITY_SECONDS } from './limits.ts';
import { Pass } from './pass.ts';
import type { DeadLetterQueue } from './queue.ts';

/**
 * Receives until all that is wanted was met, or there is no more, and goes on hiding what was wanted. Each receive counts,
 * also of what is given back. The visibility timeout is a minute, extended by a heartbeat: that long it stays hidden where
 * babelq is killed.
 * @throws BabelqError; Interrupted. Everything was given back then
 */
export async function holdMessages(
  queue: DeadLetterQueue,
  clock: Clock,
  source: string,
  { nativeIds, allowReceive, signal, onProgress }: HoldRequest,
): Promise<Holding> {
  queue.refuseWhereLooksCount(allowReceive);
  const start = await unlessAborted(queue.refresh(), signal);
  const startedAt = clock.now();
  const held = new Held(queue, clock, VISIBILITY_SECONDS);
  queue.track(held);
  let left = nativeIds.size;
  const pass = new Pass(
    queue,
    held,
    clock,
    { signal, onProgress: (progress) => onProgress?.({ source, ...progress }) },
    async (messages) => {
      for (const { messageId } of messages) if (nativeIds.has(messageId)) left -= 1;
      return left === 0 ? 'enough' : 'more';
    },
    start,
  );
  held.start();
  try {
    await pass.run();
    if (pass.end === 'aborted') throw new Interrupted();
    if (pass.failure !== null) throw pass.failure;
  } catch (error) {
    await held.releaseAll();
    throw error instanceof SqsCallError ? queue.explain(error) : error;
  }
  await held.release([...pass.seen].filter((id) => !nativeIds.has(id)));
  const missing = [...nativeIds].filter((id) => !pass.seen.has(id)).length;
  const note = missing === 0 ? null : whyNotAll(queue, pass, missing);
  return {
    get count() {
      return held.count;
    },
    endsAt: startedAt + MOST_HIDDEN_SECONDS * 1000,
    note,
    release: async () => {
      const { stuck } = await held.releaseAll();
      return { stuck };
    },
  };
}

function whyNotAll(queue: DeadLetterQueue, pass: Pass, missing: number): string {
  const some = `${sayCount(missing)} of what is shown ${missing === 1 ? 'is' : 'are'} not held`;
  if (pass.end === 'full') {
    return `${some}: SQS lets only about ${sayCount(MOST_IN_FLIGHT)} messages be in flight`;
  }
  if (queue.fifo) return `${some}: only the first messages of each FIFO group can be received`;
  return `${some}: gone, or in somebody else's hands`;
}
