import type { WholeFailure } from '../../../model/failure.ts';
import { blockedFor, changedTarget, destinationOf } from '../../../model/plan.ts';
import type { ActRequest, Recollection, Selection } from '../../../model/ports.ts';
import type { SqsMessage } from '../../../model/sqs-message.ts';
import type { ReceivedMessage } from '../client.ts';
import { Arrivals } from './arrivals.ts';

/** What is to be done with a message that was met. */
export type Choice =
  /** Taken, and nothing stands in its way. */
  | { kind: 'act' }
  /** Taken, but it can't be done. */
  | { kind: 'skip'; why: string }
  /** Not taken: it stays where it is, and nothing is said of it. */
  | { kind: 'leave' };

const LEAVE: Choice = { kind: 'leave' };
const ACT: Choice = { kind: 'act' };

/** Which messages of a queue an action takes. */
export interface Selector {
  choose(message: SqsMessage, failure: WholeFailure, recollection: Recollection): Choice;
  /** Takes in what a receive tells of SQS's clock. */
  learn(messages: readonly ReceivedMessage[], askedAt: number, answeredAt: number): void;
  /** One that was chosen was let go, and will be met again. */
  unmeet(nativeId: string): void;
  /** Nothing more can come that it takes. */
  readonly satisfied: boolean;
  /** Ids that were asked for and not met. */
  readonly unmet: readonly string[];
  /** How many matched but came after the start, or came back. */
  readonly later: number;
}

/**
 * What a request's selection takes.
 * @param heldIn the dead-letter queue's name, as items name it
 */
export function selectorFor({ selection, action }: ActRequest, heldIn: string): Selector {
  return selection.kind === 'ids' ? new ById(selection.ids, action, heldIn) : new ByMatch(selection, action);
}

/** Keeps an id of each that was asked for, as the plan does. */
class ById implements Selector {
  readonly #ids: ReadonlyMap<string, { to: string | null }>;
  readonly #unmet: Set<string>;
  readonly #action: ActRequest['action'];
  readonly #heldIn: string;
  readonly later = 0;

  constructor(ids: ReadonlyMap<string, { to: string | null }>, action: ActRequest['action'], heldIn: string) {
    this.#ids = ids;
    this.#unmet = new Set(ids.keys());
    this.#action = action;
    this.#heldIn = heldIn;
  }

  choose(message: SqsMessage, failure: WholeFailure): Choice {
    const shown = this.#ids.get(message.messageId);
    if (shown === undefined) return LEAVE;
    this.#unmet.delete(message.messageId);
    const now = destinationOf(this.#action, failure, this.#heldIn);
    const why = blockedFor(this.#action, failure) ?? changedTarget(shown.to, now);
    return why === null ? ACT : { kind: 'skip', why };
  }

  learn(): void {}

  unmeet(nativeId: string): void {
    this.#unmet.add(nativeId);
  }

  get satisfied(): boolean {
    return this.#unmet.size === 0;
  }

  get unmet(): readonly string[] {
    return [...this.#unmet];
  }
}

class ByMatch implements Selector {
  readonly #selection: Extract<Selection, { kind: 'match' }>;
  readonly #action: ActRequest['action'];
  readonly #arrivals: Arrivals;
  readonly unmet = [];
  later = 0;

  constructor(selection: Extract<Selection, { kind: 'match' }>, action: ActRequest['action']) {
    this.#selection = selection;
    this.#action = action;
    this.#arrivals = new Arrivals(selection.startedAt);
  }

  /** What is asked for by state can't be where this action takes from: there is nothing to look for. */
  get satisfied(): boolean {
    return !this.#selection.states.has(this.#action === 'restore' ? 'dismissed' : 'failed');
  }

  choose(message: SqsMessage, failure: WholeFailure, { sentInRun }: Recollection): Choice {
    if (!this.#selection.matches(failure)) return LEAVE;
    // The archive knows by itself what came later.
    if (this.#action !== 'restore' && this.#arrivals.cameLater(message, failure)) {
      this.later += 1;
      return LEAVE;
    }
    const why = blockedFor(this.#action, failure);
    if (why !== null) return { kind: 'skip', why };
    // Two that only have the same body may be two messages: where both were there at the start both are taken.
    if (sentInRun && (failure.message_id !== null || this.#arrivals.mayHaveComeBack(message))) {
      const same = failure.message_id === null ? 'the same body' : 'the same id in its envelope';
      return { kind: 'skip', why: `One with ${same} was sent by this run already: it came back, or is a double.` };
    }
    return ACT;
  }

  learn(messages: readonly ReceivedMessage[], askedAt: number, answeredAt: number): void {
    this.#arrivals.learn(messages, askedAt, answeredAt);
  }

  unmeet(): void {}
}
