import type { JsonSpan } from './scan.ts';

/** Levels that are still indented further: a body nested 200,000 deep would be gigabytes of spaces. */
const DEEPEST = 32;
/** How a line of each level begins. */
const NEW_LINES = Array.from({ length: DEEPEST + 1 }, (_, depth) => `\n${'  '.repeat(depth)}`);

/**
 * JSON with a line a member: only the white space between its tokens changes, so that numbers, escapes, duplicate members
 * and their order stand as they are stored. Linear, and not recursive.
 * @param root where the text's value stands, as scanJson tells
 * @param show what is written for a string, a number or a word
 */
export function indentJson(text: string, root: JsonSpan, show: (token: string) => string): string {
  const out: string[] = [];
  let depth = 0;
  const line = () => out.push(NEW_LINES[Math.min(depth, DEEPEST)] ?? '');
  for (let at = root.start; at < root.end; ) {
    const char = text[at] ?? '';
    const end = endOfToken(text, at);
    if (char === '{' || char === '[') {
      const next = afterSpace(text, end);
      if (text[next] === '}' || text[next] === ']') {
        out.push(char, text[next] ?? '');
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
    else if (!isSpace(char)) out.push(show(text.slice(at, end)));
    at = end;
  }
  return out.join('');
}

/** JSON without the white space between its tokens. */
export function compactJson(text: string, root: JsonSpan): string {
  const out: string[] = [];
  for (let at = root.start; at < root.end; ) {
    const end = endOfToken(text, at);
    if (!isSpace(text[at] ?? '')) out.push(text.slice(at, end));
    at = end;
  }
  return out.join('');
}

/** Where the token (or the white space) that starts at `at` ends, in a text that is known to be JSON. */
export function endOfToken(text: string, at: number): number {
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

export function afterSpace(text: string, at: number): number {
  let end = at;
  while (isSpace(text[end] ?? '')) end += 1;
  return end;
}

function isSpace(char: string): boolean {
  return char === ' ' || char === '\n' || char === '\r' || char === '\t';
}
