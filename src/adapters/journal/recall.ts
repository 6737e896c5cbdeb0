import type { Recollection, Run } from '../../model/ports.ts';
import { rememberedFacts } from './archive.ts';
import type { Entries, UnfinishedRow } from './entries.ts';
import type { Runs } from './runs.ts';
import type { Statements } from './statements.ts';

const RESTORED = `SELECT entry, remembered FROM entries WHERE new_id = ? AND action = 'restore' AND place = ?`;

const SENT_IN_RUN = `
  SELECT 1 FROM entries
  WHERE run = ? AND identity = ? AND place = ? AND native_id <> ? AND action = 'retry'
    AND state IN ('sent', 'done', 'uncertain')`;

/** Nothing is known of it. */
export const NOTHING_RECALLED: Recollection = { unfinished: null, remembered: null, sentInRun: false };

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
    return messages.map(({ nativeId, identity }) => ({
      unfinished: newest(
        this.#entries.unfinished(place, nativeId).map((row) => this.#unfinishedEntry(row, number, now)),
      ),
      remembered: this.#rememberedOf(place, nativeId),
      sentInRun:
        number !== null && this.#statements.of(SENT_IN_RUN).get(number, identity, place, nativeId) !== undefined,
    }));
  }

  #rememberedOf(place: string, nativeId: string): Recollection['remembered'] {
    const restored = this.#statements.of<{ entry: number; remembered: string | null }>(RESTORED).all(nativeId, place);
    return rememberedFacts(newest(restored)?.remembered ?? null, null);
  }

  #unfinishedEntry(row: UnfinishedRow, run: number | null, now: number): NonNullable<Recollection['unfinished']> {
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

function newest<T extends { entry: number }>(rows: readonly T[]): T | null {
  return rows.reduce<T | null>((best, row) => (best === null || row.entry > best.entry ? row : best), null);
}
