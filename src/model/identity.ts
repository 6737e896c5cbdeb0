import { createHash } from 'node:crypto';
import type { Reading } from './envelope.ts';

/**
 * What a message is known by wherever it goes: `meta.id` where an envelope has one, else the SHA-256 (hex) of the body
 * that a retry sends. One that was sent back and came to the dead-letter queue again has the same identity.
 */
export function identityOf(reading: Reading, bodyAfterReset: string): string {
  return reading.envelope?.id ?? createHash('sha256').update(bodyAfterReset).digest('hex');
}
