import { ago } from '../../model/display/age.ts';
import { bytes } from '../../model/display/bytes.ts';
import { messages, sayCount } from '../../model/display/counts.ts';
import { escapeText } from '../../model/display/escape.ts';
import { type Column, layOut } from '../../model/display/table.ts';
import { EXIT } from '../../model/errors.ts';
import { unlessAborted } from '../../model/interruptible.ts';
import type { JournalInfo, UnfinishedRun } from '../../model/journal-care.ts';
import type { Context } from '../context.ts';
import { print } from '../outputs/report.ts';
import { sameJournal } from '../same-options.ts';
import type { Terminal } from '../terminal.ts';

export async function run(_args: string[], _options: unknown, context: Context): Promise<number> {
  const { care, clock } = await context.openJournalCare();
  return printInfo(await unlessAborted(care.info(), context.signal), clock.now(), context);
}

/** Prints what a journal holds. @param now for the ages, in milliseconds */
export function printInfo(info: JournalInfo, now: number, context: Context): number {
  print(
    {
      document: info,
      rows: [info],
      id: ({ location }) => location,
      csv: [],
      show: (terminal) => show(info, now, terminal, sameJournal(context.global)),
    },
    context.global.output,
    context.terminal,
  );
  return EXIT.done;
}

const KINDS: Readonly<Record<JournalInfo['kind'], string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

const COLUMNS: readonly Column[] = [
  { title: 'RUN' },
  { title: 'ACTION' },
  { title: 'BY', least: 8 },
  { title: 'STARTED' },
  { title: 'HEARD OF', drop: 2 },
  { title: 'STATE' },
  { title: 'LEFT', align: 'right' },
];

function show(info: JournalInfo, now: number, terminal: Terminal, journal: string): void {
  const line = (name: string, text: string) => terminal.write(`${terminal.paint.dim(name.padEnd(11))} ${text}\n`);
  line('journal', escapeText(info.location));
  if (!info.exists) {
    line('kind', KINDS[info.kind]);
    terminal.say('Nothing was written there yet.');
    return;
  }
  line('kind', `${KINDS[info.kind]}, schema ${info.schema_version ?? '–'}`);
  const reusable = info.reusable_bytes ?? 0;
  const free = reusable > 0 ? `, ${bytes(reusable)} of it to be used again` : '';
  if (info.size_bytes !== null) line('size', `${bytes(info.size_bytes)}${free}`);
  const span = info.runs === 0 ? '' : `, the first ${ago(info.first_at, now)}, the last ${ago(info.last_at, now)}`;
  line('runs', `${sayCount(info.runs)} with ${sayCount(info.entries)} entries${span}`);
  line('archive', archiveLine(info.archive, now));
  if (info.archive.originals > 0) line('originals', `${messages(info.archive.originals)} as before they were edited`);
  const { entries, runs } = info.unfinished;
  line('unfinished', entries === 0 ? 'nothing' : `${sayCount(entries)} entries`);
  if (runs.length === 0) return;
  terminal.write(
    `\n${layOut(
      COLUMNS,
      runs.map((run) => row(run, now, terminal)),
      terminal.columns,
      terminal.paint.dim,
    ).join('\n')}\n`,
  );
  if (runs.some(({ alive }) => !alive))
    terminal.say(`What they left, message by message: babelq log --unfinished${journal}`);
}

function archiveLine({ messages: kept, oldest_at, next_deleted_at }: JournalInfo['archive'], now: number): string {
  if (kept === 0) return 'empty';
  const isDue = next_deleted_at !== null && Date.parse(next_deleted_at) <= now;
  const next = isDue ? 'is due' : `deleted ${ago(next_deleted_at, now)}`;
  return `${messages(kept)}, the oldest dismissed ${ago(oldest_at, now)}, the next ${next}`;
}

function row(run: UnfinishedRun, now: number, terminal: Terminal) {
  return [
    { text: escapeText(run.run) },
    { text: run.action },
    { text: escapeText(run.by) },
    { text: ago(run.started_at, now) },
    { text: ago(run.last_heard_at, now) },
    run.alive ? { text: 'under way' } : { text: 'over', paint: terminal.paint.yellow },
    { text: sayCount(run.entries) },
  ];
}
