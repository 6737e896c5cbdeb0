import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classify } from '../../src/model/classify.ts';
import { errorLine } from '../../src/model/display/reasons.ts';
import { readBody } from '../../src/model/envelope.ts';
import type { Attributes, WholeFailure } from '../../src/model/failure.ts';
import { identityOf } from '../../src/model/identity.ts';
import { resetBody } from '../../src/model/reset.ts';
import type { KnownQueues, QueueFacts, RememberedFacts, SqsMessage } from '../../src/model/sqs-message.ts';
import { jsonText } from '../support/json-text.ts';
import { allShapes, deadLettered, published } from '../support/shapes.ts';

const SENT = 1749132727000;
const FACTS: QueueFacts = {
  source: 'orders',
  queue: 'orders-dlq',
  arn: 'arn:aws:sqs:eu-central-1:000000000000:orders-dlq',
  account: '000000000000',
  region: 'eu-central-1',
  fifo: false,
  retentionSeconds: 4 * 24 * 3600,
  redriveSources: [],
  redriveTo: null,
  to: null,
};
const NATIVE = { DeadLetterQueueSourceArn: 'arn:aws:sqs:eu-central-1:000000000000:orders' };
const FORGOTTEN: RememberedFacts = {
  archivedUntil: null,
  sourceArn: null,
  sentAt: null,
  failedAt: null,
  retryTo: null,
};
const VERSION_2: Attributes = { 'bq-schema-version': { type: 'Number', value: '2' } };
const PROJECTED: Attributes = { 'bq-job': { type: 'String', value: 'urn:babel:orders:created' } };

const known: KnownQueues = (name) => ({
  exists: name === 'orders',
  fifo: false,
  maximumMessageSize: 1_048_576,
});

interface Case {
  body: string;
  attributes?: Attributes;
  system?: Record<string, string>;
  facts?: Partial<QueueFacts>;
  remembered?: Partial<RememberedFacts>;
}

function failureOf({ body, attributes = {}, system = {}, facts = {}, remembered }: Case): WholeFailure {
  const message: SqsMessage = {
    messageId: '4f2a91c3',
    body,
    attributes,
    systemAttributes: { SentTimestamp: String(SENT), ApproximateReceiveCount: '4', ...system },
  };
  return classify(
    message,
    { ...FACTS, ...facts },
    known,
    remembered === undefined ? null : { ...FORGOTTEN, ...remembered },
  );
}

const said = ({ origin, reason, reason_basis }: WholeFailure) => [origin, reason, reason_basis];

test("the suite's dead-lettered case, member by member", () => {
  const { body, attributes } = deadLettered();
  const failure = failureOf({ body, attributes, system: { MessageGroupId: 'g' } });
  expect(failure).toEqual({
    id: 'orders/4f2a91c3',
    source: 'orders',
    origin: 'sqs_app',
    state: 'failed',
    reason: 'failed',
    reason_basis: 'recorded',
    queue: 'orders',
    held_in: 'orders-dlq',
    retry_to: 'orders',
    retry_to_basis: 'original_queue',
    subject: 'urn:babel:orders:created',
    title: 'queue orders · urn:babel:orders:created',
    error: 'Payment gateway timeout',
    exception: 'App\\Exceptions\\GatewayTimeout',
    problems: [],
    attempts: 3,
    receive_count: 4,
    failed_at: '2025-06-05T14:12:10.000Z',
    sent_at: '2025-06-05T14:12:07.000Z',
    expires_at: '2025-06-09T14:12:07.000Z',
    message_id: 'f1e2d3c4-b5a6-4789-90ab-cdef01234567',
    trace_id: '7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b',
    lang: 'php',
    schema_version: '1',
    fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
    size_bytes: Buffer.byteLength(body),
    retryable: true,
    retry_blocked: null,
    body,
    body_base64: null,
    attributes,
    system_attributes: { SentTimestamp: String(SENT), ApproximateReceiveCount: '4', MessageGroupId: 'g' },
  });
});

