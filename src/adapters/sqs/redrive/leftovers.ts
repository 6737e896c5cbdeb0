import { itemFor } from '../../../model/plan.ts';
import type { Settlement } from '../../../model/ports.ts';
import type { Context } from './context.ts';
import { record } from './record.ts';
import { removeMessages } from './remove.ts';

/** A message that is safe elsewhere since an earlier run, and was met on the queue all the same. */
export interface Leftover {
  readonly id: string;
  readonly nativeId: string;
  readonly reason: string;
  /** The entry that this delete brings to its end; null where it has one. */
  readonly entry: number | null;
  readonly run: string;
  readonly to: string | null;
  readonly newId: string | null;
  /** What was done with it then. */
  readonly was: 'sent' | 'archived';
  /** Whether this action asked for it: then it has an item. */
  readonly asked: boolean;
}

/** Finishes what earlier runs left: what was sent or archived then is only deleted, whatever this action takes. */
export class Leftovers {
  readonly #context: Context;
  /** How many were deleted unasked, by run. */
  readonly #unasked = new Map<string, number>();

  constructor(context: Context) {
    this.#context = context;
  }

  async remove(leftovers: readonly Leftover[]): Promise<void> {
    if (leftovers.length === 0) return;
    const removed = await removeMessages(
      this.#context,
      leftovers.map(({ nativeId }) => nativeId),
    );
    const deleted = leftovers.filter(({ nativeId }) => removed.get(nativeId)?.kind === 'deleted');
    await record(
      this.#context,
      deleted.flatMap(({ entry }): Settlement[] => (entry === null ? [] : [{ entry, state: 'done' }])),
    );
    for (const one of leftovers) {
      const outcome = removed.get(one.nativeId);
      if (one.asked) {
        const then = `It was ${one.was === 'sent' ? `sent to ${one.to ?? 'its queue'}` : 'archived'} by run ${one.run}`;
        const isDeleted = outcome?.kind === 'deleted';
        const why = outcome?.kind === 'not_deleted' ? outcome.why : 'nothing was heard';
        this.#context.tally.item(
          itemFor(one.id, one.reason, isDeleted ? 'done' : 'uncertain', {
            to: one.to,
            new_id: one.newId,
            detail: isDeleted ? `${then}; deleted now.` : `${then}, and its delete isn't confirmed: ${why}.`,
          }),
        );
      } else if (outcome?.kind === 'deleted') {
        this.#unasked.set(one.run, (this.#unasked.get(one.run) ?? 0) + 1);
      }
    }
  }

  /** One sentence a run whose leftovers were deleted unasked. */
  get notes(): string[] {
    return [...this.#unasked].map(
      ([run, count]) =>
        `${count} left over from run ${run} ${count === 1 ? 'was' : 'were'} deleted, having been sent then`,
    );
  }
}
