import { isBlank } from './blank.ts';
import { decodeString, type JsonMember, type JsonSpan, membersOf, scanJson } from './json/scan.ts';

type Kind = 'string' | 'integer' | 'object';

/** What each known member must be, or null. Any other member may be anything, `job` and `urn` too: see `hasIdentity`. */
const ENVELOPE: Readonly<Record<string, Kind>> = {
  trace_id: 'string',
  attempts: 'integer',
  data: 'object',
  meta: 'object',
  dead_letter: 'object',
};
const META: Readonly<Record<string, Kind>> = {
  id: 'string',
  queue: 'string',
  lang: 'string',
  schema_version: 'integer',
  created_at: 'integer',
};
const DEAD_LETTER: Readonly<Record<string, Kind>> = {
  reason: 'string',
  error: 'string',
  exception: 'string',
  original_queue: 'string',
  lang: 'string',
  failed_at: 'integer',
  attempts: 'integer',
};
const INT64_DIGITS = 19;
const LARGEST = 2n ** 63n - 1n;
const SMALLEST = -(2n ** 63n);
/** What only a number that may be infinite has: an exponent, or more digits than a double holds. */
const MAY_BE_INFINITE = /[0-9][eE]|[0-9]{309}/;
/** A JSON text's strings, so that they can be passed over, and its numbers. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*/g;

/**
 * Whether BabelQueue's consumers take a body for poison: it isn't one JSON object, a known member has another type than
 * the envelope's, or neither `job` nor `urn` is a name (ADR-0036, the public suite's `identity_verdict`). Such a body
 * never reaches a handler. A body that is readable so may still be no envelope to babelq, which asks for more.
 */
export function isPoison(body: string): boolean {
  const root = scanJson(body);
  if (root?.kind !== 'object') return true;
  const members = namedMembers(body, root);
  return !isTyped(body, members, ENVELOPE) || !hasIdentity(body, members);
}

interface NamedMember {
  readonly name: string;
  readonly value: JsonMember;
}

function namedMembers(body: string, object: JsonSpan): NamedMember[] {
  return membersOf(body, object).map((value) => ({
    name: decodeString(body, { start: value.keyStart, end: value.keyEnd }),
    value,
  }));
}

/** Every one of duplicates must be of its type, since the SDKs' decoders read each. */
function isTyped(body: string, members: readonly NamedMember[], kinds: Readonly<Record<string, Kind>>): boolean {
  return members.every(({ name, value }) => {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined || value.kind === 'null') return true;
    if (kind === 'integer') return value.kind === 'number' && isInt64(body.slice(value.start, value.end));
    if (kind === 'string') return value.kind === 'string';
    if (value.kind !== 'object') return false;
    if (kinds !== ENVELOPE) return true;
    if (name === 'data') return hasFiniteNumbers(body.slice(value.start, value.end));
    return isTyped(body, namedMembers(body, value), name === 'meta' ? META : DEAD_LETTER);
  });
}

/** By how it is written: `1.0` and `1e0` are no integers to a typed decoder. */
function isInt64(text: string): boolean {
  if (!/^-?[0-9]+$/.test(text) || text.length > INT64_DIGITS + 1) return false;
  const value = BigInt(text);
  return value >= SMALLEST && value <= LARGEST;
}

function hasFiniteNumbers(data: string): boolean {
  if (!MAY_BE_INFINITE.test(data)) return true;
  for (const [token] of data.matchAll(STRING_OR_NUMBER)) {
    if (!token.startsWith('"') && !Number.isFinite(Number(token))) return false;
  }
  return true;
}

/** A `job` or a `urn` that is a string and not blank; of duplicates the last counts. */
function hasIdentity(body: string, members: readonly NamedMember[]): boolean {
  return ['job', 'urn'].some((identity) => {
    const member = members.findLast(({ name }) => name === identity)?.value;
    return member?.kind === 'string' && !isBlank(decodeString(body, member));
  });
}
