import { sayCount } from '../../model/display/counts.ts';
import { escapeText } from '../../model/display/escape.ts';
import { type HoldPart, heldCount } from '../state/holding.ts';
import type { State } from '../state/state.ts';
import type { Line } from './line.ts';
import { wrapLines } from './wrap.ts';

/** The warning over every screen while messages are held. */
export function holdLines({ hold, sources, size }: State): Line[] {
  if (hold === null) return [];
  // What couldn't be read is told where sources are; there is nothing of it to hold.
  const failed = new Set(sources.flatMap(({ name, phase }) => (phase === 'failed' ? [name] : [])));
  const parts = hold.filter(({ source, phase }) => phase !== 'paused' || !failed.has(source));
  return wrapLines(holdWords(parts), 'warn', size.columns, size.rows < 20 ? 2 : 4);
}

function holdWords(parts: readonly HoldPart[]): string {
  const count = sayCount(heldCount(parts));
  if (parts.some(({ phase }) => phase === 'taking')) return `▲ holding: ${count} received so far. H lets go.`;
  if (parts.some(({ phase }) => phase === 'paused')) return '▲ held again as soon as what goes on is done. H: no more.';
  const notes = parts.flatMap(({ source, note }) =>
    note === null ? [] : [`${escapeText(source)}: ${escapeText(note)}`],
  );
  const said = notes.length === 0 ? '' : `  ${notes.join('; ')}`;
  if (parts.every(({ phase }) => phase === 'over')) return `▲ nothing is held any more. H ends it.${said}`;
  return `▲ ${count} held, hidden from others. H lets go${until(parts)}.${said}`;
}

/** When SQS makes the first of them visible, whatever is done. */
function until(parts: readonly HoldPart[]): string {
  const ends = parts.flatMap(({ endsAt }) => (endsAt === null ? [] : [endsAt]));
  return ends.length === 0 ? '' : `, SQS at ${new Date(Math.min(...ends)).toISOString().slice(11, 16)} UTC`;
}
