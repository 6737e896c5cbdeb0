import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prettyBody } from '../../../src/model/display/pretty.ts';
import { redactBody, redactFailure } from '../../../src/model/display/redact.ts';
import { aFailure } from '../../support/failure.ts';
import { jsonText } from '../../support/json-text.ts';

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;
/** The tokens with what a terminal acts on decoded again, so that only white space may differ. */
const tokensOf = (text: string) =>
  (text.match(TOKEN) ?? []).map((token) => (token.startsWith('"') ? JSON.parse(token) : token));

describe('a body for people', () => {
  it('has the same tokens in the same order, whatever the JSON', () => {
    fc.assert(
      fc.property(jsonText(), (text) => {
        expect(tokensOf(prettyBody(text))).toEqual(tokensOf(text));
      }),
    );
  });

  it('keeps numbers, escapes and duplicates as they are stored, and gives each member a line', () => {
    expect(prettyBody('{"b":99.90,"b":1E2, "a":"caf\\u00e9\\/","n":9007199254740993,"o":{ },"l":[1,[ ]]}\n')).toBe(
      [
        '{',
        '  "b": 99.90,',
        '  "b": 1E2,',
        '  "a": "caf\\u00e9\\/",',
        '  "n": 9007199254740993,',
        '  "o": {},',
        '  "l": [',
        '    1,',
        '    []',
        '  ]',
        '}',
      ].join('\n'),
    );
  });

  it('shows what a terminal acts on as JSON escapes, which mean the same', () => {
    const text = '{"a\u202e":"\u009b31m\u200b"}';
    expect(prettyBody(text)).toBe('{\n  "a\\u202e": "\\u009b31m\\u200b"\n}');
    expect(JSON.parse(prettyBody(text))).toEqual(JSON.parse(text));
  });

  it('escapes a body that is not JSON, and keeps its lines', () => {
    expect(prettyBody('not {json\n\u001b[2J')).toBe('not {json\n\\x1b[2J');
  });

  it('neither overflows nor explodes on a body nested 200,000 deep', () => {
    const shown = prettyBody(`${'[1,'.repeat(200_000)}2${']'.repeat(200_000)}`);
    expect(shown.length).toBeLessThan(200_000 * 200);
  });
});

describe('redaction', () => {
  const body =
    '{ "data": {"email":"a@b.ch", "card":{"no":4242,"cvc":["1",2]}, "\\u0065mail" : null, "n":99.90},"email":"x"}';

  it('blanks the members named, duplicates and escaped keys included, and nothing else', () => {
    expect(redactBody(body, ['data.email', 'data.card.*'])).toEqual({
      body: '{ "data": {"email":"[redacted]", "card":{"no":"[redacted]","cvc":"[redacted]"}, "\\u0065mail" : "[redacted]", "n":99.90},"email":"x"}',
      redacted: true,
    });
  });

  it('blanks the outer of two that lie within each other', () => {
    expect(redactBody(body, ['data.card.cvc.0', 'data.card', 'data.card.no'])).toEqual({
      body: body.replace('{"no":4242,"cvc":["1",2]}', '"[redacted]"'),
      redacted: true,
    });
  });

  it.each([
    [body, ['data.phone']],
    ['email: a@b.ch', ['email']],
    ['{"email":"a@b.ch"', ['email']],
    [body, []],
  ])('leaves %s alone and unmarked for %j', (text, paths) => {
    expect(redactBody(text, paths)).toEqual({ body: text, redacted: false });
  });

  it('leaves no named value in any JSON', () => {
    const secret = '"s3cr3t-value"';
    fc.assert(
      fc.property(jsonText(), jsonText(), (before, after) => {
        const text = `{"x":${before},"email":${secret},"y":${after},"email": [${secret}]}`;
        const { body: shown, redacted } = redactBody(text, ['email']);
        expect(redacted).toBe(true);
        expect(shown).toBe(`{"x":${before},"email":"[redacted]","y":${after},"email": "[redacted]"}`);
      }),
    );
  });

  it('marks the failure where it blanked anything, and only there', () => {
    const failure = aFailure({ body });
    expect(redactFailure(failure, ['data.email'])).toMatchObject({ redacted: true, size_bytes: failure.size_bytes });
    expect(redactFailure(failure, ['nothing'])).toBe(failure);
    expect(redactFailure(aFailure({ body: null, body_base64: '/w==' }), ['data'])).not.toHaveProperty('redacted');
  });

  it('refuses a path that it cannot read', () => {
    expect(() => redactBody('{}', ['data..email'])).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});
