import { escapeJsonToken, escapeText } from '../../model/display/escape.ts';
import type { WholeFailure } from '../../model/failure.ts';
import { type JsonLine, type JsonToken, jsonLines } from '../../model/json/lines.ts';
import { scanJson } from '../../model/json/scan.ts';
import { type Document, type DocumentLine, documentLine, MOST_ROWS } from './document.ts';
import { type Line, line, span, type Tone } from './line.ts';

const INDENT = '  ';
/** Levels that are still indented further. */
const DEEPEST = 32;
/** A body of more lines than this is opened with its inner objects folded. */
const OPEN_WHOLE = 400;

const TONES: Readonly<Record<JsonToken['kind'], Tone>> = {
  name: 'accent',
  string: 'good',
  number: 'warn',
  word: 'warn',
  mark: 'plain',
};

interface Body {
  readonly document: Document;
  /** What is folded when it is opened. */
  readonly folded: ReadonlySet<number>;
}

const made = new WeakMap<WholeFailure, { bytes: number; body: Body }>();

/** A body as a person reads it: JSON as lines that fold, other text as it is, bytes that aren't UTF-8 in hex. */
export function bodyOf(failure: WholeFailure, width: number): Body {
  // In hex alone the lines depend on the width.
  const bytes = width >= 76 ? 16 : 8;
  const known = made.get(failure);
  if (known !== undefined && (known.bytes === bytes || failure.body !== null)) return known.body;
  const body = failure.body === null ? hexBody(failure, bytes) : textBody(failure, failure.body);
  made.set(failure, { bytes, body });
  return body;
}

function textBody(failure: WholeFailure, body: string): Body {
  const root = scanJson(body);
  if (root === undefined) {
    const { lines, whole } = linesIn(body, MOST_ROWS);
    return unfolded(lines.map((text) => documentLine(line(escapeText(text)), null)).concat(whole ? [] : rest(failure)));
  }
  const { lines, whole } = jsonLines(body, root, MOST_ROWS);
  const shown = lines.map((one): DocumentLine => new JsonDocumentLine(one));
  const folded = new Set<number>();
  if (lines.length > OPEN_WHOLE) {
    for (const [at, { depth, ends }] of lines.entries()) if (depth >= 2 && ends !== null) folded.add(at);
  }
  return { document: { lines: whole ? shown : shown.concat(rest(failure)) }, folded };
}

/** Made ready only when it is looked at: of a long body most lines are folded away, or never scrolled to. */
class JsonDocumentLine implements DocumentLine {
  readonly ends: number | null;
  readonly #line: JsonLine;
  #shown: DocumentLine | null = null;

  constructor(line: JsonLine) {
    this.#line = line;
    this.ends = line.ends;
  }

  get spans(): Line {
    return this.#ready.spans;
  }

  get text(): string {
    return this.#ready.text;
  }

  get #ready(): DocumentLine {
    if (this.#shown === null) {
      const { depth, tokens } = this.#line;
      const indent = span(INDENT.repeat(Math.min(depth, DEEPEST)));
      const spans: Line = [indent, ...tokens.map(({ text, kind }) => span(escapeJsonToken(text), TONES[kind]))];
      this.#shown = documentLine(spans, this.ends);
    }
    return this.#shown;
  }
}

function linesIn(text: string, most: number): { lines: string[]; whole: boolean } {
  const lines: string[] = [];
  for (let at = 0; ; ) {
    const feed = text.indexOf('\n', at);
    if (lines.length === most) return { lines, whole: false };
    lines.push(text.slice(at, feed === -1 ? undefined : feed));
    if (feed === -1) return { lines, whole: true };
    at = feed + 1;
  }
}

function hexBody(failure: WholeFailure, width: number): Body {
  const bytes = Buffer.from(failure.body_base64 ?? '', 'base64');
  const lines: DocumentLine[] = [];
  for (let at = 0; at < bytes.length; at += width) {
    if (lines.length === MOST_ROWS) {
      lines.push(...rest(failure));
      break;
    }
    const part = bytes.subarray(at, at + width);
    const hex = Array.from(part, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = Array.from(part, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    const offset = span(`${at.toString(16).padStart(8, '0')}  `, 'dim');
    lines.push(documentLine([offset, span(`${hex.padEnd(width * 3)} `), span(text, 'good')], null));
  }
  return unfolded(lines);
}

function unfolded(lines: readonly DocumentLine[]): Body {
  return { document: { lines }, folded: new Set() };
}

function rest({ id }: WholeFailure): DocumentLine[] {
  return [documentLine(line(`and more: babelq inspect ${escapeText(id)} --raw prints all of it`, 'dim'), null)];
}
