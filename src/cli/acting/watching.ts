import { messages } from '../../model/display/counts.ts';
import { escapeText } from '../../model/display/escape.ts';
import { incidentLine, sayWatching, watchedLines } from '../../model/display/watched.ts';
import { sayDuration } from '../../model/duration.ts';
import { type ActionAsk, describeAsked } from '../../model/operations/action-ask.ts';
import type { ActedWatched, WatchWish } from '../../model/operations/retry-watched.ts';
import type { Watching } from '../../model/options/watching.ts';
import type { Plan } from '../../model/plan.ts';
import { type Forecast, forecast } from '../../model/watch/forecast.ts';
import type { Context } from '../context.ts';
import { ProgressLine } from '../progress.ts';

/** What the watch will do, and where its time can't be enough; nothing where none is wished. Escaped. */
export async function foretell(watching: Watching | null, plan: Plan, ask: ActionAsk): Promise<Forecast> {
  if (watching === null) return { will: [], warnings: [] };
  const { sources, to, signal } = ask;
  const { will, warnings } = await forecast({ ...watching, plan, sources, ...(to !== undefined && { to }), signal });
  return { will: will.map(escapeText), warnings: warnings.map(escapeText) };
}

/** Says when a watch begins, and draws how far it is; `end` takes the drawing away. */
export function watchProgress(
  { waitMs }: Watching,
  { terminal }: Pick<Context, 'terminal'>,
  beforeIt: () => void,
): Pick<WatchWish, 'onWatch' | 'onProgress'> & { end: () => void } {
  const line = new ProgressLine(terminal);
  return {
    onWatch: ({ canary, messages: count, queues }) => {
      beforeIt();
      const what = `${messages(count)} ${canary ? 'went first' : 'retried'}`;
      terminal.say(`${what}. Watching for up to ${sayDuration(waitMs)} what comes back; Ctrl+C ends the watching.`);
      if (queues.length > 0) {
        const read = queues.length === 1 ? 'is read again for that' : 'are read again for that';
        terminal.say(`${queues.map(escapeText).join(', ')} ${read}: each reading counts as a receive.`);
      }
    },
    onProgress: (progress) => line.show(() => `Watching: ${sayWatching(progress)}`),
    end: () => line.clear(),
  };
}

/** What became of what was retried: with the result on stdout for a person, beside it for a program. */
export function reportWatched(acted: ActedWatched, ask: ActionAsk, { terminal, global }: Context): void {
  if (acted.watched === null && acted.canary === null) return;
  const write =
    global.output === 'table' ? (line: string) => terminal.write(`${line}\n`) : (line: string) => terminal.say(line);
  for (const line of watchedLines(acted)) write(line);
  const queues = new Set(ask.sources.flatMap(({ name, kind }) => (kind === 'sqs' ? [name] : [])));
  for (const [name, count] of readingsOf(acted)) {
    if (queues.has(name))
      terminal.say(`${escapeText(name)} was read ${count === 1 ? 'once' : `${count} times`} for that.`);
  }
  write('');
  // A filter says what was meant; ids say nothing to who reads it later.
  const asked = ask.asked.kind === 'filter' ? describeAsked(ask) : '';
  write(incidentLine(acted, { by: ask.by, note: ask.note, asked }));
}

function readingsOf({ canary, watched }: ActedWatched): Map<string, number> {
  const readings = new Map<string, number>();
  for (const part of [canary?.watched, watched]) {
    for (const [name, count] of part?.readings ?? []) readings.set(name, (readings.get(name) ?? 0) + count);
  }
  return readings;
}
