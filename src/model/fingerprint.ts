import { createHash } from 'node:crypto';
import type { Origin } from './failure.ts';

interface Cause {
  origin: Origin;
  reason: string;
  subject: string | null;
  exception: string | null;
  error: string | null;
}

/** Groups failures with the same cause: 12 hexadecimal digits. */
export function fingerprint({ origin, reason, subject, exception, error }: Cause): string {
  const cause = JSON.stringify([origin, reason, subject, exception, error]);
  return createHash('sha256').update(cause).digest('hex').slice(0, 12);
}
