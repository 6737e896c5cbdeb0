import type { Outcome } from '../../../model/action.ts';
import { itemFor } from '../../../model/plan.ts';
import type { Settlement } from '../../../model/ports.ts';
import type { Context } from './context.ts';
import { GroupOrder } from './group-order.ts';
import type { Begun, Hands, Safe } from './hands.ts';
import { Identities } from './identities.ts';
import { intend } from './intend.ts';
import type { Pool } from './pool.ts';
import { record } from './record.ts';
import { type Removed, removeMessages } from './remove.ts';
import type { Selector } from './select.ts';
import type { Task } from './task.ts';
import { Undeleted, type UndeletedMessage } from './undeleted.ts';

/** A send isn't begun so shortly before the visibility timeout: there must be time for its answer and the delete. */
const MARGIN_MS = 10_000;

/** The bookkeeping of one run: each step of a message's way from when it is taken in until its end is told. */
export class Ledger implements Hands {
  readonly identities = new Identities();
  readonly groups = new GroupOrder();
  readonly undeleted: Undeleted;
  /** How many tasks are through, one way or the other. */
  through = 0;
  /** Called when a group's next message may go. */
  onNext: () => void = () => {};
  readonly #context: Context;
  readonly #pool: Pool<Task>;
  readonly #selector: Selector;
  /** Tasks that have not ended, by MessageId. */
  readonly #inHand = new Map<string, Task>();
  /** What ended and lies there still: it isn't taken again by this run. An id each, of what is hidden until the run ends. */
  readonly #ended = new Set<string>();
  /** What is still being recorded or given back, while the next batches go on. */
  readonly #background = new Set<Promise<void>>();

  constructor(context: Context, pool: Pool<Task>, selector: Selector) {
    this.#context = context;
    this.#pool = pool;
    this.#selector = selector;
    this.undeleted = new Undeleted(context.held);
  }

  get busy(): boolean {
    return this.#inHand.size > 0;
  }

  /** Whether this run has it, or is through with it. */
  knows(nativeId: string): boolean {
    return this.#inHand.has(nativeId) || this.#ended.has(nativeId);
  }

  /** One that was skipped before it came in hand. */
  ended(nativeId: string): void {
    this.#ended.add(nativeId);
  }

