import type { Action } from '../../../model/action.ts';
import type { Recollection, Run } from '../../../model/ports.ts';

/** What the journal knows of a message that lies on the queue, as far as it decides what may be done now. */
export type Past =
  /** Nothing, or nothing that counts. */
  | { kind: 'none' }
  /** It was sent (or restored under another id): what lies here is what its delete left over. Only ever deleted. */
  | {
      kind: 'left_over';
      entry: number | null;
      run: string;
      to: string | null;
      newId: string | null;
      was: 'sent' | 'restored';
    }
  /** A run that ended in the middle has archived it and did not confirm the delete. */
  | { kind: 'archived'; entry: number; run: string }
  /** It was dismissed, and SQS gave it out all the same. */
  | { kind: 'dismissed'; run: string }
  /** Another run has it, and that run is alive. */
  | { kind: 'elsewhere'; run: string }
  /** This run has tried, and doesn't know what came of it. */
  | { kind: 'tried' }
  /** A run that ended in the middle may have sent it. */
  | { kind: 'doubtful'; deduplicationId: string | null; to: string | null };

/**
 * Weighs what is recalled. The newest entry that has no end outweighs what ended.
 * @param run the run that asks; null where nothing is to be done yet
 */
export function pastOf({ unfinished, finished }: Recollection, run: Run | null): Past {
  if (unfinished !== null) {
    const { entry, action, state, to, newId, deduplicationId } = unfinished;
    const ours = unfinished.run === run?.id;
    if (unfinished.alive && !ours) return { kind: 'elsewhere', run: unfinished.run };
    if (state === 'sent') return { kind: 'left_over', entry, run: unfinished.run, to, newId, was: wasOf(action) };
    if (ours) return { kind: 'tried' };
    if (action === 'dismiss') return { kind: 'archived', entry, run: unfinished.run };
    return { kind: 'doubtful', deduplicationId, to };
  }
  // SQS may give out a deleted message again, when a server that kept a copy was away: it must not be sent twice.
  if (finished === null) return { kind: 'none' };
  const { action, run: by, to, newId } = finished;
  if (action === 'dismiss') return { kind: 'dismissed', run: by };
  return { kind: 'left_over', entry: null, run: by, to, newId, was: wasOf(action) };
}

/**
 * The same, of a message met on the queue. One that a restoration may have put back lies there under another id; what has
 * its old id is what was dismissed. To send it would make that doubt forgotten.
 */
export function pastOnQueue(recollection: Recollection, run: Run | null): Past {
  const past = pastOf(recollection, run);
  const { unfinished, finished } = recollection;
  if (past.kind !== 'doubtful' || unfinished?.action !== 'restore') return past;
  return { kind: 'dismissed', run: finished?.run ?? unfinished.run };
}

function wasOf(action: Action): 'sent' | 'restored' {
  return action === 'restore' ? 'restored' : 'sent';
}

/** Why a message that another run has is left alone. Whether a process was killed shows by its silence alone. */
export function sayElsewhere({ run }: { run: string }): string {
  return `Run ${run} is under way and has it, or was killed less than a minute ago.`;
}
