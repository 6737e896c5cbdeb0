import type { Action } from '../../model/action.ts';
import { escapeText } from '../../model/display/escape.ts';
import { Tally } from '../../model/display/tally.ts';
import { EXIT } from '../../model/errors.ts';
import type { Acted } from '../../model/operations/act.ts';
import { type ActedTallied, actTallied } from '../../model/operations/act-tallied.ts';
import type { ActionAsk } from '../../model/operations/action-ask.ts';
import { exitOf } from '../../model/operations/exit.ts';
import { isMissing } from '../../model/operations/no-journal.ts';
import { actionSources, mergeParts } from '../../model/operations/parts.ts';
import type { Planned } from '../../model/operations/plan-action.ts';
import { cameBack } from '../../model/operations/retry-watched.ts';
import type { Watching } from '../../model/options/watching.ts';
import { doableItems } from '../../model/plan.ts';
import type { Context } from '../context.ts';
import { type ItemReporter, itemReporter } from '../outputs/items.ts';
import { complainOf } from '../trouble.ts';
import { actProgress } from './act-progress.ts';
import { sayNext } from './next.ts';
import { sayErrors } from './parts-trouble.ts';
import { reportWatched, watchProgress } from './watching.ts';
import { keepYoungHeapSmall } from './young-heap.ts';

/**
 * Carries out what was confirmed, prints what becomes of each message and how it ended, and answers the exit code.
 * @param planned null for one pass without a plan
 * @throws BabelqError where nothing was done
 */
export async function carry(
  ask: ActionAsk,
  planned: Planned | null,
  watching: Watching | null,
  context: Context,
): Promise<number> {
  keepYoungHeapSmall();
  const { terminal, global } = context;
  const { action } = ask;
  const tally = new Tally();
  const isFirst = global.output === 'table' && (await isMissing(ask.journal));
  const doable = planned === null ? null : doableItems(planned.plan).length;
  const progress = actProgress(action, doable, context, () => ask.clock.now());
  const watch = watching === null ? null : watchProgress(watching, context, () => progress.end());
  const reporter = itemReporter(global.output, action, terminal, () => {
    for (const line of tally.lines(action)) terminal.write(`${line}\n`);
  });
  let ended: ActedTallied;
  try {
    const heeded = { ...ask, onProgress: progress.onProgress, onItem: reporter.item };
    ended = await actTallied(heeded, planned?.plan ?? null, watching && { ...watching, ...watch }, tally);
  } catch (error) {
    progress.end();
    return tellBroken(error, action, tally, reporter, context);
  } finally {
    progress.end();
    watch?.end();
  }
  const { acted, watched } = ended;
  const sources = mergeParts(planned?.sources ?? [], acted.sources);
  if (acted.report.matched > 0 || global.output !== 'table') {
    reporter.end({ ...acted.report, sources: actionSources(sources) });
  }
  if (watched !== null) reportWatched(watched, ask, context);
  sayErrors(sources, context);
  const code = watched !== null && cameBack(watched) ? EXIT.failuresMatch : null;
  const exit = code ?? (acted.interrupted ? exitOfStopped(acted.report) : exitOf(acted.report, sources));
  if (global.output === 'table') {
    // A name that was typed wrong makes one too, and what is then dismissed is only known there.
    if (isFirst && acted.report.run !== null) {
      terminal.say(`A new journal was made for it: ${escapeText(ask.journal.location)}.`);
    }
    sayNext(acted, tally, context);
  }
  return exit;
}

/** Where something was done already, what is known of it must be told before the trouble. */
function tellBroken(
  error: unknown,
  action: Action,
  tally: Tally,
  reporter: ItemReporter,
  { terminal, global }: Context,
): number {
  const { counts } = tally;
  if (counts.matched === 0) throw error;
  reporter.end({ action, run: null, dry_run: false, ...counts });
  const { exit } = complainOf(error, terminal, global);
  return counts.done + counts.uncertain > 0 ? EXIT.partly : exit;
}

/** Where it was stopped, by a limit of time: a signal's own code counts more. */
function exitOfStopped({ done, uncertain }: Acted['report']): number {
  return done + uncertain > 0 ? EXIT.partly : EXIT.couldNot;
}
