import type { ParkedMessages } from './parked.ts';
import type { Row } from './store.ts';
import { ISO_STYLE, styleOf, type TimeStyle } from './times.ts';

/** Declared types whose values are numbers, by SQLite's rules of affinity and Postgres's names. */
const NUMERIC = /int|real|floa|doub|num|dec/i;

/** Writes the time of a status as the table's app does: as the row has it, else as other rows do, else as it is declared. */
export class StatusTimes {
  readonly #messages: ParkedMessages;
  readonly #signal: AbortSignal;
  #elsewhere: TimeStyle | null = null;
  constructor(messages: ParkedMessages, signal: AbortSignal) {
    this.#messages = messages;
    this.#signal = signal;
  }

  /** Looks how the table writes its times; before the first `styleFor`. */
  async learn(): Promise<void> {
    const { store, table } = this.#messages;
    const { status_at: statusAt, parked_at: parkedAt } = table.columns;
    const type = (name: string | null): string =>
      table.definition.columns.find((column) => column.name === name)?.type.toLowerCase() ?? '';
    if (statusAt === null) return;
    const alike = parkedAt !== null && type(parkedAt) === type(statusAt) ? [parkedAt] : [];
    for (const column of [statusAt, ...alike]) {
      this.#elsewhere ??= styleOf(await store.sample(table, column, this.#signal));
    }
    if (!NUMERIC.test(type(statusAt))) this.#elsewhere ??= ISO_STYLE;
  }

  /** How the time of a row's status is to be written. Null where the table has no such column; undefined where nothing tells. */
  styleFor(row: Row): TimeStyle | null | undefined {
    if (this.#messages.table.columns.status_at === null) return null;
    return styleOf(row.statusAt) ?? this.#elsewhere ?? undefined;
  }
}
