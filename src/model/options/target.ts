import { quoteTyped } from '../display/escape.ts';
import { example } from '../duration.ts';
import { BabelqError } from '../errors.ts';
import { parseQueue } from '../queue-name.ts';

/**
 * Looks at a target that was typed before anything is read: where it is no queue, a plan would only say so message by message.
 * @throws BabelqError `usage`
 */
export function refuseNoQueue(to: string | undefined, option = '--to'): void {
  if (to === undefined || parseQueue(to) !== undefined) return;
  throw new BabelqError('usage', `${option} needs a queue's name, URL or ARN, not ${quoteTyped(to)}.`, {
    hint: `For example ${example(option, 'orders')}. A name has letters, digits, - and _, at most 80, and ends in .fifo where the queue is FIFO.`,
  });
}
