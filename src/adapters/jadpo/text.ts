import type { Value } from './store.ts';

const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const LENIENT = new TextDecoder('utf-8', { ignoreBOM: true });

/** Bytes as the text that they are; null where they aren't UTF-8. A byte order mark stays. */
export function utf8(bytes: Uint8Array): string | null {
  try {
    return STRICT.decode(bytes);
  } catch {
    return null;
  }
}

/** Any value as text to show; bytes that aren't UTF-8 have U+FFFD where they can't be read. */
export function textOf(value: Value): string | null {
  if (value === null) return null;
  return value instanceof Uint8Array ? LENIENT.decode(value) : String(value);
}
