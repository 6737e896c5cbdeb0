import { type Reading, readBody } from '../envelope.ts';
import { type Failure, sayProblem, type WholeFailure } from '../failure.ts';
import { filledBy } from '../filled-by.ts';
import { reasonOf } from '../reasons.ts';
import { VERSION_ATTRIBUTE, versionGate } from '../version-gate.ts';
import { counted } from './counts.ts';
import { escapeText } from './escape.ts';

/** Of an error in a line (UTF-16 units): no terminal is wider, and an error may be a megabyte. */
const MOST_SHOWN = 1000;

/** A failure's reason for the person on call. Every text is one line, escaped: safe to print. */
export interface Explanation {
  /** What happened. */
  readonly meaning: string;
  /** What is known of this message beyond that, a sentence each; may be empty. */
  readonly details: readonly string[];
  /** What to fix first. */
  readonly before_retry: string;
}

/** The reason of a failure in words: what the code means, what this message adds to it, and what to fix before a retry. */
export function explain(failure: WholeFailure): Explanation {
  const reason = reasonOf(failure.reason);
  const reading = readBody(failure.body ?? '', failure.attributes);
  return {
    meaning: reason?.meaning ?? escapeText(`Its app recorded a reason of its own, "${failure.reason}".`),
    details: [...byReason(failure, reading), ...byBody(failure, reading)].map(escapeText),
    before_retry: reason?.before_retry ?? 'Find out what the app means by it, from its error and its code, then retry.',
  };
}

type Recorded = Pick<Failure, 'error' | 'exception' | 'problems'>;

/** What went wrong in one line, for a table: as whatWentWrong, escaped. */
export function errorLine(failure: Recorded): string {
  return escapeText(whatWentWrong(failure));
}

/**
 * What went wrong: the error, then the exception's name without its namespace, or the fields and rules of an event that
 * was refused. Empty where nothing is recorded. Not escaped.
 */
export function whatWentWrong(failure: Recorded): string {
  const parts = [
    failure.error?.slice(0, MOST_SHOWN),
    failure.exception?.split(/[\\.]/).at(-1),
    failure.problems.map(sayProblem).join(', '),
  ];
  return parts.filter((part) => part !== null && part !== undefined && part !== '').join('  ');
}

function byReason(failure: WholeFailure, reading: Reading): string[] {
  switch (failure.reason) {
    case 'failed':
      return failure.attempts === null ? [] : [`${counted(failure.attempts, 'delivery', 'deliveries')} recorded.`];
    case 'unknown_urn':
      return failure.subject === null ? [] : [`The URN is ${failure.subject}.`];
    case 'poison':
      return failure.reason_basis === 'inferred' && failure.origin === 'sqs_native'
        ? ['Inferred: its bq-* attributes show that it was meant to be an envelope.']
        : [];
    case 'unsupported_schema_version':
      return versionDetail(failure);
    case 'max_receives':
      return receivesDetail(failure, reading);
    case 'unreadable':
      return failure.problems.map(sayProblem);
    case 'too_large':
      return [`As stored it has ${counted(failure.size_bytes, 'byte')}.`];
    default:
      return [];
  }
}

/** Which version was refused, and by what: the gate reads the attribute first. */
function versionDetail(failure: WholeFailure): string[] {
  const { refused } = versionGate(failure.attributes);
  if (refused !== null) return [`The attribute ${VERSION_ATTRIBUTE} says "${refused}"; consumers take 1 alone.`];
  if (failure.schema_version === null) return [];
  return [`The body's meta.schema_version is ${failure.schema_version}; consumers take the number 1 alone.`];
}

function receivesDetail(failure: WholeFailure, reading: Reading): string[] {
  const details: string[] = [];
  if (failure.receive_count !== null) {
    details.push(`SQS counts ${counted(failure.receive_count, 'receive')}, looks at this queue included.`);
  }
  if (reading.envelope === null && reading.shape !== 's3_pointer') details.push('It is not a BabelQueue envelope.');
  return details;
}

/** What the body or its attributes say of where the message comes from or where it really lies. */
function byBody(failure: WholeFailure, reading: Reading): string[] {
  const details: string[] = [];
  if (reading.s3 !== null) {
    const { bucket, key } = reading.s3;
    details.push(
      `The message itself lies in S3, at s3://${bucket ?? '?'}/${key ?? '?'}; this is a pointer to it. ` +
        'A retry sends the pointer, and dismissing keeps the pointer only.',
    );
  }
  if (reading.shape === 'unknown_record') {
    details.push('Its dead_letter has a layout that babelq does not know: it is shown and sent as it is stored.');
  }
  const service = reading.deadLetter === null ? filledBy(failure.attributes, failure.body ?? '') : null;
  if (service !== null) details.push(`${service} put it here because it could not deliver it.`, ...said(failure));
  return details;
}

/** What EventBridge, Lambda or SNS wrote beside a message that they could not deliver. */
function said({ attributes }: WholeFailure): string[] {
  const read = (name: string) => (Object.hasOwn(attributes, name) ? attributes[name]?.value : undefined);
  const parts = [read('ERROR_CODE') ?? read('ErrorCode'), read('ERROR_MESSAGE') ?? read('ErrorMessage')];
  const words = parts.filter((part) => part !== undefined && part !== '').join(': ');
  return words === '' ? [] : [`It says: ${words}`];
}
