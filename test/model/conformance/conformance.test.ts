import { describe, expect, test } from 'vitest';
import { classify } from '../../../src/model/classify.ts';
import { readBody } from '../../../src/model/envelope.ts';
import type { Attributes, WholeFailure } from '../../../src/model/failure.ts';
import { isPoison } from '../../../src/model/poison.ts';
import { resetAttributes, resetBody } from '../../../src/model/reset.ts';
import type { QueueFacts } from '../../../src/model/sqs-message.ts';
import { versionGate } from '../../../src/model/version-gate.ts';
import { ATTEMPTS, ENVELOPE, GATE, KEPT, PROJECTION, READ, RECORDS, REFUSALS, REFUSED, VERDICTS } from './cases.ts';

const FACTS: QueueFacts = {
  source: 'orders',
  queue: 'orders-dlq',
  arn: 'arn:aws:sqs:eu-central-1:000000000000:orders-dlq',
  account: '000000000000',
  region: 'eu-central-1',
  fifo: false,
  retentionSeconds: null,
  redriveSources: [],
  redriveTo: null,
  to: null,
};
const NATIVE = { DeadLetterQueueSourceArn: 'arn:aws:sqs:eu-central-1:000000000000:orders' };

function onQueue(body: string, attributes: Attributes, systemAttributes: Record<string, string> = {}): WholeFailure {
  const known = (name: string) => ({ exists: name === 'orders', fifo: false, maximumMessageSize: null });
  return classify({ messageId: '4f2a91c3', body, attributes, systemAttributes }, FACTS, known);
}

/** With the counter at another value: the last `attempts`, since `meta` may have one too. */
const counted = (body: string, attempts: number) => body.replace(/(.*"attempts":)[0-9]+/, `$1${attempts}`);

/** As an app leaves an envelope that it gave up on: `attempts` counted on, `dead_letter` last. */
function deadLettered(body: string, attempts: number): string {
  const record = `"dead_letter":{"reason":"failed","error":null,"original_queue":"orders","attempts":${attempts}}`;
  return `${counted(body, attempts).slice(0, -1)},${record}}`;
}

function at(document: unknown, pointer: string): unknown {
  const names = pointer.slice(1).split('/');
  return names.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], document);
}

test.each(READ)('%s: %s is read as a consumer reads it', (_section, _name, body, urn, accepted) => {
  const { envelope } = readBody(body, {});
  expect(envelope?.urn ?? null).toBe(urn);
  const whole = envelope !== null && envelope.urn !== null && envelope.traceId !== null && envelope.schemaSupported;
  expect(whole && !isPoison(body)).toBe(accepted);
});

test("the suite's own members are shown", () => {
  const [, , body] = READ.find(([, name]) => name === 'dead-lettered') ?? [];
  expect(readBody(body ?? '', {})).toMatchObject({
    shape: 'dead_lettered_envelope',
    envelope: { id: 'f1e2d3c4-b5a6-4789-90ab-cdef01234567', queue: 'orders', lang: 'php', attempts: 3 },
    deadLetter: { reason: 'failed', originalQueue: 'orders', attempts: 3, lang: 'php', failedAt: 1749132730000 },
  });
  expect(onQueue(ENVELOPE, {})).toMatchObject({
    schema_version: '1',
    trace_id: '7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b',
  });
});

test.each(KEPT)('%s: %s comes back from a dead-letter queue as it was published', (_section, _name, body, kept) => {
  const failed = deadLettered(body, 3);
  const again = resetBody(failed, readBody(failed, {}), false).body;
  // A consumer drops what the contract forbids, and says so; a redrive is not the one to.
  expect(again).toBe(counted(body, 0));
  for (const [pointer, value] of Object.entries(kept)) {
    // `job` as a consumer has it: `urn` where there is no `job`.
    const found = pointer === '/job' ? readBody(again, {}).envelope?.urn : at(JSON.parse(again), pointer);
    expect([pointer, found]).toEqual([pointer, value]);
  }
});

