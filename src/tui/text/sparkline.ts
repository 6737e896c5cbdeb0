import { sayDuration } from '../../model/duration.ts';
import type { Histogram } from '../work/grouping.ts';

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** Counts as bars, one a cell, the highest as high as can be; a blank where there is none, `‹` first where some are older. */
export function sparkline({ parts, older }: Histogram): string {
  const most = Math.max(...parts);
  const bars = parts.map((count) => (count === 0 ? ' ' : BARS[Math.ceil((count / most) * BARS.length) - 1]));
  return `${older > 0 ? '‹' : ' '}${bars.join('')}`;
}

/** The title over sparklines that go back so far, in milliseconds: `LAST 24H`. */
export function sparkTitle(span: number): string {
  return ` LAST ${sayDuration(span).toUpperCase()}`;
}
