import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBody, type Shape } from '../../src/model/envelope.ts';
import type { Attributes } from '../../src/model/failure.ts';
import { resetAttributes, resetBody } from '../../src/model/reset.ts';
import { jsonText, memberText, space, stringText } from '../support/json-text.ts';
import { type TokenMember, topLevelMembers } from '../support/json-tokens.ts';
import { allShapes, deadLettered, published } from '../support/shapes.ts';

const reset = (body: string, gateFailed = false) => resetBody(body, readBody(body, {}), gateFailed);

const named = (name: string, value: fc.Arbitrary<string>) => memberText(stringText(fc.constant(name)), value);
const object = fc.constantFrom('{}', '{"reason":"failed"}', '{ "dead_letter" : {"attempts":[7]}, "attempts":3 }');
const deadLetter = named('dead_letter', object);
const attempts = named(
  'attempts',
  fc.oneof(fc.constantFrom('0', '3', '1E2', '-0', '1e400', '"3"', 'null'), jsonText()),
);
/** Members that no rule speaks of, some of them nearly. */
const other = memberText(
  stringText(
    fc.constantFrom('x', '', '10', '2', 'deadletter', 'Dead_Letter', 'attempts ', 'data', 'trace_id', '__proto__'),
  ),
  jsonText(),
);
const identity = [
  named('job', stringText(fc.constant('urn:babel:orders:created'))),
  named('meta', fc.constantFrom('{"schema_version":1}', '{ "id":"\\u0031", "schema_version" : 1.0 }')),
];

/** An object with the members given, in any order, with white space anywhere. */
function objectOf(...members: fc.Arbitrary<string[]>[]): fc.Arbitrary<string> {
  return fc
    .tuple(...members)
    .map((parts) => parts.flat())
    .chain((all) => fc.shuffledSubarray(all, { minLength: all.length }))
    .chain((all) =>
      fc.tuple(space, space, space).map(([a, b, c]) => `${a}{${all.length === 0 ? b : all.join(',')}}${c}`),
    );
}

const some = (member: fc.Arbitrary<string>, minLength = 0) => fc.array(member, { minLength, maxLength: 3 });

/** What the SDKs' redrive makes of a body that an app set aside, taken member by member from the second opinion. */
function expectOnlyReset(body: string, result: string, options: { addsCounter: boolean }): void {
  const before = topLevelMembers(body);
  const after = topLevelMembers(result);
  const lastCounter = before.findLastIndex(({ key }) => key === 'attempts');
  const lastRecord = before.findLastIndex(({ key }) => key === 'dead_letter');
  type Expected = Omit<TokenMember, 'text'> & { text: string | null };
  const expected = before.flatMap((member, i): Expected[] => {
    if (i === lastCounter) return [{ key: 'attempts', value: ['0'], text: null }];
    if (i === lastRecord && lastCounter < 0 && options.addsCounter) {
      return [{ key: 'attempts', value: ['0'], text: null }];
    }
    return member.key === 'dead_letter' ? [] : [member];
  });
  // What stays, stays as it was stored, white space inside it and escapes in its key included.
  const changed = new Set(expected.flatMap(({ text }, i) => (text === null ? [i] : [])));
  expect(after.map((member, i) => (changed.has(i) ? { ...member, text: null } : member))).toEqual(expected);
  const outside = (text: string) => [text.slice(0, text.indexOf('{') + 1), text.slice(text.lastIndexOf('}'))];
  expect(outside(result)).toEqual(outside(body));
}

function redriven(body: string, addsCounter: boolean): unknown {
  const { dead_letter: _record, ...rest } = JSON.parse(body);
  return addsCounter || 'attempts' in rest ? { ...rest, attempts: 0 } : rest;
}

describe('for any JSON text', () => {
  test('a dead-lettered envelope differs in nothing but dead_letter and attempts', () => {
    const bodies = objectOf(fc.tuple(...identity), some(deadLetter, 1), some(attempts), some(other));
    fc.assert(
      fc.property(bodies, (body) => {
        const result = reset(body).body;
        expectOnlyReset(body, result, { addsCounter: true });
        expect(JSON.parse(result)).toEqual(redriven(body, true));
        expect(reset(result)).toEqual({ body: result, changes: [] });
      }),
      { numRuns: 1500 },
    );
  });

  test('an object that an app set aside differs in nothing but dead_letter and attempts', () => {
    const bodies = objectOf(some(deadLetter, 1), some(attempts), some(other));
    fc.assert(
      fc.property(bodies, (body) => {
        fc.pre(readBody(body, {}).shape === 'object_record');
        const result = reset(body).body;
        expectOnlyReset(body, result, { addsCounter: false });
        expect(JSON.parse(result)).toEqual(redriven(body, false));
      }),
      { numRuns: 1500 },
    );
  });

  test('an envelope as published has only an attempts above 0 set, and a gated one nothing', () => {
    const bodies = objectOf(fc.tuple(...identity), some(attempts), some(other));
    fc.assert(
      fc.property(bodies, (body) => {
        expect(reset(body, true)).toEqual({ body, changes: [] });
        const result = reset(body).body;
        const before = topLevelMembers(body);
        const counter = before.findLastIndex(({ key }) => key === 'attempts');
        const text = before[counter]?.value.join('') ?? '';
        const above = /^[0-9.eE+-]+$/.test(text) && (Number(text) > 0 || /^0*\.?0*[1-9]/.test(text));
        if (!above) expect(result).toBe(body);
        const expected = before.map(({ key, value }, i) =>
          above && i === counter ? { key, value: ['0'] } : { key, value },
        );
        expect(topLevelMembers(result).map(({ key, value }) => ({ key, value }))).toEqual(expected);
      }),
      { numRuns: 1500 },
    );
  });

  test('what no app set aside and is no envelope does not change by a byte', () => {
    fc.assert(
      fc.property(fc.oneof(objectOf(some(attempts), some(other)), jsonText(), fc.string()), (body) => {
        fc.pre(['object', 'text'].includes(readBody(body, {}).shape));
        expect(reset(body)).toEqual({ body, changes: [] });
      }),
    );
  });
});

