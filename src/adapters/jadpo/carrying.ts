import { setImmediate } from 'node:timers/promises';
import { type ActionItem, type Counts, count, noCounts } from '../../model/action.ts';
import { asBabelqError, type BabelqError, Interrupted } from '../../model/errors.ts';
import type { State } from '../../model/failure.ts';
import { itemFor } from '../../model/plan.ts';
import type { ActRequest, Intent, Settlement } from '../../model/ports.ts';
import type { ActingParts } from './acting.ts';
import { type Made, makeChanges } from './changing.ts';
import { changedTo, GONE, LEADS_TO } from './statuses.ts';
import type { Change, Key, Value } from './store.ts';
import { type TimeStyle, writeTime } from './times.ts';

/** Rows whose intents are journaled together, and whose outcomes are. Twice as many may be under way. */
const BATCH = 1000;
/**
 * Rows that the first transaction changes, at most; the next ones as many as keep the app from writing for some milliseconds
 * only, as the table and its disk are.
 */
const FIRST_CHUNK = 500;
const SMALLEST_CHUNK = 250;
const SHORT_MS = 20;
const LONG_MS = 50;

/** One row that is to be changed. Without its body, so that many may wait. */
export interface Task {
  key: Key;
  state: State;
  /** How the time of the status is to be written; null where the table has no column for it. */
  style: TimeStyle | null;
  intent: Intent;
}

/** Why it goes no further. */
export type Stop = { kind: 'interrupted' } | { kind: 'budget' } | { kind: 'error'; error: BabelqError };

interface Batch {
  tasks: readonly Task[];
  /** The numbers of their entries, once they are on disk. */
  entries: Promise<readonly (number | null)[]>;
}

type Outcome = { outcome: 'done' | 'skipped' | 'failed' | 'uncertain'; detail: string | null };
const NEVER: Outcome = { outcome: 'failed', detail: null };

/**
 * Carries an action out, batch by batch: the intents are journaled, then the statuses are compared and set in short transactions,
 * then the outcomes are journaled, then told. While one batch is changed the intents of the next one are on their way to
 * the disk. What a crash leaves in between is only lines in the journal: a row has its old status or its new one.
 */
export class Carrying {
  /** Set once it goes no further. */
  stop: Stop | null = null;
  readonly counts: Counts = noCounts();
  readonly #request: ActRequest;
  readonly #parts: ActingParts;
  readonly #progress: () => void;
  #waiting: Task[] = [];
  #chunk = FIRST_CHUNK;
  /** Resolves when all batches so far are changed, and when all of them are told. */
  #changed: Promise<void> = Promise.resolve();
  #told: Promise<void> = Promise.resolve();

  /** @param progress called when the counts have changed */
  constructor(request: ActRequest, parts: ActingParts, progress: () => void) {
    this.#request = request;
    this.#parts = parts;
    this.#progress = progress;
  }

