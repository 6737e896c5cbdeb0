import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import {
  ATTEMPTS,
  ENVELOPE,
  GATE,
  KEPT,
  PROJECTION,
  READ,
  RECORDS,
  REFUSALS,
  REFUSED,
  VERDICTS,
} from '../model/conformance/cases.ts';
import { factOf } from './here.ts';
import { noteTried } from './results.ts';

/** The sections that say nothing to a tool which neither publishes nor handles, or speak of another broker. */
const NOT_OURS: Readonly<Record<string, string>> = {
  idempotency: 'how a consumer remembers what it handled',
  payload_schema: 'how a consumer validates data',
  payload_schema_unicode: 'how a consumer validates data',
  retry_backoff: 'how long a worker waits',
  traceparent: 'how spans are made of an attribute that a redrive leaves as it is',
  extension_write: 'how a producer adds to meta',
  encode_reject: 'what a producer refuses to write',
  delay: 'how a producer delays',
  kafka_poison: 'the same bodies as identity_verdict',
  asb: 'Azure Service Bus',
  version_gate_asb: 'Azure Service Bus',
  pulsar: 'Pulsar',
  pulsar_exhaustion: 'Pulsar',
  version_gate_pulsar: 'Pulsar',
  kafka: 'Kafka',
  backoff: 'Kafka',
  artemis: 'Artemis',
  version_gate_artemis: 'Artemis',
  redis: 'Redis',
  redis_layout: 'Redis',
  redis_delay: 'Redis',
  rabbitmq: 'RabbitMQ',
};

type Case = Record<string, unknown> & { name: string; file?: string; mode?: string };
interface Section {
  cases: Case[];
}

describe.skipIf(factOf('babelqueue', 'suite') === null)("the public suite's cases are ours, all of them", () => {
  const folder = factOf('babelqueue', 'suite') ?? '';
  if (folder === '') return;
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Record<string, unknown>;
  const fixture = (file: unknown) => JSON.parse(readFileSync(join(folder, String(file)), 'utf8')) as unknown;
  const section = (name: string) => (manifest[name] as Section).cases;
  const same = (what: string, ours: unknown, theirs: unknown) => {
    expect(ours).toEqual(theirs);
    noteTried(inject('results'), { part: 'babelqueue', kind: 'other', name: `suite: ${what}`, outcome: 'alike' });
  };
  /** Of those that publish (`make`, `encode`) nothing is asked of a tool that doesn't. */
  const producing = ({ mode }: Case) => mode === 'make' || mode === 'encode';

  test('no section is unknown', () => {
    const about = ['schema_version', 'conformance_version', 'sections', 'exceptions', 'description'];
    const held = ['cases', 'job_type', 'trim', 'data_shape', 'roundtrip', 'forbidden_keys', 'identity_verdict'];
    const known = [...about, ...held, 'poison_dlq', 'sqs', 'version_gate_sqs', ...Object.keys(NOT_OURS)];
    same('sections', known.sort(), Object.keys(manifest).sort());
    same('its ordinary message', JSON.parse(ENVELOPE), fixture('fixtures/order-created.json'));
  });

  test('what is read', () => {
    const ours = READ.map(([name, one, body, urn, accepted]) => [name, one, JSON.parse(body), urn, accepted]);
    const theirs = ['cases', 'job_type', 'trim', 'data_shape'].flatMap((name) => {
      const cases = name === 'cases' ? (manifest.cases as Case[]) : section(name);
      return cases
        .filter((one) => !producing(one) && one.mode !== 'reemit')
        .map((one) => {
          const body = fixture(one.file) as { job?: string };
          const expected = one.expect as { urn: string } | undefined;
          // Where it names none, the message is refused for something else than its name, or has none.
          const named =
            name === 'data_shape' || one.mode === 'accepts' || one.name === 'invalid-unknown-schema-version';
          const urn = expected?.urn ?? (named ? (body.job ?? null) : null);
          return [name, one.name, body, urn, one.mode === 'accepts' ? one.expect_accepts : one.valid];
        });
    });
    same('what is read', ours, theirs);
  });

  test('what is kept', () => {
    const ours = KEPT.map(([name, one, body, kept]) => [name, one, JSON.parse(body), kept]);
    const theirs = ['roundtrip', 'forbidden_keys', 'trim'].flatMap((name) =>
      section(name)
        .filter(({ mode }) => name !== 'trim' || mode === 'reemit')
        .map((one) => [name, one.name, fixture(one.file), one.expect_preserved ?? {}]),
    );
    same('what is kept', ours, theirs);
  });

  test('what is poison, and its record', () => {
    same(
      'verdicts',
      VERDICTS,
      section('identity_verdict').map(({ name, body, expect: verdict }) => [name, body, verdict]),
    );
    const kafka = section('kafka_poison').map(({ name, body }) => [name, body]);
    same(
      'verdicts of kafka_poison',
      VERDICTS.slice(0, kafka.length).map(([name, body]) => [name, body]),
      kafka,
    );
    const ours = RECORDS.map(([name, body, shape]) => [
      name,
      typeof body === 'string' ? body : body.toString('base64'),
      shape,
    ]);
    const theirs = section('poison_dlq').map((one) => [
      one.name,
      one.body ?? one.body_base64,
      (one.expect as { shape: string }).shape,
    ]);
    same('records', ours, theirs);
  });

  test('SQS', () => {
    const sqs = manifest.sqs as {
      attribute_projection: { message_attributes: Record<string, { DataType: string; StringValue: string }> };
      attempts_reconciliation: Section;
      schema_version_gate: Section;
    };
    const projected = Object.entries(sqs.attribute_projection.message_attributes);
    same(
      'projection',
      PROJECTION,
      Object.fromEntries(
        projected.map(([name, { DataType, StringValue }]) => [name, { type: DataType, value: StringValue }]),
      ),
    );
    same(
      'attempts',
      ATTEMPTS,
      sqs.attempts_reconciliation.cases.map((one) => [
        one.name,
        one.body_attempts,
        one.approximate_receive_count,
        one.expected_attempts,
      ]),
    );
    same(
      'gate',
      GATE,
      sqs.schema_version_gate.cases.map((one) => [one.absent === true ? null : one.value, one.expect]),
    );
    const gated = manifest.version_gate_sqs as Section & { incoming_bodies: { name: string; body: string }[] };
    same(
      'refused bodies',
      REFUSED,
      gated.incoming_bodies.map(({ name, body }) => [name, body]),
    );
    same(
      'refusals',
      REFUSALS,
      gated.cases.map((one) => [one.name, (one.expect as { outcome: string }).outcome]),
    );
  });
});
