import { type Pieces, VALUE } from './pieces.ts';
import { addWords } from './words.ts';

const IP6 = /\[[0-9a-fA-F:.]{2,45}(?:%\w{1,16})?\](?::\d{1,5})?/y;
const URL_END = /[\s"'`<>()[\]{}|,;]/;

/**
 * Writes a URL, an e-mail address or an object's identity (`Order@1f2e3d`) that begins at `at`, and tells where to go on;
 * null where there is none. `chunk` is the text at `at` up to a sign that no such thing has outside a query.
 */
export function addAddress(pieces: Pieces, text: string, at: number, chunk: string): number | null {
  const scheme = chunk.indexOf('://');
  if (scheme > 0) {
    const start = at + scheme + 3;
    const end = endOfUrl(text, start);
    addUrl(pieces, chunk.slice(0, scheme), text.slice(start, end));
    return end;
  }
  const sign = chunk.lastIndexOf('@');
  if (sign < 1 || !/[A-Za-z0-9]/.test(chunk[sign + 1] ?? '')) return null;
  const after = chunk.slice(sign + 1).replace(/[.:-]{1,3}$/, '');
  if (/^[0-9a-fA-F]{4,16}$/.test(after)) {
    addWords(pieces, chunk.slice(0, sign + 1), after);
    pieces.value();
    return at + sign + 1 + after.length;
  }
  if (!/[A-Za-z0-9]\.[A-Za-z]/.test(after) || /[\\/]/.test(chunk)) return null;
  pieces.value();
  return at + sign + 1 + after.length;
}

/** Whether a word is a path, an IP address or a host with its port. */
export function isAddress(word: string): boolean {
  return isPath(word) || isIp6OrTime(word) || isHostAndPort(word);
}

/** Where a URL ends that is read from `start`: before white space, quotes, brackets, and the signs that end a sentence. */
export function endOfUrl(text: string, start: number): number {
  let end = start;
  for (; end < text.length; end++) {
    // An IPv6 host stands in brackets.
    const bracket = end === start || text[end - 1] === '@' ? ip6At(text, end) : 0;
    if (bracket > 0) end += bracket - 1;
    else if (URL_END.test(text[end] ?? '')) break;
  }
  while (end > start && /[.:!?*]/.test(text[end - 1] ?? '')) end -= 1;
  return end;
}

/** The length of an IPv6 address in brackets, with a port or not, that begins at `at`; 0 where none does. */
export function ip6At(text: string, at: number): number {
  if (text[at] !== '[') return 0;
  IP6.lastIndex = at;
  const found = IP6.exec(text)?.[0] ?? '';
  return found.split(':').length > 2 ? found.length : 0;
}

/** Scheme, host name and the plain words of the path stay: they say which service it was. */
function addUrl(pieces: Pieces, scheme: string, rest: string): void {
  const authority = /^[^/?#]*/.exec(rest)?.[0] ?? '';
  const path = /^[^?#]*/.exec(rest.slice(authority.length))?.[0] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d{0,5}$/, '');
  const named = /[A-Za-z]/.test(host) && !host.startsWith('[') && host !== 'localhost';
  addWords(pieces, scheme, '');
  pieces.asIs('://');
  if (named) addWords(pieces, host, '');
  else pieces.value();
  if (authority === '') return;
  for (const segment of path.split('/').slice(1)) {
    if (segment === '') continue;
    pieces.asIs(/\d/.test(segment) || segment.length > 24 ? `/${VALUE}` : `/${segment}`);
  }
}

function isPath(word: string): boolean {
  if (/^(?:~|\.{1,2})?\/[^/]/.test(word) || /^[A-Za-z]:[\\/]/.test(word) || word.startsWith('\\\\')) return true;
  const slash = word.indexOf('/');
  if (slash === -1) return false;
  return word.includes('/', slash + 1) || /\.[A-Za-z]\w{0,4}(?::\d+){0,2}$/.test(word);
}

function isIp6OrTime(word: string): boolean {
  return /^[0-9a-fA-F:.]+(?:%\w+)?$/.test(word) && /\d/.test(word) && word.split(':').length > 2;
}

/** `db.internal:5432`, `main.go:42:7`, `db-primary:5432`, `localhost:80`; not `redis:6379`, whose name says which. */
function isHostAndPort(word: string): boolean {
  const found = /^([A-Za-z0-9._-]+)((?::\d{1,6}){1,2})$/.exec(word);
  if (found === null) return false;
  const [, host = '', port = ''] = found;
  return host.includes('.') || host === 'localhost' || (port.length > 2 && /[-\d]/.test(host));
}
