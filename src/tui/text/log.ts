import { ago, fullTime } from '../../model/display/age.ts';
import { messages, sayCount } from '../../model/display/counts.ts';
import { escapeText } from '../../model/display/escape.ts';
import { OUTCOME_WORDS } from '../../model/display/outcomes.ts';
import { VERBS } from '../../model/display/verbs.ts';
import { wentWhere } from '../../model/display/went-where.ts';
import type { LogEntry } from '../../model/ports.ts';
import { entriesOf, type LoggedRun, runsOf } from '../state/logging.ts';
import type { EntryScreen, LogScreen, RunScreen } from '../state/state.ts';
import { fitLine, type Line, line, type Span, span, type Tone } from './line.ts';
import { Page } from './page.ts';

const TONES: Readonly<Record<LogEntry['outcome'], Tone>> = {
  done: 'good',
  failed: 'bad',
  uncertain: 'warn',
  under_way: 'accent',
  overtaken: 'dim',
};
const WHEN = 9;

/** The last lines of each log: to move in it must not mean to lay thousands of lines. */
const drawn = new WeakMap<readonly unknown[], { width: number; now: number; lines: readonly Line[] }>();

/** The last runs, newest first, a line each. */
export function logLines(screen: LogScreen, width: number, now: number): readonly Line[] {
  const { entries, query } = screen;
  if (entries === 'reading') return [line('Reading the journal…', 'accent')];
  if ('error' in entries) return new Page(width).text(entries.error, 'bad').lines;
  const runs = runsOf(screen);
  if (runs.length > 0) return cached(runs, width, now, (run) => runLine(run, width, now));
  return [
    line(query === '' ? 'Nothing was retried, dismissed or restored yet.' : 'Nothing of the log fits that.', 'dim'),
  ];
}

/** The messages of a run, a line each. */
export function runLines(screen: RunScreen, width: number): readonly Line[] {
  if ('error' in screen.entries) return new Page(width).text(screen.entries.error, 'bad').lines;
  const entries = entriesOf(screen);
  if (entries.length > 0) return cached(entries, width, 0, (entry) => entryLine(entry, width));
  return [line('Nothing of this run fits that.', 'dim')];
}

export function runTitle({ run, entries }: RunScreen, now: number): string {
  const [first] = 'error' in entries ? [] : entries;
  if (first === undefined) return `run ${escapeText(run)}`;
  const note = first.note === null ? '' : `  “${first.note}”`;
  return escapeText(`${VERBS[first.action].ask}, ${ago(first.at, now)}, by ${first.by}  ${run}${note}`);
}

function cached<T>(rows: readonly T[], width: number, now: number, lay: (row: T) => Line): readonly Line[] {
  const known = drawn.get(rows);
  if (known?.width === width && known.now === now) return known.lines;
  const lines = rows.map(lay);
  drawn.set(rows, { width, now, lines });
  return lines;
}

function runLine({ entries }: LoggedRun, width: number, now: number): Line {
  const [first] = entries;
  if (first === undefined) return [];
  const spans: Span[] = [
    span(ago(first.at, now).padEnd(WHEN), 'dim'),
    span(`${VERBS[first.action].ask} ${messages(entries.length)}`, 'strong'),
    span('  '),
  ];
  const outcomes = [...Map.groupBy(entries, ({ outcome }) => outcome)];
  for (const [at, [outcome, some]] of outcomes.entries()) {
    spans.push(span(`${at === 0 ? '' : ', '}${sayCount(some.length)} ${OUTCOME_WORDS[outcome]}`, TONES[outcome]));
  }
  spans.push(span(`  ${placesOf(entries)}`), span(`  ${escapeText(first.by)}`, 'dim'));
  if (first.note !== null) spans.push(span(`  “${escapeText(first.note)}”`, 'dim'));
  return fitLine(spans, width);
}

function entryLine(entry: LogEntry, width: number): Line {
  const { outcome, id, detail, reason } = entry;
  return fitLine(
    [
      span(OUTCOME_WORDS[outcome].padEnd(WHEN + 1), TONES[outcome]),
      span(escapeText(`${id}${wentWhere(entry)}`)),
      span(`  ${escapeText(detail ?? reason)}`, 'dim'),
    ],
    width,
  );
}

/** Where from and where to: `orders → orders, invoices → archive`. */
function placesOf(entries: readonly LogEntry[]): string {
  const places = new Set(entries.map(({ queue, source, to }) => `${queue ?? source}${to === null ? '' : ` → ${to}`}`));
  const said = [...places].slice(0, 3).map(escapeText);
  return `${said.join(', ')}${places.size > 3 ? ', …' : ''}`;
}

/** All that the journal knows of one message of a run, and what else was done to it. */
export function entryLines({ entry, story }: EntryScreen, width: number, now: number): readonly Line[] {
  const page = new Page(width);
  const { outcome, possible_double } = entry;
  page.field('Message', entry.id);
  const how = `${OUTCOME_WORDS[outcome]}${possible_double ? ', possibly double' : ''}`;
  page.field('What', `${VERBS[entry.action].ask}: ${how}`, TONES[outcome]);
  page.field('Detail', entry.detail);
  page.field('When', `${ago(entry.at, now)}, ${fullTime(entry.at)}`);
  page.field('By', entry.by).field('Why', entry.note).field('Run', entry.run);
  page.gap().field('Reason', entry.reason).field('Queue', entry.queue).field('Subject', entry.subject);
  page.field('To', entry.to).field('Id there', entry.new_id);
  page.title('All that happened to it');
  if (story === 'reading') return page.text('Reading the journal…', 'accent').lines;
  if ('error' in story) return page.text(story.error, 'bad').lines;
  for (const one of story) {
    page.add(
      fitLine(
        [
          span(`  ${ago(one.at, now).padEnd(WHEN)}`, 'dim'),
          span(`${VERBS[one.action].ask.padEnd(8)} `),
          span(OUTCOME_WORDS[one.outcome].padEnd(WHEN + 1), TONES[one.outcome]),
          span(escapeText(`${one.id}${wentWhere(one)}`)),
        ],
        width,
      ),
    );
  }
  return page.lines;
}
