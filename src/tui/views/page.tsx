import type { ReactElement } from 'react';
import { displayWidth } from '../../model/display/width.ts';
import { windowTop } from '../layout.ts';
import type { FailureScreen } from '../state/failure-state.ts';
import type { Screen, State } from '../state/state.ts';
import { justify, type Line, line, span } from '../text/line.ts';
import { pageOf } from '../text/pages.ts';
import { Lines } from './lines.tsx';

/** A screen over the list: a title with where one is in it, and the lines in view. */
export function Page({
  state,
  screen,
  height,
}: {
  state: State;
  screen: Exclude<Screen, FailureScreen>;
  height: number;
}): ReactElement {
  const { title, subject, lines } = pageOf(state, screen);
  const cursor = 'cursor' in screen ? screen.cursor : null;
  const top =
    cursor === null
      ? Math.max(0, Math.min(screen.top, lines.length - height))
      : windowTop(screen.top, cursor, height, lines.length);
  return (
    <Lines
      lines={[
        titleOf(title, subject, whereabouts(top, height, lines.length), state.size.columns),
        ...lines
          .slice(top, top + height)
          .map((one, at) => (top + at === cursor ? marked(one, state.size.columns) : one)),
      ]}
      height={height + 1}
    />
  );
}

/** The line that the cursor is on. */
function marked(one: Line, columns: number): Line {
  const text = one.map((part) => part.text).join('');
  return line(text + ' '.repeat(Math.max(0, columns - displayWidth(text))), 'inverse');
}

function titleOf(title: string, subject: string, where: string, columns: number): Line {
  return justify([span(title, 'strong'), span(subject === '' ? '' : `  ${subject}`)], line(where, 'dim'), columns);
}

function whereabouts(top: number, height: number, count: number): string {
  if (count <= height) return '';
  const below = count - top - height;
  return below === 0 ? `${count} lines, the end` : `${below} more below`;
}
