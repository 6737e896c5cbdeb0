/**
 * A JSON scanner by spans: it finds where things stand and changes nothing. Strict RFC 8259 (a BOM, NaN or trailing
 * text is not JSON), in linear time and without recursion, so that a body nested 200,000 deep can't end the process.
 */

type JsonKind = 'string' | 'number' | 'true' | 'false' | 'null' | 'object' | 'array';

/** Where a value stands in a text: from `start` up to, not including, `end` (UTF-16 units). */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
  readonly kind: JsonKind;
}

/** A member of an object: its value's span, and where its key stands, quotes included. */
export interface JsonMember extends JsonSpan {
  readonly keyStart: number;
  readonly keyEnd: number;
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const LOWER_U = 0x75;
/** The characters that may stand after a backslash, `u` apart. */
const ESCAPED = '"\\/bfnrt';

const PLAIN = /[^"\\\u0000-\u001f]*/y;

/** The span of the whole text's one value, without the white space around it; undefined where it is not JSON. */
export function scanJson(text: string): JsonSpan | undefined {
  const start = afterSpace(text, 0);
  const end = endOfValue(text, start);
  if (end < 0 || afterSpace(text, end) !== text.length) return undefined;
  return { start, end, kind: kindAt(text, start) };
}

/** Where a text that is not JSON stops being it: the offset of the first thing that can't stand there. */
export function offsetOfError(text: string): number {
  const end = endOfValue(text, afterSpace(text, 0));
  return end < 0 ? -1 - end : afterSpace(text, end);
}

/** The members of an object in their order, duplicates included. `object` must be a span of a text that scanned. */
export function membersOf(text: string, object: JsonSpan): JsonMember[] {
  const members: JsonMember[] = [];
  let at = afterSpace(text, object.start + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const keyStart = at;
    const keyEnd = endOfString(text, at);
    const start = valueAfterKey(text, at);
    const end = endOfValue(text, start);
    members.push({ keyStart, keyEnd, start, end, kind: kindAt(text, start) });
    at = afterSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = afterSpace(text, at + 1);
  }
  return members;
}

/** The elements of an array. `array` must be a span of a text that scanned. */
export function elementsOf(text: string, array: JsonSpan): JsonSpan[] {
  const elements: JsonSpan[] = [];
  let at = afterSpace(text, array.start + 1);
  while (text.charCodeAt(at) !== CLOSE_BRACKET) {
    const end = endOfValue(text, at);
    elements.push({ start: at, end, kind: kindAt(text, at) });
    at = afterSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = afterSpace(text, at + 1);
  }
  return elements;
}

/** Whether a member's key, decoded, is `name`: `"dead\u005fletter"` is `dead_letter`. */
export function hasKey(text: string, member: JsonMember, name: string): boolean {
  const length = member.keyEnd - member.keyStart - 2;
  if (length < name.length) return false;
  const raw = text.slice(member.keyStart + 1, member.keyEnd - 1);
  if (!raw.includes('\\')) return raw === name;
  return JSON.parse(`"${raw}"`) === name;
}

/** The member that counts for a name: of duplicates the last, as every parser of the BabelQueue SDKs has it. */
export function lastMember(text: string, members: readonly JsonMember[], name: string): JsonMember | undefined {
  return members.findLast((member) => hasKey(text, member, name));
}

/** What a string's span says, its escapes decoded. An escaped lone surrogate stays one. */
export function decodeString(text: string, span: Pick<JsonSpan, 'start' | 'end'>): string {
  const raw = text.slice(span.start + 1, span.end - 1);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}

/** Where the value that starts at `at` ends; where none does, -1 minus the offset of what can't stand there. */
function endOfValue(text: string, at: number): number {
  /** The closing characters of what is open, the innermost last. */
  const open: number[] = [];
  let i = at;
  for (;;) {
    const first = text.charCodeAt(i);
    if (first === OPEN_BRACE) {
      i = afterSpace(text, i + 1);
      if (text.charCodeAt(i) !== CLOSE_BRACE) {
        i = valueAfterKey(text, i);
        if (i < 0) return i;
        open.push(CLOSE_BRACE);
        continue;
      }
      i++;
    } else if (first === OPEN_BRACKET) {
      i = afterSpace(text, i + 1);
      if (text.charCodeAt(i) !== CLOSE_BRACKET) {
        open.push(CLOSE_BRACKET);
        continue;
      }
      i++;
    } else {
      const end = endOfScalar(text, i);
      if (end < 0) return -1 - i;
      i = end;
    }
    // A value has ended: close what ends with it, up to the comma that leads to the next.
    for (;;) {
      const closing = open.at(-1);
      if (closing === undefined) return i;
      i = afterSpace(text, i);
      const next = text.charCodeAt(i);
      if (next === closing) {
        open.pop();
        i++;
        continue;
      }
      if (next !== COMMA) return -1 - i;
      i = afterSpace(text, i + 1);
      if (closing === CLOSE_BRACE) {
        i = valueAfterKey(text, i);
        if (i < 0) return i;
      }
      break;
    }
  }
}

/** From a key's opening quote to the start of its value; where key or colon are missing, -1 minus their offset. */
function valueAfterKey(text: string, at: number): number {
  if (text.charCodeAt(at) !== QUOTE) return -1 - at;
  const keyEnd = endOfString(text, at);
  if (keyEnd < 0) return -1 - at;
  const colon = afterSpace(text, keyEnd);
  return text.charCodeAt(colon) === COLON ? afterSpace(text, colon + 1) : -1 - colon;
}

function endOfScalar(text: string, at: number): number {
  switch (text[at]) {
    case '"':
      return endOfString(text, at);
    case 't':
      return text.startsWith('true', at) ? at + 4 : -1;
    case 'f':
      return text.startsWith('false', at) ? at + 5 : -1;
    case 'n':
      return text.startsWith('null', at) ? at + 4 : -1;
    default:
      return endOfNumber(text, at);
  }
}

function endOfString(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    // Most of a long string is plain: the pattern gets over it faster than a loop does.
    if (i - at > 16) {
      PLAIN.lastIndex = i;
      PLAIN.test(text);
      i = PLAIN.lastIndex;
    }
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) return i + 1;
    if (unit < SPACE) return -1;
    if (unit === BACKSLASH) {
      i++;
      if (text.charCodeAt(i) === LOWER_U) {
        for (let digit = 1; digit <= 4; digit++) if (!isHex(text.charCodeAt(i + digit))) return -1;
        i += 4;
      } else if (i >= text.length || !ESCAPED.includes(text.charAt(i))) return -1;
    }
  }
  return -1;
}

