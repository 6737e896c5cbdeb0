import { Tally } from '../../model/display/tally.ts';
import { incidentLine, watchedLines } from '../../model/display/watched.ts';
import { asBabelqError } from '../../model/errors.ts';
import { actTallied } from '../../model/operations/act-tallied.ts';
import type { ActionAsk } from '../../model/operations/action-ask.ts';
import { mergeParts } from '../../model/operations/parts.ts';
import type { ActedWatched } from '../../model/operations/retry-watched.ts';
import type { WatchProgress } from '../../model/operations/watch.ts';
import type { Effect, Outcome } from '../state/events.ts';
import { Sections } from './sections.ts';

/** Carries out what was confirmed, and tells what came of it: never throws but for a fault. */
export async function carry(
  ask: ActionAsk,
  { planned, terms }: Pick<Effect & { type: 'carry_out' }, 'planned' | 'terms'>,
  onWatching: (progress: WatchProgress) => void,
): Promise<Outcome> {
  const { action } = ask;
  const { watching } = terms;
  const tally = new Tally();
  const sections = new Sections();
  const heeded: ActionAsk = { ...ask, onItem: (item) => sections.add(item) };
  const wish = watching && { ...watching, onProgress: onWatching };
  try {
    const { acted, watched } = await actTallied(heeded, planned.plan, wish, tally);
    return {
      report: acted.report,
      parts: mergeParts(planned.sources, acted.sources),
      interrupted: acted.interrupted,
      lines: [...countLine(tally, action), ...(watched === null ? [] : watchLines(watched, ask))],
      error: null,
      sections: sections.all,
    };
  } catch (thrown) {
    // Where something was done already, what is known of it must be told with the trouble.
    const { message, hint } = asBabelqError(thrown);
    return {
      report: { action, run: null, dry_run: false, ...tally.counts },
      parts: ask.sources.map(({ name }) => notSeen(name)),
      interrupted: ask.signal.aborted,
      lines: countLine(tally, action),
      error: { message, hint },
      sections: sections.all,
    };
  }
}

/** The counts; each message is listed below them. */
function countLine(tally: Tally, action: ActionAsk['action']): string[] {
  return tally.lines(action).slice(0, 1);
}

function watchLines(acted: ActedWatched, { by, note }: ActionAsk): string[] {
  const lines = watchedLines(acted);
  return lines.length === 0 ? [] : [...lines, '', incidentLine(acted, { by, note, asked: '' })];
}

function notSeen(name: string): Outcome['parts'][number] {
  return { name, seen: 0, complete: false, note: null, allInFlight: null, error: null };
}
