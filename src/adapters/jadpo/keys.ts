import type { Key, KeyPart, RawText } from './store.ts';

/**
 * Native ids: a row's key as text. A key of one column is its own text (bytes as hex); one of several columns has its
 * parts joined by commas, with commas and percent signs in them written as `%2C` and `%25`.
 */

/** Stands before the hex of a text that isn't UTF-8. */
const RAW = 'bytes:';

export function isRawText(part: KeyPart): part is RawText {
  return typeof part === 'object' && !(part instanceof Uint8Array);
}

export function nativeId(key: Key): string {
  if (key.length === 1 && key[0] !== undefined) return partText(key[0]);
  return key.map((part) => partText(part).replaceAll('%', '%25').replaceAll(',', '%2C')).join(',');
}

function partText(part: KeyPart): string {
  if (typeof part === 'object') {
    return isRawText(part) ? `${RAW}${hex(part.bytes)}` : hex(part);
  }
  return String(part);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** What one part of a native id may be stored as; null where it can't be that. */
export interface PartCandidates {
  text: string;
  number: bigint | number | null;
  bytes: Uint8Array | null;
  raw: Uint8Array | null;
}

/** What a native id may be stored as, part by part; null where it has the wrong number of parts. */
export function keyCandidates(native: string, parts: number): PartCandidates[] | null {
  if (parts === 1) return [candidatesFor(native)];
  const texts = native.split(',').map((text) => text.replaceAll('%2C', ',').replaceAll('%25', '%'));
  return texts.length === parts ? texts.map(candidatesFor) : null;
}

const MOST_INTEGER = 2n ** 63n - 1n;

function candidatesFor(text: string): PartCandidates {
  return {
    text,
    number: numberFrom(text),
    bytes: bytesFrom(text),
    raw: text.startsWith(RAW) ? bytesFrom(text.slice(RAW.length)) : null,
  };
}

function numberFrom(text: string): bigint | number | null {
  if (/^-?\d{1,19}$/.test(text)) {
    const integer = BigInt(text);
    return integer <= MOST_INTEGER && integer >= -MOST_INTEGER - 1n ? integer : null;
  }
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text)) return null;
  return Number(text);
}

function bytesFrom(text: string): Uint8Array | null {
  return text.length % 2 === 0 && /^[0-9a-f]+$/.test(text) ? Buffer.from(text, 'hex') : null;
}

/** Tells which native ids begin with one of many prefixes, in a time that doesn't grow with their number. */
export function prefixTest(prefixes: Iterable<string>): (native: string) => boolean {
  const all = new Set(prefixes);
  const lengths = [...new Set([...all].map(({ length }) => length))];
  return (native) => lengths.some((length) => length <= native.length && all.has(native.slice(0, length)));
}
