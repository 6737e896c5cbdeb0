import { ago } from '../../model/display/age.ts';
import { counted, ofAbout, sayCount } from '../../model/display/counts.ts';
import { escapeText } from '../../model/display/escape.ts';
import { describeFilter } from '../../model/filter.ts';
import { hiddenOf } from '../state/selection.ts';
import type { SourceState, State } from '../state/state.ts';
import { GROUP_ORDERS, ORDERS, saySorting } from '../work/orders.ts';
import { holdLines } from './holding.ts';
import { fitLine, justify, type Line, line, lineWidth, type Span, span } from './line.ts';

/** The lines on top of every screen: what there is, and how each source is doing. */
export function headerLines(state: State): Line[] {
  const { columns, rows } = state.size;
  const most = rows < 20 ? 2 : rows < 30 ? 4 : 6;
  return [titleLine(state), ...holdLines(state), ...sourceLines(state, columns, most)];
}

function titleLine(state: State): Line {
  const { list, selection, size, place, groups } = state;
  const spans: Span[] = [span('babelq', 'strong'), span('  '), span(countWords(state))];
  if (selection.size > 0) {
    const hidden = hiddenOf(state);
    const unseen = hidden > 0 ? `, ${sayCount(hidden)} of them not shown` : '';
    spans.push(span(' · '), span(`${sayCount(selection.size)} selected${unseen}`, 'accent'));
  }
  if (list.soon > 0)
    spans.push(span(' · '), span(`${sayCount(list.soon)} ${list.soon === 1 ? 'expires' : 'expire'} within 6h`, 'bad'));
  const order = place.kind === 'groups' ? saySorting(GROUP_ORDERS, groups.sort) : saySorting(ORDERS, list.sort);
  // What is selected is what an action takes: it is never cut for the order's sake.
  const fits = lineWidth(spans) + order.length < size.columns;
  return fits ? justify(spans, line(order, 'dim'), size.columns) : fitLine(spans, size.columns);
}

/** `43 failures in 9 groups`, `12 of 43 failures`, `3 dismissed`. */
function countWords({ list, groups, place, sources, asked, marks }: State): string {
  const all = sources.reduce((sum, { failures }) => sum + failures.length, 0);
  const only = [...asked.states];
  const [one, many] =
    only.length === 1 && only[0] === 'dismissed' ? ['dismissed', 'dismissed'] : ['failure', 'failures'];
  if (all === 0 && sources.some(({ phase }) => phase === 'reading' || phase === 'waiting')) return 'reading…';
  // What has left is in sight for a while, and counts no more.
  const listed = marks.gone.size === 0 ? list.rows.length : list.rows.filter(({ id }) => !marks.gone.has(id)).length;
  const shown = listed === all ? '' : `${sayCount(listed)} of `;
  const there =
    marks.gone.size === 0 ? groups.rows.length : groups.rows.filter(({ count, gone }) => gone < count).length;
  const inGroups = place.kind === 'groups' && there > 0 ? ` in ${counted(there, 'group')}` : '';
  return `${shown}${counted(all, one, many)}${inGroups}`;
}

/** Sources in trouble get a line each, the others share what is left. */
function sourceLines(state: State, columns: number, most: number): Line[] {
  const troubled = state.sources.filter((source) => troubleOf(source) !== null);
  const well = state.sources.filter((source) => troubleOf(source) === null);
  const room = Math.max(1, most - (well.length > 0 ? 1 : 0));
  const lines: Line[] = troubled.slice(0, troubled.length > room ? room - 1 : room).map((source) => {
    const trouble = escapeText(troubleOf(source) ?? '');
    return fitLine([span('✗ ', 'bad'), span(escapeText(source.name), 'strong'), span(`: ${trouble}`, 'bad')], columns);
  });
  const unsaid = troubled.length - lines.length;
  if (unsaid > 0) lines.push(line(`✗ and ${unsaid} more sources in trouble: ! shows all`, 'bad'));
  lines.push(
    ...flow(
      well.map((source) => chip(source, state)),
      columns,
      most - lines.length,
    ),
  );
  return lines;
}

/** Why a source isn't to be relied on: it couldn't be read, or not be counted. */
function troubleOf(source: SourceState): string | null {
  if (source.phase === 'reading') return null;
  if (source.error !== null)
    return source.readAt === null ? source.error : `${source.error} (still shown: what was read before)`;
  return source.facts?.error ?? null;
}

function chip(source: SourceState, state: State): Line {
  return [span(escapeText(source.name), 'strong'), ...sourceWords(source, state)];
}

