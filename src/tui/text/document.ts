import type { Line, Tone } from './line.ts';
import { cutWord } from './wrap.ts';

/** A line before it is cut to the width of a pane; escaped. */
export interface DocumentLine {
  readonly spans: Line;
  /** The spans' text. */
  readonly text: string;
  /** Of a line that begins something that can be folded, the line where it ends; else null. */
  readonly ends: number | null;
}

/** What a pane shows, in whole lines. */
export interface Document {
  readonly lines: readonly DocumentLine[];
}

/** A line of the screen: a piece of a document's line. */
export interface Row {
  readonly line: number;
  /** UTF-16 units of the line's text. */
  readonly from: number;
  readonly to: number;
}

/** Where a text was found. */
interface Match {
  readonly line: number;
  readonly from: number;
}

/** Rows that are laid out: nobody scrolls further, and a mebibyte of line feeds must not keep a key waiting. */
export const MOST_ROWS = 50_000;
/** Places that are counted of a text that is looked for. */
export const MOST_MATCHES = 10_000;

export function documentOf(lines: readonly Line[]): Document {
  return { lines: lines.map((spans) => documentLine(spans, null)) };
}

export function documentLine(spans: Line, ends: number | null): DocumentLine {
  return { spans, text: spans.length === 1 ? (spans[0]?.text ?? '') : spans.map(({ text }) => text).join(''), ends };
}

const laidOut = new WeakMap<Document, { width: number; folded: ReadonlySet<number>; rows: readonly Row[] }>();

/** The rows that a pane of this width shows, without what is folded; the same as long as these are. */
export function rowsOf(document: Document, folded: ReadonlySet<number>, width: number): readonly Row[] {
  const known = laidOut.get(document);
  if (known?.width === width && known.folded === folded) return known.rows;
  const rows: Row[] = [];
  const { lines } = document;
  for (let at = 0; at < lines.length && rows.length < MOST_ROWS; at++) {
    const line = lines[at] as DocumentLine;
    if (line.ends !== null && folded.has(at)) {
      rows.push({ line: at, from: 0, to: line.text.length });
      at = line.ends;
      continue;
    }
    let from = 0;
    // No character is narrower than half of what it takes in UTF-16, so this much fills the rows that are left.
    const most = (MOST_ROWS - rows.length) * width * 2;
    for (const piece of cutWord(line.text.slice(0, most), width)) {
      rows.push({ line: at, from, to: from + piece.length });
      from += piece.length;
    }
  }
  laidOut.set(document, { width, folded, rows });
  return rows;
}

/** The row that shows a place of the document; the last one before it where it is folded away. */
export function rowAt(rows: readonly Row[], line: number, from: number): number {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const row = rows[middle] as Row;
    if (row.line < line || (row.line === line && row.from <= from)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The innermost line that can be folded and holds this one, or is it; null where none does. */
export function foldableAt(document: Document, line: number): number | null {
  for (let at = line; at >= 0; at--) {
    const ends = document.lines[at]?.ends ?? null;
    if (ends !== null && ends >= line) return at;
  }
  return null;
}

/** All that must be unfolded for a line to be seen. */
export function holdersOf(document: Document, folded: ReadonlySet<number>, line: number): number[] {
  return [...folded].filter((at) => at < line && (document.lines[at]?.ends ?? -1) >= line);
}

const found = new WeakMap<Document, { query: string; matches: readonly Match[] }>();

/** Where a text stands, in any case, from the top. */
export function matchesIn(document: Document, query: string): readonly Match[] {
  if (query === '') return [];
  const known = found.get(document);
  if (known?.query === query) return known.matches;
  const matches: Match[] = [];
  const wanted = query.toLowerCase();
  for (const [line, { text }] of document.lines.entries()) {
    const lower = text.toLowerCase();
    for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + wanted.length)) {
      matches.push({ line, from: at });
      if (matches.length === MOST_MATCHES) break;
    }
    if (matches.length === MOST_MATCHES) break;
  }
  found.set(document, { query, matches });
  return matches;
}

/** The spans of a row, with what is looked for standing out. */
export function rowSpans(document: Document, { line, from, to }: Row, query: string): Line {
  const one = document.lines[line];
  if (one === undefined) return [];
  const piece = between(one.spans, from, to);
  if (query === '') return piece;
  const text = one.text.slice(Math.max(0, from - query.length), to + query.length).toLowerCase();
  const shift = from - Math.max(0, from - query.length);
  const wanted = query.toLowerCase();
  let marked: Line = piece;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    marked = withTone(marked, at - shift, at - shift + wanted.length, 'inverse');
  }
  return marked;
}

function between(spans: Line, from: number, to: number): Line {
  const out: { text: string; tone: Tone }[] = [];
  let at = 0;
  for (const { text, tone } of spans) {
    const piece = text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (piece !== '') out.push({ text: piece, tone });
    at += text.length;
    if (at >= to) break;
  }
  return out;
}

function withTone(spans: Line, from: number, to: number, tone: Tone): Line {
  const end = spans.reduce((sum, { text }) => sum + text.length, 0);
  const middle = between(spans, Math.max(0, from), Math.max(0, to));
  return [
    ...between(spans, 0, Math.max(0, from)),
    ...middle.map(({ text }) => ({ text, tone })),
    ...between(spans, Math.max(0, to), end),
  ];
}
