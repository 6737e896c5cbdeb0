import { sayDuration } from '../../model/duration.ts';

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** Counts as bars, one a cell, the highest as high as can be; a blank where there is none. */
export function sparkline(counts: readonly number[]): string {
  const most = Math.max(...counts);
  return counts.map((count) => (count === 0 ? ' ' : BARS[Math.ceil((count / most) * BARS.length) - 1])).join('');
}

/** The title over sparklines that go back so far, in milliseconds: `LAST 24H`. */
export function sparkTitle(span: number): string {
  return span === 0 ? 'WHEN' : `LAST ${sayDuration(span).toUpperCase()}`;
}
