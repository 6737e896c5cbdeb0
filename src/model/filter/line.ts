import { asBabelqError } from '../errors.ts';
import type { State } from '../failure.ts';
import { FILTER_PARTS, type Filter, type FilterWords, type NameOf, parseFilter } from '../filter.ts';
import { endOfQuoted, jsonString } from '../member-path.ts';
import { operatorAt } from './where.ts';

/** What can't be understood yet of a line: from `at` up to `end` (UTF-16 units), with a sentence and a hint. */
export interface LineError {
  readonly at: number;
  readonly end: number;
  readonly message: string;
  readonly hint: string | null;
}

/** The parts by what is typed before the colon. */
const PARTS: ReadonlyMap<string, keyof FilterWords> = new Map([
  ...FILTER_PARTS.map((part) => [part, part] as const),
  ['message-id', 'message_id'],
]);

const asWritten: NameOf = (part) => `${part}:`;

/** Longer than anything a person types: a paste gone wrong. */
const LONGEST = 4096;

/**
 * Reads a filter as one line: `reason:failed queue:orders* since:2h order_id=1042 "free text"`. Words with white space
 * are put in quotes; what is neither `part:value` nor a condition is text to look for.
 *
 * Never throws, since it is read while it is being typed: `filter` holds all that could be understood, and `error` is
 * about the first word that couldn't.
 */
export function parseLine(line: string, states: readonly State[]): { filter: Filter; error: LineError | null } {
  let filter = parseFilter({}, states);
  if (line.length > LONGEST) {
    const message = `The filter is longer than ${LONGEST} characters.`;
    return { filter, error: { at: LONGEST, end: line.length, message, hint: 'Shorten it.' } };
  }
  let error: LineError | null = null;
  let words: FilterWords = {};
  for (const token of tokensOf(line)) {
    try {
      if (!token.closed) error ??= openQuote(token);
      const more = withWord(words, read(token));
      filter = parseFilter(more, states, asWritten);
      words = more;
    } catch (thrown) {
      const { message, hint } = asBabelqError(thrown);
      error ??= { at: token.at, end: token.at + token.text.length, message, hint };
    }
  }
  return { filter, error };
}

interface Token {
  at: number;
  text: string;
  /** False where a quote in it was still open at the line's end. */
  closed: boolean;
}

/** Words between white space; white space within double quotes belongs to the word. */
function tokensOf(line: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < line.length) {
    if (isSpace(line, at)) {
      at += 1;
      continue;
    }
    let end = at;
    let closed = true;
    while (end < line.length && !isSpace(line, end)) {
      const quoteEnd = line[end] === '"' ? endOfQuoted(line, end) : end + 1;
      closed = quoteEnd !== -1;
      end = closed ? quoteEnd : line.length;
    }
    tokens.push({ at, text: line.slice(at, end), closed });
    at = end;
  }
  return tokens;
}

function isSpace(line: string, at: number): boolean {
  return /\s/.test(line[at] ?? '');
}

function openQuote(token: Token): LineError {
  const message = 'A quote is not closed.';
  return { at: token.at, end: token.at + token.text.length, message, hint: 'End it with ".' };
}

function read({ text, closed }: Token): [keyof FilterWords, string] {
  const colon = text.indexOf(':');
  const part = PARTS.get(text.slice(0, Math.max(0, colon)));
  if (part === 'where') return [part, text.slice(colon + 1)];
  if (part !== undefined) return [part, unquoted(text.slice(colon + 1), closed)];
  if (isCondition(text)) return ['where', text];
  return ['text', unquoted(text, closed)];
}

/** Whether a word is a path, a sign and more: `order_id=1042`, but not `https://example.com/?a=b`. */
function isCondition(text: string): boolean {
  const at = operatorAt(text);
  if (at < 1 || text.startsWith('"')) return false;
  const bare = text.slice(0, at).replace(/"(?:[^"\\]|\\.)*"/g, '');
  return /^[\p{L}\p{N}_$@*.[\]-]*$/u.test(bare);
}

/** The text without the quotes around it. Within them `\"` is a quote; a text that isn't JSON is taken as it stands. */
function unquoted(text: string, closed: boolean): string {
  if (!text.startsWith('"')) return text;
  if (!closed) return text.slice(1);
  return text.endsWith('"') ? (jsonString(text) ?? text.slice(1, -1)) : text;
}

function withWord(words: FilterWords, [part, value]: [keyof FilterWords, string]): FilterWords {
  if (part === 'since' || part === 'before') return { ...words, [part]: value };
  return { ...words, [part]: [...(words[part] ?? []), value] };
}