test.each<[string, string, string[]]>([
  [
    '{"job":"urn:a","meta":{"schema_version":1},"attempts":3,"dead_letter":{"reason":"failed"}}',
    '{"job":"urn:a","meta":{"schema_version":1},"attempts":0}',
    ['attempts 3 -> 0', 'dead_letter removed'],
  ],
  ['{ "dead_letter": {}, "a": 99.90 }', '{ "a": 99.90 }', ['dead_letter removed']],
  ['{\n  "a": 1.0,\n  "dead_letter": {},\n  "b": 1E2\n}', '{\n  "a": 1.0,\n  "b": 1E2\n}', ['dead_letter removed']],
  // As ADR-0035's writers splice it in: what stood before the closing brace stands before their comma now.
  ['{"a":1\t\n,"dead_letter":{}}', '{"a":1\t\n}', ['dead_letter removed']],
  ['{"a":1 ,"dead_letter":{} , "dead_letter":{} , "b":2}', '{"a":1  , "b":2}', ['dead_letter removed']],
  ['{\n  "a": -0,\n  "dead_letter": {}\n}', '{\n  "a": -0\n}', ['dead_letter removed']],
  ['{"dead_letter":1,"dead_letter":{},"a":"\\/","dead\\u005fletter":{}}', '{"a":"\\/"}', ['dead_letter removed']],
  ['{ "dead_letter": {} , "dead_letter": {} }', '{  }', ['dead_letter removed']],
  [
    '{"a":{"dead_letter":{},"attempts":3},"dead_letter":{},"attempts":"3"}',
    '{"a":{"dead_letter":{},"attempts":3},"attempts":0}',
    ['attempts (string) -> 0', 'dead_letter removed'],
  ],
  [
    '{"urn":"urn:a","meta":{"schema_version":1},"dead_letter":{}}',
    '{"urn":"urn:a","meta":{"schema_version":1},"attempts":0}',
    ['attempts set to 0', 'dead_letter removed'],
  ],
  ['{"raw":"a=\\"caf\\u00e9\\"\\n","dead_letter":{}}', 'a="café"\n', ['the raw string becomes the body']],
  // A body that is itself {"raw":"x"}, as Python up to 1.22 dead-letters it; no SDK's raw record has `attempts`.
  [
    '{"raw":"x","attempts":3,"dead_letter":{"reason":"unknown_urn"}}',
    '{"raw":"x","attempts":0}',
    ['attempts 3 -> 0', 'dead_letter removed'],
  ],
  [
    '{"raw":"YT0iY2Fmw6kiCg==","raw_encoding":"base64","dead_letter":{}}',
    'a="café"\n',
    ['the raw string becomes the body'],
  ],
  ['{"raw":"x","raw_encoding":null,"dead_letter":{}}', 'x', ['the raw string becomes the body']],
  ['{"raw":"x","order":5,"dead_letter":{}}', '{"raw":"x","order":5}', ['dead_letter removed']],
  [
    '{"job":"urn:a","meta":{"schema_version":1},"attempts":1e-400}',
    '{"job":"urn:a","meta":{"schema_version":1},"attempts":0}',
    ['attempts 1e-400 -> 0'],
  ],
  [
    '{"job":"urn:a","meta":{"schema_version":1},"dead_letter":null}',
    '{"job":"urn:a","meta":{"schema_version":1},"dead_letter":null}',
    [],
  ],
  ['{"job":"App\\\\Job@handle","data":{},"attempts":3}', '{"job":"App\\\\Job@handle","data":{},"attempts":3}', []],
])('%j becomes %j', (body, expected, changes) => {
  expect(reset(body)).toEqual({ body: expected, changes });
});