describe('the nine shapes', () => {
  const readAs = (system: Record<string, string>, facts: Partial<QueueFacts>) =>
    Object.fromEntries(
      allShapes('orders', 1749132730000).map(({ shape, body, attributes }) => {
        const failure = failureOf({ body, attributes, system, facts });
        return [shape, [...said(failure), failure.retry_to, failure.retryable].join(' ')];
      }),
    );
  const SET_ASIDE = {
    a: 'sqs_app failed recorded orders true',
    c: 'sqs_app poison recorded orders true',
    d: 'sqs_app poison recorded orders true',
    e: 'sqs_app poison recorded orders false',
    f: 'sqs_app unknown_urn recorded orders false',
    h: 'sqs_app expired recorded orders true',
  };

  test('moved by SQS', () => {
    expect(readAs(NATIVE, {})).toEqual({
      ...SET_ASIDE,
      b: 'sqs_native max_receives inferred orders true',
      'b (gated)': 'sqs_native unsupported_schema_version inferred orders true',
      g: 'sqs_native unsupported_schema_version inferred orders true',
      i: 'sqs_native max_receives inferred orders true',
    });
  });

  test("on a RedrivePolicy's target, without a source ARN", () => {
    expect(readAs({}, { redriveSources: ['arn:aws:sqs:eu-central-1:000000000000:orders'] })).toEqual({
      ...SET_ASIDE,
      b: 'sqs_native max_receives inferred orders true',
      'b (gated)': 'sqs_app unsupported_schema_version inferred orders true',
      g: 'sqs_app unsupported_schema_version inferred orders true',
      i: 'sqs_native max_receives inferred orders true',
    });
  });

  test("on an app's own dead-letter queue", () => {
    expect(readAs({}, {})).toEqual({
      ...SET_ASIDE,
      b: 'sqs_app unclassified inferred orders true',
      'b (gated)': 'sqs_app unsupported_schema_version inferred orders true',
      g: 'sqs_app unsupported_schema_version inferred  false',
      i: 'sqs_app unclassified inferred  false',
    });
  });

  test('an emptied body says that it was lost', () => {
    const lost = allShapes('orders', 0).filter(({ shape }) => shape === 'e' || shape === 'f');
    for (const { body } of lost) expect(failureOf({ body }).retry_blocked).toMatch(/body was lost/);
  });
});

