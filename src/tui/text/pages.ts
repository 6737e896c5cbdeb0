import type { FailureScreen } from '../state/failure-state.ts';
import { modeOf } from '../state/mode.ts';
import { belowTop, type Screen, type State } from '../state/state.ts';
import { flowLines, flowSubject, flowTitle } from './flow.ts';
import { helpLines } from './help.ts';
import type { Line } from './line.ts';
import { entryLines, logLines, runLines, runTitle } from './log.ts';
import { paletteLines } from './palette.ts';
import { sourcesLines } from './sources.ts';

export interface PageText {
  readonly title: string;
  /** What it is about; escaped. */
  readonly subject: string;
  readonly lines: readonly Line[];
}

/** What a screen over the list says, as lines that scroll; a failure is shown in panes. */
export function pageOf(state: State, screen: Exclude<Screen, FailureScreen>): PageText {
  const { columns } = state.size;
  switch (screen.kind) {
    case 'log':
      return { title: 'Log', subject: '', lines: logLines(screen, columns, state.now) };
    case 'run':
      return { title: 'Run', subject: runTitle(screen, state.now), lines: runLines(screen, columns) };
    case 'entry':
      return { title: 'Logged', subject: '', lines: entryLines(screen, columns, state.now) };
    case 'palette':
      return { title: 'Commands that work here', subject: '', lines: paletteLines(state, screen) };
    case 'sources':
      return { title: 'Sources', subject: '', lines: sourcesLines(state, screen, columns) };
    case 'help': {
      const below = modeOf(belowTop(state));
      return { title: 'Keys that work here', subject: '', lines: helpLines(below, columns) };
    }
    case 'flow':
      return { title: flowTitle(screen), subject: flowSubject(screen), lines: flowLines(screen, state) };
  }
}
