import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeBlock, escapeJsonToken, escapeText, quoteTyped } from '../../../src/model/display/escape.ts';
import { isHostile } from '../../support/hostile.ts';

const hostile = fc.integer({ min: 0, max: 0x10ffff }).filter(isHostile);
const text = fc
  .array(fc.oneof(hostile, fc.integer({ min: 0, max: 0x10ffff }), fc.integer({ min: 0x20, max: 0x7e })), {
    maxLength: 40,
  })
  .map((points) => points.map((point) => String.fromCodePoint(point)).join(''));

function hostilesIn(shown: string): number[] {
  return [...shown].map((char) => char.codePointAt(0) ?? 0).filter(isHostile);
}

describe('escaping', () => {
  it('lets nothing through that a terminal acts on, whatever the text', () => {
    fc.assert(
      fc.property(text, (message) => {
        expect(hostilesIn(escapeText(message))).toEqual([]);
        expect(hostilesIn(escapeJsonToken(message))).toEqual([]);
        expect(hostilesIn(escapeBlock(message)).filter((point) => point !== 0x0a)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it('covers every such code point', () => {
    const through: number[] = [];
    for (let point = 0; point <= 0x10ffff; point++) {
      if (isHostile(point) && hostilesIn(escapeText(String.fromCodePoint(point))).length > 0) through.push(point);
    }
    expect(through).toEqual([]);
  });

  it('leaves ordinary text of any language as it is', () => {
    const ordinary = 'Crème brûlée, 東京, Ελλάδα, नमस्ते, שלום, สวัสดี, 🎉 C:\\dir App\\Jobs\\X – … \u00a0';
    expect(escapeText(ordinary)).toBe(ordinary);
    expect(escapeBlock(`${ordinary}\n`)).toBe(`${ordinary}\n`);
  });

  it('is readable', () => {
    expect(escapeText('a\n\t\r\u001b[31m\u009b\u007f\u202e\u200d\ud800\u{e0041}')).toBe(
      'a\\n\\t\\r\\x1b[31m\\x9b\\x7f\\u{202e}\\u{200d}\\u{d800}\\u{e0041}',
    );
    expect(escapeBlock('a\r\n\tb')).toBe('a\\r\n\\tb');
    expect(escapeJsonToken('"\u009b\u202e\u{e0041}"')).toBe('"\\u009b\\u202e\\udb40\\udc41"');
  });

  it('keeps a JSON token the same value', () => {
    fc.assert(
      fc.property(text, (message) => {
        expect(JSON.parse(escapeJsonToken(JSON.stringify(message)))).toBe(message);
      }),
    );
  });

  it('bounds a flood of combining marks, and shows a mark with nothing to sit on', () => {
    expect(escapeText(`a${'\u0301'.repeat(1001)}b`)).toBe(`a${'\u0301'.repeat(4)}[+997 marks]b`);
    expect(escapeText('\u0301a \u0302')).toBe('\\u{301}a \\u{302}');
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '\u0301', '\u0489', '\n', ' ', 'é')), (chars) => {
        expect(escapeText(chars.join(''))).not.toMatch(/^\p{M}|\s\p{M}|\p{M}{5}/u);
      }),
    );
  });

  it('is linear on a megabyte', () => {
    for (const part of ['\u0301', '\u001b[31m', 'a\u0301\u0301\u0301\u0301\u0301', '\u202e']) {
      const start = performance.now();
      escapeText(part.repeat(Math.ceil(1_048_576 / part.length)));
      expect(performance.now() - start).toBeLessThan(10_000);
    }
  });

  it('quotes what was typed, cut and on one line', () => {
    expect(quoteTyped('a\nb')).toBe('"a\\nb"');
    expect(quoteTyped('x'.repeat(1_000_000))).toBe(`"${'x'.repeat(60)}…"`);
  });
});
