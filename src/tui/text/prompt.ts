import { sayCount } from '../../model/display/counts.ts';
import { escapeText } from '../../model/display/escape.ts';
import { paneBoxes } from '../layout.ts';
import { shownIn } from '../state/failing.ts';
import type { FailureScreen, Search } from '../state/failure-state.ts';
import type { TextOption } from '../state/flow-state.ts';
import { type State, topScreen } from '../state/state.ts';
import type { TextLine } from '../state/text-line.ts';
import { MOST_MATCHES, matchesIn } from './document.ts';
import { filterLines, withCaret } from './filter-line.ts';
import { fitLine, justify, type Line, line, span } from './line.ts';
import { wrapLines } from './wrap.ts';

const ASKS: Readonly<Record<TextOption, string>> = {
  target: 'target: a queue by name, URL or ARN',
  rate: 'messages a second',
  max: 'this many at most',
  canary: 'so many first',
  wait: 'watch for (2m, 30s)',
  note: 'why, for the journal',
};

/** What stands above the footer: what is being typed, or under the list its filter or status. */
export function promptLines(state: State): Line[] {
  const screen = topScreen(state);
  if (screen === undefined) return filterLines(state);
  const { columns } = state.size;
  if (screen.kind === 'flow' && screen.typing !== null) {
    const { option, line: typed, error } = screen.typing;
    const label = `${ASKS[option]}: `;
    const typing = typedLine(label, typed, columns);
    return error === null ? [typing] : [typing, ...wrapLines(escapeText(error), 'bad', columns, 3)];
  }
  if (screen.kind === 'failure' && screen.search !== null) return [searchLine(state, screen, screen.search)];
  if (screen.kind === 'palette') return [typedLine(':', screen.line, columns)];
  if (screen.kind === 'log' || screen.kind === 'run') {
    if (screen.typing !== null) return [typedLine('/', screen.typing, columns)];
    if (screen.query !== '') return [fitLine([span('/ ', 'dim'), span(escapeText(screen.query), 'accent')], columns)];
  }
  return state.notice === null ? [] : [fitLine(line(escapeText(state.notice), 'accent'), columns)];
}

/** What is looked for, and which of how many places one is at. */
function searchLine(state: State, screen: FailureScreen, { query, typing, match }: Search): Line {
  const { columns } = state.size;
  const box = paneBoxes(state.size, screen).find(({ pane }) => pane === screen.pane);
  const found = box === undefined ? 0 : matchesIn(shownIn(state, screen, box).document, query).length;
  const all = `${found === MOST_MATCHES ? 'the first ' : ''}${sayCount(found)}`;
  const words = query === '' ? '' : found === 0 ? 'not found' : `${sayCount((match ?? 0) + 1)} of ${all}`;
  const left =
    typing === null
      ? [span('/ ', 'dim'), span(escapeText(query), 'accent')]
      : typedLine('/', typing, columns - words.length - 1);
  return justify(left, line(words, found === 0 ? 'bad' : 'dim'), columns);
}

function typedLine(label: string, { text, caret }: TextLine, columns: number): Line {
  return fitLine([span(label, 'strong'), ...withCaret(text, caret, columns - label.length - 2)], columns);
}