test.each(VERDICTS)('%s: %s is %s, and so told where SQS moved it', (_name, body, verdict) => {
  expect(isPoison(body)).toBe(verdict === 'poison');
  // A record in the body says more than how it came here.
  if (readBody(body, {}).deadLetter !== null) return;
  const unsupported = readBody(body, {}).envelope?.schemaSupported === false;
  const readable = unsupported ? 'unsupported_schema_version' : 'max_receives';
  expect(onQueue(body, PROJECTION, NATIVE).reason).toBe(verdict === 'poison' ? 'poison' : readable);
  // Without a bq-* attribute nothing shows that it was meant for a BabelQueue app.
  expect(onQueue(body, {}, NATIVE).reason).toBe(unsupported ? 'unsupported_schema_version' : 'max_receives');
});

describe('the record of a poison body', () => {
  const block = JSON.stringify({ reason: 'poison', error: 'Undecodable', original_queue: 'orders', attempts: 0 });

  function spliced(body: string): string {
    const object = body.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
    return object === '{}' ? `{"dead_letter":${block}}` : `${object.slice(0, -1)},"dead_letter":${block}}`;
  }

  function wrapped(body: string | Buffer): string {
    const text = typeof body === 'string';
    const raw = JSON.stringify(text ? body : body.toString('base64'));
    return `{"raw":${raw}${text ? '' : ',"raw_encoding":"base64"'},"dead_letter":${block}}`;
  }

  test.each(RECORDS)('of %s is read, and gives the body back', (_name, body, shape) => {
    const records = shape === 'splice_or_wrapper' ? ['splice', 'wrapper'] : [shape];
    for (const form of records) {
      const record = form === 'splice' ? spliced(String(body)) : wrapped(body);
      const reading = readBody(record, {});
      expect(reading.shape).not.toMatch(/emptied|unknown/);
      expect(onQueue(record, {})).toMatchObject({
        origin: 'sqs_app',
        reason: 'poison',
        reason_basis: 'recorded',
        retry_to: 'orders',
        attempts: 0,
        // SQS takes neither an empty body nor bytes that are no text.
        retryable: typeof body === 'string' && body !== '',
      });
      if (typeof body === 'string')
        expect(resetBody(record, reading, false).body).toBe(form === 'splice' ? body.trim() : body);
      else expect(reading.raw).toBeNull();
    }
  });
});

describe('on SQS', () => {
  test('the projection goes along as it is, and names what cannot be read', () => {
    expect(resetAttributes(PROJECTION, { bypass: false })).toEqual({
      attributes: PROJECTION,
      changes: [],
      blocked: null,
    });
    expect(onQueue('<order/>', PROJECTION, NATIVE).subject).toBe('urn:babel:orders:created');
  });

  test.each(ATTEMPTS)(
    'attempts, %s: what a consumer counts is not taken for what was recorded',
    (_name, attempts, count) => {
      const body = counted(ENVELOPE, attempts);
      const failure = onQueue(body, PROJECTION, count === null ? {} : { ApproximateReceiveCount: count });
      expect(failure.attempts).toBeNull();
      expect(failure.receive_count).toBe(count === null || Number.isNaN(Number(count)) ? null : Number(count));
      const { body: again } = resetBody(body, readBody(body, {}), false);
      // max(body, count − 1) of a first delivery: nothing is left of the deliveries before.
      expect(Math.max(readBody(again, {}).envelope?.attempts ?? -1, 1 - 1)).toBe(0);
    },
  );

  test.each(GATE)('the gate on %j says %s', (value, verdict) => {
    const { 'bq-schema-version': _version, ...others } = PROJECTION;
    const attributes = value === null ? others : { ...others, 'bq-schema-version': { type: 'String', value } };
    expect(versionGate(attributes).passed).toBe(verdict === 'decode');
    expect(onQueue(ENVELOPE, attributes).reason).toBe(
      verdict === 'decode' ? 'unclassified' : 'unsupported_schema_version',
    );
  });

  const ended = REFUSALS.filter(([, outcome]) => outcome === 'dlq_raw' || outcome === 'native');
  const version2 = { 'bq-schema-version': { type: 'Number', value: '2' } };
  test.each(REFUSED)('a refused %s is told by the attribute, and sent again byte for byte', (_name, body) => {
    for (const [, outcome] of ended) {
      const native = outcome === 'native';
      expect(onQueue(body, version2, native ? NATIVE : {})).toMatchObject({
        origin: native ? 'sqs_native' : 'sqs_app',
        reason: 'unsupported_schema_version',
        error: 'version 2',
      });
    }
    expect(resetBody(body, readBody(body, version2), true)).toEqual({ body, changes: [] });
  });
});
