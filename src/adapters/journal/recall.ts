import type { ImportedEntry, Recollection, Run } from '../../model/ports.ts';
import { rememberedFacts } from './archive.ts';
import { type Entries, type EntryRow, newest, unfinishedOf } from './entries.ts';
import type { Runs } from './runs.ts';
import type { Statements } from './statements.ts';

const RESTORED = `SELECT entry, remembered FROM entries WHERE new_id = ? AND action = 'restore' AND place = ?`;

const IMPORTED = `SELECT entry, remembered FROM entries WHERE new_id = ? AND action = 'import' AND place = ?`;

const SENT_IN_RUN = `
  SELECT 1 FROM entries
  WHERE run = ? AND identity = ? AND place = ? AND native_id <> ? AND action = 'retry'
    AND state IN ('sent', 'done', 'uncertain')`;

/** Nothing is known of it. */
export const NOTHING_RECALLED: Recollection = {
  last: null,
  unfinished: null,
  finished: null,
  remembered: null,
  sentInRun: false,
};

/** What is known of messages that are met. */
export class Memory {
  readonly #statements: Statements;
  readonly #runs: Runs;
  readonly #entries: Entries;

  constructor(statements: Statements, runs: Runs, entries: Entries) {
    this.#statements = statements;
    this.#runs = runs;
    this.#entries = entries;
  }

  recall(
    place: string,
    messages: readonly { nativeId: string; identity: string }[],
    run: Run | null,
    now: number,
  ): Recollection[] {
    const number = run === null ? null : this.#runs.numberOf(run);
    return messages.map(({ nativeId, identity }) => {
      const entries = this.#entries.of(place, nativeId);
      const unfinished = newest(unfinishedOf(entries));
      const finished = newest(entries.filter(({ state }) => state === 'done'));
      return {
        last: newest(entries)?.entry ?? null,
        unfinished: unfinished === null ? null : this.#unfinishedEntry(unfinished, number, now),
        finished: finished === null ? null : this.#finishedEntry(finished, now),
        remembered: this.#rememberedOf(place, nativeId),
        sentInRun:
          number !== null && this.#statements.of(SENT_IN_RUN).get(number, identity, place, nativeId) !== undefined,
      };
    });
  }

  /** Which of these were put on the place from a file, or may have been. */
  imported(place: string, nativeIds: readonly string[], now: number): (ImportedEntry | null)[] {
    return nativeIds.map((nativeId) => {
      const entry = this.#entries.importOf(place, nativeId);
      return entry === null ? null : { run: this.#runs.factsOf(entry.run, now).id, newId: entry.new_id };
    });
  }

  #rememberedOf(place: string, nativeId: string): Recollection['remembered'] {
    const [restored, imported] = [RESTORED, IMPORTED].map((sql) =>
      this.#statements.of<{ entry: number; remembered: string | null }>(sql).all(nativeId, place),
    );
    return rememberedFacts(newest([...(restored ?? []), ...(imported ?? [])])?.remembered ?? null, null);
  }

  #finishedEntry(row: EntryRow, now: number): NonNullable<Recollection['finished']> {
    const { entry, action, target, new_id } = row;
    return { entry, run: this.#runs.factsOf(row.run, now).id, action, to: target, newId: new_id };
  }

  #unfinishedEntry(
    row: ReturnType<typeof unfinishedOf>[number],
    run: number | null,
    now: number,
  ): NonNullable<Recollection['unfinished']> {
    const { id, alive } = this.#runs.factsOf(row.run, now);
    return {
      entry: row.entry,
      run: id,
      action: row.action,
      state: row.state,
      to: row.target,
      newId: row.new_id,
      deduplicationId: row.deduplication_id,
      at: row.at,
      alive: alive && row.run !== run,
    };
  }
}
