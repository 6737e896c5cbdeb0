import { sayCount } from '../../model/display/counts.ts';
import { unlessAborted } from '../../model/interruptible.ts';
import type { AllInFlight, Clock } from '../../model/ports.ts';
import { type ReceivedMessage, SqsCallError } from './client.ts';
import { Held, type Released } from './held.ts';
import { DEFAULT_VISIBILITY_SECONDS, MOST_IN_FLIGHT, VISIBILITY_SECONDS } from './limits.ts';
import { type End, lyingAt, Pass, type PassRequest } from './pass.ts';
import type { DeadLetterQueue } from './queue.ts';
import type { QueueAttributes } from './queue-attributes.ts';
import { sayStuck } from './stuck.ts';

/** How a reading of a queue went. */
export interface QueueReading {
  /** Why it ended. */
  end: End;
  /** How many lie there, approximately: as SQS says, and no fewer than were seen; null where it doesn't tell. */
  about: number | null;
  /** All that lies there was seen. */
  complete: boolean;
  /** What a person must know of it, in words. */
  notes: string[];
  allInFlight: AllInFlight | null;
}

/**
 * Receives all that can be seen of a queue, hands each message over once, and keeps what it got hidden meanwhile, so that
 * it meets none twice. Whatever ends it, the polls under way end first, and everything is made visible again.
 * @param take is handed what a receive brought, and answers whether it wants more
 * @throws BabelqError, and what `take` throws, after everything was given back; Interrupted where the signal aborts before the first
 *   receive (later it ends as `aborted`)
 */
export async function readQueue(
  queue: DeadLetterQueue,
  clock: Clock,
  request: PassRequest,
  take: (messages: readonly ReceivedMessage[]) => Promise<'more' | 'enough'>,
): Promise<QueueReading> {
  const start = await unlessAborted(queue.refresh(), request.signal);
  const held = new Held(queue, clock, VISIBILITY_SECONDS);
  queue.track(held);
  const pass = new Pass(queue, held, clock, request, take, start);
  held.start();
  let released: Released;
  try {
    await pass.run();
  } finally {
    released = await held.releaseAll((releasing) =>
      request.onProgress({ seen: pass.met, about: start.visible, releasing }),
    );
  }
  if (pass.failure !== null) {
    throw pass.failure instanceof SqsCallError ? queue.explain(pass.failure) : pass.failure;
  }
  return report(queue, pass, start, released);
}

async function report(
  queue: DeadLetterQueue,
  pass: Pass,
  start: QueueAttributes,
  released: Released,
): Promise<QueueReading> {
  const end = pass.end ?? 'empty';
  const { met } = pass;
  const notes: string[] = [];
  let missing = Math.max(0, lyingAt(start) - met);
  let counts = start;
  if (end === 'empty' && missing > 0) {
    // Some may have gone while it was read, and the counts are approximate and late: ask once more before saying so.
    counts = await queue.refresh();
    missing = Math.max(0, Math.min(missing, lyingAt(counts) - met));
  }
  const complete = end === 'empty' && missing === 0 && start.visible !== null;
  if (end === 'empty' && missing > 0) notes.push(whatIsMissing(queue, missing, counts, met));
  if (end === 'full') {
    notes.push(
      `SQS lets only about ${sayCount(MOST_IN_FLIGHT)} messages be in flight, so what lies behind was not seen`,
    );
  }
  if (end === 'growing') notes.push('messages kept coming while it was read');
  if (end === 'twelve_hours') notes.push('SQS keeps a message hidden for twelve hours at most, so the reading ended');
  const stuck = sayStuck(queue, released);
  if (stuck !== null) notes.push(stuck);
  if (queue.redriveSourcesNote !== null) notes.push(queue.redriveSourcesNote);
  const inFlight = Math.max(start.inFlight ?? 0, counts.inFlight ?? 0);
  return {
    end,
    about: start.visible === null ? null : complete ? met : Math.max(start.visible, met),
    complete,
    notes,
    allInFlight:
      end === 'empty' && met === 0 && inFlight > 0
        ? { count: inFlight, retryInSeconds: start.visibilityTimeoutSeconds ?? DEFAULT_VISIBILITY_SECONDS }
        : null,
  };
}

function whatIsMissing(queue: DeadLetterQueue, missing: number, counts: QueueAttributes, met: number): string {
  if (queue.fifo && (counts.visible ?? 0) > 0) {
    return `only the first messages of each FIFO group can be seen: about ${sayCount(missing)} of about ${sayCount(met + missing)} were not`;
  }
  const delayed = Math.min(missing, counts.delayed ?? 0);
  const hidden = Math.min(missing - delayed, counts.inFlight ?? 0);
  const parts = [
    hidden > 0 ? `about ${sayCount(hidden)} are in flight elsewhere` : null,
    delayed > 0 ? `about ${sayCount(delayed)} are delayed` : null,
    missing > hidden + delayed ? `about ${sayCount(missing - hidden - delayed)} could not be seen` : null,
  ];
  return parts.filter((part) => part !== null).join(', ');
}
