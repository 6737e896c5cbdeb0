import { BabelqError, Interrupted } from '../../model/errors.ts';
import type { MoveTask, MoveTasks } from '../../model/ports.ts';
import { type MoveTaskEntry, SqsCallError } from './client.ts';
import { isDenied } from './errors.ts';
import type { DeadLetterQueue } from './queue.ts';
import { typedFor } from './target-facts.ts';

const MISSING =
  '--native needs sqs:StartMessageMoveTask, sqs:ListMessageMoveTasks and sqs:CancelMessageMoveTask on the dead-letter queue, beside ReceiveMessage, DeleteMessage and GetQueueAttributes there and SendMessage on the target.';
const STATUSES = ['RUNNING', 'COMPLETED', 'CANCELLING', 'CANCELLED', 'FAILED'] as const;

/** SQS's own move tasks on a dead-letter queue. Starting is never repeated: only one may run, but which is asked first. */
export class SqsMoveTasks implements MoveTasks {
  readonly #open: (signal: AbortSignal) => Promise<DeadLetterQueue>;
  readonly #redriveTo: () => string | null;
  #queue: DeadLetterQueue | null = null;

  constructor(open: (signal: AbortSignal) => Promise<DeadLetterQueue>, redriveTo: () => string | null) {
    this.#open = open;
    this.#redriveTo = redriveTo;
  }

  async list(signal: AbortSignal): Promise<MoveTask[]> {
    const queue = await this.#opened(signal);
    try {
      return (await queue.client.moveTasks(queue.arn)).map(toMoveTask);
    } catch (error) {
      throw explained(queue, error);
    }
  }

  async arnOf(to: string, signal: AbortSignal): Promise<{ name: string; arn: string; fifo: boolean }> {
    const queue = await this.#opened(signal);
    const asked = typedFor(to, [this.#redriveTo()]);
    const { name, client, url, fifo } = await queue.targets.find(asked);
    if (url === null) {
      throw new BabelqError('no_queue', `The queue ${name} does not exist.`, { hint: 'Name another with --to.' });
    }
    try {
      const { QueueArn } = await client.queueAttributes(url);
      if (QueueArn) return { name, arn: QueueArn, fifo };
    } catch (error) {
      if (!isDenied(error)) {
        throw error instanceof SqsCallError ? queue.explain(error, name) : error;
      }
    }
    // Who may not ask for it: given as an ARN it is known, and beside the dead-letter queue it is named like it.
    const arn = asked.startsWith('arn:') ? asked : `${queue.arn.slice(0, queue.arn.lastIndexOf(':'))}:${name}`;
    return { name, arn, fifo };
  }

  async start(destinationArn: string, rate: number | null): Promise<string | null> {
    const queue = await this.#opened(new AbortController().signal);
    try {
      return await queue.client.startMoveTask({ sourceArn: queue.arn, destinationArn, rate });
    } catch (error) {
      if (error instanceof SqsCallError && error.mayHaveHappened) return null;
      throw explained(queue, error);
    }
  }

  async cancel(handle: string): Promise<void> {
    const queue = await this.#opened(new AbortController().signal);
    try {
      await queue.client.cancelMoveTask(handle);
    } catch (error) {
      throw explained(queue, error);
    }
  }

  async #opened(signal: AbortSignal): Promise<DeadLetterQueue> {
    // A cancellation comes after Ctrl+C: the queue that was opened before goes on.
    if (this.#queue === null) this.#queue = await this.#open(signal);
    else if (signal.aborted) throw new Interrupted();
    return this.#queue;
  }
}

function explained(queue: DeadLetterQueue, error: unknown): unknown {
  if (!(error instanceof SqsCallError)) return error;
  if (error.trouble === 'refused' && /UnsupportedOperation|UnknownOperation|InvalidAction/.test(error.code)) {
    return new BabelqError('refused', `The server of ${queue.name} has no move tasks (${error.call}).`, {
      hint: 'Retry without --native: babelq moves the messages itself.',
      cause: error,
    });
  }
  const known = queue.explain(error);
  if (known.code !== 'forbidden') return known;
  return new BabelqError('forbidden', known.message, {
    hint: `${MISSING} A retry without --native needs none of the three.`,
    cause: error,
  });
}

function toMoveTask(entry: MoveTaskEntry): MoveTask {
  return {
    handle: entry.handle ?? null,
    status: STATUSES.find((status) => status === entry.status) ?? 'UNKNOWN',
    destination_arn: entry.destinationArn ?? null,
    moved: entry.moved,
    to_move: entry.toMove ?? null,
    failure: entry.failureReason ?? null,
    started_at: entry.startedAt ?? null,
  };
}
