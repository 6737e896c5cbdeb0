import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Failure } from './failure.ts';
import { blank } from './fingerprint/blank.ts';

/** What a fingerprint is made of. */
export type Cause = Pick<Failure, 'origin' | 'reason' | 'subject' | 'exception' | 'error'> &
  Partial<Pick<Failure, 'problems'>>;

/**
 * Twelve hex digits that are the same for failures with the same cause: the start of the SHA-256 of origin, reason,
 * subject, exception and the error with all that varies blanked. jadpo's problems count too where there are any (by
 * field and rule, in whatever order they were recorded), since they are its error.
 */
export function fingerprint(cause: Cause): string {
  const parts: unknown[] = [
    cause.origin,
    cause.reason,
    cause.subject,
    cause.exception,
    cause.error === null ? null : blank(cause.error),
  ];
  // An array's index in a field, `items.3.total`, varies as a number in an error does.
  const problems = (cause.problems ?? []).map(({ field, rule }) => `${blank(field)}: ${rule}`);
  if (problems.length > 0) parts.push([...new Set(problems)].sort());
  // Not by node:crypto: to load it takes longer than to list a page of failures.
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(parts)))).slice(0, 12);
}
