import { type Failure, ORIGINS, STATES, type WholeFailure } from '../../model/failure.ts';
import { count, flag, list, map, object, oneOf, orNull, type Schema, text, time } from './shape.ts';

const TARGET_BASES = ['flag', 'config', 'journal', 'source_arn', 'original_queue', 'policy', 'name', 'meta_queue'];

const PROBLEM = object("One of jadpo's reasons why an event was refused; never a value", {
  field: text('The field; empty for the whole body'),
  rule: text('The rule that it breaks'),
});

const ATTRIBUTE = object('An SQS message attribute', {
  type: text('As SQS has it: String, Number, Binary, or a custom one such as Number.int'),
  value: text('The text, or base64 where the type is Binary'),
});

const MEMBERS = {
  id: text('<source>/<native id>: stable between listings, and can be typed back'),
  source: text("The configured source's name"),
  origin: oneOf(ORIGINS, "Who set it aside: SQS's RedrivePolicy, a BabelQueue app, or a jadpo app"),
  state: oneOf(STATES, "jadpo's three states; an SQS message on a queue is failed, one in the archive dismissed"),
  reason: text('A reason code (babelq reasons); any other that was recorded stands as it is'),
  reason_basis: oneOf(['recorded', 'inferred'], 'Whether the reason was read, or deduced from evidence'),
  queue: orNull(text("Where it failed: the source queue, or jadpo's connection")),
  held_in: text("Where it lies: the dead-letter queue's name, archive, or jadpo's table"),
  retry_to: orNull(text('Where a retry would put it; null where that is not known, or ambiguous')),
  retry_to_basis: orNull(oneOf(TARGET_BASES, 'What says so')),
  subject: orNull(text("The URN, or the event's name")),
  title: text("jadpo's way of naming it"),
  error: orNull(text('As the app recorded it; of a refused schema version without a record: version 2')),
  exception: orNull(text('As the app recorded it')),
  problems: list(PROBLEM, 'Why jadpo refused it'),
  attempts: orNull(count('Deliveries before it was set aside, as recorded')),
  receive_count: orNull(count("SQS's ApproximateReceiveCount as last seen")),
  failed_at: orNull(time('When it was set aside; SQS does not record its own moves')),
  sent_at: orNull(time('When SQS took it in')),
  expires_at: orNull(time('When its queue, its app or the archive will delete it')),
  message_id: orNull(text("The envelope's own id")),
  trace_id: orNull(text("The envelope's trace id")),
  lang: orNull(text('What the producer is written in')),
  schema_version: orNull(text('Of the envelope')),
  fingerprint: text('The same for failures with the same cause', { pattern: '^[0-9a-f]{12}$' }),
  size_bytes: count('UTF-8 bytes of the body'),
  retryable: flag('False only where a retry cannot be done'),
  retry_blocked: orNull(text('Why it cannot be done, in one sentence')),
} satisfies Record<Exclude<keyof Failure, 'redacted'>, Schema>;

const REDACTED = { redacted: { const: true, description: "Only where the configuration's redact blanked something" } };

/** What is there with the body. */
const BODY = {
  body: orNull(text('Exactly as stored; null where the stored bytes are not UTF-8')),
  body_base64: orNull(text('The stored bytes, only where they are not UTF-8')),
  attributes: map(ATTRIBUTE, "The message's SQS attributes, by name"),
  system_attributes: map(text('As SQS has it'), "SQS's own attributes, such as MessageGroupId"),
} satisfies Record<Exclude<keyof WholeFailure, keyof Failure>, Schema>;

/** A failure as a listing has it: with the body only where it was asked for. */
export const FAILURE: Schema = {
  ...object('One message that was set aside', MEMBERS, { ...BODY, ...REDACTED }),
  dependentRequired: Object.fromEntries(Object.keys(BODY).map((name) => [name, Object.keys(BODY)])),
};

/** A failure with its body, and what else a document has of it. */
export function wholeFailure(more: Readonly<Record<string, Schema>> = {}): Schema {
  return object('One message that was set aside, with its body', { ...MEMBERS, ...BODY, ...more }, REDACTED);
}
