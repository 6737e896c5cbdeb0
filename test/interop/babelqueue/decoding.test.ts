import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { isBodyLost, readBody } from '../../../src/model/envelope.ts';
import { isPoison } from '../../../src/model/poison.ts';
import { resetBody } from '../../../src/model/reset.ts';
import { isSendable } from '../../../src/model/size.ts';
import { jsonText, memberText, space, stringText } from '../../support/json-text.ts';
import { topLevelMembers } from '../../support/json-tokens.ts';
import { factOf } from '../here.ts';
import { noteTried } from '../results.ts';
import { App } from './app.ts';

const BODIES = 3_000;

const named = (name: string, value: fc.Arbitrary<string>) => memberText(stringText(fc.constant(name)), value);
const objectText = (members: fc.Arbitrary<string>) =>
  fc.tuple(space, fc.array(members, { maxLength: 7 }), space).map(([a, all, b]) => `${a}{${all.join(',')}}${b}`);
const name = stringText(fc.constantFrom('urn:a', 'urn:a', ' urn:a', '', ' \t', '\u00a0', '\u2003', '\u0085'));
const some = (weight: number, arbitrary: fc.Arbitrary<string>) => ({ weight, arbitrary });
const string = fc.oneof(some(20, stringText(fc.constantFrom('x', ''))), some(1, fc.constantFrom('null', '7', '[]')));
const odd = ['-0', 'null', '9223372036854775807', '9223372036854775808', '1.0', '1e0', '"1"'];
const integer = fc.oneof(some(20, fc.constantFrom('0', '1', '2')), some(1, fc.constantFrom(...odd)));
const identity = fc.oneof(some(20, name), some(1, jsonText()));
const meta = objectText(
  fc.oneof(
    some(4, named('schema_version', integer)),
    some(2, named('created_at', integer)),
    some(
      4,
      fc.constantFrom('id', 'queue', 'lang').chain((key) => named(key, string)),
    ),
    some(1, named('ext', jsonText())),
  ),
);
const record = objectText(
  fc.oneof(
    named('failed_at', integer),
    fc.constantFrom('reason', 'error', 'lang').chain((key) => named(key, string)),
  ),
);
/** Envelopes that are whole, nearly, or not at all, and other texts. */
const body = fc.oneof(
  some(
    8,
    objectText(
      fc.oneof(
        some(6, named('job', identity)),
        some(2, named('urn', identity)),
        some(2, named('trace_id', string)),
        some(3, named('data', fc.oneof(some(20, objectText(named('a', jsonText()))), some(1, jsonText())))),
        some(4, named('meta', fc.oneof(some(20, meta), some(1, jsonText())))),
        some(2, named('attempts', integer)),
        some(1, named('dead_letter', fc.oneof(some(4, record), some(1, jsonText())))),
        some(1, named('JOB', jsonText())),
      ),
    ),
  ),
  some(1, jsonText()),
  some(1, fc.string()),
);

describe.skipIf(factOf('babelqueue', 'python') === null)("babelq and the SDK's decoder", () => {
  let app: App;
  beforeAll(() => {
    app = new App({ AWS_REGION: '', AWS_ENDPOINT_URL: '' });
  });
  afterAll(() => app.close());

  test('agree on what is poison, on names, and on what a record of poison holds', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const bodies = fc.sample(body, { numRuns: BODIES, seed }).filter(isSendable);
    const read = await app.decode(bodies);
    const counts = { poison: 0, named: 0 };
    for (const [at, text] of bodies.entries()) {
      const { urn, record: written } = read[at] ?? { urn: null, record: null };
      const told = `seed ${seed}: ${text}`;
      expect([told, isPoison(text)]).toEqual([told, written !== null]);
      if (written === null) {
        const { envelope, shape } = readBody(text, {});
        if (envelope === null || shape === 'emptied_envelope') continue;
        counts.named += 1;
        expect([told, envelope.urn]).toEqual([told, urn]);
        continue;
      }
      const members = topLevelMembers(written).map(({ key }) => key);
      const again = readBody(written, {});
      const wrapped = /^\{"raw":/.test(written) && !/^\s*\{\s*"raw"/.test(text);
      if (isBodyLost(again) || members.includes('attempts')) continue;
      counts.poison += 1;
      const trimmed = text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '').replace(/^\{[ \t\r\n]*\}$/, '{}');
      // What counts as an envelope gets its counter back, as by the SDK's own redrive.
      const counted = again.shape === 'dead_lettered_envelope' ? `${trimmed.slice(0, -1)},"attempts":0}` : trimmed;
      const whole = wrapped ? text : counted;
      expect([told, resetBody(written, again, false).body]).toEqual([told, whole]);
    }
    expect(Math.min(counts.poison, counts.named)).toBeGreaterThan(BODIES / 20);
    noteTried(inject('results'), { part: 'babelqueue', kind: 'other', name: 'decoding', outcome: 'alike' });
  });
});
