/**
 * The failure: one message that was set aside, whoever did it. Member names are those of the JSON documents (and of
 * both wires), so that what is printed is what the model holds. A member that isn't known is `null`, never left out.
 */

export const ORIGINS = ['sqs_native', 'sqs_app', 'jadpo'] as const;
/** Who set the message aside: SQS's RedrivePolicy, a BabelQueue app, or a jadpo app. */
export type Origin = (typeof ORIGINS)[number];

export const STATES = ['failed', 'pending', 'dismissed'] as const;
/** jadpo's three states. An SQS message on a dead-letter queue is `failed`, one in the archive `dismissed`. */
export type State = (typeof STATES)[number];
/** Those that are listed, grouped and checked unless others are asked for. */
export const LISTED_STATES: readonly State[] = ['failed', 'pending'];

/** The members by which failures may be grouped. */
export const GROUP_MEMBERS = ['fingerprint', 'reason', 'queue', 'subject', 'exception', 'origin', 'source'] as const;
export type GroupMember = (typeof GROUP_MEMBERS)[number];

export type ReasonBasis = 'recorded' | 'inferred';

/** What says where a retry goes, strongest first within each rule of `target.ts`. */
export type RetryToBasis =
  | 'flag'
  | 'config'
  | 'journal'
  | 'source_arn'
  | 'original_queue'
  | 'policy'
  | 'name'
  | 'meta_queue';

/** One of jadpo's reasons why an event was refused. Never holds a value. */
export interface Problem {
  field: string;
  rule: string;
}

/** An SQS message attribute. `value` is the text, or base64 where the type is Binary (or Binary.custom). */
export interface Attribute {
  type: string;
  value: string;
}
export type Attributes = Readonly<Record<string, Attribute>>;

/** A failure as `deliveries` prints it. Times are ISO 8601, UTC, with milliseconds. */
export interface Failure {
  /** `<source>/<native id>`: the SQS MessageId, or the row's key. */
  id: string;
  source: string;
  origin: Origin;
  state: State;
  /** A reason code (see reasons.ts); a recorded one passes through as it is. */
  reason: string;
  reason_basis: ReasonBasis;
  /** Where it failed: the source queue, or jadpo's connection. */
  queue: string | null;
  /** Where it lies now: the dead-letter queue's name, `archive`, or `jadpo_parked_messages`. */
  held_in: string;
  retry_to: string | null;
  retry_to_basis: RetryToBasis | null;
  /** The URN, or the event's name. */
  subject: string | null;
  /** jadpo's way of naming it: `queue orders · urn:babel:orders:created`. */
  title: string;
  error: string | null;
  exception: string | null;
  problems: Problem[];
  /** Deliveries before it was set aside, as recorded in `dead_letter`; else null. */
  attempts: number | null;
  /** SQS's ApproximateReceiveCount as last seen. */
  receive_count: number | null;
  failed_at: string | null;
  sent_at: string | null;
  expires_at: string | null;
  message_id: string | null;
  trace_id: string | null;
  lang: string | null;
  schema_version: string | null;
  fingerprint: string;
  /** UTF-8 bytes of the body. */
  size_bytes: number;
  retryable: boolean;
  /** Why it can't be retried, in one sentence. */
  retry_blocked: string | null;
  /** Present and true where the configuration's `redact` blanked members of the body. */
  redacted?: true;
}

/** A failure with everything that was stored: what a source hands out, and what `inspect` and `export` print. */
export interface WholeFailure extends Failure {
  /** Exactly as stored; null where the stored bytes are not UTF-8. */
  body: string | null;
  /** The stored bytes, only where they are not UTF-8. */
  body_base64: string | null;
  attributes: Attributes;
  /** SQS's own: MessageGroupId, SequenceNumber, AWSTraceHeader and the like. Empty for jadpo. */
  system_attributes: Readonly<Record<string, string>>;
}

/** How long what was dismissed is kept: by jadpo's tick in its table, of SQS in the archive. */
export const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** When it was dismissed; null where it isn't, or that isn't known. */
export function dismissedAt({ state, expires_at }: Pick<Failure, 'state' | 'expires_at'>): string | null {
  // What is dismissed goes so long after: where the end is known, the beginning is.
  const ends = state === 'dismissed' ? Date.parse(expires_at ?? '') : Number.NaN;
  return Number.isNaN(ends) ? null : new Date(ends - KEPT_MS).toISOString();
}

/** The time by which a failure is filtered, grouped and sorted: `failed_at`, else `sent_at`. */
export function timeOf(failure: Pick<Failure, 'failed_at' | 'sent_at'>): string | null {
  return failure.failed_at ?? failure.sent_at;
}

/** A problem in words: `total: required`, or the rule alone where it is about the body as a whole. */
export function sayProblem({ field, rule }: Problem): string {
  return field === '' ? rule : `${field}: ${rule}`;
}

/** Drops what only `inspect` and `--with-body` print. */
export function withoutBody(failure: WholeFailure): Failure {
  const { body: _body, body_base64: _bytes, attributes: _attributes, system_attributes: _system, ...rest } = failure;
  return rest;
}
