import type { Action } from '../../model/action.ts';
import { sayCount } from '../../model/display/counts.ts';
import { editFailure } from '../../model/edit.ts';
import { Interrupted } from '../../model/errors.ts';
import type { State, WholeFailure } from '../../model/failure.ts';
import { identityOfFailure } from '../../model/identity.ts';
import { nativeIdOf } from '../../model/ids.ts';
import { blockedFor, bodyDigest, changedDigest } from '../../model/plan.ts';
import type { ActRequest, ActResult, Clock, Intent, Journal, Shown } from '../../model/ports.ts';
import { Carrying, type Task } from './carrying.ts';
import type { Parked, ParkedMessages } from './parked.ts';
import { Recovery } from './recovery.ts';
import { StatusTimes } from './status-times.ts';
import { changedTo, GONE, type Statuses, Tally } from './statuses.ts';
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

/** One action over a table: rows are looked up a page at a time, and what can be done to them is carried out. */
export class Acting {
  readonly #request: ActRequest;
  readonly #parts: ActingParts;
  readonly #times: StatusTimes;
  readonly #carrying: Carrying;
  #seen = 0;
  #later = 0;
  #about: number | null = null;

  constructor(request: ActRequest, parts: ActingParts) {
    this.#request = request;
    this.#parts = parts;
    this.#times = new StatusTimes(parts.messages, request.signal);
    this.#carrying = new Carrying(request, parts, () => this.#progress());
  }

  /** @throws BabelqError where nothing was begun */
  async run(): Promise<ActResult> {
    const { selection, signal, bypass } = this.#request;
    const carrying = this.#carrying;
    await new Recovery(this.#parts, signal).run();
    await this.#times.learn();
    const met = new Tally(this.#parts.statuses);
    let complete = false;
    try {
      if (selection.kind === 'ids') await this.#actOnIds(selection.ids);
      else await this.#actOnMatches(selection, met);
      complete = carrying.stop === null;
      if (complete && selection.kind === 'match') met.check(this.#parts.messages.heldIn);
    } catch (error) {
      complete = false;
      if (error instanceof Interrupted) carrying.stop ??= { kind: 'interrupted' };
      else if (carrying.counts.matched === 0) throw error;
      else carrying.fail(error);
    }
    const later =
      this.#later === 0
        ? null
        : `${sayCount(this.#later)} that matched came after the start, by the times in the table, and were left`;
    const notes = [met.note, later, bypass ? 'the skip marker (--bypass) does not apply to parked messages' : null];
    return {
      seen: this.#seenSoFar,
      complete,
      note: notes.filter((one) => one !== null).join('; ') || null,
      allInFlight: null,
      interrupted: carrying.stop?.kind === 'interrupted',
      error: carrying.stop?.kind === 'error' ? carrying.stop.error : null,
    };
  }

  async #actOnIds(wanted: ReadonlyMap<string, Shown>): Promise<void> {
    const { messages } = this.#parts;
    const carrying = this.#carrying;
    const ids = [...wanted.keys()];
    this.#about = ids.length;
    let looked = 0;
    let trouble: unknown = null;
    try {
      for await (const page of messages.byId(ids, this.#request.signal)) {
        const tasks: Task[] = [];
        for (const id of page.ids) {
          const row = page.rows.get(id);
          const parked = row === undefined ? undefined : messages.parked(row);
          if (parked === undefined) carrying.skip(id, null, GONE);
          else if (parked === null) carrying.skip(id, null, 'Its status is none of the three.');
          else this.#consider(parked, wanted.get(id) ?? null, tasks);
        }
        looked += page.ids.length;
        await carrying.add(tasks);
        if (carrying.stop !== null) break;
      }
    } catch (error) {
      if (looked === 0 && !(error instanceof Interrupted)) throw error;
      trouble = error;
    }
    await carrying.finish('told');
    if (trouble instanceof Interrupted) carrying.stop ??= { kind: 'interrupted' };
    else if (trouble !== null) carrying.fail(trouble);
    for (const id of ids.slice(looked)) carrying.skip(id, null, carrying.whyNotReached);
  }

  async #actOnMatches(
    { states, matches, startedAt }: Extract<ActRequest['selection'], { kind: 'match' }>,
    met: Tally,
  ): Promise<void> {
    const { messages } = this.#parts;
    const { signal } = this.#request;
    try {
      for await (const { parked: page, isLast } of messages.pages(states, signal, met, { ahead: true })) {
        this.#about ??= (isLast ? met : await messages.tally('quick', signal)).sum(states);
        const tasks: Task[] = [];
        for (const parked of page) {
          this.#seen += 1;
          if (!matches(parked.failure)) continue;
          if (cameLater(parked, startedAt)) this.#later += 1;
          else this.#consider(parked, null, tasks);
        }
        await this.#carrying.add(tasks);
        if (this.#carrying.stop !== null) return;
        this.#progress();
      }
    } finally {
      await this.#carrying.finish('untold');
    }
  }

  /** Adds what can be done to the tasks, and tells of what can't. */
  #consider({ failure, row }: Parked, shown: Shown | null, tasks: Task[]): void {
    const { action } = this.#request;
    const nativeId = nativeIdOf(failure);
    const why =
      changedState(action, failure, shown?.state) ??
      (shown?.digest === undefined ? null : changedDigest(shown.digest, bodyDigest(failure))) ??
      blockedFor(action, failure) ??
      this.#whyNotEdited(failure);
    const style = this.#times.styleFor(row);
    if (why !== null) this.#carrying.skip(nativeId, failure.reason, why);
    else if (style === undefined) this.#carrying.skip(nativeId, failure.reason, UNKNOWN_TIME);
    else tasks.push({ key: row.key, state: failure.state, style, intent: this.#intent(failure, nativeId) });
  }

  #whyNotEdited(failure: WholeFailure): string | null {
    if (this.#request.edit === undefined) return null;
    const edited = editFailure(failure, this.#request.edit);
    return 'why' in edited ? edited.why : null;
  }

  #intent(failure: WholeFailure, nativeId: string): Intent {
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

  get #seenSoFar(): number {
    return this.#request.selection.kind === 'ids' ? this.#carrying.counts.matched : this.#seen;
  }

  #progress(): void {
    const { source } = this.#parts;
    this.#request.onProgress?.({ ...this.#carrying.counts, source, seen: this.#seenSoFar, about: this.#about });
  }
}

const UNKNOWN_TIME =
  "The table's time of the status is a number, and no row shows whether it counts seconds or milliseconds.";

/** Parked, or put into its state, after the action began: it wasn't among what was asked for. */
function cameLater({ row: { parkedAt, statusAt } }: Parked, startedAt: number): boolean {
  if ((msFrom(parkedAt) ?? startedAt) > startedAt) return true;
  // A row that was never touched since has one time for both.
  return statusAt !== parkedAt && (msFrom(statusAt) ?? startedAt) > startedAt;
}

function changedState(action: Action, { state }: WholeFailure, shown: State | undefined): string | null {
  return shown === undefined || shown === state ? null : changedTo(action, shown, state);
}
