import { displayWidth, fitTo } from '../../model/display/width.ts';
import { type Line, line, type Tone } from './line.ts';

const SEGMENTER = new Intl.Segmenter();
const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Breaks text into lines of at most `width` cells: at its line feeds, then between words, and within a word that is
 * longer than a line. Escape the text first. Linear in the text.
 */
export function wrapText(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, width));
}

/** As wrapText, at most so many lines; where that isn't all the last one says so by its end. */
export function wrapLines(text: string, tone: Tone, width: number, most: number): Line[] {
  const lines = wrapText(text, width);
  const kept = lines.slice(0, most);
  if (lines.length > most) kept.push(...kept.splice(-1).map((last) => fitTo(`${last} ${lines[most]}`, width)));
  return kept.map((one) => line(one, tone));
}

function wrapLine(line: string, width: number): string[] {
  if (line.length <= width && PLAIN.test(line)) return [line];
  const out: string[] = [];
  let current = '';
  let used = 0;
  for (const word of line.split(/(?<= )/)) {
    const solid = word.trimEnd();
    const cells = widthOf(solid);
    if (used > 0 && used + cells > width) {
      out.push(current.trimEnd());
      current = '';
      used = 0;
    }
    if (cells > width) {
      const pieces = cutWord(solid, width);
      current = (pieces.pop() ?? '') + word.slice(solid.length);
      for (const piece of pieces) out.push(piece);
    } else current += word;
    used = widthOf(current);
  }
  out.push(current.trimEnd());
  return out;
}

/**
 * As wrapText, but lines are cut where they are full and no blank is lost: for bodies. Stops after `most` lines, however
 * long the text is; `whole` says whether that was all.
 */
export function cutText(text: string, width: number, most: number): { lines: string[]; whole: boolean } {
  const lines: string[] = [];
  for (let at = 0; at <= text.length; ) {
    const feed = text.indexOf('\n', at);
    const end = feed === -1 ? text.length : feed;
    // No character is narrower than half of what it takes in UTF-16, so this much fills the lines that are left.
    const pieces = cutWord(text.slice(at, Math.min(end, at + (most - lines.length + 1) * width * 2)), width);
    for (const piece of pieces) {
      if (lines.length === most) return { lines, whole: false };
      lines.push(piece);
    }
    at = end + 1;
  }
  return { lines, whole: true };
}

/** Characters that stand alone and whose width is known by their place: no need to look for what belongs together. */
const SIMPLE =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02af\u0391-\u03ff\u0400-\u0482\u048a-\u052f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]*$/;
/** Those of them that take two cells begin here. */
const WIDE = 0x3041;

/** Cuts a word into pieces of at most `width` cells, between graphemes; one piece at least. Escape it first. */
export function cutWord(word: string, width: number): string[] {
  const pieces: string[] = [];
  if (PLAIN.test(word)) {
    for (let at = 0; at < word.length; at += width) pieces.push(word.slice(at, at + width));
    return pieces.length === 0 ? [''] : pieces;
  }
  let start = 0;
  let used = 0;
  const take = (index: number, cells: number) => {
    if (used + cells > width && index > start) {
      pieces.push(word.slice(start, index));
      start = index;
      used = 0;
    }
    used += cells;
  };
  if (SIMPLE.test(word)) {
    for (let at = 0; at < word.length; at++) take(at, word.charCodeAt(at) >= WIDE ? 2 : 1);
  } else {
    for (const { segment, index } of SEGMENTER.segment(word)) take(index, displayWidth(segment));
  }
  pieces.push(word.slice(start));
  return pieces;
}

function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  if (!SIMPLE.test(text)) return displayWidth(text);
  let cells = 0;
  for (let at = 0; at < text.length; at++) cells += text.charCodeAt(at) >= WIDE ? 2 : 1;
  return cells;
}
