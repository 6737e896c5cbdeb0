import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scalarText, valueAt, valuesAt } from '../../../src/model/json/path.ts';
import {
  decodeString,
  elementsOf,
  type JsonSpan,
  lastMember,
  membersOf,
  scanJson,
} from '../../../src/model/json/scan.ts';
import { jsonText, space } from '../../support/json-text.ts';

const accepts = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Builds the value anew from spans alone, as `JSON.parse` would (the last duplicate wins). */
function build(text: string, span: JsonSpan): unknown {
  if (span.kind === 'array') return elementsOf(text, span).map((element) => build(text, element));
  if (span.kind !== 'object') return JSON.parse(text.slice(span.start, span.end));
  return Object.fromEntries(
    membersOf(text, span).map((member) => [
      decodeString(text, { start: member.keyStart, end: member.keyEnd }),
      build(text, member),
    ]),
  );
}

// First, before a broken text can leave a backslash among the keys that JSON.parse remembers (test/support/json-text.ts).
test('what the spans say is what JSON.parse says, for any JSON text', () => {
  fc.assert(
    fc.property(jsonText(), space, space, (json, before, after) => {
      const text = before + json + after;
      const root = scanJson(text);
      expect(root && text.slice(root.start, root.end)).toBe(json);
      expect(root && build(text, root)).toEqual(withPlainObjects(JSON.parse(text)));
    }),
    { numRuns: 1000 },
  );
});

describe('the verdict', () => {
  test.each([
    '',
    ' ',
    '\uFEFF{}',
    '{}\u00a0',
    'NaN',
    'Infinity',
    '-',
    '01',
    '1.',
    '.5',
    '+1',
    '1e',
    '0x1',
    '{} {}',
    '[1,]',
    '{"a":1,}',
    '{,}',
    '[,1]',
    '{"a"}',
    '{"a":}',
    '{a:1}',
    "{'a':1}",
    '"\u0001"',
    '"\\x41"',
    '"\\u12g4"',
    '"\\u123',
    '"open',
    '"end\\',
    '[}',
    '{]',
    '[[1]',
    'tru',
    'nulll',
    '/**/1',
    '1 //x',
  ])('%j is not JSON', (text) => {
    expect(scanJson(text)).toBeUndefined();
    expect(accepts(text)).toBe(false);
  });

  test('agrees with JSON.parse on text one edit away from JSON', () => {
    const character = fc.constantFrom(...'{}[]",:\\u0123456789abEe+-./ntf \t\n\r\u0000\uFEFF\u00a0');
    const broken = fc.tuple(jsonText(), fc.nat(), fc.nat(3), character).map(([text, where, cut, put]) => {
      const at = where % (text.length + 1);
      return text.slice(0, at) + put + text.slice(at + cut);
    });
    fc.assert(
      fc.property(broken, (text) => (scanJson(text) !== undefined) === accepts(text)),
      { numRuns: 3000 },
    );
  });
});

test('a key is compared decoded, and of duplicates the last counts', () => {
  const text = '{"a\\u0062":1,"ab":2,"a\\\\b":3,"a\\b":4,"ab":5}';
  const members = membersOf(text, scanJson(text) as JsonSpan);
  const raw = (name: string) => {
    const member = lastMember(text, members, name);
    return member && text.slice(member.start, member.end);
  };
  expect([raw('ab'), raw('a\\b'), raw('a\b'), raw('a'), raw('a\\u0062')]).toEqual([
    '5',
    '3',
    '4',
    undefined,
    undefined,
  ]);
});

describe('a path', () => {
  const text =
    '{ "data":{"total":99.90,"items":[{"id":9007199254740993},{"id":"caf\\u00e9"}],"0":"zero"},"data":{"total":1E2, "items":[ ]} }';
  const at = (path: (string | number)[], of = text) => {
    const span = valueAt(of, path);
    return span && of.slice(span.start, span.end);
  };

  test('reads a value as it is stored', () => {
    const first = text.slice(0, text.indexOf(',"data"')).concat('}');
    expect(at(['data', 'total'], first)).toBe('99.90');
    expect(at(['data', 'items', 0, 'id'], first)).toBe('9007199254740993');
    expect(at(['data', 'items', '1', 'id'], first)).toBe('"caf\\u00e9"');
    expect(at(['data', 0], first)).toBe('"zero"');
    expect(at([], first)).toBe(first);
  });

  test('follows the last duplicate and finds nothing beyond it', () => {
    expect(at(['data', 'total'])).toBe('1E2');
    expect(at(['data', 'items', 0])).toBeUndefined();
    expect(at(['data', 'total', 'x'])).toBeUndefined();
    expect(at(['data', 'items', '00'])).toBeUndefined();
    expect(at(['data'], `${text} trailing`)).toBeUndefined();
  });

  test('finds every value to blank, hidden duplicates too', () => {
    const found = (path: string[]) => valuesAt(text, path).map((span) => text.slice(span.start, span.end));
    expect(found(['data', 'total'])).toEqual(['99.90', '1E2']);
    expect(found(['data', 'items', '*', 'id'])).toEqual(['9007199254740993', '"caf\\u00e9"']);
    expect(found(['*', '0'])).toEqual(['"zero"']);
    expect(valuesAt('not json', ['*'])).toEqual([]);
  });

  test('a scalar says its text, decoded where it is a string', () => {
    const scalar = (json: string) => scalarText(json, scanJson(json) as JsonSpan);
    expect(['"caf\\u00e9"', '99.90', '-0', 'true', 'null', '[]', '{}'].map(scalar)).toEqual([
      'café',
      '99.90',
      '-0',
      'true',
      'null',
      undefined,
      undefined,
    ]);
  });
});

describe('hostile sizes', () => {
  test.each([
    ['arrays', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['objects', `${'{"a":'.repeat(200_000)}null${'}'.repeat(200_000)}`],
  ])('200,000 nested %s are JSON, and one bracket less is not', (_kind, text) => {
    expect(scanJson(text)).toBeDefined();
    expect(scanJson(text.slice(0, -1))).toBeUndefined();
    expect(scanJson(`${text}]`)).toBeUndefined();
  });

  const MEBIBYTE = 1024 * 1024;
  test.each([
    ['one long string', `{"a":"${'x'.repeat(MEBIBYTE)}"}`],
    ['escapes', `{"a":"${'\\u00e9\\/'.repeat(MEBIBYTE / 8)}"}`],
    ['many members', `{${'"k":1,'.repeat(MEBIBYTE / 6)}"z":1}`],
    ['escaped keys', `{${'"\\u006b":1,'.repeat(MEBIBYTE / 11)}"z":1}`],
    ['deep', '['.repeat(MEBIBYTE / 2) + ']'.repeat(MEBIBYTE / 2)],
    ['white space', `{${' '.repeat(MEBIBYTE)}}`],
    ['an open string', `["${'x'.repeat(MEBIBYTE)}`],
    ['one long number', '1'.repeat(MEBIBYTE)],
  ])('a mebibyte of %s is scanned in linear time', (_kind, text) => {
    const best = Math.min(
      ...Array.from({ length: 5 }, () => {
        const start = performance.now();
        scanJson(text);
        return performance.now() - start;
      }),
    );
    // Some 10 ms on an idle machine; a quadratic scan would take hours.
    expect(best).toBeLessThan(1000);
  });
});

/** `JSON.parse` makes an own `__proto__`; `toEqual` needs both sides made alike. */
function withPlainObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPlainObjects);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withPlainObjects(inner)]));
}
