import { link, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type ActionItem, type Counts, count, noCounts } from '../../../src/model/action.ts';
import { asBabelqError, type BabelqError } from '../../../src/model/errors.ts';
import type { WholeFailure } from '../../../src/model/failure.ts';
import { identityOfFailure } from '../../../src/model/identity.ts';
import { nativeIdOf } from '../../../src/model/ids.ts';
import { blockedFor, bodyDigest, changedDigest, itemFor } from '../../../src/model/plan.ts';
import type { ActRequest, ActResult, Intent, Journal } from '../../../src/model/ports.ts';

export interface RetryingParts {
  source: string;
  folder: string;
  /** Which folder, for the journal: the same whatever the source is called. */
  place: string;
  journal: Journal;
}

/** One retry over the folder: intent on disk, move, outcome on disk, told; one message after the other. */
export class Retrying {
  readonly #request: ActRequest;
  readonly #parts: RetryingParts;
  readonly #counts: Counts = noCounts();
  readonly #told = new Set<string>();
  #seen = 0;

  constructor(request: ActRequest, parts: RetryingParts) {
    this.#request = request;
    this.#parts = parts;
  }

  async run(all: readonly string[], read: (id: string) => Promise<WholeFailure | null>): Promise<ActResult> {
    const { selection, signal, budget } = this.#request;
    const { source } = this.#parts;
    const wanted = selection.kind === 'ids' ? new Set(selection.ids.keys()) : null;
    let error: BabelqError | null = null;
    let complete = true;
    for (const id of all) {
      if (wanted !== null && !wanted.has(id)) continue;
      if (signal.aborted || budget.left === 0) {
        complete = false;
        break;
      }
      try {
        const failure = await read(id);
        if (failure !== null && this.#isMeant(failure)) await this.#take(failure);
      } catch (thrown) {
        error = asBabelqError(thrown, source);
        complete = false;
        break;
      } finally {
        this.#seen += 1;
        this.#request.onProgress?.({ ...this.#counts, source, seen: this.#seen, about: all.length });
      }
    }
    const why = complete ? 'Gone: it is no longer in the folder.' : 'Not reached.';
    for (const id of (wanted ?? new Set()).values()) {
      if (!this.#told.has(`${source}/${id}`)) this.#tell(itemFor(`${source}/${id}`, null, 'skipped', { detail: why }));
    }
    return { seen: this.#seen, complete, note: null, allInFlight: null, interrupted: signal.aborted, error };
  }

  #isMeant(failure: WholeFailure): boolean {
    const { selection } = this.#request;
    if (selection.kind === 'ids') return true;
    const later = Date.parse(failure.failed_at ?? '') > selection.startedAt;
    return selection.states.has('failed') && !later && selection.matches(failure);
  }

  /** @throws where the journal can't be written, before anything was moved */
  async #take(failure: WholeFailure): Promise<void> {
    const { selection, run, pace, budget, signal } = this.#request;
    const { journal } = this.#parts;
    const skip = (detail: string) => this.#tell(itemFor(failure.id, failure.reason, 'skipped', { detail }));
    const shown = selection.kind === 'ids' ? selection.ids.get(nativeIdOf(failure)) : undefined;
    const why = blockedFor('retry', failure) ?? changedDigest(shown?.digest, bodyDigest(failure));
    if (why !== null) return skip(why);
    await pace?.turn(1, signal);
    if (signal.aborted) return skip('Not reached: interrupted.');
    const [entry] = await journal.intend(run, [this.#intent(failure)]);
    if (entry === null || entry === undefined) return skip('Another run is at it right now.');
    budget.take(1);
    const { outcome, detail } = await this.#move(nativeIdOf(failure));
    const item = itemFor(failure.id, failure.reason, outcome, { to: failure.retry_to, detail });
    try {
      await journal.settle([{ entry, state: outcome, ...(detail !== null && { detail }) }]);
    } catch (error) {
      // What was done was done: it is told, and then the run stops.
      this.#tell({ ...item, detail: 'The journal could not record how it ended.' });
      throw error;
    }
    this.#tell(item);
  }

  /** A link first, which never overwrites; only then the old name goes. A crash in between leaves both, and the same again ends it. */
  async #move(id: string): Promise<{ outcome: 'done' | 'failed' | 'uncertain'; detail: string | null }> {
    const [from, to] = ['failed', 'inbox'].map((name) => join(this.#parts.folder, name, `${id}.json`)) as [
      string,
      string,
    ];
    try {
      await link(from, to);
    } catch {
      if (!(await isSameFile(from, to))) return { outcome: 'failed', detail: "Its app's inbox didn't take it." };
    }
    try {
      await unlink(from);
    } catch {
      return { outcome: 'uncertain', detail: 'It is in the inbox, and could not be taken from the failed ones.' };
    }
    return { outcome: 'done', detail: null };
  }

  #intent(failure: WholeFailure): Intent {
    return {
      source: this.#parts.source,
      place: this.#parts.place,
      nativeId: nativeIdOf(failure),
      identity: identityOfFailure(failure),
      reason: failure.reason,
      queue: failure.queue,
      subject: failure.subject,
      to: failure.retry_to,
      deduplicationId: null,
      possibleDouble: false,
      message: null,
      remembered: null,
    };
  }

  #tell(item: ActionItem): void {
    this.#told.add(item.id);
    count(this.#counts, item);
    this.#request.onItem(item);
  }
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path).catch(() => null)));
  return a != null && b != null && a.ino === b.ino && a.dev === b.dev;
}
