import { resolve } from 'node:path';
import { ago, expiry } from '../../model/display/age.ts';
import { counted, sayCount } from '../../model/display/counts.ts';
import { escapeBlock, escapeText } from '../../model/display/escape.ts';
import { shellWord } from '../../model/display/shell-word.ts';
import { type Column, layOut } from '../../model/display/table.ts';
import { sayDuration } from '../../model/duration.ts';
import { type BabelqError, withHint } from '../../model/errors.ts';
import type { Context } from '../context.ts';
import type { DiscoveredSource, DiscoverReport } from '../discovering/report.ts';
import type { Terminal } from '../terminal.ts';
import type { Report } from './report.ts';

/**
 * For a person the table, and the configuration below it. Where the output is a file or a pipe, and the configuration isn't written
 * elsewhere, it alone: `babelq sources discover > babelq.yaml`.
 */
export function discoverOutput(report: DiscoverReport, now: number): Report<DiscoveredSource> {
  return {
    document: report,
    rows: report.sources,
    id: ({ name }) => name,
    csv: COLUMNS_OF_CSV.map((name) => ({
      name,
      value: (source) => {
        const value = source[name];
        return Array.isArray(value) ? value.join(' ') : value;
      },
    })),
    show: (terminal) => show(report, now, terminal),
  };
}

const COLUMNS_OF_CSV = [
  'name',
  'kind',
  'queue',
  'url',
  'region',
  'profile',
  'endpoint',
  'evidence',
  'redrive_sources',
  'redrive_to',
  'fifo',
  'visible',
  'in_flight',
  'delayed',
  'retention_seconds',
  'sampled',
  'oldest_sent_at',
  'soonest_expires_at',
  'note',
] as const satisfies readonly (keyof DiscoveredSource)[];

const COLUMNS: readonly Column[] = [
  { title: 'NAME', least: 8 },
  { title: 'HELD IN', least: 10, drop: 2 },
  { title: 'WHERE', least: 8, drop: 3 },
  { title: 'VISIBLE', align: 'right' },
  { title: 'IN FLIGHT', align: 'right', drop: 6 },
  { title: 'KEPT', drop: 5 },
  { title: 'OLDEST', drop: 4 },
  { title: 'EXPIRES' },
  { title: 'COMES FROM', least: 10, drop: 1 },
];

function show({ sources, config, written }: DiscoverReport, now: number, terminal: Terminal): void {
  if (sources.length === 0) return;
  const rows = sources.map((source) => rowOf(source, now));
  const shown = COLUMNS.map((_, at) => rows.some((row) => row[at]?.text !== ''));
  const kept = <T>(all: readonly T[]): T[] => all.filter((_, at) => shown[at]);
  const lines = layOut(kept(COLUMNS), rows.map(kept), terminal.columns, terminal.paint.dim);
  const table = lines.join('\n');
  if (written !== null || config === null) terminal.write(`${table}\n`);
  else if (terminal.shown) terminal.write(`${table}\n\n${escapeBlock(config)}`);
  else {
    terminal.say(table);
    terminal.write(config);
  }
}

function rowOf(source: DiscoveredSource, now: number): { text: string }[] {
  const count = (number: number | null) => ({ text: number === null ? '–' : sayCount(number) });
  const { region, profile, endpoint, retention_seconds, sampled } = source;
  const where = [region, profile, endpoint].filter((one) => one !== null).join(' ');
  return [
    { text: escapeText(source.name) },
    { text: escapeText(source.queue) },
    { text: escapeText(where) },
    count(source.visible),
    count(source.in_flight),
    { text: retention_seconds === null ? '' : sayDuration(retention_seconds * 1000) },
    { text: sampled === null ? '' : ago(source.oldest_sent_at, now) },
    { text: sampled === null ? '' : (expiry(source.soonest_expires_at, now)?.short ?? '–') },
    { text: escapeText(source.redrive_sources.join(', ')) },
  ];
}

/** What a table has no room for, and what to type next, on stderr. */
export function sayBesideFound(
  { sources, places, written }: DiscoverReport,
  troubles: readonly BabelqError[],
  context: Context,
): void {
  const { terminal, global } = context;
  if (global.output !== 'json') {
    const { red } = terminal.paintNotes;
    for (const { error } of places) if (error !== null) terminal.complain(`${red('babelq:')} ${escapeText(error)}`);
    for (const { where, untold } of places) if (untold.length > 0) terminal.complain(sayUntold(where, untold));
  }
  for (const trouble of troubles) {
    terminal.complain(`${terminal.paintNotes.red('babelq:')} ${escapeText(withHint(trouble))}`);
  }
  // What to do next is for a person.
  if (global.output !== 'table') return;
  const looked = places.reduce((sum, { queues }) => sum + queues, 0);
  const queues = counted(looked, 'queue');
  const among = looked === 0 ? '' : ` among ${queues}`;
  if (sources.length === 0) {
    // Where it couldn't look, nothing is known of what is there.
    if (places.every(({ error }) => error !== null)) return;
    terminal.say(
      `Nothing was found among ${queues} that is a dead-letter queue by a RedrivePolicy, a RedriveAllowPolicy or its name (-dlq).`,
    );
    terminal.say(
      'Name one yourself: babelq deliveries --sqs QUEUE   Other regions: --region eu-west-1 --region us-east-1',
    );
    return;
  }
  const count = counted(sources.length, 'source');
  if (written === null) {
    terminal.say(`\nFound ${count}${among}. Write it: the same command with --write`);
    return;
  }
  const isUsual = written === resolve(context.io.cwd, 'babelq.yaml');
  const config = isUsual ? '' : ` --config ${shellWord(written)}`;
  terminal.say(`\nFound ${count}${among}, and wrote ${escapeText(written)}.`);
  terminal.say(
    `Look at what failed: babelq deliveries${config}   Send it back: babelq retry ID${config}   Is all well? babelq doctor${config}`,
  );
}

function sayUntold(where: string, untold: readonly { queue: string; why: string }[]): string {
  const shown = untold
    .slice(0, 5)
    .map(({ queue }) => queue)
    .join(', ');
  const more = untold.length > 5 ? ` and ${sayCount(untold.length - 5)} more` : '';
  return escapeText(
    `${where}: could not ask about ${shown}${more}: ${[...new Set(untold.map(({ why }) => why))].join(', ')}.`,
  );
}
