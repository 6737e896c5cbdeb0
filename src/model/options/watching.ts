import { parseDuration } from '../duration.ts';
import { BabelqError } from '../errors.ts';
import type { WatchWish } from '../operations/retry-watched.ts';
import { wholeNumber } from './numbers.ts';

export interface WatchOptions {
  wait?: string;
  canary?: string;
}

export type Watching = Pick<WatchWish, 'waitMs' | 'canary'>;

/** What `--wait` and `--canary` ask for; null where neither was given. @throws BabelqError `usage` */
export function watchingOf({ wait, canary }: WatchOptions): Watching | null {
  const number = canary === undefined ? null : wholeNumber(canary, '--canary');
  if (wait === undefined) {
    if (number === null) return null;
    throw new BabelqError('usage', '--canary needs --wait: the rest goes on when those are known to stay away.', {
      hint: 'For example --canary 5 --wait 2m.',
    });
  }
  const waitMs = parseDuration(wait, '--wait');
  if (waitMs > 0) return { waitMs, canary: number };
  throw new BabelqError('usage', '--wait needs a duration above 0.', { hint: 'For example --wait 2m.' });
}
