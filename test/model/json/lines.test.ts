import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compactJson } from '../../../src/model/json/layout.ts';
import { jsonLines } from '../../../src/model/json/lines.ts';
import { scanJson } from '../../../src/model/json/scan.ts';

const linesOf = (text: string, most = 1000) => {
  const root = scanJson(text);
  if (root === undefined) throw new Error('not JSON');
  return { ...jsonLines(text, root, most), compact: compactJson(text, root) };
};
const shown = (text: string) =>
  linesOf(text).lines.map(({ depth, tokens }) => ' '.repeat(depth) + tokens.map((token) => token.text).join(''));

test('a line a member, each token as it is stored', () => {
  expect(shown('{"a" : 1.0, "a":[9007199254740993,{}, [ ]],\n"b":{"c":"\\u00e9\\/"}, "d":[[null]]}')).toEqual([
    '{',
    ' "a": 1.0,',
    ' "a": [',
    '  9007199254740993,',
    '  {},',
    '  []',
    ' ],',
    ' "b": {',
    '  "c": "\\u00e9\\/"',
    ' },',
    ' "d": [',
    '  [',
    '   null',
    '  ]',
    ' ]',
    '}',
  ]);
});

test('whatever the JSON, nothing of it is lost, and what begins on a line ends where it says', () => {
  fc.assert(
    fc.property(fc.json(), fc.integer({ min: 0, max: 4 }), (json, indent) => {
      const { lines, compact, whole } = linesOf(JSON.stringify(JSON.parse(json), null, indent));
      const tokens = lines.flatMap((line) => line.tokens.map(({ text }) => text.replace(/^: $/, ':')));
      expect([whole, tokens.join('')]).toEqual([true, compact]);
      for (const [at, { ends, depth, tokens: own }] of lines.entries()) {
        const opens = /^[[{]$/.test(own.at(-1)?.text ?? '');
        expect(ends !== null).toBe(opens);
        if (ends === null) continue;
        expect(lines[ends]?.depth).toBe(depth);
        expect(lines.slice(at + 1, ends).every((inner) => inner.depth > depth)).toBe(true);
      }
    }),
  );
});

test('stops after so many lines, and what ends beyond them can not be folded', () => {
  const { lines, whole } = linesOf('['.repeat(200_000) + ']'.repeat(200_000), 100);
  expect([lines.length, whole, lines.some(({ ends }) => ends !== null)]).toEqual([100, false, false]);
});
