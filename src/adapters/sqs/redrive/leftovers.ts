import type { ActionItem } from '../../../model/action.ts';
import { itemFor } from '../../../model/plan.ts';
import type { Settlement } from '../../../model/ports.ts';
import type { Context } from './context.ts';
import { record } from './record.ts';
import { type Removed, removeMessages } from './remove.ts';

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
  readonly was: 'sent' | 'archived' | 'restored';
  /** Whether this action asked for it: then it has an item. */
  readonly asked: boolean;
}

/** Finishes what earlier runs left: what was sent or archived then is only deleted, whatever this action takes. */
export class Leftovers {
  readonly #context: Context;
  /** How many were deleted unasked, by what left them. */
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
      if (one.asked) this.#context.tally.item(itemOf(one, outcome));
      else if (outcome?.kind === 'deleted' && one.run !== this.#context.request.run.id) {
        const key = `from run ${one.run}, ${one.was} then`;
        this.#unasked.set(key, (this.#unasked.get(key) ?? 0) + 1);
      }
    }
  }

  /** What was deleted unasked, in words. */
  get notes(): string[] {
    return [...this.#unasked].map(
      ([from, count]) => `${count} left over ${from}, ${count === 1 ? 'was' : 'were'} only deleted`,
    );
  }
}

function itemOf({ id, reason, to, newId, run, was }: Leftover, outcome: Removed | undefined): ActionItem {
  const isDeleted = outcome?.kind === 'deleted';
  const why = outcome?.kind === 'not_deleted' ? outcome.why : 'nothing was heard';
  const now = isDeleted ? 'what was left of it is deleted now' : `its delete isn't confirmed: ${why}`;
  if (was === 'restored') {
    // What was restored lies here under its new id, and is taken or left by that.
    const detail = `Run ${run} restored it as ${newId ?? 'another message'}; ${now}.`;
    return itemFor(id, reason, isDeleted ? 'skipped' : 'uncertain', { detail });
  }
  const then = was === 'sent' ? `sent it to ${to ?? 'its queue'}` : 'archived it';
  return itemFor(id, reason, isDeleted ? 'done' : 'uncertain', {
    to,
    new_id: newId,
    detail: `Run ${run} ${then}; ${now}.`,
  });
}
