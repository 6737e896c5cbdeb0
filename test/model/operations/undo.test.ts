import { describe, expect, test } from 'vitest';
import { lastDismissal } from '../../../src/model/operations/undo.ts';
import type { LogEntry } from '../../../src/model/ports.ts';
import { MemoryJournal } from '../../support/memory.ts';

const SOURCES = ['orders', 'warehouse'];

/** A journal with these entries, the oldest first. */
function journalOf(...entries: Partial<LogEntry>[]) {
  const journal = new MemoryJournal();
  entries.forEach((entry, at) => {
    journal.entries.unshift({
      run: 'run-1',
      action: 'dismiss',
      id: `orders/${at}`,
      source: 'orders',
      reason: 'failed',
      queue: 'orders',
      subject: null,
      to: 'archive',
      new_id: null,
      outcome: 'done',
      possible_double: false,
      at: new Date(at * 1000).toISOString(),
      by: 'ann',
      note: null,
      detail: null,
      ...entry,
    });
  });
  return journal.asJournal();
}

const idsOf = async (...entries: Partial<LogEntry>[]) =>
  (await lastDismissal(journalOf(...entries), 'ann', SOURCES))?.ids.toSorted() ?? null;

describe('the last dismissal', () => {
  test('is the last run alone, with all that it dismissed', async () => {
    expect(await idsOf({ id: 'orders/a' }, { id: 'orders/b', run: 'run-2' }, { id: 'orders/c', run: 'run-2' })).toEqual(
      ['orders/b', 'orders/c'],
    );
  });

  test('leaves out what was restored since, and goes back to the run before where all was', async () => {
    const two = [{ id: 'orders/a' }, { id: 'orders/b', run: 'run-2' }, { id: 'orders/c', run: 'run-2' }];
    const restored = (id: string) => ({ id, run: 'run-3', action: 'restore' as const });
    expect(await idsOf(...two, restored('orders/b'))).toEqual(['orders/c']);
    expect(await idsOf(...two, restored('orders/b'), restored('orders/c'))).toEqual(['orders/a']);
  });

  test('a restoration that failed undid nothing, and one that is uncertain is left alone', async () => {
    const restored = (outcome: LogEntry['outcome']) => ({
      id: 'orders/a',
      run: 'run-2',
      action: 'restore' as const,
      outcome,
    });
    expect(await idsOf({ id: 'orders/a' }, restored('failed'))).toEqual(['orders/a']);
    expect(await idsOf({ id: 'orders/a' }, restored('uncertain'))).toBeNull();
  });

  test('is never one that somebody else made, one of other sources, or one that was not done', async () => {
    expect(await idsOf({ by: 'bob' })).toBeNull();
    expect(await idsOf({ source: 'elsewhere', id: 'elsewhere/a' })).toBeNull();
    expect(await idsOf({ outcome: 'uncertain' })).toBeNull();
    expect(await idsOf({ action: 'retry' })).toBeNull();
  });
});
