import { OutcomeUnknown } from '../../model/errors.ts';
import type { Clock } from '../../model/ports.ts';
import type { Change, Changed, Store, Table } from './store.ts';

/** How long to come back for rows that another transaction is at. */
const PATIENCE_MS = 5_000;
const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 500;

/** What came of a change; `uncertain` where nobody can tell. */
export type Made = Changed | { kind: 'uncertain' };

/**
 * Makes changes, all to one status. Where the table's own rules undo a whole transaction it is made again in halves, so that only
 * those rows fail that are refused; rows that another transaction is at are come back for, for a while.
 * @param tell is called once for each change as soon as it is settled; where this throws, what wasn't told wasn't made
 * @throws what the store throws; Interrupted before anything was begun
 */
export async function makeChanges(
  { store, table, clock, signal }: { store: Store; table: Table; clock: Clock; signal: AbortSignal },
  changes: readonly Change[],
  tell: (at: number, made: Made) => void,
): Promise<void> {
  const until = clock.now() + PATIENCE_MS;
  let part: readonly number[] = changes.map((_, at) => at);
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    const held: number[] = [];
    await makePart(part, (at, made) => {
      if (made.kind === 'held') held.push(at);
      else tell(at, made);
    });
    if (held.length === 0) return;
    if (signal.aborted || clock.now() >= until) {
      for (const at of held) tell(at, { kind: 'held' });
      return;
    }
    await clock.sleep(wait, signal);
    part = held;
  }

  async function makePart(numbers: readonly number[], settle: (at: number, made: Made) => void): Promise<void> {
    const wanted = numbers.flatMap((at) => changes[at] ?? []);
    let made: Changed[] | { undone: string };
    try {
      // What was begun is finished: from the second part on, an abort no longer ends it.
      made = await store.change(table, wanted, numbers.length === changes.length ? signal : NEVER);
    } catch (error) {
      if (error instanceof OutcomeUnknown) for (const at of numbers) settle(at, { kind: 'uncertain' });
      throw error;
    }
    if (!('undone' in made)) {
      for (const [index, at] of numbers.entries()) settle(at, made[index] ?? { kind: 'gone' });
    } else if (numbers.length === 1) {
      settle(numbers[0] ?? 0, { kind: 'refused', why: made.undone });
    } else {
      const half = Math.ceil(numbers.length / 2);
      await makePart(numbers.slice(0, half), settle);
      await makePart(numbers.slice(half), settle);
    }
  }
}

const NEVER = new AbortController().signal;
