import { scanJson } from '../json/scan.ts';
import { escapeBlock, escapeJsonToken } from './escape.ts';

const INDENT = '  ';
/** Levels that are still indented further: a body nested 200,000 deep would be gigabytes of spaces. */
const DEEPEST = 32;

/**
 * A body for people, safe to print. JSON gets a line a member: only the white space between its tokens changes, so that
 * numbers, escapes, duplicate members and their order stand as they are stored, and what a terminal would act on is
 * written as a JSON escape. Anything else is escaped and keeps its lines. Linear, and not recursive.
 */
export function prettyBody(body: string): string {
  const root = scanJson(body);
  if (root === undefined) return escapeBlock(body);
  const out: string[] = [];
  let depth = 0;
  const line = () => out.push('\n', INDENT.repeat(Math.min(depth, DEEPEST)));
  for (let at = root.start; at < root.end; ) {
    const char = body[at] ?? '';
    const end = endOfToken(body, at);
    if (char === '{' || char === '[') {
      const next = afterSpace(body, end);
      if (body[next] === '}' || body[next] === ']') {
        out.push(char, body[next] ?? '');
        at = next + 1;
        continue;
      }
      out.push(char);
      depth += 1;
      line();
    } else if (char === '}' || char === ']') {
      depth -= 1;
      line();
      out.push(char);
    } else if (char === ',') {
      out.push(char);
      line();
    } else if (char === ':') out.push(': ');
    else if (!isSpace(char)) out.push(escapeJsonToken(body.slice(at, end)));
    at = end;
  }
  return out.join('');
}

/** Where the token (or the white space) that starts at `at` ends, in a text that is known to be JSON. */
function endOfToken(text: string, at: number): number {
  const char = text[at] ?? '';
  if (isSpace(char)) return afterSpace(text, at);
  if ('{}[],:'.includes(char)) return at + 1;
  let end = at + 1;
  if (char === '"') {
    while (text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    return end + 1;
  }
  while (end < text.length && !isSpace(text[end] ?? '') && !'}],'.includes(text[end] ?? '')) end += 1;
  return end;
}

function afterSpace(text: string, at: number): number {
  let end = at;
  while (isSpace(text[end] ?? '')) end += 1;
  return end;
}

function isSpace(char: string): boolean {
  return char === ' ' || char === '\n' || char === '\r' || char === '\t';
}
