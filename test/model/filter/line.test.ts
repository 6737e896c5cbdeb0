import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLine } from '../../../src/model/filter/line.ts';
import { describeFilter, parseFilter } from '../../../src/model/filter.ts';

const STATES = ['failed', 'pending'] as const;

describe('a filter in one line', () => {
  it('is the filter that the flags give', () => {
    const { filter, error } = parseLine(
      'reason:failed queue:orders* queue:mail since:2h order_id=1042 data.name="John Smith" message-id:f1e2 "free text" x',
      STATES,
    );
    expect(error).toBeNull();
    expect(filter).toEqual(
      parseFilter(
        {
          reason: ['failed'],
          queue: ['orders*', 'mail'],
          since: '2h',
          where: ['order_id=1042', 'data.name="John Smith"'],
          message_id: ['f1e2'],
          text: ['free text', 'x'],
        },
        STATES,
      ),
    );
  });

  it.each([
    ['urn:babel:orders:created', 'with "urn:babel:orders:created"'],
    ['https://example.com/?a=b', 'with "https://example.com/?a=b"'],
    ['"order_id=1042"', 'with "order_id=1042"'],
    ['error:"time out" state:pending', 'state pending, error with "time out"'],
    ['where:a=1 b~2', 'a=1, b~2'],
    ['items.*.sku=B-2', 'items.*.sku=B-2'],
    ['since:2026-11-30T14:02 before:1h', 'since 2026-11-30T14:02:00Z, before 1h ago'],
    ['   ', ''],
  ])('%s means: %s', (line, words) => {
    const { filter, error } = parseLine(line, STATES);
    expect(error).toBeNull();
    expect(describeFilter(filter)).toBe(words);
  });

  it.each([
    ['queue:orders since:2', 13, 'queue orders'],
    ['reason:', 0, ''],
    ['state:lost queue:a', 0, 'queue a'],
    ['queue:a order_id=', 8, 'queue a'],
    ['queue:a total>ten', 8, 'queue a'],
    ['queue:a "half typ', 8, 'queue a, with "half typ"'],
    ['queue:a "', 8, 'queue a'],
    ['since:1h before:2h', 9, 'since 1h ago'],
  ])('half-typed, %j says where it is wrong and keeps the rest', (line, at, words) => {
    const { filter, error } = parseLine(line, STATES);
    expect(error).toMatchObject({ at, message: expect.stringMatching(/\.$/) });
    expect(describeFilter(filter)).toBe(words);
  });

  it('never throws, and says where within the line', () => {
    const piece = fc.constantFrom(
      'since:',
      'queue:',
      '"',
      '\\',
      'a.b',
      '=',
      '>',
      '[',
      ']',
      '2h',
      ' ',
      '😀',
      'state:',
      'x',
      '.',
      '1',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
        ),
        (line) => {
          const { error } = parseLine(line, STATES);
          if (error !== null) {
            expect(error.at).toBeGreaterThanOrEqual(0);
            expect(error.end).toBeLessThanOrEqual(line.length);
          }
        },
      ),
    );
    expect(parseLine('x'.repeat(1_000_000), STATES).error).not.toBeNull();
  });
});
