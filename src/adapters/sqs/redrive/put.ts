import { createHash } from 'node:crypto';
import type { ImportedMessage } from '../../../model/export-line.ts';
import { itemFor } from '../../../model/plan.ts';
import type { ActResult, PutRequest } from '../../../model/ports.ts';
import type { SqsMessage } from '../../../model/sqs-message.ts';
import { groupOf } from '../fifo-group.ts';
import { BATCH } from '../limits.ts';
import type { DeadLetterQueue } from '../queue.ts';
import { beginRun, type Destination, type RedriveDeps } from './context.ts';
import { Delivery, type DeliveryContext, type DeliveryWords, deliverAll } from './deliver.ts';
import type { IntentPlace } from './intend.ts';
import { Pool } from './pool.ts';
import type { Work } from './pump.ts';
import { sendTask, type Task } from './task.ts';
import { forRestore } from './transform.ts';

/** Messages taken from the file at once. */
const PAGE = 20;

/** A queue that messages are put on, and what the journal is told of it. */
export interface PutPlace extends IntentPlace {
  destination: Destination;
}

/** A message as SQS keeps them; its body must be text. */
export function sqsMessageOf({ nativeId, body, attributes, systemAttributes }: ImportedMessage): SqsMessage {
  return { messageId: nativeId, body: body ?? '', attributes, systemAttributes };
}

const WORDS: DeliveryWords = {
  taken: 'Another run has put it there meanwhile.',
  where: 'in the file',
  couldNot: 'could not be put there',
  unrecorded: 'Sent, but the journal could not record it: imported again it would be there twice.',
};

type PutContext = Omit<DeliveryContext, 'request'> & { queue: DeadLetterQueue; request: PutRequest };

/**
 * Puts messages on a queue, byte for byte, in their order: within a FIFO group each when the one before is confirmed.
 * @param queue by whose source the place is reached
 */
export async function putOnQueue(
  queue: DeadLetterQueue,
  place: PutPlace,
  request: PutRequest,
  deps: RedriveDeps,
): Promise<ActResult> {
  const context = { ...beginRun(request, place.source, deps), queue, request };
  const run = new PutRun(context, place);
  return deliverAll(context, run, async () => {
    if (!context.stop.requested) return true;
    await run.skipRest();
    return false;
  });
}

class PutRun implements Work<Task> {
  readonly pool = new Pool<Task>();
  readonly eager: boolean;
  readonly most: number;
  onNext: () => void = () => {};
  readonly #delivery: Delivery;
  readonly #context: PutContext;
  readonly #destination: Destination;
  readonly #messages: AsyncIterator<ImportedMessage>;
  #ended = false;

  constructor(context: PutContext, { destination, ...place }: PutPlace) {
    const { request } = context;
    this.#context = context;
    this.#destination = destination;
    this.#messages = request.messages[Symbol.asyncIterator]();
    this.eager = destination.fifo;
    this.most = request.pace?.batch ?? BATCH;
    this.#delivery = new Delivery(context, {
      pool: this.pool,
      destination,
      place,
      words: WORDS,
      giveBack: (task, why) => this.#skip(task, why),
      leave: (tasks) => this.leave(tasks),
      onNext: () => this.onNext(),
    });
  }

  wantsMore(fetching: number): boolean {
    return fetching === 0 && !this.#ended;
  }

  async fetch(): Promise<boolean> {
    for (let taken = 0; taken < PAGE; taken += 1) {
      const next = await this.#messages.next();
      if (next.done) {
        this.#ended = true;
        return false;
      }
      this.#context.tally.see(1);
      const task = this.#taskOf(next.value);
      if (!this.pool.add(task)) this.#skip(task, 'Behind one of its FIFO group that could not be put there.');
    }
    return true;
  }

  async carry(batch: Task[]): Promise<void> {
    const closed = await this.#delivery.carry(batch);
    if (closed !== null) this.#context.stop.fail(this.#context.queue.explain(closed, this.#destination.name));
  }

  leave(tasks: Task[]): void {
    for (const task of tasks.flatMap((one) => [one, ...this.pool.giveUp(one)])) this.#skip(task, NOT_BEGUN);
  }

  /** What the run didn't come to is told too: the file has it, and nothing else says so. */
  async skipRest(): Promise<void> {
    for (let next = await this.#messages.next(); !next.done; next = await this.#messages.next()) {
      this.#skip(this.#taskOf(next.value), NOT_BEGUN);
    }
  }

  #taskOf(imported: ImportedMessage): Task {
    const { request } = this.#context;
    const { id, nativeId, reason, queue, subject, remembered } = imported;
    const message = sqsMessageOf(imported);
    const made = forRestore(message, this.#destination, () => importedDeduplicationId(imported, request.run.id));
    return sendTask({ id, nativeId, identity: nativeId, reason, queue, subject }, made, this.#destination, {
      group: groupOf(message, this.#destination),
      kept: null,
      remembered,
      possibleDouble: false,
      last: null,
      again: request.again,
      detail: null,
    });
  }

  #skip(task: Task, why: string): void {
    this.#context.tally.item(itemFor(task.id, task.reason, 'skipped', { to: task.to, detail: why }));
  }
}

const NOT_BEGUN = 'Not begun: the run stopped before it came to it.';

/** New in every run, or SQS would drop what is put there again on purpose; the same when its send is repeated in one. */
function importedDeduplicationId({ id, systemAttributes }: ImportedMessage, run: string): string {
  const copy = `${id}/${systemAttributes.SequenceNumber ?? ''}`;
  return `babelq-imported-${createHash('sha256').update(`${run}/${copy}`).digest('hex')}`;
}
