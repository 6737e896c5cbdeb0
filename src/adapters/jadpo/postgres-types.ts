import type { KeyPart, Value } from './store.ts';

/** What a type's values are, as far as it matters for reading and comparing them. */
type Kind = 'integer' | 'number' | 'bytes' | 'zoned' | 'unzoned' | 'text' | 'uuid' | 'other';

const KINDS: Readonly<Record<string, Kind>> = {
  smallint: 'integer',
  integer: 'integer',
  bigint: 'integer',
  numeric: 'number',
  real: 'number',
  'double precision': 'number',
  bytea: 'bytes',
  'timestamp with time zone': 'zoned',
  'timestamp without time zone': 'unzoned',
  text: 'text',
  'character varying': 'text',
  uuid: 'uuid',
};

/** @param type as `format_type` names it */
function kindOf(type: string): Kind {
  return KINDS[type] ?? 'other';
}

/** A column's value as text, the same whatever the session's settings; bytes as `\x…`. */
export function readable(column: string, type: string): string {
  switch (kindOf(type)) {
    case 'zoned':
      return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
    case 'unzoned':
      return `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US')`;
    default:
      return `${column}::text`;
  }
}

/** A readable text as the value that it stands for. */
export function valueFrom(text: string | null, type: string): Value {
  if (text === null) return null;
  switch (kindOf(type)) {
    case 'integer':
      return BigInt(text);
    case 'number':
      // A whole one stays exact; so does what is too large, as the text that it is.
      return /^-?\d{1,18}$/.test(text) ? BigInt(text) : Number.isFinite(Number(text)) ? Number(text) : text;
    case 'bytes':
      return Buffer.from(text.slice(2), 'hex');
    default:
      return text;
  }
}

/** A key's part stays the text that PostgreSQL writes, which it reads back as the same value; bytes apart. */
export function keyPartFrom(text: string, type: string): KeyPart {
  return kindOf(type) === 'bytes' ? Buffer.from(text.slice(2), 'hex') : text;
}

/** What a key's part is bound as, to be cast to its column's type. */
export function boundPart(part: KeyPart): string {
  if (typeof part !== 'object') return String(part);
  const bytes = part instanceof Uint8Array ? part : part.bytes;
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/** What a time is bound as. */
export function boundValue(value: Value): string | null {
  if (value === null) return null;
  return value instanceof Uint8Array ? boundPart(value) : String(value);
}

const INTEGER_BITS: Readonly<Record<string, bigint>> = { smallint: 15n, integer: 31n, bigint: 63n };

/**
 * A part of a native id as what a key of this type is bound as; null where no key of the type can be written so, and a
 * cast would fail.
 */
export function partFromId(text: string, type: string): string | null {
  if (text.includes('\0')) return null;
  switch (kindOf(type)) {
    case 'integer': {
      if (!/^-?\d{1,19}$/.test(text)) return null;
      const limit = 2n ** (INTEGER_BITS[type] ?? 63n);
      const number = BigInt(text);
      return number < limit && number >= -limit ? text : null;
    }
    case 'number':
      return /^-?\d{1,300}(\.\d{1,300})?$/.test(text) ? text : null;
    case 'bytes':
      return /^([\da-f]{2})*$/.test(text) ? `\\x${text}` : null;
    case 'uuid':
      return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text) ? text : null;
    default:
      return text;
  }
}

/** Whether every text can be cast to the type, once `partFromId` has let it through; else keys are compared as texts. */
export function takesAnyText(type: string): boolean {
  return kindOf(type) !== 'other' && kindOf(type) !== 'zoned' && kindOf(type) !== 'unzoned';
}
