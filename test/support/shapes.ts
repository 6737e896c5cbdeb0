/**
 * The nine shapes of body that lie on an SQS dead-letter queue, as BabelQueue's SDKs, SQS and other apps write them,
 * each with what babelq must say of it. Used by the tests and by the demo.
 */
import type { Attributes } from '../../src/model/failure.ts';

export interface ShapedMessage {
  shape: string;
  body: string;
  attributes: Attributes;
  groupId?: string;
}

interface EnvelopeParts {
  urn: string;
  /** The text of `data`, so that numbers stay as written. */
  data: string;
  trace: string;
  id: string;
  queue: string;
  lang?: string;
  createdAt: number;
  attempts?: number;
  deadLetter?: { reason: string; error: string | null; exception: string | null; failedAt: number; lang?: string };
}

/** An envelope's text in the compact form that SDKs write, `dead_letter` last. */
function envelopeText(parts: EnvelopeParts): string {
  const { urn, data, trace, id, queue, lang = 'php', createdAt, attempts = 0, deadLetter } = parts;
  const meta = `{"id":"${id}","queue":"${queue}","lang":"${lang}","schema_version":1,"created_at":${createdAt}}`;
  const dead =
    deadLetter === undefined
      ? ''
      : `,"dead_letter":${JSON.stringify({
          reason: deadLetter.reason,
          error: deadLetter.error,
          exception: deadLetter.exception,
          failed_at: deadLetter.failedAt,
          original_queue: queue,
          attempts,
          lang: deadLetter.lang ?? lang,
        })}`;
  return `{"job":"${urn}","trace_id":"${trace}","data":${data},"meta":${meta},"attempts":${attempts}${dead}}`;
}

/** The projection of an envelope onto SQS message attributes, as the SDKs' transports write it. */
function projection(parts: EnvelopeParts): Attributes {
  return {
    'bq-job': { type: 'String', value: parts.urn },
    'bq-trace-id': { type: 'String', value: parts.trace },
    'bq-message-id': { type: 'String', value: parts.id },
    'bq-source-lang': { type: 'String', value: parts.lang ?? 'php' },
    'bq-schema-version': { type: 'Number', value: '1' },
    'bq-created-at': { type: 'Number', value: String(parts.createdAt) },
  };
}

/** A message whose handler failed three times: shape a, the suite's `dead-lettered` case unless changed. */
export function deadLettered(changes: Partial<EnvelopeParts> = {}): ShapedMessage {
  const parts: EnvelopeParts = {
    urn: 'urn:babel:orders:created',
    data: '{"order_id":1042}',
    trace: '7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b',
    id: 'f1e2d3c4-b5a6-4789-90ab-cdef01234567',
    queue: 'orders',
    createdAt: 1749132727000,
    attempts: 3,
    deadLetter: {
      reason: 'failed',
      error: 'Payment gateway timeout',
      exception: 'App\\Exceptions\\GatewayTimeout',
      failedAt: 1749132730000,
    },
    ...changes,
  };
  return { shape: 'a', body: envelopeText(parts), attributes: projection(parts) };
}

/** An envelope as it was published, without `dead_letter`: shape b. */
export function published(changes: Partial<EnvelopeParts> = {}): ShapedMessage {
  const parts: EnvelopeParts = {
    urn: 'urn:babel:orders:created',
    data: '{"order_id":9007199254740993,"total":99.90,"note":"caf\\u00e9 \\/ 1E2"}',
    trace: '2c1e7d5b-0a94-4d3c-8f6e-9b8a7c6d5e4f',
    id: '0b9c8d7e-6f5a-4b3c-9d2e-1f0a9b8c7d6e',
    queue: 'orders',
    lang: 'go',
    createdAt: 1749132727000,
    ...changes,
  };
  return { shape: 'b', body: envelopeText(parts), attributes: projection(parts) };
}

/**
 * All nine, as a dead-letter queue `<queue>-dlq` may hold them at once.
 * @param failedAt epoch milliseconds for the records' `failed_at`
 */
export function allShapes(queue: string, failedAt: number): ShapedMessage[] {
  const dead = (reason: string, error: string | null, exception: string | null) => ({
    reason,
    error,
    exception,
    failed_at: failedAt,
    original_queue: queue,
    attempts: 1,
    lang: 'php',
  });
  const goRecord = (reason: string, error: string) =>
    JSON.stringify({
      job: '',
      trace_id: '',
      data: null,
      meta: { id: '', queue, lang: 'go', schema_version: 1, created_at: 0 },
      attempts: 0,
      dead_letter: { ...dead(reason, error, null), lang: 'go' },
    });
  const version2: Attributes = { 'bq-schema-version': { type: 'Number', value: '2' } };
  const created = failedAt - 3000;
  return [
    deadLettered({
      queue,
      createdAt: created,
      deadLetter: {
        reason: 'failed',
        error: 'Payment gateway timeout',
        exception: 'App\\Exceptions\\GatewayTimeout',
        failedAt,
      },
    }),
    published({ queue, createdAt: created }),
    {
      shape: 'b (gated)',
      body: published({ queue, createdAt: created, id: '9d8c7b6a-5e4f-4a3b-8c2d-0e1f2a3b4c5d' }).body,
      attributes: { ...published({ queue }).attributes, ...version2 },
    },
    {
      shape: 'c',
      body: JSON.stringify({
        raw: 'order=1042;total=99.90',
        dead_letter: dead('poison', 'Syntax error', 'JsonException'),
      }),
      attributes: {},
    },
    {
      shape: 'd',
      body: `{"order_id":1042, "total":99.90, "dead_letter": ${JSON.stringify(dead('poison', 'The message has no identity', null))}}`,
      attributes: {},
    },
    { shape: 'e', body: goRecord('poison', "invalid character '<' looking for beginning of value"), attributes: {} },
    {
      shape: 'f',
      body: JSON.stringify({
        attempts: 3,
        dead_letter: {
          ...dead('unknown_urn', 'No handler mapped for URN [(empty)].', 'UnknownUrnError'),
          attempts: 3,
          lang: 'python',
        },
      }),
      attributes: {},
    },
    {
      shape: 'g',
      body: '<order id="1042"/>',
      attributes: { 'bq-job': { type: 'String', value: 'urn:babel:orders:created' }, ...version2 },
    },
    { shape: 'i', body: '{"orderId":"A-17","status":"SHIPPED"}', attributes: {} },
    {
      shape: 'h',
      body: JSON.stringify({
        record: 'dead-letter/2',
        body_base64: 'eyJvcmRlcl9pZCI6MTA0Mn0=',
        dead_letter: dead('expired', 'TTL of 3600 s passed', null),
      }),
      attributes: {},
    },
  ];
}