  /** Takes tasks in whose identities are taken, those of one FIFO group in their order. */
  add(tasks: readonly Task[]): void {
    for (const task of tasks) {
      this.#inHand.set(task.nativeId, task);
      if (!this.#pool.add(task)) this.skip(task, this.groups.whyClosed(task.group ?? ''));
    }
  }

  async begin(batch: Task[]): Promise<Task[]> {
    const { request, stop, held } = this.#context;
    await request.pace?.turn(batch.length, stop.signal);
    if (stop.requested) {
      this.letGo(batch);
      return [];
    }
    const short = batch.filter((task) => !this.isOurs(task));
    if (short.length > 0) await held.extend(short.map(({ nativeId }) => nativeId));
    this.letGo(batch.filter((task) => !this.isOurs(task)));
    return batch.filter((task) => this.#inHand.has(task.nativeId));
  }

  isOurs({ nativeId }: Task): boolean {
    const { held, clock } = this.#context;
    return (held.of(nativeId)?.surelyUntil ?? 0) - clock.now() >= MARGIN_MS;
  }

  async intend(tasks: Task[]): Promise<Begun[]> {
    if (tasks.length === 0) return [];
    const { describer, queue } = this.#context;
    const entries = await intend(this.#context, { source: describer.facts.source, place: queue.place }, tasks);
    const entryOf = (n: number) => entries?.[n] ?? null;
    // Somebody has begun something with it since the journal was asked: it is met again, and judged by that.
    this.letGo(tasks.filter((_, n) => entryOf(n) === null));
    return tasks.flatMap((task, n) => {
      const entry = entryOf(n);
      return entry === null ? [] : [{ task, entry }];
    });
  }

  record(settlements: Settlement[]): Promise<boolean> {
    return record(this.#context, settlements);
  }

  next(task: Task): void {
    this.#pool.confirmed(task);
    this.onNext();
  }

  async remove(safe: Safe[]): Promise<void> {
    if (safe.length === 0) return;
    const { clock, held } = this.#context;
    const removed = await removeMessages(
      this.#context,
      safe.map(({ task }) => task.nativeId),
    );
    const deleted: Safe[] = [];
    const failed: (Safe & { why: string })[] = [];
    for (const one of safe) {
      const { task, newId } = one;
      const outcome = removed.get(task.nativeId) as Removed;
      if (outcome.kind === 'deleted') deleted.push(one);
      else if (newId === null && outcome.certain) failed.push({ ...one, why: outcome.why });
      else {
        this.undeleted.add(one, outcome.why, clock.now() + held.visibilitySeconds * 1000);
        this.#drop(task, true);
      }
    }
    this.#later(async () => {
      const recorded = await this.record([
        ...deleted.map(({ entry, newId }) => doneEntry(entry, newId)),
        ...failed.map(({ entry, why }): Settlement => ({ entry, state: 'failed', detail: why })),
      ]);
      for (const { task, newId } of deleted) this.#done(task, newId, recorded);
      for (const { task, why } of failed) this.end(task, 'failed', `Not dismissed: ${why}. It lies where it was.`);
    });
    for (const { task } of deleted) this.#drop(task, true);
  }

  /** Deletes what was met again after its delete couldn't be confirmed, or could not be done in time. */
  async removeAgain(nativeIds: readonly string[], tries?: number): Promise<void> {
    const removed = await removeMessages(this.#context, nativeIds, tries);
    const deleted = this.undeleted.take(nativeIds.filter((id) => removed.get(id)?.kind === 'deleted'));
    const recorded = await this.record(deleted.map(({ entry, newId }) => doneEntry(entry, newId)));
    for (const { task, newId } of deleted) this.#done(task, newId, recorded);
  }

  skip(task: Task, why: string): void {
    this.#skipped(task, why);
    // Those behind it may go on: it was left out, like one that doesn't match.
    this.next(task);
  }

  end(task: Task, outcome: Extract<Outcome, 'failed' | 'uncertain'>, detail: string): void {
    this.#tell(task, outcome, { possible_double: task.possibleDouble, detail });
    const what = outcome === 'failed' ? 'failed' : 'is uncertain';
    if (task.group !== null) this.closeGroup(task.group, `Behind ${task.id} in its FIFO group, which ${what}.`);
  }

  /** Nothing of this FIFO group is begun any more by this run: what waits of it is skipped. */
  closeGroup(group: string, why: string): void {
    this.groups.close(group, why);
    for (const waiting of this.#pool.holdBack({ group })) this.#skipped(waiting, why);
  }

  /** Nothing came of it yet: given back, and met again where the run goes on. */
  letGo(tasks: readonly Task[]): void {
    this.#giveBack(tasks.flatMap((task) => [task, ...this.#pool.giveUp(task)]));
  }

  /** As letGo, for tasks whose identities are taken and that were not taken in. */
  refuse(tasks: readonly Task[]): void {
    for (const task of tasks) this.#inHand.set(task.nativeId, task);
    this.#giveBack(tasks);
  }

  #giveBack(all: readonly Task[]): void {
    for (const task of all) {
      this.#drop(task, false);
      this.#context.request.budget.putBack(1);
      this.#selector.unmeet(task.nativeId);
    }
    // What is held when the run ends is given back all together, in order.
    if (all.length === 0 || this.#context.stop.requested) return;
    // Until the answer is here they may come again and not be known for what they are, with what is behind them.
    const groups = new Set(all.map(({ group }) => group).filter((group) => group !== null));
    const given = this.groups.givingBack(groups);
    this.#later(async () => {
      try {
        await this.#context.held.release(all.map(({ nativeId }) => nativeId));
      } finally {
        given();
      }
    });
  }

  /** Waits for what is still being recorded, tries once more what isn't deleted, and tells what stays uncertain. */
  async finish(): Promise<void> {
    await Promise.all(this.#background);
    const left = this.undeleted.all.map(({ task }) => task.nativeId);
    await this.removeAgain(left, 1);
    for (const { task, newId, why } of this.undeleted.all) {
      // Without the new id, which is told beside it: what befell many for one reason is one line for a person.
      const safe = newId === null ? 'In the archive' : 'Sent';
      const detail = `${safe}, but its delete isn't confirmed: ${why}. What is left of it is deleted when it is met again.`;
      this.#context.tally.item(
        itemFor(task.id, task.reason, 'uncertain', {
          to: task.to,
          new_id: newId,
          possible_double: task.possibleDouble,
          detail,
        }),
      );
    }
  }

  #skipped(task: Task, why: string): void {
    this.#context.request.budget.putBack(1);
    this.#tell(task, 'skipped', { detail: why });
  }

  #tell(task: Task, outcome: Outcome, rest: Parameters<typeof itemFor>[3]): void {
    this.#drop(task, true);
    this.#ended.add(task.nativeId);
    this.#context.tally.item(itemFor(task.id, task.reason, outcome, { to: task.to, ...rest }));
  }

  #done(task: UndeletedMessage['task'], newId: string | null, recorded: boolean): void {
    const unrecorded = 'It is done, but the journal could not record the end of it and will call it uncertain.';
    const detail = recorded ? task.detail : [task.detail, unrecorded].filter((part) => part !== null).join(' ');
    const { id, reason, to, possibleDouble } = task;
    this.#context.tally.item(
      itemFor(id, reason, 'done', { to, new_id: newId, possible_double: possibleDouble, detail }),
    );
  }

  #drop({ nativeId, identity }: Task, acted: boolean): void {
    if (!this.#inHand.delete(nativeId)) return;
    this.through += 1;
    this.identities.drop(identity, acted);
  }

  #later(work: () => Promise<void>): void {
    const task = work()
      .catch((error) => this.#context.stop.fail(error))
      .finally(() => this.#background.delete(task));
    this.#background.add(task);
  }
}

function doneEntry(entry: number, newId: string | null): Settlement {
  return newId === null ? { entry, state: 'done' } : { entry, state: 'done', newId };
}
