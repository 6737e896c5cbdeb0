import { sayCount } from '../../model/display/counts.ts';
import { escapeText } from '../../model/display/escape.ts';
import { type Column, layOut } from '../../model/display/table.ts';
import { sayDuration } from '../../model/duration.ts';
import { EXIT } from '../../model/errors.ts';
import { facts } from '../../model/operations/facts.ts';
import type { SourceFacts } from '../../model/ports.ts';
import type { Context } from '../context.ts';
import { print, type Report } from '../outputs/report.ts';
import { sayTrouble } from '../outputs/source-trouble.ts';
import type { Terminal } from '../terminal.ts';

export async function run(_args: string[], _options: unknown, context: Context): Promise<number> {
  const { global, terminal } = context;
  const { sources } = await context.open();
  const all = await facts(sources, context.signal);
  print(reportOf(all), global.output, terminal);
  sayTrouble(
    all.map(({ name, error }) => ({ name, error, note: null })),
    global.output,
    terminal,
  );
  return all.some(({ error }) => error !== null) ? EXIT.couldNot : EXIT.done;
}

function reportOf(all: readonly SourceFacts[]): Report<SourceFacts> {
  return {
    document: { sources: all },
    rows: all,
    id: ({ name }) => name,
    csv: [
      { name: 'name', value: ({ name }) => name },
      { name: 'kind', value: ({ kind }) => kind },
      { name: 'queue', value: ({ queue }) => queue },
      { name: 'fifo', value: ({ fifo }) => fifo },
      { name: 'visible', value: ({ visible }) => visible },
      { name: 'in_flight', value: ({ in_flight }) => in_flight },
      { name: 'delayed', value: ({ delayed }) => delayed },
      { name: 'retention_seconds', value: ({ retention_seconds }) => retention_seconds },
      { name: 'redrive_sources', value: ({ redrive_sources }) => redrive_sources?.join(' ') ?? null },
      { name: 'error', value: ({ error }) => error },
    ],
    show: (terminal) => show(all, terminal),
  };
}

const COLUMNS: readonly Column[] = [
  { title: 'NAME' },
  { title: 'KIND', drop: 3 },
  { title: 'HELD IN', least: 10, drop: 1 },
  { title: 'VISIBLE', align: 'right' },
  { title: 'IN FLIGHT', align: 'right' },
  { title: 'DELAYED', align: 'right', drop: 5 },
  { title: 'KEPT', drop: 4 },
  { title: 'COMES FROM', least: 10, drop: 2 },
];

function show(all: readonly SourceFacts[], terminal: Terminal): void {
  const count = (number: number | null) => ({ text: number === null ? '–' : sayCount(number) });
  const rows = all.map((source) => [
    { text: escapeText(source.name) },
    { text: source.fifo === true ? `${source.kind} fifo` : source.kind },
    { text: escapeText(source.queue) },
    count(source.visible),
    count(source.in_flight),
    count(source.delayed),
    { text: source.retention_seconds === null ? '–' : sayDuration(source.retention_seconds * 1000) },
    { text: escapeText(source.redrive_sources?.join(', ') || '–') },
  ]);
  terminal.write(`${layOut(COLUMNS, rows, terminal.columns, terminal.paint.dim).join('\n')}\n`);
}
