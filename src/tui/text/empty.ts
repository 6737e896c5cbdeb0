import { escapeText } from '../../model/display/escape.ts';
import type { State } from '../state/state.ts';
import { type Line, line } from './line.ts';
import { Page } from './page.ts';

/** What stands where there is no row: why, and what to do. */
export function emptyLines(state: State): Line[] {
  const page = new Page(state.size.columns);
  page.add(line(''));
  const { sources, filter, asked } = state;
  if (sources.some(({ phase }) => phase === 'reading' || phase === 'waiting')) {
    return page.text('Reading…', 'accent').lines;
  }
  const any = sources.some(({ failures }) => failures.length > 0);
  const missing = [...filter.filter.states].filter((one) => !asked.states.has(one));
  if (missing.length > 0) {
    page.text(`What is ${missing.join(' or ')} was not read yet: Enter, or R, reads it.`, 'accent');
  } else if (any) page.text('No failure matches the filter. Esc clears it.');
  else if (sources.every(({ phase }) => phase === 'failed')) page.text('No source could be read.', 'bad');
  else
    page.text(
      asked.states.has('failed') ? 'No failures.' : 'Nothing is dismissed. D shows the failures again.',
      'good',
    );
  for (const { name, error, report } of sources) {
    if (error !== null) page.gap().text(`${name}: ${error}`, 'bad');
    else if (report?.note) page.gap().text(`${escapeText(name)}: ${escapeText(report.note)}`, 'plain', 'escaped');
  }
  return page.lines;
}
