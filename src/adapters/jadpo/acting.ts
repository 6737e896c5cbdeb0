import type { Action, ActionItem } from '../../model/action.ts';
import { type Counts, count, noCounts } from '../../model/action.ts';
import { editFailure } from '../../model/edit.ts';
import { asBabelqError, type BabelqError, Interrupted } from '../../model/errors.ts';
import type { State, WholeFailure } from '../../model/failure.ts';
import { identityOfFailure } from '../../model/identity.ts';
import { nativeIdOf } from '../../model/ids.ts';
import { blockedFor, bodyDigest, changedDigest, itemFor } from '../../model/plan.ts';
import type { ActRequest, ActResult, Clock, Intent, Journal, Settlement, Shown } from '../../model/ports.ts';
import { type Made, makeChanges } from './changing.ts';
import type { Parked, ParkedMessages } from './parked.ts';
import { Recovery } from './recovery.ts';
import { StatusTimes } from './status-times.ts';
import { LEADS_TO, type Statuses, Tally } from './statuses.ts';
import type { Value } from './store.ts';
import { msFrom } from './times.ts';

export interface ActingParts {
  source: string;
  /** Which table, for the journal. */
  place: string;
  messages: ParkedMessages;
  statuses: Statuses;
  journal: Journal;
  clock: Clock;
}

/** Rows that one transaction changes, at most: some milliseconds in which the app can't write. */
const CHUNK = 500;

interface Task extends Parked {
  nativeId: string;
  at: Value;
}

/** Why it goes no further. */
type Stop = { kind: 'interrupted' } | { kind: 'budget' } | { kind: 'error'; error: BabelqError };

/**
 * One action over a table: rows are looked up a page at a time, and for each chunk the intent is journaled, the statuses
 * are compared and set in one short transaction, and the outcome is journaled. What a crash leaves in between is only
 * a line in the journal: a row has its old status or its new one.
 */
export class Acting {
  readonly #request: ActRequest;
  readonly #parts: ActingParts;
  readonly #times: StatusTimes;
  readonly #counts: Counts = noCounts();
  #seen = 0;
  #about: number | null = null;
  #stop: Stop | null = null;

  constructor(request: ActRequest, parts: ActingParts) {
    this.#request = request;
    this.#parts = parts;
    this.#times = new StatusTimes(parts.messages, request.signal);
  }

