import { sayCount } from '../../model/display/counts.ts';
import type { Released } from './held.ts';
import type { DeadLetterQueue } from './queue.ts';

/** What couldn't be made visible again, in words, for a listing and an action alike; null where all could. */
export function sayStuck(queue: DeadLetterQueue, { stuck, until, trouble }: Released): string | null {
  if (stuck === 0) return null;
  const when = until === null ? '' : ` until ${new Date(until).toISOString().slice(11, 19)} UTC`;
  const why = trouble === null ? '' : ` (${queue.explain(trouble).message.replace(/\.$/, '')})`;
  return `${sayCount(stuck)} could not be given back and stay hidden${when}${why}`;
}
