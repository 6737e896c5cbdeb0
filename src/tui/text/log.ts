import { ago } from '../../model/display/age.ts';
import { escapeText } from '../../model/display/escape.ts';
import { grouped, messages, VERBS } from '../../model/display/verbs.ts';
import type { LogEntry } from '../../model/ports.ts';
import type { LogScreen } from '../state/state.ts';
import { type Line, span, type Tone } from './line.ts';
import { Page } from './page.ts';

/** Troubles that are told of one run. */
const TROUBLES = 5;

const OUTCOMES: Readonly<Record<LogEntry['outcome'], { says: string; tone: Tone }>> = {
  done: { says: 'done', tone: 'good' },
  failed: { says: 'failed', tone: 'bad' },
  uncertain: { says: 'uncertain', tone: 'warn' },
  under_way: { says: 'under way', tone: 'accent' },
  overtaken: { says: 'overtaken by a later run', tone: 'dim' },
};

/** The last runs, newest first: what was done, by whom, and how it ended. */
export function logLines(screen: LogScreen, width: number, now: number): Line[] {
  const page = new Page(width);
  const { entries } = screen;
  if (entries === 'reading') return page.text('Reading the journal…', 'accent').lines;
  if ('error' in entries) return page.text(entries.error, 'bad').lines;
  if (entries.length === 0) return page.text('Nothing was retried, dismissed or restored yet.', 'dim').lines;
  const runs = Map.groupBy(entries, ({ run }) => run);
  for (const ofRun of runs.values()) runLines(page, ofRun, now);
  return page.lines;
}

function runLines(page: Page, entries: readonly LogEntry[], now: number): void {
  const [first] = entries;
  if (first === undefined) return;
  page
    .gap()
    .add([
      span(ago(first.at, now), 'dim'),
      span(`  ${VERBS[first.action].ask} ${messages(entries.length)}`, 'strong'),
      span(`  by ${escapeText(first.by)}  run ${escapeText(first.run)}`, 'dim'),
    ]);
  for (const [outcome, some] of Map.groupBy(entries, (entry) => entry.outcome)) {
    const { says, tone } = OUTCOMES[outcome];
    page.text(`  ${grouped(some.length)} ${says}${placesOf(some)}`, tone);
    if (outcome === 'done' || outcome === 'overtaken') continue;
    for (const entry of some.slice(0, TROUBLES)) page.text(`    ${entry.id}: ${entry.detail ?? entry.reason}`);
    if (some.length > TROUBLES)
      page.text(`    and ${messages(some.length - TROUBLES)} more: babelq log --run ${first.run}`);
  }
  if (first.note !== null) page.text(`  ${first.note}`, 'dim');
}

/** Where from and where to: `: orders → orders 40, invoices → archive 2`. */
function placesOf(entries: readonly LogEntry[]): string {
  const places = new Map<string, number>();
  for (const { queue, source, to } of entries) {
    const place = `${queue ?? source}${to === null ? '' : ` → ${to}`}`;
    places.set(place, (places.get(place) ?? 0) + 1);
  }
  const said = [...places].slice(0, 4).map(([place, count]) => `${place} ${grouped(count)}`);
  return `: ${said.join(', ')}${places.size > 4 ? ', …' : ''}`;
}
