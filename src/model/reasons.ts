import type { Origin, ReasonBasis } from './failure.ts';

/** A reason code with what it means for the person on call. `babelq reasons` prints this table. */
export interface Reason {
  code: string;
  origins: readonly Origin[];
  basis: Partial<Record<Origin, ReasonBasis>>;
  /** What happened, in plain words. */
  meaning: string;
  /** What to fix before retrying. */
  before_retry: string;
}

export const REASONS: readonly Reason[] = [
  {
    code: 'failed',
    origins: ['sqs_app'],
    basis: { sqs_app: 'recorded' },
    meaning: "The app's handler failed on every attempt it allows.",
    before_retry: 'Mend what the error names (a service that was down, a bug), then retry.',
  },
  {
    code: 'unknown_urn',
    origins: ['sqs_app'],
    basis: { sqs_app: 'recorded' },
    meaning: 'The app has no handler for the URN of this message.',
    before_retry: 'Deploy a consumer that handles the URN, or send it to the queue whose app does (--to).',
  },
  {
    code: 'poison',
    origins: ['sqs_app', 'sqs_native'],
    basis: { sqs_app: 'recorded', sqs_native: 'inferred' },
    meaning: "The body doesn't decode as a BabelQueue envelope, or has no identity.",
    before_retry: 'Mend the producer. A retry of the same bytes fails again until a consumer reads them.',
  },
  {
    code: 'unsupported_schema_version',
    origins: ['sqs_app', 'sqs_native'],
    basis: { sqs_app: 'inferred', sqs_native: 'inferred' },
    meaning: 'The producer wrote a schema version that the consumer does not support.',
    before_retry: 'Deploy consumers that support the version, then retry: the producer is ahead of them.',
  },
  {
    code: 'max_receives',
    origins: ['sqs_native'],
    basis: { sqs_native: 'inferred' },
    meaning: 'SQS moved it after maxReceiveCount receives without a delete. SQS records no cause.',
    before_retry: "Look into the consumer's logs around the time it was sent: it crashed, timed out or never deleted.",
  },
  {
    code: 'unlisted_type',
    origins: ['jadpo'],
    basis: { jadpo: 'recorded' },
    meaning: "The message's type is not among the events that the queue lists.",
    before_retry: 'List the event on the queue and deploy, then retry.',
  },
  {
    code: 'unreadable',
    origins: ['jadpo'],
    basis: { jadpo: 'recorded' },
    meaning: "It can't be read as its event: not JSON, no id or type, or a field the event refuses.",
    before_retry: 'Mend the event, or the producer, by the fields and rules under problems, then retry.',
  },
  {
    code: 'too_large',
    origins: ['jadpo'],
    basis: { jadpo: 'recorded' },
    meaning: 'It is over 64 KB as its event.',
    before_retry: 'Make the event smaller (declare fewer fields), then retry.',
  },
  {
    code: 'unclassified',
    origins: ['sqs_app'],
    basis: { sqs_app: 'inferred' },
    meaning: 'It lies on a dead-letter queue with nothing that says why.',
    before_retry: 'Find out who put it there before you retry: inspect the body and its attributes.',
  },
];

/** The table's entry for a code; undefined for a recorded reason that babelq doesn't know (it passes through). */
export function reasonOf(code: string): Reason | undefined {
  return REASONS.find((reason) => reason.code === code);
}