describe('the reason', () => {
  test('is poison only where a bq-* attribute shows that the body was meant to be an envelope', () => {
    expect(said(failureOf({ body: 'x', attributes: PROJECTED, system: NATIVE }))).toEqual([
      'sqs_native',
      'poison',
      'inferred',
    ]);
    expect(failureOf({ body: '{"a":1}', attributes: PROJECTED, system: NATIVE }).reason).toBe('poison');
    const blank = '{"job":" ","meta":{"schema_version":1}}';
    expect(failureOf({ body: blank, attributes: PROJECTED, system: NATIVE }).reason).toBe('poison');
    const marker: Attributes = { 'bq-replay-bypass': { type: 'String', value: '1' } };
    expect(failureOf({ body: 'x', attributes: marker, system: NATIVE }).reason).toBe('max_receives');
    expect(failureOf({ body: 'x', system: NATIVE }).reason).toBe('max_receives');
  });

  test("is the version where the gate or the body's own fails, and the error shows it", () => {
    const gated = failureOf({
      body: 'x',
      attributes: { 'bq-schema-version': { type: 'String', value: 'v'.repeat(70) } },
    });
    expect([gated.reason, gated.error]).toEqual(['unsupported_schema_version', `version ${'v'.repeat(64)}...`]);
    const own = (version: string) =>
      failureOf({ body: `{"job":"urn:a","meta":{"schema_version":${version}}}`, system: NATIVE });
    // The table says it in the same words as the document.
    expect(errorLine(own('2'))).toBe('version 2');
    expect([own('2').reason, own('2').error, own('2').schema_version]).toEqual([
      'unsupported_schema_version',
      'version 2',
      '2',
    ]);
    expect([own('"1"').reason, own('null').error]).toEqual(['unsupported_schema_version', 'version null']);
    expect([own('1').reason, own('1').error]).toEqual(['max_receives', null]);
  });

  test('passes through as it is recorded, and is inferred where none is', () => {
    const recorded = (record: string) => said(failureOf({ body: `{"raw":"x","dead_letter":${record}}` }));
    expect(recorded('{"reason":"expired"}')).toEqual(['sqs_app', 'expired', 'recorded']);
    expect(recorded('{"reason":7}')).toEqual(['sqs_app', 'poison', 'inferred']);
    expect(said(failureOf({ body: '{"a":1,"dead_letter":{}}' }))).toEqual(['sqs_app', 'unclassified', 'inferred']);
  });

  test("of other frameworks' bodies is max_receives", () => {
    const laravel = '{"uuid":"u","job":"Illuminate\\\\Queue\\\\CallQueuedHandler@call","data":{},"attempts":3}';
    const failure = failureOf({ body: laravel, system: NATIVE });
    expect([failure.reason, failure.subject, failure.message_id]).toEqual(['max_receives', null, null]);
  });

  test('of what EventBridge put on a shared dead-letter queue is not that SQS moved it', () => {
    const attributes: Attributes = { RULE_ARN: { type: 'String', value: 'arn:aws:events:…' } };
    const failure = failureOf({ body: '{}', attributes, facts: { redriveSources: ['orders'] } });
    expect([...said(failure), failure.retry_to]).toEqual(['sqs_app', 'unclassified', 'inferred', null]);
  });
});

test('an S3 pointer is never poison, says where the message lies and is sent as it is', () => {
  const body = '["software.amazon.payloadoffloading.PayloadS3Pointer",{"s3BucketName":"big","s3Key":"k/1"}]';
  const attributes: Attributes = { ...PROJECTED, ExtendedPayloadSize: { type: 'Number', value: '300000' } };
  const failure = failureOf({ body, attributes, system: NATIVE });
  expect([failure.reason, failure.retryable]).toEqual(['max_receives', true]);
  expect(failure.title).toBe('queue orders · urn:babel:orders:created · s3://big/k/1');
  expect(resetBody(body, readBody(body, attributes), false)).toEqual({ body, changes: [] });
  expect(readBody(body, PROJECTED).shape).toBe('text');
});

test('members of a wrong type are null, and nothing throws', () => {
  const record =
    '{"reason":[],"error":{},"exception":1,"failed_at":"1749132730000","original_queue":{},"attempts":-1,"lang":0}';
  const body = `{"job":{},"urn":"urn:a","trace_id":7,"data":0,"meta":{"id":[],"queue":1,"lang":null,"schema_version":1,"created_at":"x"},"attempts":"3","dead_letter":${record}}`;
  const failure = failureOf({ body, system: { SentTimestamp: 'soon', ApproximateReceiveCount: 'many' } });
  expect(failure).toMatchObject({
    subject: 'urn:a',
    ...{ error: null, exception: null, failed_at: null, attempts: null, message_id: null, trace_id: null, lang: null },
    ...{ receive_count: null, sent_at: null, expires_at: null, queue: 'orders', retry_to_basis: 'name' },
  });
  for (const time of ['1e400', '9e15', '-1e300']) {
    expect(failureOf({ body: `{"a":1,"dead_letter":{"failed_at":${time}}}` }).failed_at).toBeNull();
  }
});