  /** @throws BabelqError where nothing was begun */
  async run(): Promise<ActResult> {
    const { selection, signal, bypass } = this.#request;
    const { messages } = this.#parts;
    await new Recovery(this.#parts, signal).run();
    await this.#times.learn();
    let complete = false;
    let note: string | null = null;
    try {
      if (selection.kind === 'ids') {
        await this.#actOnIds(selection.ids);
        complete = this.#stop === null;
      } else {
        const met = new Tally(this.#parts.statuses);
        complete = await this.#actOnMatches(selection, met);
        note = met.note;
        if (complete) met.check(messages.heldIn);
      }
    } catch (error) {
      if (error instanceof Interrupted) this.#stop ??= { kind: 'interrupted' };
      else if (this.#counts.matched === 0) throw error;
      else this.#stop ??= { kind: 'error', error: asBabelqError(error, this.#parts.source) };
    }
    const notes = [note, bypass ? 'the skip marker (--bypass) does not apply to parked messages' : null];
    return {
      seen: this.#seen,
      complete,
      note: notes.filter((one) => one !== null).join('; ') || null,
      allInFlight: null,
      interrupted: this.#stop?.kind === 'interrupted',
      error: this.#stop?.kind === 'error' ? this.#stop.error : null,
    };
  }

  async #actOnIds(wanted: ReadonlyMap<string, Shown>): Promise<void> {
    const { messages } = this.#parts;
    const ids = [...wanted.keys()];
    this.#about = ids.length;
    let told = 0;
    try {
      for await (const { ids: looked, rows } of messages.byId(ids, this.#request.signal)) {
        const tasks: Task[] = [];
        for (const id of looked) {
          const row = rows.get(id);
          const parked = row === undefined ? undefined : messages.parked(row);
          if (parked === undefined) this.#skip(id, null, GONE);
          else if (parked === null) this.#skip(id, null, 'Its status is none of the three.');
          else this.#consider(parked, wanted.get(id) ?? null, tasks);
        }
        told += looked.length;
        await this.#carryOut(tasks);
        if (this.#stop !== null) return;
      }
    } catch (error) {
      if (error instanceof Interrupted) this.#stop = { kind: 'interrupted' };
      else if (told === 0) throw error;
      else this.#fail(error);
    } finally {
      if (this.#stop !== null) for (const id of ids.slice(told)) this.#skip(id, null, this.#whyNotReached());
    }
  }

  /** @returns whether the whole source was seen */
  async #actOnMatches(
    { states, matches, startedAt }: Extract<ActRequest['selection'], { kind: 'match' }>,
    met: Tally,
  ): Promise<boolean> {
    const { messages } = this.#parts;
    const { signal } = this.#request;
    for await (const { parked: page, isLast } of messages.pages(states, signal, met)) {
      this.#about ??= (isLast ? met : await messages.tally('quick', signal)).sum(states);
      const tasks: Task[] = [];
      for (const parked of page) {
        this.#seen += 1;
        if (cameLater(parked, startedAt) || !matches(parked.failure)) continue;
        this.#consider(parked, null, tasks);
      }
      await this.#carryOut(tasks, { tellRest: false });
      if (this.#stop !== null) return false;
      this.#progress();
    }
    return true;
  }

  /** Adds what can be done to the tasks, and tells of what can't. */
  #consider(parked: Parked, shown: Shown | null, tasks: Task[]): void {
    const { failure, row } = parked;
    const { action } = this.#request;
    const nativeId = nativeIdOf(failure);
    const why =
      changedState(action, failure, shown?.state) ??
      (shown?.digest === undefined ? null : changedDigest(shown.digest, bodyDigest(failure))) ??
      blockedFor(action, failure) ??
      this.#whyNotEdited(failure);
    const at = this.#times.write(row, this.#parts.clock.now());
    if (why !== null) this.#skip(nativeId, failure.reason, why);
    else if (at === undefined) this.#skip(nativeId, failure.reason, UNKNOWN_TIME);
    else tasks.push({ ...parked, nativeId, at });
  }

  #whyNotEdited(failure: WholeFailure): string | null {
    if (this.#request.edit === undefined) return null;
    const edited = editFailure(failure, this.#request.edit);
    return 'why' in edited ? edited.why : null;
  }

  /** Does the tasks in chunks; on a stop the rest is told as skipped, or (of what only matched) not told. */
  async #carryOut(tasks: readonly Task[], { tellRest } = { tellRest: true }): Promise<void> {
    const { pace, budget, signal } = this.#request;
    let at = 0;
    while (at < tasks.length && this.#stop === null) {
      const size = budget.take(Math.min(tasks.length - at, pace?.batch ?? CHUNK));
      if (size === 0) {
        this.#stop = { kind: 'budget' };
        break;
      }
      await pace?.turn(size, signal);
      if (signal.aborted) {
        budget.putBack(size);
        this.#stop = { kind: 'interrupted' };
        break;
      }
      const done = await this.#chunk(tasks.slice(at, at + size));
      budget.putBack(size - done);
      at += size;
      this.#progress();
    }
    if (!tellRest) return;
    for (const task of tasks.slice(at)) this.#skip(task.nativeId, task.failure.reason, this.#whyNotReached());
  }

  /** @returns how many were changed, or may have been */
  async #chunk(tasks: readonly Task[]): Promise<number> {
    const { journal } = this.#parts;
    let entries: readonly (number | null)[];
    try {
      entries = await journal.intend(
        this.#request.run,
        tasks.map((task) => this.#intent(task)),
      );
    } catch (error) {
      this.#fail(error);
      for (const { nativeId, failure } of tasks)
        this.#skip(nativeId, failure.reason, 'The journal could not be written.');
      return 0;
    }
    const begun: { task: Task; entry: number }[] = [];
    tasks.forEach((task, index) => {
      const entry = entries[index] ?? null;
      if (entry !== null) begun.push({ task, entry });
      else this.#skip(task.nativeId, task.failure.reason, 'Another run is at it right now.');
    });
    const outcomes = await this.#change(begun.map(({ task }) => task));
    const settlements = begun.map(({ entry }, index): Settlement => {
      const { outcome, detail } = outcomes[index] ?? NEVER;
      const state = outcome === 'skipped' ? 'failed' : outcome;
      return { entry, state, ...(detail !== null && { detail }) };
    });
    let unrecorded = false;
    try {
      if (settlements.length > 0) await journal.settle(settlements);
    } catch (error) {
      unrecorded = true;
      this.#fail(error);
    }
    begun.forEach(({ task }, index) => {
      const { outcome, detail } = outcomes[index] ?? NEVER;
      const said = unrecorded && outcome === 'done' ? 'It was changed, but the journal could not record that.' : detail;
      this.#tell(itemFor(task.failure.id, task.failure.reason, outcome, { detail: said }));
    });
    return outcomes.filter(({ outcome }) => outcome === 'done' || outcome === 'uncertain').length;
  }

  async #change(tasks: readonly Task[]): Promise<Outcome[]> {
    const { messages, statuses, clock } = this.#parts;
    const { action, signal } = this.#request;
    const to = statuses.word(LEADS_TO[action]);
    const outcomes: Outcome[] = [];
    const changes = tasks.map(({ row, at, failure }) => ({
      key: row.key,
      from: statuses.word(failure.state),
      to,
      at,
    }));
    let untold: Outcome = NEVER;
    try {
      await makeChanges({ store: messages.store, table: messages.table, clock, signal }, changes, (at, made) => {
        const failure = tasks[at]?.failure;
        if (failure !== undefined) outcomes[at] = this.#outcomeOf(made, failure);
      });
    } catch (error) {
      if (error instanceof Interrupted) {
        this.#stop = { kind: 'interrupted' };
        untold = { outcome: 'skipped', detail: 'Interrupted before it was changed.' };
      } else {
        untold = { outcome: 'failed', detail: this.#fail(error).message };
      }
    }
    return tasks.map((_, at) => outcomes[at] ?? untold);
  }

  #outcomeOf(made: Made, failure: WholeFailure): Outcome {
    switch (made.kind) {
      case 'changed':
        return { outcome: 'done', detail: null };
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
        const detail = state === null ? 'It changed meanwhile.' : changedTo(this.#request.action, failure.state, state);
        return { outcome: 'skipped', detail };
      }
    }
  }

  #intent({ failure, nativeId }: Task): Intent {
    return {
      source: this.#parts.source,
      place: this.#parts.place,
      nativeId,
      // One that is parked again under another key has it too.
      identity: identityOfFailure(failure),
      reason: failure.reason,
      queue: failure.queue,
      subject: failure.subject,
      to: null,
      deduplicationId: null,
      possibleDouble: false,
      message: null,
      remembered: null,
    };
  }

  #fail(error: unknown): BabelqError {
    const known = asBabelqError(error, this.#parts.source);
    this.#stop = { kind: 'error', error: known };
    return known;
  }

  #whyNotReached(): string {
    switch (this.#stop?.kind) {
      case 'interrupted':
        return 'Not reached: interrupted.';
      case 'budget':
        return 'Not reached: as many as were wanted at most were done before.';
      default:
        return 'Not reached: it stopped before.';
    }
  }

  #skip(nativeId: string, reason: string | null, detail: string): void {
    this.#tell(itemFor(`${this.#parts.source}/${nativeId}`, reason, 'skipped', { detail }));
  }

