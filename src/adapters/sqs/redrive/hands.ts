import type { Outcome } from '../../../model/action.ts';
import type { Settlement } from '../../../model/ports.ts';
import type { Met, Task } from './task.ts';

/** A message whose intent is on disk. */
export interface Begun {
  readonly task: Task;
  readonly entry: number;
}

/** A message that is safe elsewhere, and is to be deleted from the queue. */
export interface Safe extends Begun {
  /** Its id in the target; null where the archive has it. */
  readonly newId: string | null;
}

/** What a verb does to messages of the queue. */
export interface Verb {
  /** Makes a task of a message, or says why it can't be done. */
  prepare(met: Met): Promise<Task | { why: string }>;
  /** Takes one batch from its beginning to its end. */
  carry(batch: Task[], hands: Hands): Promise<void>;
}

/** What a run gives a verb to work with: each step of a message's way, with its bookkeeping. */
export interface Hands {
  /** The turn that the rate gives, and time enough on the visibility timeouts. Answers those that may begin. */
  begin(batch: Task[]): Promise<Task[]>;
  /** Whether a message is surely ours for long enough to send it. */
  isOurs(task: Task): boolean;
  /** Puts intents on disk. Answers those that may go on: none where the journal can't be written, and the run ends. */
  intend(tasks: Task[]): Promise<Begun[]>;
  /** Puts on disk what became of entries; false where that can't be done: the run ends, what was begun is finished. */
  record(settlements: Settlement[]): Promise<boolean>;
  /** Its send is confirmed: the next of its FIFO group may go. */
  next(task: Task): void;
  /** Deletes what is safe elsewhere, records the end and tells it. */
  remove(safe: Safe[]): Promise<void>;
  /** Gives back what can't be done now; it is met again. */
  letGo(tasks: Task[]): void;
  /** Not begun, and why; nothing of it is journaled. */
  skip(task: Task, why: string): void;
  /** Begun, and not done: what follows it in its FIFO group must wait. */
  end(task: Task, outcome: Extract<Outcome, 'failed' | 'uncertain'>, detail: string): void;
}
