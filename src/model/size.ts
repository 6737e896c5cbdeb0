import type { Attributes } from './failure.ts';

/** What a body and its attributes are at most together, in bytes, where the queue sets no less: 1 MiB. */
export const MOST_BYTES = 1_048_576;
/** What SQS refuses: all but #x9, #xA, #xD, #x20–#xD7FF, #xE000–#xFFFD and #x10000–#x10FFFF. */
const REFUSED = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/** The bytes that SQS counts: the body in UTF-8, and each attribute's name, type and value. */
export function messageSize(body: string, attributes: Attributes): number {
  let size = Buffer.byteLength(body);
  for (const [name, { type, value }] of Object.entries(attributes)) {
    size += Buffer.byteLength(name) + Buffer.byteLength(type);
    size += Buffer.byteLength(value, type.startsWith('Binary') ? 'base64' : 'utf8');
  }
  return size;
}

/** Whether SQS takes a text as a body: not empty, and without the control characters that it refuses. */
export function isSendable(body: string): boolean {
  return body !== '' && !REFUSED.test(body);
}
