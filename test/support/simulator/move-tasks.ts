import { type MoveTaskEntry, SqsCallError } from '../../../src/adapters/sqs/client.ts';
import type { VirtualTime } from './clock.ts';
import type { SimulatedQueue } from './queue.ts';

interface Task extends MoveTaskEntry {
  readonly id: string;
  readonly source: SimulatedQueue;
}

/** What SQS moves a second where no rate is asked for: it chooses by itself. */
const OWN_RATE = 300;
const LISTED = 10;
const VISIBILITY_SECONDS = 30;

/** SQS's own moves of whole dead-letter queues: one at a time a queue, as the service does it, with nothing reset. [aws] */
export class SimulatedMoveTasks {
  readonly #time: VirtualTime;
  readonly #tasks: Task[] = [];

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  /** @param isDeadLetterQueue whether another queue's RedrivePolicy points at the source */
  start(source: SimulatedQueue, target: SimulatedQueue, rate: number | null, isDeadLetterQueue: boolean): string {
    const invalid = (message: string) =>
      new SqsCallError('StartMessageMoveTask', 'refused', 'InvalidParameterValue', message);
    if (!isDeadLetterQueue) throw invalid('Source queue must be configured as a Dead Letter Queue.');
    if (source === target) throw invalid('Source queue arn and destination queue arn cannot be the same.');
    if (source.settings.fifo !== target.settings.fifo) throw invalid('The queues must be of the same type.');
    if (rate !== null && (!Number.isInteger(rate) || rate < 1 || rate > 500)) {
      throw invalid('MaxNumberOfMessagesPerSecond must be between 1 and 500.');
    }
    if (this.#tasks.some((task) => task.source === source && task.status === 'RUNNING')) {
      throw invalid('There is already a task running. Only one active task is allowed at a given time.');
    }
    const id = `task-${this.#tasks.length + 1}`;
    const task: Task = {
      id,
      source,
      handle: id,
      status: 'RUNNING',
      destinationArn: target.arn,
      moved: 0,
      toMove: source.counts().visible,
      startedAt: this.#time.now(),
    };
    this.#tasks.unshift(task);
    this.#time.after(1000, () => this.#go(task, target, rate ?? OWN_RATE));
    return id;
  }

  of(source: SimulatedQueue): MoveTaskEntry[] {
    const own = this.#tasks.filter((task) => task.source === source).slice(0, LISTED);
    return own.map(({ id: _id, source: _source, handle, ...entry }) => ({
      ...entry,
      ...(entry.status === 'RUNNING' && handle !== undefined && { handle }),
    }));
  }

  cancel(handle: string): void {
    const task = this.#tasks.find(({ id }) => id === handle);
    const refuse = (code: string, message: string) =>
      new SqsCallError('CancelMessageMoveTask', 'refused', code, message);
    if (task === undefined) throw refuse('ResourceNotFoundException', 'Task does not exist.');
    if (task.status !== 'RUNNING') throw refuse('InvalidParameterValue', 'Only active tasks can be cancelled.');
    task.status = 'CANCELLING';
  }

  #go(task: Task, target: SimulatedQueue, rate: number): void {
    if (task.status === 'CANCELLING') {
      task.status = 'CANCELLED';
      return;
    }
    const given = task.source.receive(rate, VISIBILITY_SECONDS) ?? [];
    for (const { message, handle } of given) {
      const { body, attributes, groupId, traceHeader } = message;
      const fifo = target.settings.fifo ? { deduplicationId: message.id } : {};
      const sent = target.send({
        body,
        attributes,
        ...fifo,
        ...(groupId !== undefined && { groupId }),
        ...(traceHeader !== undefined && { traceHeader }),
      });
      if ('code' in sent) {
        task.status = 'FAILED';
        task.failureReason = sent.code;
        return;
      }
      task.source.delete(handle);
      task.moved += 1;
    }
    if (given.length === 0) task.status = 'COMPLETED';
    else this.#time.after(1000, () => this.#go(task, target, rate));
  }
}
