import { describe, expect, it } from 'vitest';
import { errorLine, explain } from '../../../src/model/display/reasons.ts';
import type { WholeFailure } from '../../../src/model/failure.ts';
import { REASONS } from '../../../src/model/reasons.ts';
import { aFailure } from '../../support/failure.ts';

const text = (value: string) => ({ type: 'String', value });

describe('a reason in words', () => {
  it('has a meaning and what to fix first for every code', () => {
    for (const { code, meaning, before_retry } of REASONS) {
      expect(explain(aFailure({ reason: code }))).toMatchObject({ meaning, before_retry });
    }
  });

  it('says that a recorded reason is the app’s own', () => {
    expect(explain(aFailure({ reason: 'expired\u001b[2J' }))).toEqual({
      meaning: 'Its app recorded a reason of its own, "expired\\x1b[2J".',
      details: [],
      before_retry: 'Find out what the app means by it, from its error and its code, then retry.',
    });
  });

  it.each<[string, Partial<WholeFailure>, string]>([
    ['the attempts', { attempts: 3 }, '3 deliveries recorded.'],
    ['the URN', { reason: 'unknown_urn' }, 'The URN is urn:babel:orders:created.'],
    [
      'the version in the attribute',
      { reason: 'unsupported_schema_version', attributes: { 'bq-schema-version': { type: 'Number', value: ' 1' } } },
      'The attribute bq-schema-version says " 1"; consumers take 1 alone.',
    ],
    [
      'the version in the body',
      { reason: 'unsupported_schema_version', schema_version: '2' },
      "The body's meta.schema_version is 2; consumers take the number 1 alone.",
    ],
    ['the fields', { reason: 'unreadable', problems: [{ field: 'total', rule: 'required' }] }, 'total: required'],
    ['the size', { reason: 'too_large', size_bytes: 70_112 }, 'As stored it has 70,112 bytes.'],
    [
      'the receives',
      { reason: 'max_receives', receive_count: 1 },
      'SQS counts 1 receive, looks at this queue included.',
    ],
    ['another app’s message', { reason: 'max_receives', body: '{"a":1}' }, 'It is not a BabelQueue envelope.'],
    [
      'where a large message lies',
      {
        reason: 'max_receives',
        body: '["software.amazon.payloadoffloading.PayloadS3Pointer",{"s3BucketName":"big\\u202e","s3Key":"k/1"}]',
        attributes: { ExtendedPayloadSize: { type: 'Number', value: '300000' } },
      },
      'The message itself lies in S3, at s3://big\\u{202e}/k/1; this is a pointer to it. A retry sends the pointer, and dismissing keeps the pointer only.',
    ],
    [
      'which service could not deliver it',
      { reason: 'max_receives', attributes: { RULE_ARN: text('arn:x'), ERROR_CODE: text('NO_PERMISSIONS') } },
      'It says: NO_PERMISSIONS',
    ],
    [
      'that poison is a deduction',
      { reason: 'poison', origin: 'sqs_native', reason_basis: 'inferred' },
      'Inferred: its bq-* attributes show that it was meant to be an envelope.',
    ],
  ])('adds %s', (_what, failure, detail) => {
    expect(explain(aFailure(failure)).details).toContain(detail);
  });

  it('stands without a body', () => {
    expect(explain(aFailure({ reason: 'unreadable', body: null, body_base64: '/w==' })).details).toEqual([]);
  });
});

describe('an error in one line', () => {
  it.each<[Partial<WholeFailure>, string]>([
    [{}, 'Payment gateway timeout  GatewayTimeout'],
    [{ exception: 'com.acme.GatewayTimeout' }, 'Payment gateway timeout  GatewayTimeout'],
    [{ error: null, exception: null }, ''],
    [{ error: 'a\nb\u001b[2J', exception: null }, 'a\\nb\\x1b[2J'],
    // An app that recorded it said it in words of its own.
    [{ reason: 'unsupported_schema_version', error: 'schema version 2', exception: null }, 'schema version 2'],
    [
      {
        error: null,
        exception: null,
        problems: [
          { field: 'total', rule: 'required' },
          { field: 'id', rule: 'text' },
        ],
      },
      'total: required, id: text',
    ],
  ])('%j', (failure, line) => {
    expect(errorLine(aFailure(failure))).toBe(line);
  });

  it('is bounded', () => {
    expect(errorLine(aFailure({ error: 'x'.repeat(1_000_000) })).length).toBeLessThan(1100);
  });
});
