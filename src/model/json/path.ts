import { decodeString, elementsOf, hasKey, type JsonSpan, membersOf, scanJson } from './scan.ts';

/** A member's name or an array's index. On an array `'0'` is an index as `0` is; on an object `0` is the name `'0'`. */
export type JsonPath = readonly (string | number)[];

const INDEX = /^(?:0|[1-9][0-9]*)$/;

/**
 * The span of the value at a path, so that its bytes can be read as they are stored (`text.slice(start, end)`). Of
 * duplicate members the last counts. Undefined where nothing stands there, or where the text is not JSON.
 */
export function valueAt(text: string, path: JsonPath): JsonSpan | undefined {
  let at = scanJson(text);
  for (const segment of path) {
    if (at === undefined) return undefined;
    at = childrenAt(text, at, segment).at(-1);
  }
  return at;
}

/**
 * The spans of all values at a path, in the text's order, where the segment `*` is every member or element. Every
 * duplicate member is given, since this is for blanking: what a parser would not see is still there to read.
 */
export function valuesAt(text: string, path: JsonPath): JsonSpan[] {
  const root = scanJson(text);
  let found = root === undefined ? [] : [root];
  for (const segment of path) {
    found = found.flatMap((span) => (segment === '*' ? everyChild(text, span) : childrenAt(text, span, segment)));
  }
  return found;
}

/**
 * As valuesAt, but as a parser of the body sees it: of duplicate members the last alone, also where `*` takes every
 * member.
 */
export function parsedValuesAt(text: string, path: JsonPath): JsonSpan[] {
  const root = scanJson(text);
  let found = root === undefined ? [] : [root];
  for (const segment of path) {
    found = found.flatMap((span) =>
      segment === '*' ? everyParsedChild(text, span) : childrenAt(text, span, segment).slice(-1),
    );
  }
  return found;
}

/** What a scalar says: a string decoded, else its text as stored (`99.90`, `1E2`, `true`, `null`). */
export function scalarText(text: string, span: JsonSpan): string | undefined {
  if (span.kind === 'object' || span.kind === 'array') return undefined;
  return span.kind === 'string' ? decodeString(text, span) : text.slice(span.start, span.end);
}

function everyChild(text: string, span: JsonSpan): readonly JsonSpan[] {
  if (span.kind === 'object') return membersOf(text, span);
  return span.kind === 'array' ? elementsOf(text, span) : [];
}

function everyParsedChild(text: string, span: JsonSpan): readonly JsonSpan[] {
  if (span.kind !== 'object') return everyChild(text, span);
  const last = new Map<string, JsonSpan>();
  for (const member of membersOf(text, span)) {
    last.set(decodeString(text, { start: member.keyStart, end: member.keyEnd }), member);
  }
  return [...last.values()];
}

function childrenAt(text: string, span: JsonSpan, segment: string | number): JsonSpan[] {
  if (span.kind === 'object') {
    const name = String(segment);
    return membersOf(text, span).filter((member) => hasKey(text, member, name));
  }
  if (span.kind !== 'array' || !INDEX.test(String(segment))) return [];
  const element = elementsOf(text, span)[Number(segment)];
  return element === undefined ? [] : [element];
}
