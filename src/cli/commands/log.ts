import { ago } from '../../model/display/age.ts';
import { messages } from '../../model/display/counts.ts';
import { escapeText } from '../../model/display/escape.ts';
import { OUTCOME_WORDS } from '../../model/display/outcomes.ts';
import { type Column, layOut } from '../../model/display/table.ts';
import { momentAt, parseTime } from '../../model/duration.ts';
import { EXIT } from '../../model/errors.ts';
import { unlessAborted } from '../../model/interruptible.ts';
import { sayNoJournal } from '../../model/operations/no-journal.ts';
import { limitOf } from '../../model/options/numbers.ts';
import type { Journal, LogEntry, LogQuery } from '../../model/ports.ts';
import type { Context } from '../context.ts';
import { print, type Report } from '../outputs/report.ts';
import type { Terminal } from '../terminal.ts';

interface Options {
  run?: string;
  unfinished?: boolean;
  since?: string;
  before?: string;
  by?: string;
  limit?: string;
}

/** As many lines as a person may scroll through; `--limit all` for the rest. */
const LIMIT = 1000;

export async function run(ids: string[], options: Options, context: Context): Promise<number> {
  const { global, terminal } = context;
  const since = options.since === undefined ? null : parseTime(options.since, '--since');
  const before = options.before === undefined ? null : parseTime(options.before, '--before');
  const limit = limitOf(options.limit, LIMIT);
  const { journal, clock } = await context.openJournal();
  const now = clock.now();
  const query: LogQuery = {
    ...(ids.length > 0 && { story: ids }),
    ...(global.source.length > 0 && { sources: global.source }),
    ...(options.run !== undefined && { run: options.run }),
    ...(options.unfinished && { unfinished: true }),
    ...(since && { since: momentAt(since, now) }),
    ...(before && { before: momentAt(before, now) }),
    ...(options.by !== undefined && { by: options.by }),
    // One more than is shown says whether there is more.
    ...(limit !== 'all' && { limit: limit + 1 }),
  };
  const found = await unlessAborted(journal.log(query), context.signal);
  const entries = limit === 'all' ? found : found.slice(0, limit);
  print(reportOf(entries, now), global.output, terminal);
  if (found.length > entries.length) {
    terminal.say(`Only the newest ${entries.length} are shown; --limit all for the rest.`);
  }
  if (options.unfinished) for (const line of whatNext(entries)) terminal.say(line);
  const underWay = options.unfinished ? await underWayIn(context, journal) : null;
  if (underWay !== null) terminal.say(underWay);
  if (entries.length === 0 && global.output === 'table') {
    const nothing = options.unfinished
      ? `Nothing ${underWay === null ? '' : 'else '}is unfinished: all that was begun came to a known end`
      : Object.keys(query).some((name) => name !== 'limit')
        ? 'Nothing of that is in the journal'
        : 'The journal is empty';
    const noJournal = await sayNoJournal(journal, 'whatever was done');
    terminal.say(escapeText(noJournal ?? `${nothing} (${journal.location}).`));
  }
  return EXIT.done;
}

/** Of retries that are uncertain: what can still be done about them. */
function whatNext(entries: readonly LogEntry[]): string[] {
  const retried = entries.filter(({ outcome, action }) => outcome === 'uncertain' && action === 'retry');
  const sent = retried.some(({ new_id }) => new_id !== null);
  const doubtful = retried.some(({ new_id }) => new_id === null);
  return [
    ...(sent
      ? [
          'What has a new id was sent: where its old id is still listed, a retry only deletes it there, else nothing is left to do.',
        ]
      : []),
    ...(doubtful
      ? [
          'What has no new id may have been sent: where it is still listed, a retry sends it, perhaps for the second time.',
        ]
      : []),
  ];
}

/** What has no end either, but may still come to one: of a killed run nobody can tell at once that it is. */
async function underWayIn({ signal }: Context, journal: Journal): Promise<string | null> {
  const newest = await unlessAborted(journal.log({ limit: LIMIT }), signal);
  const under = newest.filter(({ outcome }) => outcome === 'under_way');
  const runs = [...new Set(under.map(({ run }) => run))];
  if (runs.length === 0) return null;
  const [one, are] = runs.length === 1 ? ['Run', 'is'] : ['Runs', 'are'];
  return escapeText(
    `${one} ${runs.join(', ')} ${are} under way, or killed less than a minute ago, with ${messages(under.length)} begun. What a killed run left is listed here a minute after its last sign of life.`,
  );
}

function reportOf(entries: readonly LogEntry[], now: number): Report<LogEntry> {
  return {
    document: { entries },
    rows: entries,
    id: ({ id }) => id,
    csv: [
      { name: 'at', value: ({ at }) => at },
      { name: 'run', value: ({ run }) => run },
      { name: 'action', value: ({ action }) => action },
      { name: 'id', value: ({ id }) => id },
      { name: 'outcome', value: ({ outcome }) => outcome },
      { name: 'to', value: ({ to }) => to },
      { name: 'new_id', value: ({ new_id }) => new_id },
      { name: 'possible_double', value: ({ possible_double }) => possible_double },
      { name: 'by', value: ({ by }) => by },
      { name: 'note', value: ({ note }) => note },
      { name: 'detail', value: ({ detail }) => detail },
    ],
    show: (terminal) => show(entries, now, terminal),
  };
}

const COLUMNS: readonly Column[] = [
  { title: 'WHEN' },
  { title: 'RUN', drop: 2 },
  { title: 'ACTION' },
  { title: 'ID', least: 12 },
  { title: 'OUTCOME' },
  { title: 'TO', least: 8, drop: 3 },
  { title: 'NEW ID', drop: 5 },
  { title: 'BY', least: 8, drop: 4 },
  { title: 'NOTE', least: 10, drop: 1 },
];

function show(entries: readonly LogEntry[], now: number, terminal: Terminal): void {
  if (entries.length === 0) return;
  const rows = entries.map((entry) => [
    { text: ago(entry.at, now) },
    { text: escapeText(entry.run) },
    { text: entry.action },
    { text: escapeText(entry.id) },
    {
      text: OUTCOME_WORDS[entry.outcome],
      ...(entry.outcome !== 'done' && entry.outcome !== 'overtaken' && { paint: terminal.paint.yellow }),
    },
    { text: escapeText(entry.to ?? '–') },
    { text: escapeText(entry.new_id ?? '–') },
    { text: escapeText(entry.by) },
    { text: escapeText([doubtOf(entry), entry.detail, entry.note].filter((part) => part !== null).join(' · ')) },
  ]);
  terminal.write(`${layOut(COLUMNS, rows, terminal.columns, terminal.paint.dim).join('\n')}\n`);
}

/** What isn't known of it, for a person who has to decide what to do. */
function doubtOf({ outcome, action, to, new_id, possible_double }: LogEntry): string | null {
  if (outcome === 'uncertain' && to !== null) {
    if (action === 'dismiss') return "archived, its delete isn't confirmed";
    return new_id === null ? 'may have been sent' : "sent, its delete isn't confirmed";
  }
  return possible_double ? 'possibly double' : null;
}
