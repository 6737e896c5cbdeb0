import type { Tally } from '../display/tally.ts';
import type { Plan } from '../plan.ts';
import { type Acted, carryOut } from './act.ts';
import type { ActionAsk } from './action-ask.ts';
import { type ActedWatched, retryAndWatch, type WatchWish } from './retry-watched.ts';

/** What came of an action; `watched` is the same with what came back, and null where nothing was watched. */
export interface ActedTallied {
  acted: Acted;
  watched: ActedWatched | null;
}

/**
 * Carries out what was confirmed, watched where that is wished, and counts each message into the tally as it ends: one
 * that is watched when it was sent, since what becomes of it then is told apart.
 * @throws BabelqError as carryOut and retryAndWatch; what was done until then is in the tally
 */
export async function actTallied(
  ask: ActionAsk,
  plan: Plan | null,
  wish: Omit<WatchWish, 'onDone'> | null,
  tally: Tally,
): Promise<ActedTallied> {
  const counting: ActionAsk = {
    ...ask,
    onItem: (item) => {
      if (wish === null || item.outcome !== 'done') tally.add(item);
      ask.onItem?.(item);
    },
  };
  if (wish === null) return { acted: await carryOut(counting, plan), watched: null };
  const watched = await retryAndWatch(counting, plan, { ...wish, onDone: (item) => tally.add(item) });
  return { acted: watched, watched };
}
