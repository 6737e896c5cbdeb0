import { isUtf8 } from 'node:buffer';
import { isBlank } from './blank.ts';
import type { Attributes } from './failure.ts';
import { decodeString, elementsOf, type JsonMember, type JsonSpan, membersOf, scanJson } from './json/scan.ts';

/** What lies on a dead-letter queue. How each came there is what the BabelQueue SDKs and SQS do. */
export type Shape =
  /** An envelope with a `dead_letter` object: every SDK's app. */
  | 'dead_lettered_envelope'
  /** An envelope as it was published: SQS's RedrivePolicy, or the version gate. */
  | 'envelope'
  /** `raw`, the body as a string, with `dead_letter`: the SDKs' record of a body that isn't a JSON object (ADR-0035). */
  | 'raw_record'
  /** Any other object with `dead_letter`: a body that decodes but has no identity. */
  | 'object_record'
  /** `job` and `trace_id` empty, `data` null: Go up to 1.9, for a body that doesn't decode. The body is lost. */
  | 'emptied_envelope'
  /** Nothing but `attempts` and `dead_letter`: Python up to 1.22, for a body that doesn't decode. The body is lost. */
  | 'emptied_record'
  /** Not a JSON object. */
  | 'text'
  /** A JSON object that is neither an envelope nor dead-lettered by an app: any other app's message. */
  | 'object'
  /** A `dead_letter` that is not an object: a layout that babelq doesn't know. Shown as it is, sent as it is. */
  | 'unknown_record'
  /** A large message kept in S3; the body only says where. */
  | 's3_pointer';

/** The envelope's members. Null where one is missing, blank or of another type than the contract's. */
interface Envelope {
  readonly urn: string | null;
  readonly traceId: string | null;
  readonly id: string | null;
  /** The logical name, which may not be a queue's. */
  readonly queue: string | null;
  readonly lang: string | null;
  /** As stored: `1`, `2`, `"1"` decoded, any other value as its JSON. */
  readonly schemaVersion: string;
  /** Whether it is the integer 1, the only version there is. */
  readonly schemaSupported: boolean;
  /** Epoch milliseconds. */
  readonly createdAt: number | null;
  /** The transport's counter, which says nothing about failures. */
  readonly attempts: number | null;
}

/** What the app recorded when it set the message aside. Null where a member is missing, blank or of another type. */
interface DeadLetter {
  readonly reason: string | null;
  readonly error: string | null;
  readonly exception: string | null;
  /** Epoch milliseconds. */
  readonly failedAt: number | null;
  /** A name, a URL, anything: a message's text, not to be trusted. */
  readonly originalQueue: string | null;
  readonly attempts: number | null;
  /** The SDK that set it aside, which may not be the one that published it. */
  readonly lang: string | null;
}

export interface Reading {
  readonly shape: Shape;
  /** Of every body that counts as an envelope, but for one that was emptied. */
  readonly envelope: Envelope | null;
  readonly deadLetter: DeadLetter | null;
  /** The top-level members where the body is an object, in order, duplicates included. */
  readonly members: readonly JsonMember[];
  /**
   * `raw_record` only: the body as it was before it was set aside; null where `raw_encoding` is one that can't be read
   * or the bytes are not UTF-8.
   */
  readonly raw: string | null;
  /** `s3_pointer` only: where the message lies. */
  readonly s3: { readonly bucket: string | null; readonly key: string | null } | null;
}

const NOTHING = { envelope: null, deadLetter: null, members: [], raw: null, s3: null } as const;
/** Which the SQS extended client libraries put beside a pointer; the second is the older name. */
const POINTER_ATTRIBUTES = ['ExtendedPayloadSize', 'SQSLargePayloadSize'];
/** ADR-0035's layout, and nothing more: `raw_encoding` is there, and `base64`, only where the body was not UTF-8. */
const RAW_RECORD = ['raw', 'raw_encoding', 'dead_letter'];
const EMPTIED_RECORD = ['attempts', 'dead_letter'];
/** The last time that JavaScript can write as a date (epoch milliseconds). */
const LAST_TIME = 8.64e15;

/**
 * Reads a body of any kind, and never throws. What counts as an envelope: an object with a string `job` or `urn` and
 * a `meta` object that has a `schema_version`. Other frameworks' bodies have `job`, `data` and `attempts` too, so
 * nothing less will do.
 */
export function readBody(body: string, attributes: Attributes): Reading {
  const root = scanJson(body);
  if (root?.kind === 'array') {
    const s3 = readPointer(body, root, attributes);
    if (s3 !== null) return { ...NOTHING, shape: 's3_pointer', s3 };
  }
  if (root?.kind !== 'object') return { ...NOTHING, shape: 'text' };

  const object = new ObjectReader(body, root);
  const envelope = readEnvelope(object);
  const record = object.member('dead_letter');
  if (record === undefined || record.kind === 'null') {
    return { ...NOTHING, shape: envelope === null ? 'object' : 'envelope', envelope, members: object.members };
  }
  if (record.kind !== 'object') return { ...NOTHING, shape: 'unknown_record', envelope, members: object.members };

  const found = { ...NOTHING, deadLetter: readDeadLetter(new ObjectReader(body, record)), members: object.members };
  if (isEmptied(object)) return { ...found, shape: 'emptied_envelope' };
  if (envelope !== null) return { ...found, shape: 'dead_lettered_envelope', envelope };
  const raw = object.hasOnly(RAW_RECORD) ? object.string('raw') : null;
  if (raw !== null) return { ...found, shape: 'raw_record', raw: decodeRaw(raw, object) };
  // Where ADR-0035's reason stands, `attempts` is all that the body ever held: that record loses nothing.
  const emptied =
    object.hasOnly(EMPTIED_RECORD) && object.member('attempts') !== undefined && found.deadLetter.reason !== 'poison';
  return { ...found, shape: emptied ? 'emptied_record' : 'object_record' };
}

