import fc from 'fast-check';

/** White space as JSON allows it, mostly none. */
export const space = fc.oneof({ weight: 4, arbitrary: fc.constant('') }, fc.stringMatching(/^[ \t\n\r]{1,3}$/));

/** Numbers that a parser and a printer would change, beside plain ones. */
const numberText = fc.oneof(
  fc.constantFrom('9007199254740993', '99.90', '1.0', '1E2', '-0', '0', '1e400', '1e-400', '0.0', '-1', '0e5', '1'),
  fc.integer().map(String),
  fc.stringMatching(/^-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?$/),
);

/** A string's text with each character written in one of the ways that JSON has for it. */
export function stringText(content: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(content, fc.infiniteStream(fc.nat(3))).map(([text, ways]) => {
    const written = text.split('').map((unit) => {
      const escaped = `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
      const way = ways.next().value;
      if (unit === '/') return way === 0 ? '\\/' : '/';
      if (way === 0) return escaped;
      if (way === 1) return escaped.replace(/[a-f]/g, (hex) => hex.toUpperCase());
      return JSON.stringify(unit).slice(1, -1);
    });
    return `"${written.join('')}"`;
  });
}

const anyString = stringText(
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom('a/b', 'café', '\u2028', '"\\', '\ud83d\ude00', '</script>'),
  ),
);

// No backslash within a key: after one, V8's own JSON.parse (13.6) takes an escaped key of a like object for it, and
// it is what the tests compare with.
const keys = stringText(
  fc.oneof(
    fc.constantFrom('dead_letter', 'attempts', 'job', 'meta', 'a', '10', '2', '__proto__', ''),
    fc.string({ maxLength: 4 }).filter((key) => !key.includes('\\')),
  ),
);

/** Any JSON text without white space around it, up to four levels deep: odd numbers, escapes, duplicates and all. */
export function jsonText(): fc.Arbitrary<string> {
  return fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.oneof(fc.constantFrom('true', 'false', 'null'), numberText, anyString),
      fc.array(spaced(tie('value')), { maxLength: 4 }).chain((elements) => joined('[', elements, ']')),
      fc.array(memberText(keys, tie('value')), { maxLength: 5 }).chain((members) => joined('{', members, '}')),
    ),
  })).value;
}

/** `"key" : value`, with white space anywhere it may be. */
export function memberText(key: fc.Arbitrary<string>, value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(spaced(key), spaced(value)).map(([name, said]) => `${name}:${said}`);
}

function spaced(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(space, text, space).map((parts) => parts.join(''));
}

function joined(open: string, parts: string[], close: string): fc.Arbitrary<string> {
  return space.map((inner) => `${open}${parts.length === 0 ? inner : parts.join(',')}${close}`);
}
