import { createHash } from 'node:crypto';
import type { ImportedMessage } from '../../../model/export-line.ts';
import { itemFor } from '../../../model/plan.ts';
import type { ActResult, PutRequest } from '../../../model/ports.ts';
import type { SqsMessage } from '../../../model/sqs-message.ts';
import type { DeadLetterQueue } from '../queue.ts';
import type { Destination, RedriveDeps } from './context.ts';
import { Delivery } from './deliver.ts';
import { Pool } from './pool.ts';
import { Pump, type Work } from './pump.ts';
import { Stop } from './stop.ts';
import { Tally } from './tally.ts';
import type { Task } from './task.ts';
import { Throttle } from './throttle.ts';
import { forRestore } from './transform.ts';

/** Messages taken from the file at once. */
const PAGE = 20;
const BATCH = 10;

/** A queue that messages are put on, and what the journal knows it by. */
export interface PutPlace {
  destination: Destination;
  place: string;
  /** The source by which it is reached. */
  source: string;
}

/** A message as SQS keeps them; its body must be text. */
export function sqsMessageOf({ nativeId, body, attributes, systemAttributes }: ImportedMessage): SqsMessage {
  return { messageId: nativeId, body: body ?? '', attributes, systemAttributes };
}

/** Puts messages on a queue, byte for byte, in their order: within a FIFO group each when the one before is confirmed. */
export async function putOnQueue(
  queue: DeadLetterQueue,
  { destination, place, source }: PutPlace,
  request: PutRequest,
  deps: RedriveDeps,
): Promise<ActResult> {
  const { journal, clock } = deps;
  const stop = new Stop(request.signal, source);
  const tally = new Tally(request, source, clock);
  const throttle = Throttle.forRun(request, deps);
  const run = new PutRun(request, destination, (task, why) => {
    tally.item(itemFor(task.id, task.reason, 'skipped', { to: task.to, detail: why }));
  });
  const context = { request, journal, clock, throttle, stop, tally };
  run.delivery = new Delivery(context, {
    pool: run.pool,
    destination,
    source,
    place,
    taken: 'Another run has put it there meanwhile.',
    where: 'in the file',
    couldNot: 'could not be put there',
    unrecorded: 'Sent, but the journal could not record it: imported again it would be there twice.',
    giveBack: run.skip,
    leave: (tasks) => run.leave(tasks),
    intentOf: () => ({ message: null, ...(request.again && { again: true }) }),
    onNext: () => pump.wake(),
  });
  run.onClosed = (closed) => stop.fail(queue.explain(closed, destination.name));
  run.onSeen = (seen) => tally.see(seen);
  const pump = new Pump(run, throttle, stop);
  try {
    await pump.run();
    if (stop.requested) await run.skipRest();
  } finally {
    tally.end();
    stop.close();
  }
  return {
    seen: tally.seen,
    complete: !stop.requested,
    note: null,
    allInFlight: null,
    interrupted: stop.interrupted,
    error: stop.error,
  };
}

class PutRun implements Work<Task> {
  readonly pool = new Pool<Task>();
  readonly eager: boolean;
  readonly most: number;
  readonly skip: (task: Task, why: string) => void;
  delivery: Delivery | null = null;
  onClosed: (closed: NonNullable<Awaited<ReturnType<Delivery['carry']>>>) => void = () => {};
  onSeen: (messages: number) => void = () => {};
  readonly #request: PutRequest;
  readonly #destination: Destination;
  readonly #messages: AsyncIterator<ImportedMessage>;
  #ended = false;

  constructor(request: PutRequest, destination: Destination, skip: (task: Task, why: string) => void) {
    this.#request = request;
    this.#destination = destination;
    this.#messages = request.messages[Symbol.asyncIterator]();
    this.eager = destination.fifo;
    this.most = request.pace?.batch ?? BATCH;
    this.skip = skip;
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
      this.onSeen(1);
      const task = this.#taskOf(next.value);
      if (!this.pool.add(task)) this.skip(task, 'Behind one of its FIFO group that could not be put there.');
    }
    return true;
  }

  async carry(batch: Task[]): Promise<void> {
    const closed = (await this.delivery?.carry(batch)) ?? null;
    if (closed !== null) this.onClosed(closed);
  }

  leave(tasks: Task[]): void {
    for (const task of tasks.flatMap((one) => [one, ...this.pool.giveUp(one)])) this.skip(task, NOT_BEGUN);
  }

  /** What the run didn't come to is told too: the file has it, and nothing else says so. */
  async skipRest(): Promise<void> {
    for (let next = await this.#messages.next(); !next.done; next = await this.#messages.next()) {
      this.skip(this.#taskOf(next.value), NOT_BEGUN);
    }
  }

  #taskOf(imported: ImportedMessage): Task {
    const destination = this.#destination;
    const message = sqsMessageOf(imported);
    const made = forRestore(message, destination, () => importedDeduplicationId(imported, this.#request.run.id));
    return {
      id: imported.id,
      nativeId: imported.nativeId,
      message,
      identity: imported.nativeId,
      reason: imported.reason,
      queue: imported.queue,
      subject: imported.subject,
      to: destination.name,
      destination,
      place: destination.url,
      group: destination.fifo ? (message.systemAttributes.MessageGroupId ?? null) : null,
      bytes: made.bytes,
      entry: made.entry,
      remembered: imported.remembered,
      possibleDouble: false,
      last: null,
      detail: null,
    };
  }
}

const NOT_BEGUN = 'Not begun: the run stopped before it came to it.';

/** New in every run, or SQS would drop what is put there again on purpose; the same when its send is repeated in one. */
function importedDeduplicationId({ id, systemAttributes }: ImportedMessage, run: string): string {
  const copy = `${id}/${systemAttributes.SequenceNumber ?? ''}`;
  return `babelq-imported-${createHash('sha256').update(`${run}/${copy}`).digest('hex')}`;
}
