import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { difference } from '../../src/model/display/difference.ts';
import { editFailure, mendEdit, replacement } from '../../src/model/edit.ts';
import { editingText, editWarning } from '../../src/model/edit-text.ts';
import { aFailure } from '../support/failure.ts';
import { jsonText } from '../support/json-text.ts';
import { published } from '../support/shapes.ts';

const mended = (body: string, set: string[], unset: string[] = []) => mendEdit({ set, unset }).apply(body);

test.each([
  ['data.n=9007199254740993', '9007199254740993'],
  ['data.n=99.90', '99.90'],
  ['data.n=-1E2', '-1E2'],
  ['data.n=EUR', '"EUR"'],
  ['data.n="1042"', '"1042"'],
  ['data.n=', '""'],
  ['data.n=01', '"01"'],
  ['data.n=a=b "c" \u2603', '"a=b \\"c\\" \u2603"'],
  ['data.n=true', 'true'],
  ['data.n=null', 'null'],
  ['data.n= {"a" : [1.0]} ', '{"a" : [1.0]}'],
  ['data."n"=1', '1'],
])('--set %s is read as JSON reads it', (set, value) => {
  expect(mended('{"data":{"n":0},"x":1.0}', [set])).toEqual({
    body: `{"data":{"n":${value}},"x":1.0}`,
    changes: ['data.n set'],
  });
});

test.each([
  [['data.currency'], [], '--set needs a path, = and a value'],
  [['data.n>1'], [], '--set needs a path, = and a value'],
  [['=1'], [], '--set can\'t read the path ""'],
  [['data.n={"a":}'], [], "it begins like JSON and isn't"],
  [['data.*.n=1'], [], '--set takes one member'],
  [[], ['data.items.*'], '--unset takes one member'],
  [[], ['data..n'], "--unset can't read the path"],
])('%j and %j are wrong usage before anything is read', (set, unset, why) => {
  expect(() => mendEdit({ set, unset })).toThrow(
    expect.objectContaining({ exit: 2, message: expect.stringContaining(why) }),
  );
});

test('several are made in turn, and what cannot be made leaves the body whole', () => {
  expect(mended('{"data":{"a":1,"b":2}}', ['data.a=2', 'data.c=3'], ['data.b', 'data.z'])).toEqual({
    body: '{"data":{"a":2,"c":3}}',
    changes: ['data.a set', 'data.c set', 'data.b removed'],
  });
  expect(mended('{"data":{"a":1}}', ['data.a=2', 'dta.b=3'])).toEqual({ why: 'The body has no dta.' });
});

test('a member that a condition finds in data is not made beside it', () => {
  expect(mended('{"data":{"order_id":1}}', ['order_id=2'])).toEqual({
    why: 'The body has no order_id beside its data: to set it within, write data.order_id.',
  });
  expect(mended('{"order":{}}', ['order_id=2'])).toMatchObject({ body: '{"order":{},"order_id":2}' });
});

test('what is also written beside the body is said to stay there', () => {
  expect(mendEdit({ set: ['job=urn:b', 'data.job=1'], unset: ['meta.x'] }).says).toEqual([
    'job becomes "urn:b" (the bq-* attributes stay as they are)',
    'data.job becomes 1',
    'meta.x is taken out (the bq-* attributes stay as they are)',
  ]);
});

test('an edit by hand is of the body that was looked at, and of no other', () => {
  const edit = replacement('a', 'b');
  expect(edit.apply('a')).toEqual({ body: 'b', changes: ['its body, by hand'] });
  expect(edit.apply('c')).toEqual({ why: expect.stringContaining('it changed meanwhile') });
});

test("a parked message's body is its app's", () => {
  const failure = aFailure({ origin: 'jadpo', body: '{"a":1}' });
  expect(editFailure(failure, mendEdit({ set: ['a=2'], unset: [] }))).toEqual({
    why: expect.stringContaining("app's"),
  });
});

describe('what an editor gets', () => {
  test('saved as it was is the body, whatever the body, with or without a line end more', () => {
    fc.assert(
      fc.property(fc.oneof(jsonText(), fc.string({ unit: 'binary', minLength: 1 })), (body) => {
        const editing = editingText(body, {});
        const read = editing.read(editing.text);
        if ('body' in read) expect(read.body).toBe(body);
        else expect(read.why).toMatch(/control characters/);
        if ('body' in read && !body.endsWith('\n')) expect(editing.read(`${editing.text}\n`)).toEqual({ body });
      }),
      { numRuns: 1000 },
    );
  });

  test('is compact JSON with a line a member, and a change of one is a change of nothing else', () => {
    const body = '{"n":9007199254740993,"data":{"currency":"EURO","total":99.90,"list":[]}}';
    const editing = editingText(body, {});
    expect(editing.text.split('\n')).toContain('    "total": 99.90,');
    expect(editing.read(editing.text.replace('EURO', 'EUR'))).toEqual({ body: body.replace('EURO', 'EUR') });
    expect(editing.read(editing.text.replace('"total": 99.90', '"total": '))).toEqual({
      why: 'it is not JSON: see line 5, column 14',
    });
  });

  test('must fit into SQS, and is warned of where it is no envelope any more', () => {
    expect(editingText('x', {}).read('\u0001')).toEqual({ why: expect.stringContaining('control characters') });
    expect(editingText('x', {}).read('x'.repeat(1_048_577))).toEqual({ why: expect.stringContaining('1048577 bytes') });
    const { body, attributes } = published();
    expect(editWarning(body, body.replace('"job"', '"jbo"'), attributes)).toContain('no BabelQueue envelope');
    expect(editWarning(body, body.replace('1042', '1043'), attributes)).toBeNull();
    expect(editWarning('a', 'b', {})).toBeNull();
  });
});

test('a difference tells every line that was taken and every line that is new, in order', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', '{', '}'), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (old, now) => {
      const said = difference(old.join('\n'), now.join('\n'));
      const shown = said.filter(({ kind }) => kind !== 'gap');
      const left = (lines: string[], gone: 'taken' | 'added') => {
        // What is shown of one side stands in it in that order.
        let at = 0;
        for (const { kind, text } of shown) {
          if (kind === gone) continue;
          at = lines.indexOf(text, at) + 1;
          if (at === 0) return false;
        }
        return true;
      };
      expect(left(old.length === 0 ? [''] : old, 'added')).toBe(true);
      expect(left(now.length === 0 ? [''] : now, 'taken')).toBe(true);
      const count = (kind: string) => said.filter((line) => line.kind === kind).length;
      expect(count('added') - count('taken')).toBe(Math.max(1, now.length) - Math.max(1, old.length));
      expect(said.length === 0).toBe(old.join('\n') === now.join('\n'));
    }),
  );
});
