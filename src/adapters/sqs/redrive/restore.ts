import { readBody } from '../../../model/envelope.ts';
import type { WholeFailure } from '../../../model/failure.ts';
import { identityOf } from '../../../model/identity.ts';
import { itemFor } from '../../../model/plan.ts';
import type { ActRequest, ActResult, ArchivedMessage, Recollection } from '../../../model/ports.ts';
import type { Describer } from '../describe.ts';
import { groupOf } from '../fifo-group.ts';
import { BATCH } from '../limits.ts';
import type { DeadLetterQueue } from '../queue.ts';
import { beginRun, type Context, type Destination, destinationOn, type RedriveDeps } from './context.ts';
import { Delivery, type DeliveryWords, deliverAll } from './deliver.ts';
import { type Past, pastOf, sayElsewhere } from './past.ts';
import { Pool } from './pool.ts';
import type { Work } from './pump.ts';
import { type Selector, selectorFor } from './select.ts';
import { sendTask, type Task } from './task.ts';
import { deduplicationIdOf, forRestore } from './transform.ts';

/** Archived messages read at once: whole ones, so few. */
const PAGE = 20;
/** So many ids are looked up in the archive; for more it is read through. */
const MOST_LOOKED_UP = 200;

const WORDS: DeliveryWords = {
  taken: 'It has left the archive meanwhile, or another run is restoring it.',
  where: 'in the archive',
  couldNot: 'could not be restored',
  // Restored again it would be there twice.
  unrecorded: 'Sent, but the journal could not record it, and its archive has it still.',
};

type RestoreContext = Omit<Context, 'held'>;

/**
 * Puts dismissed messages back on the dead-letter queue they came from, byte for byte, and lets the archive go of each
 * only when its send is confirmed.
 */
export async function restoreToQueue(
  queue: DeadLetterQueue,
  describer: Describer,
  request: ActRequest,
  deps: RedriveDeps,
): Promise<ActResult> {
  const { source } = describer.facts;
  const about = await deps.journal.countArchived(queue.place);
  const context: RestoreContext = { ...beginRun(request, source, deps), queue, describer, request };
  const { stop, tally } = context;
  tally.about = about;
  const selector = selectorFor(request, queue.name);
  const run = new RestoreRun(context, selector);
  return deliverAll(context, run, async () => {
    const detail = stop.requested ? 'Not begun: the run stopped before it was met.' : 'It is not in the archive.';
    for (const nativeId of selector.unmet) {
      tally.item(itemFor(`${source}/${nativeId}`, null, 'skipped', { detail }));
    }
    return selector.satisfied || run.readAll;
  });
}

/** A message of the archive, with all that is known of it. */
interface Found {
  archived: ArchivedMessage;
  failure: WholeFailure;
  identity: string;
  recollection: Recollection;
}

class RestoreRun implements Work<Task> {
  readonly pool = new Pool<Task>();
  readonly eager: boolean;
  readonly most: number;
  onNext: () => void = () => {};
  readonly #delivery: Delivery;
  readonly #context: RestoreContext;
  readonly #selector: Selector;
  readonly #destination: Destination;
  readonly #lookUp: readonly string[] | null;
  #after: number | null = 0;