/** Whether the message's body was lost before it came to lie here, so that there is nothing to send back. */
export function isBodyLost(reading: Reading): boolean {
  return reading.shape === 'emptied_envelope' || reading.shape === 'emptied_record';
}

function readEnvelope(object: ObjectReader): Envelope | null {
  const job = object.string('job');
  const urn = object.string('urn');
  const meta = object.object('meta');
  const version = meta?.member('schema_version');
  if ((job === null && urn === null) || meta === null || version === undefined) return null;
  return {
    urn: notBlank(job) ?? notBlank(urn),
    traceId: object.text('trace_id'),
    id: meta.text('id'),
    queue: meta.text('queue'),
    lang: meta.text('lang'),
    schemaVersion: version.kind === 'string' ? object.decode(version) : object.stored(version),
    schemaSupported: version.kind === 'number' && Number(object.stored(version)) === 1,
    createdAt: meta.time('created_at'),
    attempts: object.count('attempts'),
  };
}

function readDeadLetter(record: ObjectReader): DeadLetter {
  return {
    reason: record.text('reason'),
    error: record.text('error'),
    exception: record.text('exception'),
    failedAt: record.time('failed_at'),
    originalQueue: record.text('original_queue'),
    attempts: record.count('attempts'),
    lang: record.text('lang'),
  };
}

/** The body that `raw` stands for. */
function decodeRaw(raw: string, record: ObjectReader): string | null {
  const encoding = record.member('raw_encoding');
  if (encoding === undefined || encoding.kind === 'null') return raw;
  if (record.string('raw_encoding') !== 'base64') return null;
  const bytes = Buffer.from(raw, 'base64');
  return bytes.toString('base64') === raw && isUtf8(bytes) ? bytes.toString('utf8') : null;
}

/** Go's zero envelope: written where the body didn't decode, with nothing of it kept. */
function isEmptied(object: ObjectReader): boolean {
  return (
    object.string('job') === '' &&
    object.string('trace_id') === '' &&
    object.member('data')?.kind === 'null' &&
    notBlank(object.string('urn')) === null
  );
}

/** `["<class>S3Pointer", {"s3BucketName": …, "s3Key": …}]`, as the SQS extended client libraries write it. */
function readPointer(text: string, array: JsonSpan, attributes: Attributes): Reading['s3'] {
  if (!POINTER_ATTRIBUTES.some((name) => Object.hasOwn(attributes, name))) return null;
  const [name, place, ...more] = elementsOf(text, array);
  if (name?.kind !== 'string' || place === undefined || more.length > 0) return null;
  if (!decodeString(text, name).endsWith('S3Pointer')) return null;
  if (place.kind !== 'object') return { bucket: null, key: null };
  const object = new ObjectReader(text, place);
  return { bucket: object.text('s3BucketName'), key: object.text('s3Key') };
}

/** A string that says something; null for one of blanks alone. */
function notBlank(text: string | null): string | null {
  return text === null || isBlank(text) ? null : text;
}

/** Reads members of one object by name; a member of another type than asked for is null. */
class ObjectReader {
  readonly members: readonly JsonMember[];
  readonly #body: string;
  /** By decoded name; of duplicates the last, as every parser of the BabelQueue SDKs has it. */
  readonly #byName = new Map<string, JsonMember>();

  constructor(body: string, object: JsonSpan) {
    this.#body = body;
    this.members = membersOf(body, object);
    for (const member of this.members) {
      this.#byName.set(decodeString(body, { start: member.keyStart, end: member.keyEnd }), member);
    }
  }

  member(name: string): JsonMember | undefined {
    return this.#byName.get(name);
  }

  hasOnly(names: readonly string[]): boolean {
    return [...this.#byName.keys()].every((name) => names.includes(name));
  }

  string(name: string): string | null {
    const member = this.member(name);
    return member?.kind === 'string' ? this.decode(member) : null;
  }

  text(name: string): string | null {
    return notBlank(this.string(name));
  }

  object(name: string): ObjectReader | null {
    const member = this.member(name);
    return member?.kind === 'object' ? new ObjectReader(this.#body, member) : null;
  }

  /** An integer from 0 that JavaScript holds exactly. */
  count(name: string): number | null {
    const value = this.#number(name);
    return value !== null && Number.isSafeInteger(value) && value >= 0 ? value + 0 : null;
  }

  /** Epoch milliseconds that a date can hold. */
  time(name: string): number | null {
    const value = this.#number(name);
    return value !== null && Math.abs(value) <= LAST_TIME ? value : null;
  }

  decode(span: JsonSpan): string {
    return decodeString(this.#body, span);
  }

  stored(span: JsonSpan): string {
    return this.#body.slice(span.start, span.end);
  }

  #number(name: string): number | null {
    const member = this.member(name);
    return member?.kind === 'number' ? Number(this.stored(member)) : null;
  }
}
