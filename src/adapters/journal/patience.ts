import type { Clock } from '../../model/ports.ts';
import { isBusy } from './trouble.ts';

/** How long a lock that somebody else holds is waited for, in all. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 10;

/**
 * Does it, again and again while the database is locked by somebody else, with pauses that leave the process free.
 * @throws what `act` throws; after ten seconds of it also that the database is locked
 */
export async function patiently<T>(clock: Clock, act: () => T | Promise<T>): Promise<T> {
  for (let waited = 0; ; ) {
    try {
      return await act();
    } catch (error) {
      if (!isBusy(error) || waited >= PATIENCE_MS) throw error;
    }
    // Uneven, so that two who wait don't meet again and again.
    const pause = PAUSE_MS * (1 + 2 * Math.random());
    await clock.sleep(pause);
    waited += pause;
  }
}
