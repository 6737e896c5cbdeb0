import { displayWidth } from '../../model/display/width.ts';

const SEGMENTER = new Intl.Segmenter();
const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Breaks text into lines of at most `width` cells: at its line feeds, then between words, and within a word that is
 * longer than a line. Escape the text first. Linear in the text.
 */
export function wrapText(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, width));
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
      out.push(...pieces.slice(0, -1));
      current = (pieces.at(-1) ?? '') + word.slice(solid.length);
    } else current += word;
    used = widthOf(current);
  }
  out.push(current.trimEnd());
  return out;
}

/** As wrapText, but lines are cut where they are full and no blank is lost: for bodies. */
export function cutText(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => (line === '' ? [''] : cutWord(line, width)));
}

function cutWord(word: string, width: number): string[] {
  const pieces: string[] = [];
  if (PLAIN.test(word)) {
    for (let at = 0; at < word.length; at += width) pieces.push(word.slice(at, at + width));
    return pieces.length === 0 ? [''] : pieces;
  }
  let start = 0;
  let used = 0;
  for (const { segment, index } of SEGMENTER.segment(word)) {
    const cells = displayWidth(segment);
    if (used + cells > width && index > start) {
      pieces.push(word.slice(start, index));
      start = index;
      used = 0;
    }
    used += cells;
  }
  pieces.push(word.slice(start));
  return pieces;
}

function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : displayWidth(text);
}
