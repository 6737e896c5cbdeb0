import { displayWidth, fitTo } from '../../model/display/width.ts';

/** How a piece of text stands out. Colours are the terminal's own sixteen, so that they fit its background. */
export type Tone = 'plain' | 'dim' | 'strong' | 'accent' | 'good' | 'warn' | 'bad' | 'inverse';

/** A piece of a line. Its text is escaped: what is shown is what it says. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

export type Line = readonly Span[];

export const BLANK: Line = [];

/** @param text escaped */
export function span(text: string, tone: Tone = 'plain'): Span {
  return { text, tone };
}

/** A line of one tone. @param text escaped */
export function line(text: string, tone: Tone = 'plain'): Line {
  return [span(text, tone)];
}

/** Cells that a line takes. */
export function lineWidth(spans: Line): number {
  return spans.reduce((sum, { text }) => sum + displayWidth(text), 0);
}

/** The line in at most `width` cells. */
export function fitLine(spans: Line, width: number): Line {
  const out: Span[] = [];
  let left = width;
  for (const { text, tone } of spans) {
    if (left <= 0) break;
    const fitted = fitTo(text, left);
    out.push({ text: fitted, tone });
    left -= displayWidth(fitted);
    if (fitted !== text) break;
  }
  return out;
}

/** The left line and the right one at the two ends of `width` cells; where they don't fit the left one is cut. */
export function justify(left: Line, right: Line, width: number): Line {
  const rightWidth = lineWidth(right);
  if (rightWidth >= width) return fitLine(left, width);
  const fitted = fitLine(left, width - rightWidth - 1);
  return [...fitted, span(' '.repeat(width - rightWidth - lineWidth(fitted))), ...right];
}
