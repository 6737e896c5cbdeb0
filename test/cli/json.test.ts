import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonPieces, toJson } from '../../src/cli/outputs/json.ts';

test('a document that is written in pieces is the same text as the whole', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'binary' }), fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()))),
      (document) => {
        expect([...jsonPieces(document)].join('')).toBe(toJson(document));
      },
    ),
  );
  expect([...jsonPieces({ a: undefined, b: [1] })].join('')).toBe('{"b":[1]}');
});

test('no piece holds more than one item of a list', () => {
  const body = 'x'.repeat(1000);
  const pieces = [...jsonPieces({ failures: [{ body }, { body }, { body }], sources: [] })];
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(2 * body.length);
});
