import { BabelqError, Interrupted } from '../../model/errors.ts';
import type { ImportedMessage } from '../../model/export-line.ts';
import type { ActResult, Clock, Intake, Journal, JudgeRequest, PutRequest, Recollection } from '../../model/ports.ts';
import { isSendable } from '../../model/size.ts';
import { SqsCallError } from './client.ts';
import { journalPlace } from './place.ts';
import type { DeadLetterQueue } from './queue.ts';
import { readAttributes } from './queue-attributes.ts';
import { readQueue } from './reading.ts';
import { type Destination, destinationOn, type RedriveDeps } from './redrive/context.ts';
import { type PutPlace, putOnQueue, sqsMessageOf } from './redrive/put.ts';
import { forRestore } from './redrive/transform.ts';

const AGAIN = '--again puts it there all the same.';

/**
 * The queue that messages are put on: the dead-letter queue itself, or the one that `to` names.
 * @param source the source's name
 * @throws BabelqError `no_queue`, `config`, `forbidden` and the like
 */
export async function openIntake(
  queue: DeadLetterQueue,
  source: string,
  to: string | null,
  deps: RedriveDeps,
): Promise<Intake> {
  return new SqsIntake(queue, await placeOf(queue, source, to), deps);
}

async function placeOf(queue: DeadLetterQueue, source: string, to: string | null): Promise<PutPlace> {
  const home = { destination: destinationOn(queue), place: queue.place, source };
  if (to === null) return home;
  const target = await queue.targets.find(to);
  if (target.url === null) {
    throw new BabelqError('no_queue', `The queue ${target.name} does not exist.`, {
      hint: 'Give --to the name, URL or ARN of a queue that is there.',
      source,
    });
  }
  if (target.url === queue.url) return home;
  return { destination: { ...target, url: target.url }, place: await placeNameOf(target.client, target.url), source };
}

/** As a dead-letter queue is named in the journal; by its URL where nothing may be asked about it. */
async function placeNameOf(client: Destination['client'], url: string): Promise<string> {
  try {
    const { arn } = readAttributes(await client.queueAttributes(url), '');
    return arn === null ? url : journalPlace(arn, client);
  } catch (error) {
    if (error instanceof SqsCallError && error.trouble === 'refused') return url;
    throw error;
  }
}

class SqsIntake implements Intake {
  readonly queue: string;
  readonly #dead: DeadLetterQueue;
  readonly #to: PutPlace;
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #deps: RedriveDeps;
  /** What lies on the dead-letter queue, once it was looked at: an id each. */
  #lying: Promise<ReadonlySet<string>> | null = null;

  constructor(dead: DeadLetterQueue, to: PutPlace, deps: RedriveDeps) {
    this.queue = to.destination.name;
    this.#dead = dead;
    this.#to = to;
    this.#journal = deps.journal;
    this.#clock = deps.clock;
    this.#deps = deps;
  }

  put(request: PutRequest): Promise<ActResult> {
    return putOnQueue(this.#dead, this.#to, request, this.#deps);
  }

  async judge(messages: readonly ImportedMessage[], request: JudgeRequest): Promise<(string | null)[]> {
    const judged = messages.map((message) => this.#whyNotTaken(message));
    if (request.again) return judged;
    const imported = await this.#journal.imported(
      this.#to.place,
      messages.map(({ nativeId }) => nativeId),
    );
    for (const [n, entry] of imported.entries()) if (entry !== null) judged[n] ??= sayImported(entry);
    await this.#judgeOwn(messages, judged);
    const own = messages.filter((message, n) => judged[n] === null && this.#isOwn(message));
    if (own.length === 0) return judged;
    this.#lying ??= this.#look(request);
    const lying = await this.#lying;
    return judged.map((why, n) => {
      const message = messages[n];
      if (why !== null || message === undefined || !this.#isOwn(message) || !lying.has(message.nativeId)) return why;
      return `It lies on ${this.#dead.name} still. ${AGAIN}`;
    });
  }

  /** What the journal and the archive know of messages that were on this dead-letter queue. */
  async #judgeOwn(messages: readonly ImportedMessage[], judged: (string | null)[]): Promise<void> {
    const own = [...messages.entries()].filter(([n, message]) => judged[n] === null && this.#isOwn(message));
    const nativeIds = own.map(([, { nativeId }]) => nativeId);
    if (own.length === 0) return;
    const recalled = await this.#journal.recall(
      this.#dead.place,
      nativeIds.map((nativeId) => ({ nativeId, identity: nativeId })),
      null,
    );
    for (const [n, recollection] of recalled.entries()) {
      const at = own[n]?.[0];
      if (at !== undefined) judged[at] = sayPast(recollection);
    }
  }

  #isOwn({ source }: ImportedMessage): boolean {
    return source === this.#to.source;
  }

  /** Why the queue would not take it as it is. */
  #whyNotTaken(message: ImportedMessage): string | null {
    if (message.body === null) return 'Its body is not UTF-8 text, and SQS carries nothing else.';
    if (!isSendable(message.body)) return 'Its body is empty, or holds characters that SQS does not accept.';
    return forRestore(sqsMessageOf(message), this.#to.destination, () => '').blocked;
  }

  async #look({ allowReceive, signal, onProgress }: JudgeRequest): Promise<ReadonlySet<string>> {
    this.#dead.refuseWhereLooksCount(allowReceive);
    const lying = new Set<string>();
    const { source } = this.#to;
    const { end, complete } = await readQueue(
      this.#dead,
      this.#clock,
      { signal, onProgress: (progress) => onProgress?.({ source, ...progress }) },
      async (messages) => {
        for (const { messageId } of messages) lying.add(messageId);
        return 'more';
      },
    );
    if (end === 'aborted') throw new Interrupted();
    if (complete) return lying;
    throw new BabelqError(
      'refused',
      `Not all of ${this.#dead.name} could be seen, so whether these messages lie there still isn't known.`,
      { hint: 'Try again when nobody else has its messages, or put them there all the same with --again.', source },
    );
  }
}

function sayImported({ run, newId }: { run: string; newId: string | null }): string {
  const what = newId === null ? 'may have put it there: its answer was never heard' : `put it there as ${newId}`;
  return `Run ${run} ${what}. ${AGAIN}`;
}

function sayPast({ unfinished, finished }: Recollection): string | null {
  if (unfinished !== null) return `Run ${unfinished.run} has begun to ${unfinished.action} it. ${AGAIN}`;
  if (finished === null) return null;
  const { run, action, to, newId } = finished;
  if (action === 'dismiss') return `Run ${run} has dismissed it: babelq restore brings it back. ${AGAIN}`;
  const past = action === 'retry' ? `has retried it${to === null ? '' : `, to ${to}`}` : 'has restored it';
  return `Run ${run} ${past}${newId === null ? '' : ` as ${newId}`}. ${AGAIN}`;
}
