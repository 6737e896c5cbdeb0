import { example, parseDuration } from '../duration.ts';
import { BabelqError } from '../errors.ts';
import type { WatchWish } from '../operations/retry-watched.ts';
import { wholeNumber } from './numbers.ts';

export interface WatchOptions {
  wait?: string;
  canary?: string;
}

export type Watching = Pick<WatchWish, 'waitMs' | 'canary'>;

/** What the two are called where they are typed. */
const FLAGS: Required<WatchOptions> = { wait: '--wait', canary: '--canary' };

/** What a wait and canaries ask for; null where neither was given. @throws BabelqError `usage` */
export function watchingOf({ wait, canary }: WatchOptions, names = FLAGS): Watching | null {
  const number = canary === undefined ? null : wholeNumber(canary, names.canary);
  if (wait === undefined) {
    if (number === null) return null;
    throw new BabelqError(
      'usage',
      `${names.canary} needs ${names.wait}: the rest goes on when those are known to stay away.`,
      {
        hint: `For example ${example(names.canary, '5')} ${example(names.wait, '2m')}.`,
      },
    );
  }
  const waitMs = parseDuration(wait, names.wait);
  if (waitMs > 0) return { waitMs, canary: number };
  throw new BabelqError('usage', `${names.wait} needs a duration above 0.`, {
    hint: `For example ${example(names.wait, '2m')}.`,
  });
}
