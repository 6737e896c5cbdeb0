import { ago, fullTime } from '../../model/display/age.ts';
import { sayCount } from '../../model/display/counts.ts';
import type { Finding } from '../../model/doctor/check.ts';
import { sayDuration } from '../../model/duration.ts';
import type { SourceState, SourcesScreen, State } from '../state/state.ts';
import { sourceWords } from './header.ts';
import { type Line, span } from './line.ts';
import { Page } from './page.ts';

/** Every source with its counts and what is wrong with it, in full. */
export function sourcesLines(state: State, { findings }: SourcesScreen, width: number): Line[] {
  const page = new Page(width);
  const found = findings === 'asking' || 'error' in findings ? [] : findings;
  const named = new Set(state.sources.map(({ name }) => name));
  for (const source of state.sources) {
    sourceLines(page, source, state);
    for (const finding of found) if (finding.source === source.name) findingLines(page, finding);
  }
  const others = Map.groupBy(
    found.filter(({ source }) => !named.has(source)),
    ({ source }) => source,
  );
  for (const [name, some] of others) {
    page.title(name);
    for (const finding of some) findingLines(page, finding);
  }
  page.gap();
  if (findings === 'asking') return page.text('Looking for what is wrong with them…', 'dim').lines;
  if ('error' in findings) return page.text(`What is wrong with them is not known: ${findings.error}`, 'bad').lines;
  const said = found.length === 0 ? 'Nothing is found to be wrong with them' : 'What was found is told above';
  return page.text(`${said}; babelq doctor tells all that it looked at.`, 'dim').lines;
}

/** What is wrong, and how to mend it. */
function findingLines(page: Page, { severity, message, mend, command }: Finding): void {
  const tone = severity === 'error' ? 'bad' : 'warn';
  page.field(severity === 'error' ? '  Wrong' : '  Beware', message, tone);
  page.field('  Mend', mend).field('', command, 'accent');
}

function sourceLines(page: Page, source: SourceState, state: State): void {
  const { facts } = source;
  page.title(source.name);
  page.add([span('  Listed    ', 'dim'), ...trimmed(sourceWords(source, state))]);
  const field = (label: string, value: string | null, tone?: 'bad') => page.field(`  ${label}`, value, tone);
  field('Error', source.error, 'bad');
  if (facts?.error !== source.error) field('Count', facts?.error ?? null, 'bad');
  field('Note', source.report?.note ?? null);
  field(
    'Kind',
    source.kind === 'sqs'
      ? `SQS, the queue ${source.heldIn}${facts?.fifo ? ' (FIFO)' : ''}`
      : `jadpo, ${source.heldIn}`,
  );
  if (facts !== null && facts.error === null) {
    const counts = [
      ['visible', facts.visible],
      ['in flight', facts.in_flight],
      ['delayed', facts.delayed],
    ] as const;
    field(
      'Holds',
      counts.flatMap(([name, count]) => (count === null ? [] : [`${sayCount(count)} ${name}`])).join(', '),
    );
    field('Keeps', facts.retention_seconds === null ? null : sayDuration(facts.retention_seconds * 1000));
    field('Fed by', facts.redrive_sources?.join(', ') ?? null);
  }
  if (source.readAt !== null) {
    const iso = new Date(source.readAt).toISOString();
    field('Read', `${ago(iso, state.now)}, ${fullTime(iso)}`);
  }
}

function trimmed(spans: Line): Line {
  const [first, ...rest] = spans;
  return first === undefined ? [span('–')] : [{ ...first, text: first.text.trimStart() }, ...rest];
}
