import { classify } from '../../model/classify.ts';
import { type Reading, readBody } from '../../model/envelope.ts';
import type { WholeFailure } from '../../model/failure.ts';
import type { ArchivedMessage, Aside, Journal } from '../../model/ports.ts';
import type { QueueFacts, RememberedFacts, SqsMessage } from '../../model/sqs-message.ts';
import { chooseTarget, namesToCheck } from '../../model/target.ts';
import type { DeadLetterQueue } from './queue.ts';
import { pastOnQueue } from './redrive/past.ts';
import type { TargetQueue } from './targets.ts';

/** What a failure is made of. */
interface Evident {
  message: SqsMessage;
  reading: Reading;
  remembered: RememberedFacts | null;
}

/**
 * Makes failures of messages: with what the journal remembers of them, and after asking for the queues that their
 * evidence names. Throws BabelqError where those can't be asked for.
 */
export class Describer {
  readonly facts: QueueFacts;
  readonly #queue: DeadLetterQueue;

  constructor(queue: DeadLetterQueue, facts: QueueFacts) {
    this.#queue = queue;
    this.facts = facts;
  }

  /** Of messages on the queue, in the same order. */
  async received(
    messages: readonly SqsMessage[],
    journal: Journal,
  ): Promise<{ failure: WholeFailure; aside: Aside }[]> {
    const readings = messages.map(({ body, attributes }) => readBody(body, attributes));
    const recollections = await journal.recall(
      this.#queue.place,
      // Without a run the journal goes by the MessageId alone.
      messages.map(({ messageId }, n) => ({ nativeId: messageId, identity: readings[n]?.envelope?.id ?? messageId })),
      null,
    );
    const failures = await this.failuresOf(
      messages.map((message, n) => ({
        message,
        reading: readings[n] ?? readBody(message.body, message.attributes),
        remembered: recollections[n]?.remembered ?? null,
      })),
    );
    return failures.map((failure, n) => {
      const recollection = recollections[n];
      const possibleDouble = recollection !== undefined && pastOnQueue(recollection, null).kind === 'doubtful';
      return { failure, aside: { possibleDouble } };
    });
  }

  /** Of messages in the archive, in the same order. */
  archived(archived: readonly ArchivedMessage[]): Promise<WholeFailure[]> {
    return this.failuresOf(
      archived.map(({ message, remembered, expiresAt }) => ({
        message,
        reading: readBody(message.body, message.attributes),
        remembered: {
          sourceArn: null,
          sentAt: null,
          failedAt: null,
          retryTo: null,
          ...remembered,
          archivedUntil: new Date(expiresAt).toISOString(),
        },
      })),
    );
  }

  /** What evidence says of where it goes, whatever `--to` and the configuration say: for the archive to remember. */
  async evidentTarget(
    message: SqsMessage,
    remembered: RememberedFacts | null,
    reading: Reading,
  ): Promise<string | null> {
    const facts = { ...this.facts, to: null, redriveTo: null };
    const evidence = { message, reading, remembered, facts };
    await this.#queue.targets.look(namesToCheck(evidence));
    return chooseTarget(evidence, this.#queue.targets.known).queue;
  }

  /** Where a retry of a failure goes; `--to` and `redrive_to` may lead out of the source's own account and region. */
  targetOf({ retry_to, retry_to_basis }: WholeFailure): Promise<TargetQueue> | null {
    const { to, redriveTo } = this.facts;
    const typed = retry_to_basis === 'flag' ? to : retry_to_basis === 'config' ? redriveTo : null;
    const asked = typed ?? retry_to;
    return asked === null ? null : this.#queue.targets.find(asked);
  }

  /** Of messages that were read already, in the same order. */
  async failuresOf(evident: readonly Evident[]): Promise<WholeFailure[]> {
    await this.#look(evident);
    const { known } = this.#queue.targets;
    return evident.map(({ message, remembered, reading }) => classify(message, this.facts, known, remembered, reading));
  }

  async #look(evident: readonly Evident[]): Promise<void> {
    const names = new Set<string>();
    for (const one of evident) for (const name of namesToCheck({ ...one, facts: this.facts })) names.add(name);
    await this.#queue.targets.look(names);
  }
}
