import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BabelqError } from '../../src/model/errors.ts';
import { readExportLine } from '../../src/model/export-line.ts';
import { aFailure } from '../support/failure.ts';

const line = (failure: object = {}, rest: object = {}) =>
  JSON.stringify({
    failure: { ...aFailure(), ...failure },
    exported_at: '2026-11-30T14:02:11.034Z',
    redacted: false,
    ...rest,
  });

test('any text, any attribute and any bytes come back as they were', () => {
  const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array).toString('base64'));
  const attribute = fc.oneof(
    fc.record({ type: fc.constantFrom('String', 'Number.int'), value: fc.string({ unit: 'binary' }) }),
    fc.record({ type: fc.constantFrom('Binary', 'Binary.png'), value: bytes }),
  );
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.dictionary(fc.oneof(fc.string({ minLength: 1 }), fc.constant('__proto__')), attribute),
      (body, attributes) => {
        const read = readExportLine(line({ body, attributes }), 'x');
        expect(read.body).toBe(body);
        expect(Object.entries(read.attributes)).toEqual(Object.entries(attributes));
      },
    ),
  );
});

test('what a message loses by being put there anew is kept, but not what a person said of it then', () => {
  const sourceArn = 'arn:aws:sqs:eu-central-1:123456789012:orders';
  const system_attributes = { DeadLetterQueueSourceArn: sourceArn };
  expect(readExportLine(line({ system_attributes }), 'x').remembered).toEqual({
    archivedUntil: null,
    sourceArn,
    sentAt: '2026-11-30T11:00:00.000Z',
    failedAt: '2026-11-30T12:00:00.000Z',
    retryTo: 'orders',
  });
  for (const retry_to_basis of ['flag', 'config']) {
    expect(readExportLine(line({ retry_to_basis }), 'x').remembered.retryTo).toBeNull();
  }
  expect(readExportLine(line({ retry_to: 'https://evil.example/1/orders' }), 'x').remembered.retryTo).toBe('orders');
  expect(readExportLine(line({ retry_to: 'no queue' }), 'x').remembered.retryTo).toBeNull();
});

test('what was blanked is known by either mark', () => {
  expect(readExportLine(line(), 'x').redacted).toBe(false);
  expect(readExportLine(line({}, { redacted: true }), 'x').redacted).toBe(true);
  expect(readExportLine(line({ redacted: true }), 'x').redacted).toBe(true);
});

test.each<[string, string]>([
  ['x', 'it is not JSON'],
  ['[]', 'it is not an object'],
  ['{}', 'it has no failure'],
  [line({ id: 'another/1' }), 'failure.id does not begin with its source'],
  [line({ id: 'orders/' }), 'failure.id does not begin with its source'],
  [line({ body: null, body_base64: null }), 'failure has no body'],
  [line({ body: 7 }), 'failure.body is not a text or null'],
  [line({ reason: '' }), 'failure.reason is not a text'],
  [line({ sent_at: 'noon' }), 'failure.sent_at is not a time'],
  [line({ attributes: { a: 'b' } }), 'the attribute "a" is not an object'],
  [line({ attributes: { a: { type: 'String' } } }), 'the attribute "a" has no type and value'],
  [line({ attributes: { a: { type: 'Binary', value: '%' } } }), 'the attribute "a" is binary'],
  [line({ system_attributes: { a: 1 } }), 'a value in failure.system_attributes is not a text'],
])('%s is not taken for a line of an export', (text, why) => {
  let error: BabelqError | null = null;
  try {
    readExportLine(text, 'out.ndjson, line 3');
  } catch (thrown) {
    error = thrown as BabelqError;
  }
  expect(error).toMatchObject({
    exit: 2,
    message: `out.ndjson, line 3 is not of an export: ${error?.message.split(': ')[1]}`,
  });
  expect(error?.message).toContain(why);
});
