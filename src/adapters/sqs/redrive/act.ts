import { sayCount } from '../../../model/display/counts.ts';
import { unlessAborted } from '../../../model/interruptible.ts';
import { itemFor } from '../../../model/plan.ts';
import type { ActRequest, ActResult } from '../../../model/ports.ts';
import type { Describer } from '../describe.ts';
import { Ending } from '../ending.ts';
import { Held, type Released } from '../held.ts';
import { DEFAULT_VISIBILITY_SECONDS, MOST_IN_FLIGHT, VISIBILITY_SECONDS } from '../limits.ts';
import type { DeadLetterQueue } from '../queue.ts';
import { sayStuck } from '../stuck.ts';
import { beginRun, type Context, type RedriveDeps } from './context.ts';
import { Dismiss } from './dismiss.ts';
import { Ledger } from './ledger.ts';
import { Pool } from './pool.ts';
import { Pump } from './pump.ts';
import { QueueRun } from './queue-run.ts';
import { restoreToQueue } from './restore.ts';
import { Retry } from './retry.ts';
import { type Selector, selectorFor } from './select.ts';
import type { Task } from './task.ts';

/** So far below SQS's limit the run stops by itself: others may be receiving, and the count of what is in flight is late. */
const MARGIN = 500;

/** Where nothing else matched, a clock that is wrong may be why. */
const CLOCKS = " (babelq doctor compares this machine's clock with the server's)";

/**
 * Retries or dismisses what lies on a dead-letter queue, or restores to it what was dismissed. No message leaves it before it is confirmed to be elsewhere,
 * and nothing is begun before its intent is in the journal; docs/engine.md has the states and what a crash leaves.
 * Whatever ends it, what was begun is finished and everything held is made visible again before it returns.
 * @throws BabelqError where nothing could begin
 */
export async function actOnQueue(
  queue: DeadLetterQueue,
  describer: Describer,
  request: ActRequest,
  deps: RedriveDeps,
): Promise<ActResult> {
  if (request.action === 'restore') return restoreToQueue(queue, describer, request, deps);
  queue.refuseWhereLooksCount(request.allowReceive);
  const start = await unlessAborted(queue.refresh(), request.signal);
  const held = new Held(queue, deps.clock, deps.visibilitySeconds ?? VISIBILITY_SECONDS);
  queue.track(held);
  const { source } = describer.facts;
  const context: Context = { ...beginRun(request, source, deps), queue, describer, request, held };
  const { throttle, stop, tally } = context;
  tally.about = start.visible;

  const selector = selectorFor(request, queue.name);
  const pool = new Pool<Task>();
  const ledger = new Ledger(context, pool, selector);
  const ending = new Ending(start.visible ?? 0);
  const verb = request.action === 'dismiss' ? new Dismiss(context) : new Retry(context);
  const room = (deps.inFlightLimit ?? MOST_IN_FLIGHT) - (start.inFlight ?? 0) - MARGIN;
  const run = new QueueRun(context, { pool, verb, selector, ledger, ending, room });
  const pump = new Pump(run, throttle, stop);
  ledger.onNext = () => pump.wake();

  let elsewhere: number | null = null;
  let released: Released;
  held.start();
  try {
    await pump.run();
    await ledger.finish();
    elsewhere = await inFlightElsewhere(context);
    for (const nativeId of selector.unmet) {
      const detail = whyUnmet(context, run, elsewhere);
      tally.item(itemFor(`${source}/${nativeId}`, null, 'skipped', { detail }));
    }
  } finally {
    released = await held.releaseAll((left) => tally.releasing(left));
    tally.end();
    stop.close();
  }
  const ended = ending.reached && start.visible !== null && ending.sawAll && request.budget.left > 0 && !stop.requested;
  const sawAll = elsewhere === 0 && released.stuck === 0 && run.heads.blocked === 0 && ledger.groups.closed === 0;
  const complete = selector.satisfied || (ended && sawAll);
  const notes = [...run.leftovers.notes, ...notesOf(context, { selector, run, ledger, ending, elsewhere, released })];
  return {
    seen: tally.seen,
    complete,
    note: notes.length === 0 ? null : notes.join('; '),
    allInFlight:
      ending.reached && tally.seen === 0 && elsewhere !== null && elsewhere > 0
        ? { count: elsewhere, retryInSeconds: start.visibilityTimeoutSeconds ?? DEFAULT_VISIBILITY_SECONDS }
        : null,
    interrupted: stop.interrupted,
    error: stop.error,
  };
}

/** How many others have in flight; null where that can't be asked, or nobody waits for it any more. */
async function inFlightElsewhere({ queue, held, request }: Context): Promise<number | null> {
  try {
    const { inFlight } = await unlessAborted(queue.refresh(), request.signal);
    return Math.max(0, (inFlight ?? 0) - held.count);
  } catch {
    return null;
  }
}

function whyUnmet({ held, stop, request, queue }: Context, run: QueueRun, elsewhere: number | null): string {
  if (stop.interrupted) return 'Not begun: the run was interrupted before it was met.';
  if (stop.error !== null) return 'Not begun: the run stopped before it was met.';
  if (request.budget.left === 0) return 'Not begun: as many as were wanted at most were done before it was met.';
  const behind = queue.fifo && run.heads.blocked > 0 ? ', or it is behind another of its FIFO group' : '';
  if (elsewhere === null) return `Not met: it is gone, or in flight elsewhere${behind}.`;
  if (elsewhere > 0) return `Not met: it is gone, or among the ${sayCount(elsewhere)} in flight elsewhere${behind}.`;
  if (held.stuck > 0)
    return `Not met: it is gone, or among the ${sayCount(held.stuck)} that could not be given back${behind}.`;
  return `Not met: it is gone${behind}.`;
}

interface Ended {
  selector: Selector;
  run: QueueRun;
  ledger: Ledger;
  ending: Ending;
  elsewhere: number | null;
  released: Released;
}

function notesOf(
  { request, held, queue, stop, tally }: Context,
  { selector, run, ledger, ending, elsewhere, released }: Ended,
) {
  const notes: string[] = [];
  const ofMatch = request.selection.kind === 'match';
  if (ofMatch && stop.requested) notes.push('stopped before its end was seen: what was not begun stays as it was');
  if (selector.later > 0)
    notes.push(
      `${sayCount(selector.later)} that matched came after the start and were left${tally.items > 0 ? '' : CLOCKS}`,
    );
  if (ofMatch && run.heads.blocked > 0) {
    notes.push(
      `${groups(run.heads.blocked)} could not be seen past messages that were left: what is behind them was not seen`,
    );
  }
  if (ledger.groups.closed > 0) {
    notes.push(
      `${groups(ledger.groups.closed)} held back behind a message that failed, is uncertain or is another run's`,
    );
  }
  const others = elsewhere ?? 0;
  if (ending.reached && !queue.fifo && ending.missing > others) {
    notes.push(`about ${sayCount(ending.missing - others)} could not be seen`);
  }
  if (others > 0 && !selector.satisfied) notes.push(`about ${sayCount(others)} are in flight elsewhere`);
  if (held.exhausted) notes.push('what was held for twelve hours became visible, as long as SQS allows');
  const stuck = sayStuck(queue, released);
  if (stuck !== null) notes.push(stuck);
  return notes;
}

function groups(count: number): string {
  return count === 1 ? 'one FIFO group' : `${sayCount(count)} FIFO groups`;
}
