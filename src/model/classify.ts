import { isBlank } from './blank.ts';
import { type Reading, readBody } from './envelope.ts';
import type { Attributes, Origin, ReasonBasis, WholeFailure } from './failure.ts';
import { filledBy } from './filled-by.ts';
import { fingerprint } from './fingerprint.ts';
import { isPoison } from './poison.ts';
import { BYPASS_ATTRIBUTE } from './reset.ts';
import type { KnownQueues, QueueFacts, RememberedFacts, SqsMessage } from './sqs-message.ts';
import { chooseTarget, type Evidence, failedIn, sourceArn } from './target.ts';
import { boundedVersion, type Gate, sayVersion, versionGate } from './version-gate.ts';

interface Cause {
  reason: string;
  reason_basis: ReasonBasis;
  error: string | null;
}

/**
 * Makes a failure of a message on a dead-letter queue, or in the archive where `remembered.archivedUntil` says so.
 * Origin and reason are told message by message, since one queue may be both a RedrivePolicy's target and an app's
 * own. `known` must have what `namesToCheck` names. `reading` is `readBody` of the message, where it is at hand.
 */
export function classify(
  message: SqsMessage,
  facts: QueueFacts,
  known: KnownQueues,
  remembered: RememberedFacts | null = null,
  reading: Reading = readBody(message.body, message.attributes),
): WholeFailure {
  const { body, attributes, systemAttributes } = message;
  const { envelope, deadLetter } = reading;
  const evidence: Evidence = { message, reading, facts, remembered };
  const gate = versionGate(attributes);
  const origin = originOf(evidence, gate);
  const cause = causeOf(evidence, origin, gate);
  const exception = deadLetter?.exception ?? null;
  const queue = failedIn(evidence, known);
  const subject = envelope?.urn ?? jobAttribute(attributes);
  const archivedUntil = remembered?.archivedUntil ?? null;
  const target = chooseTarget(evidence, known);
  const blocked = archivedUntil === null ? target.blocked : 'It is dismissed: restore it first.';
  const sent = epoch(systemAttributes.SentTimestamp);
  let print: string | null = null;
  return {
    id: `${facts.source}/${message.messageId}`,
    source: facts.source,
    origin,
    state: archivedUntil === null ? 'failed' : 'dismissed',
    ...cause,
    queue,
    held_in: archivedUntil === null ? facts.queue : 'archive',
    retry_to: target.queue,
    retry_to_basis: target.basis,
    subject,
    title: titleOf(queue ?? facts.queue, subject, reading),
    exception,
    problems: [],
    attempts: deadLetter?.attempts ?? null,
    receive_count: count(systemAttributes.ApproximateReceiveCount),
    failed_at: isoTime(deadLetter?.failedAt ?? null) ?? remembered?.failedAt ?? null,
    sent_at: remembered?.sentAt ?? isoTime(sent),
    expires_at: archivedUntil ?? expiry(sent, facts.retentionSeconds),
    message_id: envelope?.id ?? null,
    trace_id: envelope?.traceId ?? null,
    lang: envelope?.lang ?? null,
    schema_version: envelope === null ? null : boundedVersion(envelope.schemaVersion),
    // Made when it is asked for: blanking an error costs as much as all the rest, and a redrive never asks.
    get fingerprint() {
      print ??= fingerprint({ origin, reason: cause.reason, subject, exception, error: cause.error });
      return print;
    },
    size_bytes: Buffer.byteLength(body),
    retryable: blocked === null,
    retry_blocked: blocked,
    body,
    body_base64: null,
    attributes,
    system_attributes: systemAttributes,
  };
}

/**
 * By evidence, in this order: a `dead_letter` object in the body; SQS's source ARN; a refused version (the app left the
 * body as it was); some queue's RedrivePolicy that points here, but for what another service put here; else the app.
 */
function originOf(evidence: Evidence, gate: Gate): Origin {
  const { message, reading, facts } = evidence;
  if (reading.deadLetter !== null) return 'sqs_app';
  if (sourceArn(evidence) !== null) return 'sqs_native';
  if (!gate.passed || (facts.redriveSources ?? []).length === 0) return 'sqs_app';
  return filledBy(message.attributes, message.body) === null ? 'sqs_native' : 'sqs_app';
}

function causeOf({ message, reading }: Evidence, origin: Origin, gate: Gate): Cause {
  const { envelope, deadLetter, shape } = reading;
  const error = deadLetter?.error ?? null;
  const inferred = (reason: string, said = error): Cause => ({ reason, reason_basis: 'inferred', error: said });
  if (deadLetter !== null && deadLetter.reason !== null) {
    return { reason: deadLetter.reason, reason_basis: 'recorded', error };
  }
  if (!gate.passed) return inferred('unsupported_schema_version', error ?? sayVersion(gate.refused));
  // Other apps' messages lie on dead-letter queues too: only a bq-* attribute shows that it was meant to be an envelope.
  const meant = origin === 'sqs_native' && isMeantAsEnvelope(message.attributes);
  if (meant && shape !== 's3_pointer' && isPoison(message.body)) return inferred('poison');
  // Of a body without a name no consumer gets as far as its version.
  if (envelope !== null && envelope.urn !== null && !envelope.schemaSupported) {
    return inferred('unsupported_schema_version', error ?? sayVersion(boundedVersion(envelope.schemaVersion)));
  }
  if (shape === 'raw_record' || shape === 'emptied_envelope' || shape === 'emptied_record') return inferred('poison');
  return inferred(origin === 'sqs_native' ? 'max_receives' : 'unclassified');
}

/** The replay marker doesn't count: babelq itself puts it on any app's message. */
function isMeantAsEnvelope(attributes: Attributes): boolean {
  return Object.keys(attributes).some((name) => name.startsWith('bq-') && name !== BYPASS_ATTRIBUTE);
}

/** The URN that the producer wrote beside the body, for a body that can't be read. */
function jobAttribute(attributes: Attributes): string | null {
  const job = Object.hasOwn(attributes, 'bq-job') ? attributes['bq-job'] : undefined;
  return job === undefined || job.type.startsWith('Binary') || isBlank(job.value) ? null : job.value;
}

function titleOf(queue: string, subject: string | null, { s3 }: Reading): string {
  const place = s3 === null ? null : `s3://${s3.bucket ?? '?'}/${s3.key ?? '?'}`;
  return [`queue ${queue}`, subject, place].filter((part) => part !== null).join(' · ');
}

/** A standard dead-letter queue keeps the first enqueue time, and FIFO starts anew: SentTimestamp says which it is. */
function expiry(sent: number | null, retentionSeconds: number | null): string | null {
  return sent === null || retentionSeconds === null ? null : isoTime(sent + retentionSeconds * 1000);
}

/** A system attribute's epoch milliseconds. */
function epoch(text: string | undefined): number | null {
  return text !== undefined && /^[0-9]{1,16}$/.test(text) ? Number(text) : null;
}

function count(text: string | undefined): number | null {
  return text !== undefined && /^[0-9]{1,15}$/.test(text) ? Number(text) : null;
}

function isoTime(ms: number | null): string | null {
  if (ms === null) return null;
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
