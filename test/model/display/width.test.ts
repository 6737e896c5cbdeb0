import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth, fitTo, padTo } from '../../../src/model/display/width.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('東', 'a', '👩‍👩‍👧', 'é', 'e\u0301', '🇨🇭', '한', '\u200b', 'ﾞ', 'नि'))
    .map((parts) => parts.join('')),
);

describe('text in cells', () => {
  it('never overshoots', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 30 }), (message, width) => {
        expect(displayWidth(fitTo(message, width))).toBeLessThanOrEqual(width);
      }),
      { numRuns: 2000 },
    );
  });

  it('cuts only what does not fit, at graphemes, and says so', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 30 }), (message, width) => {
        const fitted = fitTo(message, width);
        if (fitted === message) return;
        expect(displayWidth(message)).toBeGreaterThan(width);
        expect(fitted.endsWith('…')).toBe(true);
        const kept = fitted.slice(0, -1);
        expect(message.startsWith(kept)).toBe(true);
        const ends = [...new Intl.Segmenter().segment(message)].map(({ index }) => index);
        expect(ends).toContain(kept.length);
      }),
    );
  });

  it('fills exactly', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme-composite' }),
        fc.nat(30),
        fc.constantFrom('left', 'right'),
        (message, width, align) => {
          expect(displayWidth(padTo(message, width, align))).toBe(width);
        },
      ),
    );
  });

  it.each([
    ['orders', 6, 'orders'],
    ['orders', 5, 'orde…'],
    ['東京都', 5, '東京…'],
    ['東京都', 4, '東…'],
    ['東京', 1, '…'],
    ['x', 0, ''],
    ['👩‍👩‍👧👩‍👩‍👧', 3, '👩‍👩‍👧…'],
  ])('%s in %i cells is %s', (message, width, shown) => {
    expect(fitTo(message, width)).toBe(shown);
  });

  it('puts a number to the right', () => {
    expect(padTo('3', 4, 'right')).toBe('   3');
    expect(padTo('東', 4)).toBe('東  ');
  });

  it('reads no more of a megabyte than it shows', () => {
    const start = performance.now();
    expect(fitTo('東'.repeat(1_000_000), 20)).toBe(`${'東'.repeat(9)}…`);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
