import { ago, fullTime } from '../../model/display/age.ts';
import { grouped } from '../../model/display/verbs.ts';
import { sayDuration } from '../../model/duration.ts';
import type { SourceState, State } from '../state/state.ts';
import { sourceWords } from './header.ts';
import { type Line, span } from './line.ts';
import { Page } from './page.ts';

/** Every source with its counts and what is wrong with it, in full. */
export function sourcesLines(state: State, width: number): Line[] {
  const page = new Page(width);
  for (const source of state.sources) sourceLines(page, source, state);
  return page.lines;
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
    field('Holds', counts.flatMap(([name, count]) => (count === null ? [] : [`${grouped(count)} ${name}`])).join(', '));
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
