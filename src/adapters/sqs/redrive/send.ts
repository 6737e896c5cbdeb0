import { type SendEntry, SqsCallError } from '../client.ts';
import { sayCode } from '../say-code.ts';
import { readAnswer } from './answers.ts';
import type { Context, Destination } from './context.ts';

/** One message on its way out. */
export interface Outgoing {
  readonly send: Omit<SendEntry, 'id'>;
}

/** What came of sending one message. */
export type Sent =
  | { kind: 'sent'; newId: string }
  /** Definitely not sent. `lost`: it wasn't tried, since it may be another's by now. */
  | { kind: 'not_sent'; why: string; lost: boolean }
  /** Whether it was sent isn't known. */
  | { kind: 'unknown'; why: string };

/** What came of sending a batch. */
export interface SentBatch<T> {
  /** One for each message. */
  readonly outcomes: ReadonlyMap<T, Sent>;
  /** Set where the queue itself refused: nothing can be sent there. */
  readonly closed: SqsCallError | null;
}

const TRIES = 8;
/**
 * SQS remembers a deduplication id for five minutes, from when it took the first one: for that long a repeat of a send
 * whose answer was lost is dropped, so it may be sent again at once. Four, since the repeat takes its time too.
 */
const REPEATABLE_MS = 4 * 60_000;
/** Refusals that are about the queue, its key or the caller, not about one message. */
const ABOUT_THE_QUEUE =
  /Access|Auth|Forbidden|DoesNotExist|NonExistent|Kms|KMS|Address|Security|Unsupported|Credential|Signature|Token|ClientId|OptIn|Account|HTTP 40/;

/** How one message stands between tries. */
interface Trial<T> {
  readonly item: T;
  /** Set once an answer was lost: from then on only a confirmed repeat tells that it was sent. */
  doubt: string | null;
  /** What the last try that surely failed said. */
  why: string;
  newId: string | null;
  /** No further try. */
  over: boolean;
  lost: boolean;
}

/**
 * Sends one batch to one queue, and answers for each message what is certain. What was surely not sent, by the server's
 * fault or for coming too fast, is tried again after a pause as long as it is `ours` and nobody stops the run: it is
 * still the intent that the journal knows. What may have been sent is not, except on FIFO while SQS drops the repeat.
 */
export async function sendBatch<T extends Outgoing>(
  context: Pick<Context, 'clock' | 'throttle' | 'stop'>,
  destination: Destination,
  batch: readonly T[],
  ours: (item: T) => boolean,
): Promise<SentBatch<T>> {
  const { clock, throttle, stop } = context;
  const trials = batch.map(
    (item): Trial<T> => ({ item, doubt: null, why: 'not tried', newId: null, over: false, lost: false }),
  );
  const beganAt = clock.now();
  let closed: SqsCallError | null = null;
  for (let tries = 1; tries <= TRIES && closed === null; tries += 1) {
    const pending = trials.filter(({ over }) => !over);
    if (pending.length === 0) break;
    if (tries > 1) {
      await throttle.pause(stop.signal);
      if (stop.requested) break;
    }
    closed = await attempt(pending);
  }
  return { outcomes: new Map(trials.map((trial) => [trial.item, outcomeOf(trial)])), closed };

  async function attempt(pending: Trial<T>[]): Promise<SqsCallError | null> {
    try {
      await throttle.call(() => once(pending));
      return null;
    } catch (error) {
      if (!(error instanceof SqsCallError)) throw error;
      return refused(error, pending);
    }
  }

  async function once(pending: Trial<T>[]): Promise<void> {
    // Asked at the very last moment: a process that stood still may have lost them.
    const mayRepeat = clock.now() - beganAt < REPEATABLE_MS && clock.now() >= beganAt;
    for (const trial of pending) {
      if (!ours(trial.item)) {
        trial.why = 'its visibility timeout ran out before it could be sent';
        trial.lost = true;
        trial.over = true;
      } else if (trial.doubt !== null && !mayRepeat) trial.over = true;
    }
    const asked = pending.filter(({ over }) => !over);
    if (asked.length === 0) return;
    const entries = asked.map(({ item }, n) => ({ ...item.send, id: String(n) }));
    let answer: Awaited<ReturnType<typeof destination.client.sendBatch>>;
    try {
      answer = await destination.client.sendBatch(destination.url, entries);
    } catch (error) {
      if (error instanceof SqsCallError && error.mayHaveHappened) {
        for (const trial of asked) doubt(trial, `no answer to the send that could be read (${error.code})`);
      }
      throw error;
    }
    const read = readAnswer(
      entries.map(({ id }) => id),
      answer,
    );
    for (const [n, trial] of asked.entries()) {
      const said = read.get(String(n));
      if (said?.kind === 'yes' && said.entry.messageId !== '') {
        trial.newId = said.entry.messageId;
        trial.over = true;
      } else if (said?.kind === 'no') {
        trial.why = said.why;
        if (said.again) throttle.trouble();
        else trial.over = true;
      } else {
        doubt(trial, said?.kind === 'unknown' ? said.why : 'the answer has no MessageId');
      }
    }
  }

  /** A whole call that threw. Answers the error where nothing can be sent to the queue any more. */
  async function refused(error: SqsCallError, pending: Trial<T>[]): Promise<SqsCallError | null> {
    for (const trial of pending) if (trial.doubt === null) trial.why = sayCode(error.code, error.message);
    if (error.trouble !== 'refused') {
      throttle.trouble(error);
      return throttle.nobodyThere ? error : null;
    }
    if (ABOUT_THE_QUEUE.test(error.code)) return error;
    // One message may have spoilt the batch for the others: each alone, then.
    if (pending.length === 1) for (const trial of pending) trial.over = true;
    for (const trial of pending) {
      if (trial.over) continue;
      const closing = await attempt([trial]);
      if (closing !== null) return closing;
    }
    return null;
  }

  function doubt(trial: Trial<T>, why: string): void {
    trial.doubt = why;
    if (!destination.fifo) trial.over = true;
  }
}

function outcomeOf({ newId, doubt, why, lost }: Trial<unknown>): Sent {
  if (newId !== null) return { kind: 'sent', newId };
  return doubt === null ? { kind: 'not_sent', why, lost } : { kind: 'unknown', why: doubt };
}

/** @param where it still is, as words: `on the dead-letter queue` */
export function sayNotSent(sent: Exclude<Sent, { kind: 'sent' }>, where: string): string {
  return sent.kind === 'unknown'
    ? `It may have been sent: ${sent.why}. It is still ${where}.`
    : `Not sent: ${sent.why}.`;
}

/** How an entry stands whose send wasn't confirmed. */
export function unsentState(sent: Exclude<Sent, { kind: 'sent' }>, possibleDouble: boolean): 'uncertain' | 'failed' {
  // Where this send failed for sure an earlier one may still have been done, and that must not be forgotten.
  return sent.kind === 'unknown' || possibleDouble ? 'uncertain' : 'failed';
}
