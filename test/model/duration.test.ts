import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { momentAt, parseDuration, parseTime, sayDuration } from '../../src/model/duration.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-30T14:00:00Z');

describe('durations', () => {
  it.each([
    ['90s', 90_000],
    ['30m', HOUR / 2],
    ['2h', 2 * HOUR],
    ['3d', 72 * HOUR],
    ['1w', 168 * HOUR],
    ['1h30m', 1.5 * HOUR],
    ['0s', 0],
  ])('%s', (text, ms) => {
    expect(parseDuration(text, '--wait')).toBe(ms);
  });

  it.each(['', '2', 'h', '2 h', '-2h', '2H', '2.5h', '1m2h', '2h2h', '2y', '999999999w', '٢h', '2h\n'])(
    'refuses %j with a right example',
    (text) => {
      expect(() => parseDuration(text, '--wait')).toThrow(
        expect.objectContaining({ code: 'usage', exit: 2, hint: expect.stringContaining('--wait 2h') }),
      );
    },
  );

  it('are said as they are read', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_000_000_000 }), (seconds) => {
        expect(parseDuration(sayDuration(seconds * 1000), '--wait')).toBe(seconds * 1000);
      }),
    );
    expect([2 * HOUR, 1.5 * HOUR, 240 * HOUR, 168 * HOUR, 999].map(sayDuration)).toEqual([
      '2h',
      '1h30m',
      '10d',
      '1w',
      '0s',
    ]);
  });
});

describe('times', () => {
  it.each([
    ['2h', '2026-11-30T12:00:00.000Z'],
    ['2026-11-30', '2026-11-30T00:00:00.000Z'],
    ['2026-11-30T14:02', '2026-11-30T14:02:00.000Z'],
    ['2026-11-30 14:02:11', '2026-11-30T14:02:11.000Z'],
    ['2026-11-30T14:02:11.034Z', '2026-11-30T14:02:11.034Z'],
    ['2026-11-30T14:02:11.5+01:00', '2026-11-30T13:02:11.500Z'],
    ['2026-11-30T14:02:11.123456789-0330', '2026-11-30T17:32:11.123Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ])('%s', (text, iso) => {
    expect(new Date(momentAt(parseTime(text, '--since'), NOW)).toISOString()).toBe(iso);
  });

  it.each([
    '2026-02-30',
    '2027-02-29',
    '2026-13-01',
    '2026-11-30T24:00',
    '2026-11-30T14',
    'yesterday',
    '1764511331',
    '2026-11-30T14:02+25:00',
    '30.11.2026',
  ])('refuses %s with a right example', (text) => {
    expect(() => parseTime(text, '--since')).toThrow(
      expect.objectContaining({ code: 'usage', hint: expect.stringContaining('--since 2h') }),
    );
  });
});
