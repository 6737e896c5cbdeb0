import { asBabelqError, BabelqError } from '../errors.ts';
import type { MoveTask, MoveTasks, Run } from '../ports.ts';
import { inRun } from './in-run.ts';
import { type MoveAsk, type MovePlan, moveTasksOf, sayMoved } from './plan-move.ts';

/** How a move ended. Counts are SQS's, and approximate. */
export interface Moved {
  run: string;
  outcome: 'done' | 'failed' | 'uncertain';
  moved: number;
  toMove: number | null;
  /** In one sentence. */
  detail: string;
  interrupted: boolean;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
/** Looks that fail, one after the other, before it is given up to follow a task. */
const PATIENCE = 10;
/** How long a cancellation is followed. */
const CANCEL_MS = 20_000;

/**
 * Starts the task, follows it to its end, and journals what came of it. When the signal aborts it is cancelled; what was
 * moved stays moved.
 * @throws BabelqError where it was not started
 */
export async function carryOutMove(ask: MoveAsk, plan: MovePlan): Promise<Moved> {
  const { source, journal, clock, by, note } = ask;
  const asked = `all of ${plan.from}, by SQS's own move task to ${plan.to.arn}`;
  return inRun({ action: 'retry', by, note, asked, journal, clock }, async (run) => {
    const entry = await begin(ask, plan, run);
    try {
      const ended = await startAndFollow(ask, plan);
      const result = { run: run.id, ...ended };
      await journal.settle([{ entry, state: ended.outcome, detail: ended.detail }]);
      return { result, how: ended.interrupted ? 'interrupted' : ended.outcome === 'done' ? 'finished' : 'stopped' };
    } catch (thrown) {
      const { message } = asBabelqError(thrown, source.name);
      await journal.settle([{ entry, state: 'failed', detail: `Not started: ${message}` }]);
      await journal.end(run, 'stopped');
      throw thrown;
    }
  });
}

/** One entry for the whole: what became of each message nobody tells. */
async function begin({ source, journal }: MoveAsk, { from, to }: MovePlan, run: Run): Promise<number> {
  const nativeId = `move-task-${run.id}`;
  const [entry] = await journal.intend(run, [
    {
      source: source.name,
      place: `move-task:${from}`,
      nativeId,
      identity: nativeId,
      reason: 'native',
      queue: null,
      subject: null,
      to: to.name,
      deduplicationId: null,
      possibleDouble: false,
      message: null,
      remembered: null,
    },
  ]);
  if (entry == null) throw new BabelqError('internal', 'The journal refused the move task.');
  return entry;
}

type Ended = Omit<Moved, 'run'>;

async function startAndFollow(ask: MoveAsk, plan: MovePlan): Promise<Ended> {
  const tasks = moveTasksOf(ask.source);
  const { clock, signal } = ask;
  const before = await tasks.list(signal);
  const handle = await tasks.start(plan.to.arn, plan.rate);
  const follower = new Follower(ask, tasks, handle, plan.to.arn, before);
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 1.5)) {
    await clock.sleep(pause, signal);
    if (signal.aborted) return follower.cancel(plan);
    const ended = await follower.look(plan);
    if (ended !== null) return ended;
  }
}

/** Follows one task. SQS gives a task's handle only while it runs; after that it is known by when it was started. */
class Follower {
  readonly #ask: MoveAsk;
  readonly #tasks: MoveTasks;
  readonly #destination: string;
  /** When those were started that were there before. */
  readonly #before: ReadonlySet<number | null>;
  #handle: string | null;
  #startedAt: number | null = null;
  #latest: MoveTask | null = null;
  #failures = 0;

  constructor(ask: MoveAsk, tasks: MoveTasks, handle: string | null, destination: string, before: readonly MoveTask[]) {
    this.#ask = ask;
    this.#tasks = tasks;
    this.#handle = handle;
    this.#destination = destination;
    this.#before = new Set(before.map(({ started_at }) => started_at));
  }

  /** Null while it runs. */
  async look(plan: MovePlan): Promise<Ended | null> {
    let task: MoveTask | null;
    try {
      task = await this.#find(new AbortController().signal);
    } catch (error) {
      return this.#lost(plan, asBabelqError(error).message);
    }
    if (task === null) return this.#lost(plan, 'SQS does not list it');
    this.#failures = 0;
    this.#latest = task;
    this.#ask.onProgress?.(task);
    const told = `${sayMoved(task)} from ${plan.from} to ${plan.to.name}`;
    switch (task.status) {
      case 'COMPLETED':
        return this.#ended('done', `SQS's move task is complete: ${told}.`);
      case 'CANCELLED':
        return this.#ended('failed', `The move task was cancelled: ${told}.`);
      case 'FAILED':
        return this.#ended('failed', `The move task failed (${task.failure ?? 'no reason was given'}): ${told}.`);
      default:
        return null;
    }
  }

  async cancel(plan: MovePlan): Promise<Ended> {
    const { clock } = this.#ask;
    const until = clock.now() + CANCEL_MS;
    let trouble: string | null = null;
    for (let asked = false; clock.now() < until; ) {
      const ended = await this.look(plan);
      if (ended !== null) return { ...ended, interrupted: true };
      if (!asked && this.#handle !== null) {
        await this.#tasks.cancel(this.#handle).then(
          () => {
            asked = true;
          },
          (error: unknown) => {
            trouble = asBabelqError(error).message;
          },
        );
      }
      await clock.sleep(FIRST_PAUSE_MS);
    }
    const told = this.#latest === null ? 'how far it is is not known' : sayMoved(this.#latest);
    const why = trouble === null ? 'it was being cancelled' : `it could not be cancelled: ${trouble}`;
    const detail = `The move task may still run, ${why}; ${told}. ${this.#whatToDo(plan)}`;
    return { ...this.#ended('uncertain', detail), interrupted: true };
  }

  async #find(signal: AbortSignal): Promise<MoveTask | null> {
    const listed = await this.#tasks.list(signal);
    const found =
      listed.find(({ handle }) => handle !== null && handle === this.#handle) ??
      listed.find(({ started_at }) => this.#startedAt !== null && started_at === this.#startedAt) ??
      // Its start was never answered, or it ended before it was looked for: the newest one to there since then.
      listed.find((task) => this.#startedAt === null && this.#mayBeOurs(task));
    if (found === undefined) return null;
    this.#startedAt = found.started_at;
    this.#handle = found.handle ?? this.#handle;
    return found;
  }

  #mayBeOurs({ destination_arn, started_at }: MoveTask): boolean {
    return destination_arn === this.#destination && !this.#before.has(started_at);
  }

  #lost(plan: MovePlan, why: string): Ended | null {
    this.#failures += 1;
    if (this.#failures < PATIENCE) return null;
    const told = this.#latest === null ? '' : `, ${sayMoved(this.#latest)} when it was last seen`;
    return this.#ended(
      'uncertain',
      `What became of the move task from ${plan.from} to ${plan.to.name} is not known: ${why.replace(/\.$/, '')}${told}. ${this.#whatToDo(plan)}`,
    );
  }

  /** Nothing is lost by waiting: a message lies on one of the two queues. */
  #whatToDo({ from }: MovePlan): string {
    return `It may run on, or have been cancelled elsewhere: what still lies on ${from} when its count stands still (babelq sources) was not moved, and can be retried again.`;
  }

  #ended(outcome: Ended['outcome'], detail: string): Ended {
    const { moved = 0, to_move = null } = this.#latest ?? {};
    return { outcome, detail, moved, toMove: to_move, interrupted: false };
  }
}
