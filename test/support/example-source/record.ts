import type { Origin, WholeFailure } from '../../../src/model/failure.ts';
import { fingerprint } from '../../../src/model/fingerprint.ts';

/** A source of babelq's own adds its origin to ORIGINS in src/model/failure.ts; this one stands outside. */
const ORIGIN = 'folder' as string as Origin;

/**
 * A file of the folder as a failure. What it doesn't say is null; a file that isn't what it should be is a failure too, or it would
 * hide from who must mend it.
 * @param bytes as stored
 */
export function toFailure(nativeId: string, bytes: Uint8Array, source: string): WholeFailure {
  const body = utf8(bytes);
  const recorded = membersOf(body);
  const subject = text(recorded.type);
  const queue = text(recorded.queue);
  const error = text(recorded.error);
  const reason = text(recorded.reason) ?? 'unclassified';
  return {
    id: `${source}/${nativeId}`,
    source,
    origin: ORIGIN,
    state: 'failed',
    reason,
    reason_basis: text(recorded.reason) === null ? 'inferred' : 'recorded',
    queue,
    held_in: 'failed',
    retry_to: 'inbox',
    retry_to_basis: null,
    subject,
    title: [`queue ${queue ?? '?'}`, subject].filter((part) => part !== null).join(' · '),
    error,
    exception: null,
    problems: [],
    attempts: null,
    receive_count: null,
    failed_at: time(recorded.failed_at),
    sent_at: null,
    expires_at: null,
    message_id: text(recorded.id),
    trace_id: null,
    lang: null,
    schema_version: null,
    fingerprint: fingerprint({ origin: ORIGIN, reason, subject, exception: null, error }),
    size_bytes: bytes.length,
    retryable: true,
    retry_blocked: null,
    body,
    body_base64: body === null ? Buffer.from(bytes).toString('base64') : null,
    attributes: {},
    system_attributes: {},
  };
}

/** Null where the bytes are no UTF-8. */
function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function membersOf(body: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function time(value: unknown): string | null {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
