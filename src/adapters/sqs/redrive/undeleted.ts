import type { Held } from '../held.ts';
import type { Safe } from './hands.ts';
import type { Task } from './task.ts';

/** A message that is safe elsewhere and whose delete isn't confirmed: as much of it as its end needs, its body not. */
export interface UndeletedMessage extends Omit<Safe, 'task'> {
  readonly task: Pick<Task, 'id' | 'nativeId' | 'reason' | 'to' | 'possibleDouble' | 'detail'>;
  readonly why: string;
  /** It is visible again not later than then (ms), unless we hold it on. */
  readonly until: number;
}

/** What is still to be deleted: when it is met again, and once more at the end of the run. */
export class Undeleted {
  readonly #held: Held;
  readonly #messages = new Map<string, UndeletedMessage>();

  constructor(held: Held) {
    this.#held = held;
  }

  add({ task, entry, newId }: Safe, why: string, until: number): void {
    const { id, nativeId, reason, to, possibleDouble, detail } = task;
    const kept = { id, nativeId, reason, to, possibleDouble, detail };
    this.#messages.set(nativeId, { entry, newId, task: kept, why, until });
  }

  has(nativeId: string): boolean {
    return this.#messages.has(nativeId);
  }

  /** Takes out those of these that are deleted now. */
  take(nativeIds: readonly string[]): UndeletedMessage[] {
    return nativeIds.flatMap((nativeId) => {
      const message = this.#messages.get(nativeId);
      this.#messages.delete(nativeId);
      return message ?? [];
    });
  }

  get all(): readonly UndeletedMessage[] {
    return [...this.#messages.values()];
  }

  /** Until when one that we don't hold any more may still be hidden (ms): then it is met again. Null where there is none. */
  get hiddenUntil(): number | null {
    const lost = this.all.filter(({ task }) => this.#held.of(task.nativeId) === undefined);
    return lost.length === 0 ? null : Math.max(...lost.map(({ until }) => until));
  }
}