  constructor(context: RestoreContext, selector: Selector) {
    const { queue, request } = context;
    this.#context = context;
    this.#selector = selector;
    this.eager = queue.fifo;
    this.most = request.pace?.batch ?? BATCH;
    this.#destination = destinationOn(queue);
    this.#delivery = new Delivery(context, {
      pool: this.pool,
      destination: this.#destination,
      place: { source: context.describer.facts.source, place: queue.place },
      words: WORDS,
      giveBack: (task, why) => this.#giveBack(task, why),
      leave: (tasks) => this.leave(tasks),
      onNext: () => this.onNext(),
    });
    const { selection } = request;
    this.#lookUp = selection.kind === 'ids' && selection.ids.size <= MOST_LOOKED_UP ? [...selection.ids.keys()] : null;
  }

  get readAll(): boolean {
    return this.#after === null;
  }

  wantsMore(fetching: number): boolean {
    return fetching === 0 && this.#after !== null && !this.#selector.satisfied && this.#context.request.budget.left > 0;
  }

  async fetch(): Promise<boolean> {
    const { describer, journal, queue, request, tally } = this.#context;
    const { messages, next } = await journal.archived(queue.place, {
      limit: PAGE,
      after: this.#after ?? 0,
      ...(this.#lookUp !== null && { nativeIdPrefixes: this.#lookUp }),
    });
    const failures = await describer.archived(messages);
    const identities = messages.map(({ message }) =>
      identityOf(readBody(message.body, message.attributes), message.body),
    );
    const recollections = await journal.recall(
      queue.place,
      messages.map(({ nativeId }, n) => ({ nativeId, identity: identities[n] as string })),
      request.run,
    );
    tally.see(messages.length);
    for (const [n, archived] of messages.entries()) {
      this.#take({
        archived,
        failure: failures[n] as WholeFailure,
        identity: identities[n] as string,
        // Whether one like it was sent in this run says nothing: each archived message is restored by itself.
        recollection: { ...(recollections[n] as Recollection), sentInRun: false },
      });
    }
    this.#after = next;
    return next !== null;
  }

  #take(found: Found): void {
    const { archived, failure, recollection } = found;
    if (this.#cameLater(archived)) return;
    const choice = this.#selector.choose(archived.message, failure, recollection);
    if (choice.kind === 'leave') return;
    const past = pastOf(recollection, this.#context.request.run);
    const { task, blocked } = this.#taskOf(found, past);
    const why = choice.kind === 'skip' ? choice.why : (whyPastForbids(past) ?? blocked);
    if (why !== null) this.#skip(task, why);
    else if (this.#context.request.budget.take(1) === 0) this.#selector.unmeet(archived.nativeId);
    else if (!this.pool.add(task)) this.#giveBack(task, 'Behind one of its FIFO group that could not be restored.');
  }

  async carry(batch: Task[]): Promise<void> {
    const closed = await this.#delivery.carry(batch);
    if (closed !== null) this.#context.stop.fail(this.#context.queue.explain(closed));
  }

  leave(tasks: Task[]): void {
    for (const task of tasks.flatMap((one) => [one, ...this.pool.giveUp(one)])) {
      this.#context.request.budget.putBack(1);
      this.#selector.unmeet(task.nativeId);
    }
  }

  /** What was dismissed after the start isn't restored with what was there then. */
  #cameLater({ entry }: ArchivedMessage): boolean {
    const { selection, run } = this.#context.request;
    return selection.kind === 'match' && entry > run.newest;
  }

  #taskOf({ archived, failure, identity, recollection }: Found, past: Past): { task: Task; blocked: string | null } {
    const { message, entry, nativeId, confirmed, remembered } = archived;
    const { id, reason, queue, subject } = failure;
    const same = past.kind === 'doubtful' ? past.deduplicationId : null;
    const made = forRestore(message, this.#destination, () => same ?? deduplicationIdOf(message, entry));
    const task = sendTask({ id, nativeId, identity, reason, queue, subject }, made, this.#destination, {
      group: groupOf(message, this.#destination),
      kept: message,
      remembered: remembered === null ? null : { ...remembered, archivedUntil: null },
      // Where its delete was never confirmed it may lie on the queue still.
      possibleDouble: past.kind === 'doubtful' || !confirmed,
      last: recollection.last,
      restores: entry,
      detail: null,
    });
    return { task, blocked: made.blocked };
  }

  #giveBack(task: Task, why: string): void {
    this.#context.request.budget.putBack(1);
    this.#skip(task, why);
  }

  #skip(task: Task, why: string): void {
    this.#context.tally.item(itemFor(task.id, task.reason, 'skipped', { to: task.to, detail: why }));
  }
}

/** Why what is known of an archived message keeps it from being restored now; null where nothing does. */
function whyPastForbids(past: Past): string | null {
  if (past.kind === 'elsewhere') return sayElsewhere(past);
  return past.kind === 'tried' ? 'It was tried in this run already.' : null;
}