  #tell(item: ActionItem): void {
    if (this.#request.selection.kind === 'ids') this.#seen += 1;
    count(this.#counts, item);
    this.#request.onItem(item);
  }

  #progress(): void {
    const { source } = this.#parts;
    this.#request.onProgress?.({ ...this.#counts, source, seen: this.#seen, about: this.#about });
  }
}

type Outcome = { outcome: 'done' | 'skipped' | 'failed' | 'uncertain'; detail: string | null };
const NEVER: Outcome = { outcome: 'failed', detail: null };

const GONE = 'Gone: the app kept it, or its row was deleted.';
const UNKNOWN_TIME =
  "The table's time of the status is a number, and no row shows whether it counts seconds or milliseconds.";

/** Parked, or put into its state, after the action began: it wasn't among what was asked for. */
function cameLater({ row }: Parked, startedAt: number): boolean {
  return [row.parkedAt, row.statusAt].some((time) => (msFrom(time) ?? startedAt) > startedAt);
}

function changedState(action: Action, { state }: WholeFailure, shown: State | undefined): string | null {
  return shown === undefined || shown === state ? null : changedTo(action, shown, state);
}

function changedTo(action: Action, from: State, to: State): string {
  if (to === LEADS_TO[action]) return `It is already ${to}: it changed meanwhile.`;
  return `It changed meanwhile: it was ${from}, and is ${to} now.`;
}
