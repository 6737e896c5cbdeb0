import { SqsCallError } from '../client.ts';
import { BATCH } from '../limits.ts';
import { sayCode } from '../say-code.ts';
import { readAnswer } from './answers.ts';
import type { Context } from './context.ts';

/** What came of deleting one message from the dead-letter queue. */
export type Removed =
  | { kind: 'deleted' }
  /** `certain`: it surely lies there still. Else nobody knows. */
  | { kind: 'not_deleted'; why: string; certain: boolean };

const TRIES = 5;
/** A delete that lands after the visibility timeout "succeeds" and deletes nothing: it isn't begun so shortly before. */
const MARGIN_MS = 2_000;
const LOST = /ReceiptHandleIsInvalid|InvalidParameterValue|MessageNotInflight/;
const REFUSED = /AccessDenied|NotAuthorized|Forbidden|DoesNotExist|NonExistent|Credential|Signature|Token/;

/**
 * Deletes messages that are safe elsewhere, ten a call. Counts as deleted what SQS confirmed for the newest receipt
 * handle while the message was surely ours. To repeat a delete does no harm, so it is tried again while that holds.
 * A queue that refuses deletes altogether stops the run, or every message sent would be there twice.
 */
export async function removeMessages(
  context: Context,
  nativeIds: readonly string[],
  mostTries: number = TRIES,
): Promise<Map<string, Removed>> {
  const removed = new Map<string, Removed>();
  for (let n = 0; n < nativeIds.length; n += BATCH) {
    await removeBatch(context, nativeIds.slice(n, n + BATCH), removed, mostTries);
  }
  return removed;
}

async function removeBatch(
  context: Context,
  ids: readonly string[],
  removed: Map<string, Removed>,
  mostTries: number,
): Promise<void> {
  const { clock, held, queue, throttle, stop } = context;
  const note = (id: string, why: string, certain: boolean): void => {
    const before = removed.get(id);
    const stillCertain = certain && (before?.kind !== 'not_deleted' || before.certain);
    removed.set(id, { kind: 'not_deleted', why, certain: stillCertain });
  };
  let pending = [...ids];
  for (let tries = 1; pending.length > 0 && tries <= mostTries; tries += 1) {
    if (tries > 1) await throttle.pause();
    await extendShort(context, pending);
    const entries: { id: string; receiptHandle: string; nativeId: string; until: number }[] = [];
    for (const nativeId of pending) {
      const hold = held.of(nativeId);
      if (hold === undefined || hold.surelyUntil - clock.now() < MARGIN_MS) {
        note(nativeId, 'its visibility timeout ran out before it could be deleted', true);
      } else entries.push({ id: String(entries.length), nativeId, ...hold, until: hold.surelyUntil });
    }
    if (entries.length === 0) return;
    pending = [];
    try {
      const asked = entries.map(({ id, receiptHandle }) => ({ id, receiptHandle }));
      const answer = readAnswer(
        asked.map(({ id }) => id),
        await throttle.call(() => queue.client.deleteBatch(queue.url, asked)),
      );
      for (const { id, nativeId, receiptHandle, until } of entries) {
        const said = answer.get(id);
        const hold = held.of(nativeId);
        if (said?.kind === 'yes') {
          // Another copy came meanwhile: its handle is the one that counts.
          const newest = hold === undefined || hold.receiptHandle === receiptHandle;
          if (newest && clock.now() <= Math.max(until, hold?.surelyUntil ?? 0)) {
            removed.set(nativeId, { kind: 'deleted' });
            held.forget(nativeId);
          } else {
            note(nativeId, 'its visibility timeout ran out while it was being deleted', false);
            pending.push(nativeId);
          }
        } else if (said?.kind === 'no') {
          note(nativeId, said.why, true);
          if (said.again) throttle.trouble();
          // The handle counts for nothing any more: the message has to be received again.
          if (LOST.test(said.code)) held.forget(nativeId);
          else if (said.again) pending.push(nativeId);
        } else {
          note(nativeId, said?.kind === 'unknown' ? said.why : 'no answer', false);
          pending.push(nativeId);
        }
      }
    } catch (error) {
      if (!(error instanceof SqsCallError)) throw error;
      for (const { nativeId } of entries) note(nativeId, sayCode(error.code, error.message), !error.mayHaveHappened);
      if (error.trouble === 'refused') {
        if (REFUSED.test(error.code)) stop.fail(queue.explain(error));
        return;
      }
      throttle.trouble(error);
      if (throttle.nobodyThere) {
        stop.fail(queue.explain(error));
        return;
      }
      pending = entries.map(({ nativeId }) => nativeId);
    }
  }
}

/** Gives those that are short of time more of it. */
async function extendShort({ held, clock }: Context, ids: readonly string[]): Promise<void> {
  const short = ids.filter((id) => {
    const hold = held.of(id);
    return hold !== undefined && hold.surelyUntil - clock.now() < 2 * MARGIN_MS;
  });
  if (short.length > 0) await held.extend(short);
}
