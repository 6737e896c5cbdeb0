import { sayCount } from '../../model/display/counts.ts';
import { escapeText } from '../../model/display/escape.ts';
import { type Column, layOut } from '../../model/display/table.ts';
import type { Checked } from '../../model/operations/check.ts';
import type { Terminal } from '../terminal.ts';
import { exposition } from './prometheus.ts';
import type { Report } from './report.ts';

/** How many match of one source, for one reason where the messages were read. */
interface Row {
  source: string;
  reason: string | null;
  count: number;
}

/** Reasons of a source that get a series of their own: they are other people's text, and a series costs a monitor for weeks. */
const MOST_REASONS = 50;
/** Of a label's value, in UTF-16 units. */
const MOST_LABEL = 200;

/** A check in every form but ids. */
export function checkReport(checked: Checked): Report<Row> {
  const rows = rowsOf(checked);
  return {
    document: checked,
    rows,
    id: ({ source }) => source,
    csv: [
      { name: 'source', value: ({ source }) => source },
      { name: 'reason', value: ({ reason }) => reason },
      { name: 'count', value: ({ count }) => count },
    ],
    prometheus: () => metrics(checked),
    show: (terminal) => show(checked, rows, terminal),
  };
}

function rowsOf({ sources }: Checked): Row[] {
  return sources.flatMap(({ name, matched, by_reason }): Row[] => {
    if (matched === null) return [];
    if (by_reason === null) return [{ source: name, reason: null, count: matched }];
    return Object.entries(by_reason).map(([reason, count]) => ({ source: name, reason, count }));
  });
}

const COLUMNS: readonly Column[] = [
  { title: 'COUNT', align: 'right' },
  { title: 'SOURCE', least: 8 },
  { title: 'REASON', least: 8, drop: 1 },
];

/** The first line says it all: monitors show that one. */
function show({ matched, max, read, sources }: Checked, rows: readonly Row[], terminal: Terminal): void {
  const { paint } = terminal;
  const word =
    matched > max ? paint.red('FAILING') : sources.some(isUnknown) ? paint.yellow('UNKNOWN') : paint.green('OK');
  const about = read || sources.every(({ kind }) => kind === 'jadpo') ? '' : 'about ';
  const count = matched === 1 ? '1 failure matches' : `${sayCount(matched)} failures match`;
  terminal.write(`${word}: ${about}${count} (limit ${sayCount(max)}).\n`);
  if (rows.length === 0 || matched === 0) return;
  const cells = rows.map(({ source, reason, count }) => [
    { text: sayCount(count) },
    { text: escapeText(source) },
    { text: reason === null ? '–' : escapeText(reason) },
  ]);
  terminal.write(`${layOut(COLUMNS, cells, terminal.columns, paint.dim).join('\n')}\n`);
}

function isUnknown({ error, complete }: Checked['sources'][number]): boolean {
  return error !== null || complete === false;
}

function metrics({ matched, max, sources }: Checked): string {
  const known = sources.filter(({ matched }) => matched !== null);
  return exposition([
    {
      name: 'babelq_failures',
      help: 'Failures that match the check.',
      samples: known.map(({ name, matched }) => ({ labels: { source: name }, value: matched ?? 0 })),
    },
    {
      name: 'babelq_failures_by_reason',
      help: 'Failures that match the check, by reason; only where the messages were read.',
      samples: known.flatMap(({ name, by_reason }) => reasonSamples(name, by_reason)),
    },
    {
      name: 'babelq_source_up',
      help: 'Whether the source could be asked.',
      samples: sources.map(({ name, error }) => ({ labels: { source: name }, value: Number(error === null) })),
    },
    {
      name: 'babelq_source_complete',
      help: 'Whether all of the source was seen; only where the messages were read.',
      samples: known.flatMap(({ name, complete }) =>
        complete === null ? [] : [{ labels: { source: name }, value: Number(complete) }],
      ),
    },
    { name: 'babelq_check_max', help: 'How many failures may match.', samples: [{ labels: {}, value: max }] },
    {
      name: 'babelq_check_failing',
      help: 'Whether more failures match than may.',
      samples: [{ labels: {}, value: Number(matched > max) }],
    },
  ]);
}

/** The most frequent reasons; the rest as one. Reasons that differ only beyond what a label holds are one too. */
function reasonSamples(source: string, byReason: Record<string, number> | null) {
  const counts = new Map<string, number>();
  Object.entries(byReason ?? {}).forEach(([reason, count], at) => {
    const label = at < MOST_REASONS ? reason.slice(0, MOST_LABEL) : 'other';
    counts.set(label, (counts.get(label) ?? 0) + count);
  });
  return [...counts].map(([reason, value]) => ({ labels: { source, reason }, value }));
}