  /** Takes tasks on. Resolves when there is room for more. */
  async add(tasks: readonly Task[]): Promise<void> {
    this.#waiting.push(...tasks);
    while (this.stop === null && this.#waiting.length >= this.#enough) await this.#begin();
  }

  /**
   * Does what is left, and resolves when everything is told. Of what it didn't come to, `told`: each is told as skipped,
   * with why.
   */
  async finish(rest: 'told' | 'untold'): Promise<void> {
    while (this.stop === null && this.#waiting.length > 0) await this.#begin();
    await this.#allTold();
    const left = this.#waiting.splice(0);
    if (rest === 'told') for (const { intent } of left) this.skip(intent.nativeId, intent.reason, this.whyNotReached);
  }

  /** So many may begin together. */
  get #enough(): number {
    const { pace, budget } = this.#request;
    return pace?.batch ?? Math.max(1, Math.min(BATCH, budget.left));
  }

  get whyNotReached(): string {
    switch (this.stop?.kind) {
      case 'interrupted':
        return 'Not reached: interrupted.';
      case 'budget':
        return 'Not reached: as many as were wanted at most were done before.';
      default:
        return 'Not reached: it stopped before.';
    }
  }

  skip(nativeId: string, reason: string | null, detail: string): void {
    this.#tell(itemFor(`${this.#parts.source}/${nativeId}`, reason, 'skipped', { detail }));
  }

  fail(error: unknown): BabelqError {
    const known = asBabelqError(error, this.#parts.source);
    this.stop ??= { kind: 'error', error: known };
    return known;
  }

  async #allTold(): Promise<void> {
    await this.#changed;
    await this.#told;
  }

  /** Begins with the next tasks, and waits until those before them are changed. */
  async #begin(): Promise<void> {
    const { pace, budget, signal, run } = this.#request;
    const wanted = Math.min(this.#waiting.length, this.#enough);
    let size = budget.take(wanted);
    if (size === 0) {
      // What is under way may give some of it back.
      await this.#allTold();
      size = budget.take(wanted);
    }
    if (size === 0) {
      this.stop ??= { kind: 'budget' };
      return;
    }
    await pace?.turn(size, signal);
    if (signal.aborted) this.stop ??= { kind: 'interrupted' };
    if (this.stop !== null) {
      budget.putBack(size);
      return;
    }
    const tasks = this.#waiting.splice(0, size);
    const entries = this.#parts.journal.intend(
      run,
      tasks.map(({ intent }) => intent),
    );
    // It is waited for when its turn comes.
    entries.catch(() => {});
    const before = this.#changed;
    this.#changed = before.then(() => this.#carryOut({ tasks, entries }));
    this.#changed.catch(() => {});
    await (pace === null ? before : this.#allTold());
  }

  async #carryOut({ tasks, entries: intended }: Batch): Promise<void> {
    const { budget } = this.#request;
    let entries: readonly (number | null)[];
    try {
      entries = await intended;
    } catch (error) {
      this.fail(error);
      for (const { intent } of tasks) this.skip(intent.nativeId, intent.reason, 'The journal could not be written.');
      budget.putBack(tasks.length);
      return;
    }
    const begun: { task: Task; entry: number }[] = [];
    for (const [index, task] of tasks.entries()) {
      const entry = entries[index] ?? null;
      if (entry !== null) begun.push({ task, entry });
      else this.skip(task.intent.nativeId, task.intent.reason, 'Another run is at it right now.');
    }
    const outcomes = await this.#change(begun.map(({ task }) => task));
    const changed = outcomes.filter(({ outcome }) => outcome === 'done' || outcome === 'uncertain').length;
    budget.putBack(tasks.length - changed);
    const settled = this.#settle(
      begun.map(({ entry }) => entry),
      outcomes,
    );
    const before = this.#told;
    this.#told = Promise.all([settled, before]).then(([recorded]) => {
      for (const [index, { task }] of begun.entries()) this.#tellOf(task, outcomes[index] ?? NEVER, recorded);
      this.#progress();
    });
    this.#told.catch(() => {});
    await before;
  }

  /** @returns whether the journal knows now; where it doesn't this is the end */
  async #settle(entries: readonly number[], outcomes: readonly Outcome[]): Promise<boolean> {
    const settlements = entries.map((entry, index): Settlement => {
      const { outcome, detail } = outcomes[index] ?? NEVER;
      const state = outcome === 'skipped' ? 'failed' : outcome;
      return detail === null ? { entry, state } : { entry, state, detail };
    });
    try {
      if (settlements.length > 0) await this.#parts.journal.settle(settlements);
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  #tellOf({ intent }: Task, { outcome, detail }: Outcome, recorded: boolean): void {
    const said = !recorded && outcome === 'done' ? 'It was changed, but the journal could not record that.' : detail;
    this.#tell(itemFor(`${intent.source}/${intent.nativeId}`, intent.reason, outcome, { detail: said }));
  }

  /** The outcomes of begun tasks, of which the first ones are changed: after a stop none is. */
  async #change(tasks: readonly Task[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (let at = 0; at < tasks.length; ) {
      const chunk = tasks.slice(at, at + this.#chunk);
      at += chunk.length;
      if (this.stop === null) outcomes.push(...(await this.#changeTimed(chunk)));
      else for (const _ of chunk) outcomes.push({ outcome: 'skipped', detail: this.whyNotReached });
      // Everything else gets its turn between two of them.
      if (at < tasks.length) await setImmediate();
    }
    return outcomes;
  }

  async #changeTimed(tasks: readonly Task[]): Promise<Outcome[]> {
    const { clock } = this.#parts;
    const began = clock.now();
    const outcomes = await this.#changeChunk(tasks);
    const took = clock.now() - began;
    if (took < SHORT_MS && tasks.length === this.#chunk) this.#chunk = Math.min(2 * this.#chunk, BATCH);
    else if (took > LONG_MS) this.#chunk = Math.max(Math.ceil(this.#chunk / 2), SMALLEST_CHUNK);
    return outcomes;
  }

  async #changeChunk(tasks: readonly Task[]): Promise<Outcome[]> {
    const { messages, statuses, clock } = this.#parts;
    const { action, signal } = this.#request;
    const to = statuses.word(LEADS_TO[action]);
    const outcomes: Outcome[] = [];
    const times = new Map<TimeStyle | null, Value>([[null, null]]);
    const now = clock.now();
    const changes = tasks.map(({ key, state, style }): Change => {
      let at = times.get(style);
      if (at === undefined && style !== null) {
        at = writeTime(now, style);
        times.set(style, at);
      }
      return { key, from: statuses.word(state), to, at: at ?? null };
    });
    let untold: Outcome = NEVER;
    try {
      await makeChanges({ store: messages.store, table: messages.table, clock, signal }, changes, (at, made) => {
        const task = tasks[at];
        if (task !== undefined) outcomes[at] = this.#outcomeOf(made, task.state);
      });
    } catch (error) {
      if (error instanceof Interrupted) {
        this.stop ??= { kind: 'interrupted' };
        untold = { outcome: 'skipped', detail: 'Interrupted before it was changed.' };
      } else {
        untold = { outcome: 'failed', detail: this.fail(error).message };
      }
    }
    return tasks.map((_, at) => outcomes[at] ?? untold);
  }

  #outcomeOf(made: Made, from: State): Outcome {
    switch (made.kind) {
      case 'changed':
        return DONE;
      case 'uncertain':
        return { outcome: 'uncertain', detail: 'The connection was lost before the change was confirmed.' };
      case 'gone':
        return { outcome: 'skipped', detail: GONE };
      case 'held':
        return { outcome: 'skipped', detail: "Another transaction, the app's or somebody's, is at it right now." };
      case 'refused':
        return { outcome: 'failed', detail: `The table's own rules refused it: ${made.why}` };
      case 'other': {
        const state = this.#parts.statuses.state(made.status);
        const detail = state === null ? 'It changed meanwhile.' : changedTo(this.#request.action, from, state);
        return { outcome: 'skipped', detail };
      }
    }
  }

  #tell(item: ActionItem): void {
    count(this.counts, item);
    this.#request.onItem(item);
  }
}

const DONE: Outcome = { outcome: 'done', detail: null };
