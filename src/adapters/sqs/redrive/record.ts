import type { Settlement } from '../../../model/ports.ts';
import type { Context } from './context.ts';

/**
 * Puts on disk what became of entries. Where that can't be done the run begins nothing more, and false is answered:
 * what is known to be sent is known all the same, so it is still deleted, or a later run would send it twice.
 */
export async function record(
  { journal, stop }: Pick<Context, 'journal' | 'stop'>,
  settlements: readonly Settlement[],
): Promise<boolean> {
  if (settlements.length === 0) return true;
  try {
    await journal.settle(settlements);
    return true;
  } catch (error) {
    stop.fail(error);
    return false;
  }
}
