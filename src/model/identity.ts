import { createHash, hash } from 'node:crypto';
import { type Reading, readBody } from './envelope.ts';
import type { WholeFailure } from './failure.ts';
import { resetBody } from './reset.ts';
import { versionGate } from './version-gate.ts';

/**
 * What a message is known by wherever it goes: `meta.id` where an envelope has one, else the SHA-256 (hex) of the body
 * that a retry sends. One that was sent back and came to the dead-letter queue again has the same identity.
 */
export function identityOf(reading: Reading, bodyAfterReset: string): string {
  return reading.envelope?.id ?? createHash('sha256').update(bodyAfterReset).digest('hex');
}

/** As identityOf, of a failure; of a parked message the digest of its queue and body, under which it is kept once. */
export function identityOfFailure(failure: WholeFailure): string {
  const { body, body_base64, attributes } = failure;
  if (failure.origin === 'jadpo') {
    const queue = `${failure.queue ?? ''}\n`;
    // Of a text at one stroke, which for short ones costs a third.
    if (body !== null) return hash('sha256', queue + body);
    return createHash('sha256')
      .update(queue)
      .update(Buffer.from(body_base64 ?? '', 'base64'))
      .digest('hex');
  }
  const text = body ?? '';
  const reading = readBody(text, attributes);
  return identityOf(reading, resetBody(text, reading, !versionGate(attributes).passed).body);
}
