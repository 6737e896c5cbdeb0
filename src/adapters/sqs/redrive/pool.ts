import { MOST_BYTES } from '../../../model/size.ts';
import { BATCH } from '../limits.ts';

/** What waits to be carried off. */
export interface Waiting {
  /** Only what has the same shares a batch: the URL of the queue that is called. */
  readonly batchKey: string;
  /** Of one group at most one is under way at a time; null where order means nothing. */
  readonly group: string | null;
  readonly bytes: number;
}

/**
 * Messages that are to be acted on and have not been begun. Packs batches for one queue each, and lets the messages of a FIFO
 * group out one by one, each when the one before it is confirmed.
 */
export class Pool<T extends Waiting> {
  readonly #ready = new Map<string, T[]>();
  /** Of each group that has one ready or under way: those behind it, in order. */
  readonly #behind = new Map<string, T[]>();
  readonly #closed = new Set<string>();
  #size = 0;
  #bytes = 0;

  /** Bytes of what waits. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many wait. */
  get size(): number {
    return this.#size;
  }

  /** Adds one; false where its group is held back. */
  add(item: T): boolean {
    if (item.group !== null && this.#closed.has(item.group)) return false;
    this.#size += 1;
    this.#bytes += item.bytes;
    const behind = item.group === null ? undefined : this.#behind.get(item.group);
    if (behind !== undefined) {
      behind.push(item);
      return true;
    }
    if (item.group !== null) this.#behind.set(item.group, []);
    this.#push(item);
    return true;
  }

  /**
   * The next batch, at most ten and as many bytes together as one message may have; null where there is none.
   * @param most entries a batch
   * @param partial takes a batch that could still grow, too
   */
  take(most: number, partial: boolean): T[] | null {
    const limit = Math.min(most, BATCH);
    for (const [key, ready] of this.#ready) {
      const batch: T[] = [];
      let bytes = 0;
      for (const item of ready) {
        if (batch.length === limit || (batch.length > 0 && bytes + item.bytes > MOST_BYTES)) break;
        batch.push(item);
        bytes += item.bytes;
      }
      const full = batch.length === limit || batch.length < ready.length;
      if (!full && !partial) continue;
      // Another queue is first the next time.
      this.#ready.delete(key);
      const rest = ready.slice(batch.length);
      if (rest.length > 0) this.#ready.set(key, rest);
      this.#size -= batch.length;
      this.#bytes -= bytes;
      return batch;
    }
    return null;
  }

  /** One is safely where it should be: the next of its group may go. */
  confirmed(item: Pick<T, 'group'>): void {
    if (item.group === null) return;
    const next = this.#behind.get(item.group)?.shift();
    if (next === undefined) this.#behind.delete(item.group);
    else this.#push(next);
  }

  /** One didn't get there, or nobody knows: nothing of its group may follow. Gives what waited behind it. */
  holdBack(item: Pick<T, 'group'>): T[] {
    if (item.group === null) return [];
    this.#closed.add(item.group);
    return this.giveUp(item);
  }

  /** One was let go before it was begun: gives what waited behind it, which must not overtake it. */
  giveUp(item: Pick<T, 'group'>): T[] {
    if (item.group === null) return [];
    const rest = this.#behind.get(item.group) ?? [];
    this.#behind.delete(item.group);
    this.#size -= rest.length;
    this.#bytes -= bytesOf(rest);
    return rest;
  }

  /** Takes everything out. */
  drain(): T[] {
    const all = [...this.#ready.values(), ...this.#behind.values()].flat();
    this.#ready.clear();
    this.#behind.clear();
    this.#size = 0;
    this.#bytes = 0;
    return all;
  }

  #push(item: T): void {
    const ready = this.#ready.get(item.batchKey);
    if (ready) ready.push(item);
    else this.#ready.set(item.batchKey, [item]);
  }
}

/** Bytes of all of them. */
export function bytesOf(items: readonly Waiting[]): number {
  return items.reduce((sum, { bytes }) => sum + bytes, 0);
}
