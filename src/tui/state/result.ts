import type { ActionItem } from '../../model/action.ts';
import { messages, sayCount } from '../../model/display/counts.ts';
import { escapeText } from '../../model/display/escape.ts';
import { sayAllInFlight } from '../../model/display/in-flight.ts';
import { wentWhere } from '../../model/display/went-where.ts';
import type { SourcePart } from '../../model/operations/parts.ts';
import type { Outcome, Section } from './events.ts';
import type { ResultLine } from './flow-state.ts';

const TITLES: Readonly<Record<Section['kind'], string>> = {
  returned: 'Came back',
  failed: 'Failed',
  uncertain: 'Uncertain',
  skipped: 'Skipped',
  done: 'Done',
};

/** What came of an action: the counts, what is to be known, and each message with what became of it. */
export function resultLines({ lines, parts, interrupted, error, report, sections }: Outcome): ResultLine[] {
  const clean = report.done === report.matched && error === null && parts.every((part) => part.error === null);
  const back = sections.some(({ kind }) => kind === 'returned');
  const out: ResultLine[] = lines.map((text, at) => ({
    text,
    tone: at > 0 ? 'plain' : clean && !back ? 'good' : 'bad',
  }));
  if (interrupted) out.push({ text: 'You stopped it: what was not begun stays as it was.', tone: 'bad' });
  if (error !== null) out.push(...troubleLines(error.message, error.hint));
  for (const part of parts) out.push(...partLines(part));
  if (report.uncertain > 0) {
    out.push({ text: 'Uncertain: it may have been done. The log (l) shows what the journal knows.', tone: 'plain' });
  }
  for (const section of sections) out.push({ text: '', tone: 'plain' }, ...sectionLines(section, report.run));
  return out;
}

/** Messages with one detail stand under it: it is told once. */
function sectionLines({ kind, items, count }: Section, run: string | null): ResultLine[] {
  const out: ResultLine[] = [{ text: `${TITLES[kind]}  ${sayCount(count)}`, tone: 'strong' }];
  const byDetail = Map.groupBy(items, ({ detail }) => detail ?? '');
  for (const [detail, some] of byDetail) {
    if (detail !== '') out.push({ text: `  ${escapeText(detail)}`, tone: kind === 'done' ? 'dim' : 'bad' });
    for (const item of some) out.push({ text: `    ${itemWords(item)}`, tone: 'plain' });
  }
  if (count > items.length) {
    const where = run === null ? '' : `: babelq log --run ${escapeText(run)} --limit all`;
    out.push({ text: `  and ${messages(count - items.length)} more${where}`, tone: 'dim' });
  }
  return out;
}

function itemWords(item: ActionItem): string {
  return escapeText(`${item.id}${wentWhere(item)}${item.possible_double ? ' (possibly double)' : ''}`);
}

function partLines({ name, error, note, allInFlight }: SourcePart): ResultLine[] {
  const source = escapeText(name);
  const out: ResultLine[] = [];
  if (error !== null) out.push(...troubleLines(`${name}: ${error.message}`, error.hint));
  if (allInFlight !== null) out.push({ text: `${source}: ${sayAllInFlight(allInFlight)}.`, tone: 'bad' });
  if (note !== null) out.push({ text: `${source}: ${escapeText(note)}`, tone: 'plain' });
  return out;
}

/** An error and what to do about it. @param message not escaped, as the hint */
export function troubleLines(message: string, hint: string | null): ResultLine[] {
  const lines: ResultLine[] = [{ text: escapeText(message), tone: 'bad' }];
  if (hint !== null) lines.push({ text: escapeText(hint), tone: 'plain' });
  return lines;
}
