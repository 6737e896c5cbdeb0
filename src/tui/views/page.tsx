import type { ReactElement } from 'react';
import type { Screen, State } from '../state/state.ts';
import { justify, type Line, line, span } from '../text/line.ts';
import { pageOf } from '../text/pages.ts';
import { Lines } from './lines.tsx';

/** A screen over the list: a title with where one is in it, and the lines in view. */
export function Page({ state, screen, height }: { state: State; screen: Screen; height: number }): ReactElement {
  const { title, subject, lines } = pageOf(state, screen);
  const top = Math.max(0, Math.min(screen.top, lines.length - height));
  return (
    <Lines
      lines={[
        titleOf(title, subject, whereabouts(top, height, lines.length), state.size.columns),
        ...lines.slice(top, top + height),
      ]}
      height={height + 1}
    />
  );
}

function titleOf(title: string, subject: string, where: string, columns: number): Line {
  return justify([span(title, 'strong'), span(subject === '' ? '' : `  ${subject}`)], line(where, 'dim'), columns);
}

function whereabouts(top: number, height: number, count: number): string {
  if (count <= height) return '';
  const below = count - top - height;
  return below === 0 ? `${count} lines, the end` : `${below} more below`;
}
