import stringWidth from 'string-width';

const CUT = '…';
/** Text in which every character takes one cell: most of it, and by far the quickest to measure. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Made on use: to make one costs as much as all else that a short listing does. */
let segmenter: Intl.Segmenter | undefined;

function graphemes(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}

/** Terminal cells that a text takes, wide characters counted as two. Escape the text first (escape.ts). */
export function displayWidth(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/**
 * The text in at most `width` cells: whole, or cut between graphemes with `…` at its end. Where a wide character doesn't
 * fit the last cell stays free. Reads no further than it shows, so a megabyte costs nothing. Escape the text first.
 */
export function fitTo(text: string, width: number): string {
  if (width <= 0) return '';
  if (text.length <= width && PLAIN.test(text)) return text;
  let shown = 0; // cells taken so far
  let at = 0;
  let keep = 0; // where to cut so that the `…` fits too
  for (const { segment } of graphemes(text)) {
    shown += stringWidth(segment);
    if (shown > width) return text.slice(0, keep) + CUT;
    at += segment.length;
    if (shown < width) keep = at;
  }
  return text;
}

/** The text in exactly `width` cells: fitted, then filled with spaces on its right (`left`) or left (`right`). */
export function padTo(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const fitted = fitTo(text, width);
  const spaces = ' '.repeat(Math.max(0, width - displayWidth(fitted)));
  return align === 'left' ? fitted + spaces : spaces + fitted;
}

/** As fitTo, but the end of the text stays: of a URN or a path the start says least. */
export function fitEndTo(text: string, width: number): string {
  if (width <= 0) return '';
  if (text.length <= width && PLAIN.test(text)) return text;
  const segments = [...graphemes(text)];
  let shown = 0;
  let keep = text.length; // where to cut so that the `…` fits too
  for (const { segment, index } of segments.reverse()) {
    shown += stringWidth(segment);
    if (shown > width) return CUT + text.slice(keep);
    if (shown < width) keep = index;
  }
  return text;
}
