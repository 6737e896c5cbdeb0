import { sayCount } from '../../model/display/counts.ts';
import { escapeText } from '../../model/display/escape.ts';
import { displayWidth, fitEndTo } from '../../model/display/width.ts';
import type { State } from '../state/state.ts';
import { statusLine } from './header.ts';
import { fitLine, justify, type Line, line, span } from './line.ts';
import { wrapLines } from './wrap.ts';

/** What stands under the list: the filter while it is typed with what is wrong with it, else the status. */
export function filterLines(state: State): Line[] {
  const { line: text, caret, error } = state.filter;
  if (caret === null) return [statusLine(state)];
  const { columns } = state.size;
  const { rows, wanted, shown } = state.list;
  const count = line(wanted === shown ? ` ${sayCount(rows.length)} match` : ' …', 'dim');
  const typing = justify([span('/', 'strong'), ...withCaret(text, caret, columns - 16)], count, columns);
  if (error === null) {
    const unread = [...state.filter.filter.states].filter((one) => !state.asked.states.has(one));
    if (unread.length === 0) return [typing];
    return [
      typing,
      fitLine(line(`Enter reads what is ${unread.join(' and ')}: it is not in this list yet.`, 'accent'), columns),
    ];
  }
  const said = error.hint === null ? error.message : `${error.message} ${error.hint}`;
  return [typing, ...wrapLines(said, 'bad', columns, 2)];
}

/** The text with the caret on the character before which text goes in. Of a long text the part that is typed at is shown. */
export function withCaret(text: string, caret: number, room: number): Line {
  const before = escapeText(text.slice(0, caret));
  const at = [...new Intl.Segmenter().segment(text.slice(caret))][0]?.segment ?? ' ';
  const shownBefore = displayWidth(before) < room ? before : fitEndTo(before, room - 1);
  return [
    span(shownBefore, 'accent'),
    span(escapeText(at), 'inverse'),
    span(escapeText(text.slice(caret + at.length)), 'accent'),
  ];
}
