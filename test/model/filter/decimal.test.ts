import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareDecimals, isJsonNumber } from '../../../src/model/filter/decimal.ts';

describe('numbers compared by their text', () => {
  it.each([
    ['99.90', '99.9', 0],
    ['1E2', '100', 0],
    ['-0', '0.00e9', 0],
    ['9007199254740993', '9007199254740992', 1],
    ['1e400', '1e401', -1],
    ['-1e400', '1', -1],
    ['0.1', '0.09', 1],
    ['-5', '-4', -1],
    ['1e99999999999999999999', '1e99999999999999999998', 1],
    ['10e-99999999999999999999', '1e-99999999999999999998', 0],
    ['0.000001', '1e-6', 0],
  ])('%s against %s', (a, b, order) => {
    expect(Math.sign(compareDecimals(a, b))).toBe(order);
    expect(Math.sign(compareDecimals(b, a))).toBe(0 - order);
  });

  it('agree with big integers', () => {
    const number = fc.tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: -30, max: 30 }));
    const scaled = ([digits, exponent]: [bigint, number]) => digits * 10n ** BigInt(exponent + 30);
    fc.assert(
      fc.property(number, number, (a, b) => {
        const [x, y] = [scaled(a), scaled(b)];
        const order = compareDecimals(`${a[0]}e${a[1]}`, `${b[0]}e${b[1]}`);
        expect(Math.sign(order)).toBe(x < y ? -1 : x > y ? 1 : 0);
      }),
    );
  });

  it('are linear on a megabyte of digits', () => {
    const start = performance.now();
    const digits = '7'.repeat(1_000_000);
    expect(compareDecimals(`1e${digits}`, `1e${digits}`)).toBe(0);
    expect(compareDecimals(`${digits}.${digits}`, `${digits}.${digits}0`)).toBe(0);
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it.each(['01', '1.', '.5', '+1', 'NaN', '1e', '0x10', '', ' 1'])('%j is no number', (text) => {
    expect(isJsonNumber(text)).toBe(false);
  });
});