test('each of the nine shapes is reset as its kind demands', () => {
  const changes = Object.fromEntries(
    allShapes('orders', 1749132730000).map(({ shape, body, attributes }) => {
      const result = resetBody(body, readBody(body, attributes), attributes['bq-schema-version']?.value === '2');
      return [shape, result.body === body ? 'unchanged' : result.changes];
    }),
  );
  expect(changes).toEqual({
    a: ['attempts 3 -> 0', 'dead_letter removed'],
    b: 'unchanged',
    'b (gated)': 'unchanged',
    c: ['the raw string becomes the body'],
    d: ['dead_letter removed'],
    e: 'unchanged',
    f: 'unchanged',
    g: 'unchanged',
    i: 'unchanged',
    h: ['dead_letter removed'],
  });
});

test('a dead-lettered envelope is again what was published', () => {
  const dead = deadLettered({ data: '{"id":9007199254740993,"total":99.90}' });
  expect(reset(dead.body).body).toBe(
    published({
      data: '{"id":9007199254740993,"total":99.90}',
      trace: '7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b',
      id: 'f1e2d3c4-b5a6-4789-90ab-cdef01234567',
      lang: 'php',
    }).body,
  );
});

test('a body 200,000 deep is reset around its depth', () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  expect(reset(`{"a":${deep},"dead_letter":{"b":${deep}},"attempts":1}`).body).toBe(`{"a":${deep},"attempts":0}`);
});

test('a mebibyte of members is reset well under 100 ms', () => {
  const body = `{"job":"u","meta":{"schema_version":1},${'"k":1,"dead_letter":{},'.repeat(45_000)}"attempts":2}`;
  const start = performance.now();
  expect(reset(body).body.length).toBe(body.length - 45_000 * '"dead_letter":{},'.length);
  expect(performance.now() - start).toBeLessThan(4000);
});

describe('attributes', () => {
  const of = (...names: string[]): Attributes =>
    Object.fromEntries(names.map((name) => [name, { type: 'Number.int', value: '1' }]));
  const nine = of('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i');
  const marker = { 'bq-replay-bypass': { type: 'String', value: 'yes' } };

  test('all go along as they are', () => {
    const attributes: Attributes = { ...nine, j: { type: 'Binary.png', value: 'AAE=' } };
    expect(resetAttributes(attributes, { bypass: false })).toEqual({ attributes, changes: [], blocked: null });
  });

  test('the marker is added where it is asked for, and an old one taken off where it is not', () => {
    expect(resetAttributes(nine, { bypass: true })).toEqual({
      attributes: { ...nine, 'bq-replay-bypass': { type: 'String', value: '1' } },
      changes: ['bq-replay-bypass added'],
      blocked: null,
    });
    const marked = { ...nine, ...marker };
    expect(resetAttributes(marked, { bypass: true })).toEqual({ attributes: marked, changes: [], blocked: null });
    expect(resetAttributes(marked, { bypass: false })).toEqual({
      attributes: nine,
      changes: ['bq-replay-bypass removed'],
      blocked: null,
    });
  });

  test('ten others leave no room for it, and none is trimmed', () => {
    const ten = { ...nine, ...of('j') };
    const result = resetAttributes(ten, { bypass: true });
    expect(result.attributes).toEqual(ten);
    expect(result.blocked).toMatch(/ten attributes/);
  });
});

test('shapes are told apart by what was written, not by what looks like it', () => {
  const shapes: Record<string, Shape> = {
    '{"job":"","trace_id":"","data":null,"meta":{"schema_version":0},"dead_letter":{}}': 'emptied_envelope',
    '{"job":"","trace_id":"","data":{},"meta":{"schema_version":1},"dead_letter":{}}': 'dead_lettered_envelope',
    '{"job":"","trace_id":"","data":null,"urn":"urn:a","meta":{"schema_version":1},"dead_letter":{}}':
      'dead_lettered_envelope',
    '{"attempts":0,"dead_letter":{}}': 'emptied_record',
    '{"attempts":2,"dead_letter":{"reason":"poison"}}': 'object_record',
    '{"dead_letter":{}}': 'object_record',
    '{"raw":7,"dead_letter":{}}': 'object_record',
    '{"job":"a","meta":[1],"dead_letter":{}}': 'object_record',
    '{"job":7,"meta":{"schema_version":1}}': 'object',
    '{"job":"a","meta":{"id":"x"}}': 'object',
    '{"urn":"a","meta":{"schema_version":null}}': 'envelope',
    '{"urn":"a","meta":{"schema_version":1},"dead_letter":"x"}': 'unknown_record',
    '{"dead_letter":[]}': 'unknown_record',
    '["a.S3Pointer",{}]': 'text',
    '\uFEFF{"dead_letter":{}}': 'text',
    '{"dead_letter":NaN}': 'text',
    '{"dead_letter":{}} x': 'text',
  };
  for (const [body, shape] of Object.entries(shapes)) expect([body, readBody(body, {}).shape]).toEqual([body, shape]);
});
