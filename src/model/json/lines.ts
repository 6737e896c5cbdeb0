import { afterSpace, endOfToken } from './layout.ts';
import type { JsonSpan } from './scan.ts';

/** A token of JSON as it is stored. */
export interface JsonToken {
  readonly text: string;
  readonly kind: 'name' | 'string' | 'number' | 'word' | 'mark';
}

/** A line of laid out JSON: a member, an element, or where an object or array begins or ends. */
export interface JsonLine {
  readonly depth: number;
  readonly tokens: readonly JsonToken[];
  /** Of a line where an object or array begins, the line where it ends; else null. */
  readonly ends: number | null;
}

/**
 * JSON as lines that can be folded, with the tokens as they are stored; white space between them isn't kept. Linear, not
 * recursive, and it stops after so many lines.
 * @param root where the text's value stands, as scanJson tells
 */
export function jsonLines(text: string, root: JsonSpan, most: number): { lines: JsonLine[]; whole: boolean } {
  const lines: { depth: number; tokens: JsonToken[]; ends: number | null }[] = [];
  const open: number[] = [];
  let tokens: JsonToken[] = [];
  const end = (depth: number) => {
    if (tokens.length > 0) lines.push({ depth, tokens, ends: null });
    tokens = [];
  };
  for (let at = afterSpace(text, root.start); at < root.end; ) {
    const next = endOfToken(text, at);
    const token = text.slice(at, next);
    at = afterSpace(text, next);
    if (token === '{' || token === '[') {
      const closer = text[at] ?? '';
      if (closer === '}' || closer === ']') {
        tokens.push({ text: `${token}${closer}`, kind: 'mark' });
        at = afterSpace(text, at + 1);
        continue;
      }
      tokens.push({ text: token, kind: 'mark' });
      end(open.length);
      open.push(lines.length - 1);
    } else if (token === '}' || token === ']') {
      end(open.length);
      const began = lines[open.pop() ?? -1];
      if (began !== undefined) began.ends = lines.length;
      tokens.push({ text: token, kind: 'mark' });
    } else if (token === ',') {
      tokens.push({ text: token, kind: 'mark' });
      end(open.length);
    } else if (token === ':') tokens.push({ text: ': ', kind: 'mark' });
    else tokens.push({ text: token, kind: kindOf(token, text[at] === ':') });
    if (lines.length >= most) return { lines: lines.slice(0, most).map((line) => within(line, most)), whole: false };
  }
  end(open.length);
  return { lines, whole: true };
}

/** What ends beyond the last line can't be folded. */
function within(line: JsonLine, most: number): JsonLine {
  return line.ends !== null && line.ends >= most ? { ...line, ends: null } : line;
}

function kindOf(token: string, named: boolean): JsonToken['kind'] {
  if (token.startsWith('"')) return named ? 'name' : 'string';
  return /^[-0-9]/.test(token) ? 'number' : 'word';
}
