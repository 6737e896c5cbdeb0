import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globMatches } from '../../../src/model/filter/glob.ts';

/** By the definition, over code points, with every way tried. */
function naive(pattern: readonly string[], text: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return text.length === 0;
  if (first === '*') return naive(rest, text) || (text.length > 0 && naive(pattern, text.slice(1)));
  return text.length > 0 && (first === '?' || first === text[0]) && naive(rest, text.slice(1));
}

describe('globs', () => {
  it('agree with a naive matcher', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '😀', 'é'), { maxLength: 8 });
    const pattern = fc.array(fc.constantFrom('a', 'b', '😀', 'é', '*', '?'), { maxLength: 7 });
    fc.assert(
      fc.property(pattern, text, (parts, chars) => globMatches(parts.join(''), chars.join('')) === naive(parts, chars)),
      { numRuns: 3000 },
    );
  });

  it('take any text without signs as itself', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => globMatches(text.replaceAll('*', '?'), text)));
  });

  it.each([
    ['orders', 'orders', true],
    ['orders', 'orders-eu', false],
    ['Orders', 'orders', false],
    ['urn:babel:*:created', 'urn:babel:orders:created', true],
    ['App\\Jobs\\*', 'App\\Jobs\\Charge', true],
  ])('%s on %s', (pattern, text, fits) => {
    expect(globMatches(pattern, text)).toBe(fits);
  });

  it('take no more than pattern × text on hostile input', () => {
    const start = performance.now();
    expect(globMatches(`${'*a'.repeat(20)}*b`, 'a'.repeat(1_000_000))).toBe(false);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
