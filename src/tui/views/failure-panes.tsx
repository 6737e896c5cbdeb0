import type { ReactElement } from 'react';
import { counted } from '../../model/display/counts.ts';
import { GUTTER, layoutOf, type PaneBox, paneBoxes, windowTop } from '../layout.ts';
import { shownIn } from '../state/failing.ts';
import { type FailureScreen, PANES } from '../state/failure-state.ts';
import type { State } from '../state/state.ts';
import { rowSpans } from '../text/document.ts';
import { paneName } from '../text/failure.ts';
import { fitLine, justify, type Line, lineWidth, line as plain, span } from '../text/line.ts';
import { Lines } from './lines.tsx';

/** One failure: the names of its panes, and those in view. */
export function FailurePanes({ state, screen }: { state: State; screen: FailureScreen }): ReactElement {
  const { columns } = state.size;
  const { body: height } = layoutOf(state);
  const panes = paneBoxes(state.size, screen).map((box) => paneLines(state, screen, box, height));
  const [left, right] = panes;
  const body = Array.from({ length: height }, (_, at) => {
    const first = left?.lines[at] ?? [];
    if (right === undefined) return first;
    const space = ' '.repeat(Math.max(0, right.left - 2 - lineWidth(first)));
    return [...first, span(space), span('│ ', 'dim'), ...(right.lines[at] ?? [])];
  });
  const focused = panes.find(({ pane }) => pane === screen.pane);
  const title = justify(names(state, screen), plain(focused?.below ?? '', 'dim'), columns);
  return <Lines lines={[title, ...body]} height={height + 1} />;
}

function names(state: State, screen: FailureScreen): Line {
  return PANES.flatMap((pane, at) => [
    span(at === 0 ? '' : '  '),
    span(` ${paneName(screen, pane, state.now)} `, pane === screen.pane ? 'inverse' : 'dim'),
  ]);
}

function paneLines(state: State, screen: FailureScreen, box: PaneBox, height: number) {
  const { pane, width, left } = box;
  const { document, folded, rows } = shownIn(state, screen, box);
  const focused = pane === screen.pane;
  const at = screen.at[pane];
  const top =
    pane === 'body'
      ? windowTop(at.top, at.cursor, height, rows.length)
      : Math.max(0, Math.min(at.top, rows.length - height));
  const query = focused ? (screen.search?.query ?? '') : '';
  const lines = rows.slice(top, top + height).map((row, index) => {
    const spans = rowSpans(document, row, query);
    if (pane !== 'body') return fitLine(spans, width);
    const { ends } = document.lines[row.line] ?? { ends: null };
    const shut = ends !== null && folded.has(row.line);
    const here = focused && top + index === at.cursor;
    const sign = ends === null || row.from > 0 ? ' ' : shut ? '▸' : '▾';
    const gutter = [span(here ? '>' : ' ', 'strong'), span(sign.padEnd(GUTTER - 1), 'dim')];
    const closer = shut ? (document.lines[ends]?.text.trimStart() ?? '') : '';
    const hidden = shut ? [span(` … ${counted(ends - row.line - 1, 'line')} … `, 'dim'), span(closer)] : [];
    return [...gutter, ...fitLine([...spans, ...hidden], width)];
  });
  const below = rows.length - top - height;
  return { pane, left, lines, below: below > 0 ? `${below} more below` : rows.length > height ? 'the end' : '' };
}
