import { itemFor } from '../../../model/plan.ts';
import type { ActRequest, ActResult, Settlement } from '../../../model/ports.ts';
import type { Destination, RunContext } from './context.ts';
import type { Begun } from './hands.ts';
import { type IntentPlace, intend } from './intend.ts';
import type { Pool } from './pool.ts';
import { Pump, type Work } from './pump.ts';
import { record } from './record.ts';
import { type Sent, sayNotSent, sendBatch, unsentState } from './send.ts';
import type { Task } from './task.ts';

/** What a delivery needs of a run. */
export interface DeliveryContext extends RunContext {
  readonly request: Pick<ActRequest, 'run' | 'pace'>;
}

/** The words of one action. */
export interface DeliveryWords {
  /** What is said of a message that somebody else has begun meanwhile. */
  taken: string;
  /** Where what could not be put there still is: `in the archive`. */
  where: string;
  /** What became of one that others of its FIFO group are behind: `could not be restored`. */
  couldNot: string;
  /** What is said where a send could not be recorded. */
  unrecorded: string;
}

/** Where one action's messages go, and what is done with those that don't get there. */
export interface DeliveryParts {
  pool: Pool<Task>;
  destination: Destination;
  place: IntentPlace;
  words: DeliveryWords;
  /** A message's turn is over without having been begun. */
  giveBack: (task: Task, why: string) => void;
  /** The run stopped before these were begun. */
  leave: (tasks: Task[]) => void;
  /** A group's next message may go. */
  onNext: () => void;
}

/**
 * Puts messages on a queue that come from elsewhere than a queue, so that nothing is to be deleted: intent on disk, send, end
 * on disk. Of a FIFO group the next goes when the one before it is confirmed.
 */
export class Delivery {
  readonly #context: DeliveryContext;
  readonly #parts: DeliveryParts;

  constructor(context: DeliveryContext, parts: DeliveryParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** @returns the refusal by which the queue takes nothing more; null where it does */
  async carry(batch: Task[]): Promise<Awaited<ReturnType<typeof sendBatch>>['closed']> {
    const { request, stop, tally } = this.#context;
    const { pool, destination, giveBack, words } = this.#parts;
    await request.pace?.turn(batch.length, stop.signal);
    const begun = stop.requested ? null : await this.#intend(batch);
    if (begun === null) {
      this.#parts.leave(batch);
      return null;
    }
    const sending = await sendBatch(
      this.#context,
      destination,
      begun.map(({ task }) => task),
      () => true,
    );
    const ended = begun.map((one) => ({ ...one, sent: sending.outcomes.get(one.task) as Sent }));
    const recorded = await record(
      this.#context,
      ended.map(({ task, entry, sent }): Settlement => {
        if (sent.kind === 'sent') return { entry, state: 'done', newId: sent.newId };
        return { entry, state: unsentState(sent, task.possibleDouble), detail: sent.why };
      }),
    );
    for (const { task, sent } of ended) {
      const item = { to: task.to, possible_double: task.possibleDouble };
      if (sent.kind === 'sent') {
        const detail = recorded ? null : words.unrecorded;
        tally.item(
          itemFor(task.id, task.reason, recorded ? 'done' : 'uncertain', { ...item, new_id: sent.newId, detail }),
        );
        this.#next(task);
        continue;
      }
      const detail = sayNotSent(sent, words.where);
      tally.item(itemFor(task.id, task.reason, sent.kind === 'unknown' ? 'uncertain' : 'failed', { ...item, detail }));
      const behind = `Behind ${task.id} in its FIFO group, which ${words.couldNot}.`;
      for (const waiting of pool.holdBack(task)) giveBack(waiting, behind);
    }
    return sending.closed;
  }

  /** Puts the intents on disk. Null where the journal can't be written, and the run ends. */
  async #intend(batch: Task[]): Promise<Begun[] | null> {
    const { place, words, giveBack } = this.#parts;
    const entries = await intend(this.#context, place, batch);
    if (entries === null) return null;
    return batch.flatMap((task, n) => {
      const entry = entries[n] ?? null;
      if (entry !== null) return [{ task, entry }];
      giveBack(task, words.taken);
      this.#next(task);
      return [];
    });
  }

  #next(task: Task): void {
    this.#parts.pool.confirmed(task);
    this.#parts.onNext();
  }
}

/**
 * Carries a delivery's work from its beginning to its end.
 * @param end tells of what the run didn't come to, and answers whether that is none of what was asked for
 */
export async function deliverAll(
  { throttle, stop, tally }: DeliveryContext,
  work: Work<Task> & { onNext: () => void },
  end: () => Promise<boolean>,
): Promise<ActResult> {
  const pump = new Pump(work, throttle, stop);
  work.onNext = () => pump.wake();
  let complete: boolean;
  try {
    await pump.run();
    complete = await end();
  } finally {
    tally.end();
    stop.close();
  }
  const { interrupted, error } = stop;
  return { seen: tally.seen, complete, note: null, allInFlight: null, interrupted, error };
}
