import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { setAt, unsetAt } from '../../../src/model/json/mend.ts';
import { jsonText, memberText, space, stringText } from '../../support/json-text.ts';
import { topLevelMembers } from '../../support/json-tokens.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Nothing that the generators write. */
const SENTINEL = '"\u2603 set \u2603"';

const name = fc.constantFrom('a', 'dead_letter', '10', '__proto__', '', 'caf\u00e9', 'a.b', 'x"y');
const member = memberText(stringText(name), jsonText());
/** An object with duplicates, escapes and white space anywhere. */
const object = fc
  .tuple(fc.array(member, { maxLength: 5 }), space, space)
  .map(([members, before, after]) => `{${before}${members.join(',')}${after}}`);
/** The object somewhere in a body, and the path that leads to it. */
const placed = fc
  .tuple(object, jsonText(), space)
  .chain(([inner, other, gap]) =>
    fc.constantFrom(
      { path: [] as string[], before: gap, inner, after: gap },
      { path: ['data'], before: `{"x":${other},"data"${gap}:`, inner, after: `${gap},"y":${other}}` },
      { path: ['data', '1'], before: `{"data":[${other},`, inner, after: `${gap},${other}]}` },
      { path: ['d', 'e'], before: `{"d":{},"d":${gap}{"e":${other},"\\u0065":`, inner, after: `}}` },
    ),
  );

/** The value with one member of it changed, as a parser of the body sees it. */
function changed(value: Json, path: readonly string[], to: Json | undefined): Json {
  const [first, ...rest] = path;
  if (first === undefined) return to ?? null;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as { [name: string]: Json };
  const old = Object.getOwnPropertyDescriptor(value, first)?.value as Json;
  if (rest.length === 0 && to === undefined) delete copy[first];
  else {
    const next = changed(old, rest, to);
    Object.defineProperty(copy, first, { value: next, writable: true, enumerable: true, configurable: true });
  }
  return copy;
}

function textOf(mended: ReturnType<typeof setAt>): string {
  if ('why' in mended) throw new Error(mended.why);
  return mended.text;
}

describe('for any JSON text', () => {
  test('setting a member puts the value in its place, or at the end of its object, and changes no other byte', () => {
    fc.assert(
      fc.property(placed, name, ({ path, before, inner, after }, own) => {
        const text = before + inner + after;
        const result = textOf(setAt(text, [...path, own], SENTINEL));
        expect(JSON.parse(result)).toEqual(changed(JSON.parse(text), [...path, own], JSON.parse(SENTINEL)));
        const at = result.indexOf(SENTINEL);
        const isNew = !topLevelMembers(inner).some(({ key }) => key === own);
        if (isNew) {
          const added = `${topLevelMembers(inner).length === 0 ? '' : ','}${JSON.stringify(own)}:`;
          const start = at - added.length;
          expect(result.slice(start, at)).toBe(added);
          expect(result.slice(0, start) + result.slice(at + SENTINEL.length)).toBe(text);
        } else {
          const end = text.length - (result.length - at - SENTINEL.length);
          expect(result.slice(0, at)).toBe(text.slice(0, at));
          expect(result.slice(at + SENTINEL.length)).toBe(text.slice(end));
          expect(() => JSON.parse(text.slice(at, end))).not.toThrow();
          expect(text.slice(at, end)).toBe(text.slice(at, end).trim());
        }
        expect(setAt(result, [...path, own], SENTINEL)).toEqual({ text: result });
      }),
      { numRuns: 1500 },
    );
  });

  test('taking a member out leaves every other one as it was stored, and nothing of it', () => {
    fc.assert(
      fc.property(placed, name, ({ path, before, inner, after }, own) => {
        const result = textOf(unsetAt(before + inner + after, [...path, own]));
        expect(JSON.parse(result)).toEqual(changed(JSON.parse(before + inner + after), [...path, own], undefined));
        expect(result.startsWith(before) && result.endsWith(after)).toBe(true);
        const left = result.slice(before.length, result.length - after.length);
        expect(topLevelMembers(left)).toEqual(topLevelMembers(inner).filter(({ key }) => key !== own));
        expect(unsetAt(result, [...path, own])).toEqual({ text: result });
      }),
      { numRuns: 1500 },
    );
  });

  test('what has no such member is left, and says why', () => {
    fc.assert(
      fc.property(fc.oneof(jsonText(), fc.string()), (text) => {
        const result = setAt(text, ['a', 'b'], '1');
        if ('text' in result) expect(changed(JSON.parse(result.text), ['a', 'b'], 1)).toEqual(JSON.parse(result.text));
        else
          expect(result.why).toMatch(/^(Its body is not JSON|The body has no a(\.b)?\.|There is no a\.b in it: a is)/);
        const taken = unsetAt(text, ['a', 'b']);
        if ('why' in taken) expect(taken.why).toMatch(/^(Its body is not JSON|a\.b is in a list)/);
        else expect(unsetAt(taken.text, ['a', 'b'])).toEqual(taken);
      }),
    );
  });
});

test.each([
  ['{"n":9007199254740993,"total":99.90}', ['total'], '1.0', '{"n":9007199254740993,"total":1.0}'],
  ['{"total":99.90,"total":7}', ['total'], '1E2', '{"total":99.90,"total":1E2}'],
  ['{"items":[{"sku":"a"},{"sku":"b"}]}', ['items', '1', 'sku'], '"c"', '{"items":[{"sku":"a"},{"sku":"c"}]}'],
])('%s: the last of duplicates and an element of a list are set, every digit as typed', (text, path, value, result) => {
  expect(textOf(setAt(text, path, value))).toBe(result);
});

test.each([
  ['{"data":{}}', ['data', 'custmer', 'name'], 'The body has no data.custmer.'],
  ['{"data":{"name":"a"}}', ['data', 'name', 'first'], 'There is no data.name.first in it: data.name is a string.'],
  ['{"data":[1]}', ['data', '1'], 'The body has no data.1.'],
  ['[1]', ['a'], 'The body has no a.'],
  ['7', ['a'], 'There is no a in it: the body is a number.'],
  ['order=1', ['a'], 'Its body is not JSON, so it has no members.'],
])('%s: a path that leads nowhere makes nothing', (text, path, why) => {
  expect(setAt(text, path, '1')).toEqual({ why });
});

test('a body nested 200,000 deep ends nothing', () => {
  const deep = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)},"b":1}`;
  expect(textOf(setAt(deep, ['b'], '2'))).toBe(deep.replace('"b":1', '"b":2'));
  expect(textOf(unsetAt(deep, ['a']))).toBe('{"b":1}');
});
