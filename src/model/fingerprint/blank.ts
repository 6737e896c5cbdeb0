import { addAddress, endOfUrl, ip6At, isAddress } from './addresses.ts';
import { Pieces } from './pieces.ts';
import { addWords } from './words.ts';

/** Read at most (UTF-16 units): a cause is said early, and an error may be a megabyte. */
const MOST_READ = 16_384;
/** Kept of a blanked text that wasn't read to its end: where it was cut depends on the values in it. */
const MOST_KEPT = 4096;

const CHUNK = /[A-Za-z0-9_\-.:/\\@%+~]+/y;
const NOT_ASCII_DIGIT = /[^\x00-\x7f]/;
const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['\u201c', '\u201d'],
  ['\u201e', '\u201c'],
  ['\u2018', '\u2019'],
  ['\u00ab', '\u00bb'],
]);

/**
 * An error's text with all that varies from one failure to the next as `*`: quoted values, numbers, ids, UUIDs, hex,
 * times, paths, and of addresses all but a URL's host name and the plain words of its path. Several values in a row are
 * one, white space is one space. Names in JSON (`"code":`) and three digits after a word like `status` stay.
 *
 * One pass over at most 16 KiB, whatever the text. It says nothing of meaning: two causes that differ only in a quoted
 * name come out the same.
 */
export function blank(error: string): string {
  const text = error.slice(0, MOST_READ);
  const pieces = new Pieces();
  /** The closing quote of a JSON name, which opens nothing. */
  let closing = -1;
  /** Up to where a quote is known to be closed nowhere, so that no stretch is searched twice. */
  const openUntil = new Map<string, number>();
  let at = 0;
  while (at < text.length) {
    const char = text[at] ?? '';
    if (at !== closing && at >= (openUntil.get(char) ?? 0) && opensQuote(text, at)) {
      const { end, closed } = endOfQuote(text, at);
      if (!closed) openUntil.set(char, end);
      else if (isJsonName(text, at, end)) {
        pieces.sign(char);
        closing = end;
        at += 1;
        continue;
      } else {
        pieces.value();
        at = end + 1;
        continue;
      }
    }
    const bracketed = ip6At(text, at);
    CHUNK.lastIndex = at;
    const chunk = CHUNK.exec(text)?.[0];
    if (bracketed > 0) {
      pieces.value();
      at += bracketed;
    } else if (chunk === undefined) {
      if (NOT_ASCII_DIGIT.test(char) && /\p{Nd}/u.test(char)) pieces.value();
      else pieces.sign(char);
      at += 1;
    } else at = addChunk(pieces, text, at, chunk);
  }
  const whole = pieces.toString();
  return error.length > MOST_READ ? whole.slice(0, MOST_KEPT) : whole;
}

/** Writes the chunk at `at` and tells where to go on. */
function addChunk(pieces: Pieces, text: string, at: number, chunk: string): number {
  const address = addAddress(pieces, text, at, chunk);
  if (address !== null) return address;
  const end = at + chunk.length;
  const core = chunk.replace(/[.:-]{1,3}$/, '');
  if (isAddress(core)) {
    pieces.value();
    if (core.startsWith('/') && text[end] === '?') return endOfUrl(text, end);
    addWords(pieces, chunk.slice(core.length), '');
  } else addWords(pieces, chunk, text.slice(end, end + 3));
  return end;
}

function opensQuote(text: string, at: number): boolean {
  const char = text[at] ?? '';
  if (!CLOSERS.has(char)) return false;
  if (char !== "'") return true;
  // Not the apostrophe of `can't`; but the quote of Python's b'…'.
  const before = text.slice(Math.max(0, at - 2), at);
  return !/[\p{L}\p{N}]$/u.test(before) || /^(?:[^\p{L}\p{N}])?[bur]$/u.test(before);
}

/** Where the quote at `at` is closed, on its own line; where that line ends, if it isn't. */
function endOfQuote(text: string, at: number): { end: number; closed: boolean } {
  const opener = text[at] ?? '';
  const closer = CLOSERS.get(opener) ?? opener;
  let end = at + 1;
  for (; end < text.length && text[end] !== '\n'; end++) {
    if (text[end] === '\\') end += 1;
    else if (text[end] === closer && !(closer === "'" && /[\p{L}\p{N}]/u.test(text[end + 1] ?? ''))) {
      return { end, closed: true };
    }
  }
  return { end, closed: false };
}

function isJsonName(text: string, at: number, end: number): boolean {
  if (text[at] !== '"' || !/^\s?:/.test(text.slice(end + 1, end + 3))) return false;
  return (
    /[{,]\s?$/.test(text.slice(Math.max(0, at - 2), at)) || /[{,]\s*\n\s*$/.test(text.slice(Math.max(0, at - 40), at))
  );
}