test('any body and attributes make a failure that holds them unchanged', () => {
  const text = fc.oneof(
    jsonText(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(...allShapes('orders', 0).map(({ body }) => body)),
  );
  const attribute = fc.record({
    type: fc.constantFrom('String', 'Number', 'Binary', 'Number.int'),
    value: fc.string(),
  });
  const attributes = fc.dictionary(
    fc.constantFrom('bq-job', 'bq-schema-version', '__proto__', 'RequestID', 'x'),
    attribute,
  );
  fc.assert(
    fc.property(text, attributes, (body, given) => {
      const failure = failureOf({ body, attributes: given });
      expect(failure.body).toBe(body);
      expect(failure.attributes).toEqual(given);
      expect(failure.retryable).toBe(failure.retry_blocked === null);
      expect(Object.values(failure)).not.toContain(undefined);
    }),
    { numRuns: 500 },
  );
});

describe('what the journal remembers', () => {
  test('a restored message keeps its origin, its target and its first time, and expires anew', () => {
    const failure = failureOf({
      body: published().body,
      remembered: { sourceArn: NATIVE.DeadLetterQueueSourceArn, sentAt: '2025-06-01T00:00:00.000Z' },
    });
    expect(failure).toMatchObject({
      ...{ origin: 'sqs_native', reason: 'max_receives', state: 'failed', queue: 'orders' },
      ...{ retry_to: 'orders', retry_to_basis: 'journal', sent_at: '2025-06-01T00:00:00.000Z' },
      expires_at: '2025-06-09T14:12:07.000Z',
    });
  });

  test('an archived message is dismissed, held in the archive, and must be restored first', () => {
    const failure = failureOf({
      ...deadLettered(),
      remembered: { archivedUntil: '2025-07-05T00:00:00.000Z' },
    });
    expect(failure).toMatchObject({
      ...{ state: 'dismissed', held_in: 'archive', expires_at: '2025-07-05T00:00:00.000Z', retryable: false },
      ...{ retry_to: 'orders', reason: 'failed', retry_blocked: expect.stringMatching(/restore/) },
    });
  });
});

describe('the identity', () => {
  const identity = (body: string) => {
    const reading = readBody(body, {});
    return identityOf(reading, resetBody(body, reading, false).body);
  };
  test('is meta.id, before and after a retry', () => {
    const { body } = deadLettered();
    expect(identity(body)).toBe('f1e2d3c4-b5a6-4789-90ab-cdef01234567');
    expect(identity(resetBody(body, readBody(body, {}), false).body)).toBe('f1e2d3c4-b5a6-4789-90ab-cdef01234567');
  });
  test('is else the digest of what is sent, so that what comes back is known again', () => {
    const sent = identity('order=1042');
    expect(sent).toMatch(/^[0-9a-f]{64}$/);
    expect(identity('{"raw":"order=1042","dead_letter":{"failed_at":1}}')).toBe(sent);
    expect(identity('{"a":1,"dead_letter":{"failed_at":1}}')).toBe(identity('{"a":1,"dead_letter":{"failed_at":2}}'));
    expect(identity('{"a":1}')).not.toBe(identity('{"a":2}'));
  });
});

test("a body's own version says something only where the body has a name", () => {
  // What Go 1.8's Redrive makes of a record that it can't read.
  const emptied =
    '{"job":"","trace_id":"","data":null,"meta":{"id":"","queue":"","lang":"","schema_version":0,"created_at":0},"attempts":0}';
  const named = emptied.replace('"job":""', '"job":"urn:a"');
  const reasonOf = (body: string, attributes: Attributes = {}) =>
    failureOf({ body, attributes, system: NATIVE }).reason;
  expect([reasonOf(emptied), reasonOf(emptied, PROJECTED)]).toEqual(['max_receives', 'poison']);
  expect([reasonOf(named), reasonOf(named, PROJECTED)]).toEqual(Array(2).fill('unsupported_schema_version'));
});

test('a recorded reason stands above a refused version', () => {
  expect(said(failureOf({ body: deadLettered().body, attributes: VERSION_2 }))).toEqual([
    'sqs_app',
    'failed',
    'recorded',
  ]);
});
