import { describe, expect, it } from 'vitest';
import { ago, expiry, fullTime } from '../../../src/model/display/age.ts';

const NOW = Date.parse('2026-11-30T14:00:00.000Z');
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();
const HOUR = 3600;

describe('ages', () => {
  it.each([
    [0, 'just now'],
    [-9, 'just now'],
    [3, 'just now'],
    [-45, '45s ago'],
    [-4 * 60, '4m ago'],
    [-59 * 60 - 59, '59m ago'],
    [-2 * HOUR, '2h ago'],
    [-23.9 * HOUR, '23h ago'],
    [-3 * 24 * HOUR, '3d ago'],
    [-400 * 24 * HOUR, '1y ago'],
    [5.9 * HOUR, 'in 5h'],
  ])('%i seconds from now: %s', (seconds, words) => {
    expect(ago(at(seconds), NOW)).toBe(words);
  });

  it('says nothing of a time that is not known', () => {
    expect(ago(null, NOW)).toBe('–');
    expect(fullTime(null)).toBe('–');
    expect(expiry(null, NOW)).toBeNull();
  });

  it.each([
    [-60, 'due', 'due to expire now', 'soon'],
    [30, 'in <1m', 'expires in <1m', 'soon'],
    [5 * HOUR, 'in 5h', 'expires in 5h', 'soon'],
    [6 * HOUR - 1, 'in 5h', 'expires in 5h', 'soon'],
    [6 * HOUR, 'in 6h', 'expires in 6h', 'near'],
    [24 * HOUR - 1, 'in 23h', 'expires in 23h', 'near'],
    [24 * HOUR, 'in 1d', 'expires in 1d', 'later'],
  ] as const)('an end in %i seconds: %s', (seconds, short, words, level) => {
    expect(expiry(at(seconds), NOW)).toEqual({ short, words, level });
  });

  it.each([
    ['UTC', '2026-11-30 14:02:11 UTC (2026-11-30T14:02:11.034Z)'],
    ['Europe/Zurich', '2026-11-30 15:02:11 +01:00 (2026-11-30T14:02:11.034Z)'],
    ['America/New_York', '2026-11-30 09:02:11 -05:00 (2026-11-30T14:02:11.034Z)'],
    ['Pacific/Auckland', '2026-12-01 03:02:11 +13:00 (2026-11-30T14:02:11.034Z)'],
  ])('in full on a clock in %s', (zone, words) => {
    expect(fullTime('2026-11-30T14:02:11.034Z', zone)).toBe(words);
  });

  it('writes midnight as 00', () => {
    expect(fullTime('2026-11-30T00:00:00.000Z', 'UTC')).toMatch(/^2026-11-30 00:00:00 UTC/);
  });
});