function endOfNumber(text: string, at: number): number {
  let i = text.charCodeAt(at) === MINUS ? at + 1 : at;
  if (text.charCodeAt(i) === ZERO) i++;
  else {
    i = afterDigits(text, i);
    if (i < 0) return -1;
  }
  if (text.charCodeAt(i) === DOT) {
    i = afterDigits(text, i + 1);
    if (i < 0) return -1;
  }
  if (text[i] === 'e' || text[i] === 'E') {
    const sign = text.charCodeAt(i + 1);
    i = afterDigits(text, sign === PLUS || sign === MINUS ? i + 2 : i + 1);
  }
  return i;
}

/** Past one digit or more; -1 where there is none. */
function afterDigits(text: string, at: number): number {
  let i = at;
  while (isDigit(text.charCodeAt(i))) i++;
  return i === at ? -1 : i;
}

function afterSpace(text: string, at: number): number {
  let i = at;
  for (;;) {
    const unit = text.charCodeAt(i);
    if (unit !== SPACE && unit !== LINE_FEED && unit !== CARRIAGE_RETURN && unit !== TAB) return i;
    i++;
  }
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE;
}

function isHex(unit: number): boolean {
  return isDigit(unit) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66);
}

function kindAt(text: string, at: number): JsonKind {
  switch (text[at]) {
    case '{':
      return 'object';
    case '[':
      return 'array';
    case '"':
      return 'string';
    case 't':
      return 'true';
    case 'f':
      return 'false';
    case 'n':
      return 'null';
    default:
      return 'number';
  }
}
