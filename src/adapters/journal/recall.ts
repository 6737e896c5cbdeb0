import type { ImportedEntry, Recollection, Run } from '../../model/ports.ts';
import { rememberedFacts } from './archive.ts';
import type { Entries } from './entries.ts';
import { newest, recollect } from './rules.ts';
import type { Runs } from './runs.ts';
import type { Statements } from './statements.ts';

const RESTORED = `SELECT entry, remembered FROM entries WHERE new_id = ? AND action = 'restore' AND place = ?`;

const IMPORTED = `SELECT entry, remembered FROM entries WHERE new_id = ? AND action = 'import' AND place = ?`;

const SENT_IN_RUN = `
  SELECT 1 FROM entries
  WHERE run = ? AND identity = ? AND digest IS NOT NULL AND place = ? AND native_id <> ? AND action = 'retry'
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
      const factsOf = (entry: { run: number }) => this.#runs.factsOf(entry.run, now);
      return recollect(this.#entries.of(place, nativeId), number, factsOf, {
        remembered: this.#rememberedOf(place, nativeId),
        sentInRun:
          number !== null && this.#statements.of(SENT_IN_RUN).get(number, identity, place, nativeId) !== undefined,
      });
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
}
