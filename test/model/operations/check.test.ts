import { beforeEach, describe, expect, it } from 'vitest';
import { BabelqError } from '../../../src/model/errors.ts';
import { parseFilter } from '../../../src/model/filter.ts';
import { type CheckRequest, check, exitOfCheck } from '../../../src/model/operations/check.ts';
import { aFailure } from '../../support/failure.ts';
import { MemoryJournal, MemorySource } from '../../support/memory.ts';

const NOW = Date.parse('2026-11-30T14:00:00Z');
const HOUR = 3_600_000;
let source: MemorySource;

beforeEach(() => {
  const soon = new Date(NOW + 5 * HOUR).toISOString();
  source = new MemorySource(
    'orders',
    [
      aFailure({ id: 'orders/1', failed_at: '2026-11-30T11:00:00.000Z' }),
      aFailure({ id: 'orders/2', failed_at: '2026-11-30T13:00:00.000Z', reason: '__proto__' }),
      aFailure({ id: 'orders/3', failed_at: null, sent_at: null, expires_at: soon, reason: 'poison' }),
      aFailure({ id: 'orders/4', failed_at: null, sent_at: '2026-11-30T12:00:00.000Z', expires_at: null }),
    ],
    new MemoryJournal(),
  );
});

const none = parseFilter({}, ['failed', 'pending']);

function checked(changes: Partial<CheckRequest> = {}) {
  return check({
    sources: [source],
    filter: none,
    olderThan: null,
    expiresWithin: null,
    max: 0,
    allowReceive: false,
    clock: { now: () => NOW, sleep: async () => {} },
    signal: new AbortController().signal,
    ...changes,
  });
}

describe('check', () => {
  it('asks for counts alone where that is enough', async () => {
    const found = await checked();
    expect(found).toMatchObject({ matched: 4, by_reason: null, read: false, sources: [{ complete: null }] });
    expect(source.reads).toBe(0);
    expect(exitOfCheck(found)).toBe(5);
  });

  it('reads where it must, and counts by reason, whatever a reason is called', async () => {
    const found = await checked({ filter: parseFilter({ queue: ['orders'] }, ['failed']), max: 4 });
    expect(found.read).toBe(true);
    expect(Object.entries(found.by_reason ?? {})).toEqual([
      ['failed', 2],
      ['__proto__', 1],
      ['poison', 1],
    ]);
    expect(source.reads).toBe(1);
    expect(exitOfCheck(found)).toBe(0);
  });

  it.each([
    [{ olderThan: 2 * HOUR }, 2],
    [{ olderThan: 3 * HOUR }, 1],
    [{ expiresWithin: 6 * HOUR }, 1],
    [{ expiresWithin: 4 * HOUR }, 0],
    [{ olderThan: 0, expiresWithin: 6 * HOUR }, 0],
  ])('%j counts %i: what is not known does not match', async (changes, matched) => {
    expect((await checked(changes)).matched).toBe(matched);
  });

  it('is an alarm where too many match, whatever else went wrong, and unknown where a source is', async () => {
    const broken = new MemorySource('mail', [], new MemoryJournal());
    broken.error = new BabelqError('unreachable', 'No connection.');
    for (const filter of [none, parseFilter({ reason: ['*'] }, ['failed'])]) {
      const found = await checked({ sources: [source, broken], filter });
      expect(found.sources[1]).toMatchObject({ matched: null, error: 'No connection.' });
      expect([exitOfCheck(found), exitOfCheck({ ...found, max: 4 })]).toEqual([5, 1]);
    }
  });

  it('says no OK of what it did not see', async () => {
    const found = await checked({ max: 9, olderThan: HOUR });
    const unseen = { ...found, sources: found.sources.map((one) => ({ ...one, complete: false })) };
    expect(exitOfCheck(found)).toBe(0);
    expect(() => exitOfCheck(unseen)).toThrow(expect.objectContaining({ code: 'not_all_seen', exit: 1 }));
    expect(exitOfCheck({ ...unseen, max: 0 })).toBe(5);
  });
});
