import { quoteTyped } from './display/escape.ts';
import { BabelqError } from './errors.ts';

/** A member of a body: object members by name, array elements by index (from 0, in digits). */
export type MemberPath = readonly string[];

/** Names that need no quotes. */
const PLAIN = /^[\p{L}\p{N}_$@*-]+$/u;

/**
 * Reads `data.order_id`, `data.items.0.sku`, `data.items[0].sku` or `data."a.b"` (a name in quotes as JSON writes it,
 * for one with a dot or another sign in it). `*` is a name like any other here: what it means is up to the caller. `name` is what the person typed it for, as the message shows it (`--where`). Throws `usage`.
 */
export function parseMemberPath(text: string, name: string): MemberPath {
  const path: string[] = [];
  let at = 0;
  while (true) {
    if (text[at] === '"') {
      const end = endOfQuoted(text, at);
      const member = end === -1 ? null : jsonString(text.slice(at, end));
      if (member === null) throw bad(text, name, 'a quote in it is not closed or not written as JSON writes it');
      path.push(member);
      at = end;
    } else if (text[at] === '[') {
      const end = text.indexOf(']', at);
      const index = end === -1 ? '' : text.slice(at + 1, end);
      if (index !== '*' && !/^\d+$/.test(index)) throw bad(text, name, 'what stands in [ ] must be an index');
      path.push(index);
      at = end + 1;
    } else {
      const end = endOfBare(text, at);
      const member = text.slice(at, end);
      if (member === '') throw bad(text, name, 'a name is missing');
      path.push(member);
      at = end;
    }
    if (at === text.length) return path;
    if (text[at] === '.') at += 1;
    else if (text[at] !== '[') throw bad(text, name, 'a dot is missing between two names');
  }
}

/** The path as parseMemberPath reads it. */
export function sayMemberPath(path: MemberPath): string {
  return path.map((member) => (PLAIN.test(member) ? member : JSON.stringify(member))).join('.');
}

/** Where the quoted text that starts at `at` ends (after its quote), -1 where it isn't closed. */
export function endOfQuoted(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '\\') end += 1;
    else if (text[end] === '"') return end + 1;
  }
  return -1;
}

/** The text of a JSON string literal, null where it isn't one. */
export function jsonString(literal: string): string | null {
  try {
    const value: unknown = JSON.parse(literal);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

function endOfBare(text: string, at: number): number {
  for (let end = at; end < text.length; end++) {
    if (text[end] === '.' || text[end] === '[' || text[end] === '"') return end;
  }
  return text.length;
}

function bad(text: string, name: string, why: string): BabelqError {
  return new BabelqError('usage', `${name} can't read the path ${quoteTyped(text)}: ${why}.`, {
    hint: 'A path is names with dots between them, such as data.order_id, data.items.0.sku or data."a.b".',
  });
}
