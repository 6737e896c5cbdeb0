import { BabelqError } from '../../../model/errors.ts';
import type { Context } from './context.ts';

const TRIES = 5;

/** Looks something up, again after a pause where the service doesn't answer: one lost answer is no reason to end a run. */
export async function patiently<T>({ throttle, stop }: Pick<Context, 'throttle' | 'stop'>, look: () => Promise<T>) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await look();
    } catch (error) {
      const passes = error instanceof BabelqError && (error.code === 'unreachable' || error.code === 'throttled');
      if (!passes || tries === TRIES || stop.requested) throw error;
      throttle.trouble();
      await throttle.pause(stop.signal);
    }
  }
}