/** How a source is doing, in a few words: ` 42 of about 42`, ` reading 400 of about 12,000`. */
export function sourceWords(source: SourceState, state: State): Span[] {
  const { phase, progress, report, facts, baseline, held } = source;
  const spans: Span[] = [];
  if (phase === 'reading') {
    if (progress === null) spans.push(span(' reading…', 'accent'));
    else if (progress.releasing !== undefined && progress.releasing > 0) {
      spans.push(span(` letting go, ${sayCount(progress.releasing)} left`, 'accent'));
    } else spans.push(span(` reading ${ofAbout(progress.seen, progress.about)}`, 'accent'));
  } else if (phase === 'waiting') spans.push(span(' waiting', 'dim'));
  else if (phase === 'stopped') spans.push(span(' not read to its end', 'warn'));
  else if (report !== null) {
    spans.push(span(` ${ofAbout(report.listed, report.complete ? null : report.about)}`));
    if (report.note !== null) spans.push(span(' (see !)', 'dim'));
    if (state.asked.line !== '') spans.push(span(' for this filter', 'dim'));
  }
  if (held > 0) spans.push(span(spans.length === 0 ? ' ' : ', '), span(`${sayCount(held)} held`, 'warn'));
  const now = totalOf(facts);
  if (phase === 'read' && baseline !== null && now !== null && now !== baseline) {
    spans.push(span(` changed: ${sayCount(baseline)} → ${sayCount(now)}`, 'warn'));
  }
  return spans;
}

/** How many messages a source holds, whoever sees them; null where it can't say. */
export function totalOf(facts: SourceState['facts']): number | null {
  if (facts === null || facts.visible === null) return null;
  return facts.visible + (facts.in_flight ?? 0) + (facts.delayed ?? 0);
}

/** Pieces side by side, as many lines as there are; what doesn't fit is counted. */
function flow(pieces: readonly Line[], columns: number, most: number): Line[] {
  const lines: Span[][] = [];
  let used = columns;
  for (const [at, piece] of pieces.entries()) {
    const width = lineWidth(piece);
    const left = pieces.length - at;
    const current = lines.at(-1);
    const more = left > 1 && lines.length === most ? lineWidth(moreLine(left)) + 3 : 0;
    if (current !== undefined && used + 3 + width + more <= columns) {
      current.push(span(' · ', 'dim'), ...piece);
      used += 3 + width;
    } else if (lines.length < most) {
      lines.push([...fitLine(piece, columns)]);
      used = Math.min(columns, width);
    } else {
      current?.push(span('  '), ...fitLine(moreLine(left), Math.max(0, columns - used - 2)));
      break;
    }
  }
  return lines;
}

function moreLine(count: number): Line {
  return line(`and ${count} more: !`, 'dim');
}

/** What the filter is, or how long ago the list was read: the line under the list. */
export function statusLine(state: State): Line {
  const { columns } = state.size;
  if (state.notice !== null) return fitLine(line(state.notice, 'accent'), columns);
  const { filter, error, line: typed } = state.filter;
  if (typed.trim() !== '') {
    const said = describeFilter(filter);
    const left = [span('/ ', 'dim'), span(escapeText(typed), 'accent')];
    if (error !== null) return fitLine([...left, span(`  ${error.message}`, 'bad')], columns);
    return fitLine(said === '' ? left : [...left, span(`  ${said}`, 'dim')], columns);
  }
  const reading = state.sources.filter(({ phase }) => phase === 'reading' || phase === 'waiting');
  if (reading.length > 0) {
    const names = reading.map(({ name }) => escapeText(name)).join(', ');
    return fitLine(line(`reading ${names}…`, 'dim'), columns);
  }
  if (state.asked.line !== '') {
    return fitLine(line(`read for ${escapeText(state.asked.line)} only: R reads everything`, 'warn'), columns);
  }
  const times = state.sources.flatMap(({ readAt }) => (readAt === null ? [] : [readAt]));
  if (times.length === 0) return [];
  const oldest = Math.min(...times);
  // In seconds it would have to be drawn anew all the time.
  const age = state.now - oldest;
  const since = age >= 10_000 && age < 60_000 ? '<1m ago' : ago(new Date(oldest).toISOString(), state.now);
  const held = state.sources.reduce((sum, source) => sum + source.held, 0);
  const holding = held === 0 ? 'nothing is held' : `${sayCount(held)} held`;
  const read = line(`read ${since}; ${holding}`, 'dim');
  const group = state.place.kind === 'groups' ? state.groups.rows[state.groups.cursor] : undefined;
  if (!group?.sample) return fitLine(read, columns);
  return justify(line(escapeText(group.sample.slice(0, columns * 2)), 'plain'), read, columns);
}
