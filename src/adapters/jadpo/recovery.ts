import type { Settlement } from '../../model/ports.ts';
import type { ActingParts } from './acting.ts';
import { LEADS_TO } from './statuses.ts';
import type { Row } from './store.ts';

/** Entries settled at a time. */
const CHUNK = 500;

/**
 * Finishes what a run that died left in the journal: the row itself says whether it was changed, so nothing is done
 * again, only told.
 */
export class Recovery {
  readonly #parts: ActingParts;
  readonly #signal: AbortSignal;

  constructor(parts: ActingParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const { journal, messages, source } = this.#parts;
    const unfinished = await journal.log({ unfinished: true });
    const ids = unfinished.filter((entry) => entry.source === source).map(({ id }) => id.slice(source.length + 1));
    for await (const { ids: looked, rows } of messages.byId([...new Set(ids)], this.#signal)) {
      for (let at = 0; at < looked.length; at += CHUNK) await this.#settle(looked.slice(at, at + CHUNK), rows);
    }
  }

  async #settle(ids: readonly string[], rows: ReadonlyMap<string, Row>): Promise<void> {
    const { journal, place, statuses } = this.#parts;
    const known = await journal.recall(
      place,
      ids.map((nativeId) => ({ nativeId, identity: nativeId })),
      null,
    );
    const settlements = known.flatMap(({ unfinished }, index): Settlement[] => {
      if (unfinished === null || unfinished.alive) return [];
      const { entry, action } = unfinished;
      const row = rows.get(ids[index] ?? '');
      if (row === undefined)
        return [{ entry, state: 'void', detail: 'Its run ended before it could tell; the row is gone.' }];
      const state = statuses.state(row.status);
      if (state === LEADS_TO[action])
        return [{ entry, state: 'done', detail: `Its run ended before it could tell; it is ${state}.` }];
      return [
        {
          entry,
          state: 'void',
          detail: `Its run ended before it could tell; it is ${state ?? 'of another status'} now.`,
        },
      ];
    });
    if (settlements.length > 0) await journal.settle(settlements);
  }
}
