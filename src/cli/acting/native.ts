import { messages, sayCount } from '../../model/display/counts.ts';
import { escapeText } from '../../model/display/escape.ts';
import { sayDuration } from '../../model/duration.ts';
import { BabelqError, EXIT } from '../../model/errors.ts';
import { refuseWithoutNote } from '../../model/operations/action-ask.ts';
import { carryOutMove, type Moved } from '../../model/operations/move.ts';
import { type MoveAsk, type MovePlan, planMove, sayMoved } from '../../model/operations/plan-move.ts';
import { rateOf } from '../../model/options/numbers.ts';
import type { Context } from '../context.ts';
import { anyFilter } from '../filter-options.ts';
import { itemReporter } from '../outputs/items.ts';
import { ProgressLine } from '../progress.ts';
import { whileReading } from '../reading.ts';
import { sameJournal, sameSources } from '../same-options.ts';
import { givenOf, notTogether } from '../together.ts';
import type { ActOptions } from './act.ts';
import { asksYes, whoConfirms } from './asking.ts';

/** `retry --native --all`: SQS's own move task. Looks first, says what it saw, asks, follows the task to its end. */
export async function moveNatively(ids: readonly string[], options: ActOptions, context: Context): Promise<number> {
  refuseWhatItCannot(ids, options);
  const answers = whoConfirms('move', options, context.io, false);
  const rate = options.rate === undefined ? undefined : rateOf(options.rate);
  const { sources, journal, clock, operator, requireNote } = await context.open();
  const [source, ...more] = sources;
  if (source === undefined || more.length > 0) {
    throw new BabelqError('usage', `--native moves one dead-letter queue, and ${sources.length} sources are meant.`, {
      hint: `Name it: --source ${sources.find(({ kind }) => kind === 'sqs')?.name ?? 'NAME'}.`,
    });
  }
  const ask: MoveAsk = {
    source,
    journal,
    clock,
    by: operator,
    note: options.reasonNote ?? null,
    requireNote,
    allowReceive: context.global.allowReceive,
    signal: context.signal,
    ...(options.to !== undefined && { to: options.to }),
    ...(rate !== undefined && { rate }),
  };
  if (!options.dryRun) refuseWithoutNote({ ...ask, action: 'retry' });
  const plan = await whileReading(context, (onRead) => planMove({ ...ask, onRead }));
  const { terminal } = context;
  if (options.dryRun) {
    report(context, { run: null, dryRun: true, matched: plan.about, done: 0, failed: 0, uncertain: 0 }, [
      `Would move about ${messages(plan.about)}; nothing was changed.`,
      ...confirmationLines(plan),
    ]);
    return EXIT.done;
  }
  for (const line of confirmationLines(plan)) answers === null ? terminal.say(line) : terminal.complain(line);
  if (answers !== null) {
    terminal.complain('');
    if (!(await asksYes(`Move about ${messages(plan.about)}?`, answers, context))) {
      terminal.complain('Nothing was changed.');
      return EXIT.couldNot;
    }
  }
  return tell(await follow(ask, plan, context), plan, context);
}

/** @throws BabelqError `usage` for what a move of a whole queue by SQS itself can't do */
function refuseWhatItCannot(
  ids: readonly string[],
  { all, stdin, max, bypass, wait, canary, plan, edit, set, unset, ...options }: ActOptions,
): void {
  const given = givenOf({
    ids: ids.length > 0,
    filters: anyFilter(options),
    ...{ '--stdin': stdin, '--max': max, '--bypass': bypass, '--wait': wait, '--canary': canary },
    ...{ '--plan': plan, '--edit': edit, '--set': set, '--unset': unset },
  });
  if (given.length > 0) {
    const hint = 'Retry without --native: babelq moves each message itself.';
    throw notTogether('--native', given, hint, 'SQS moves a queue whole, as it is');
  }
  if (all) return;
  throw new BabelqError('usage', '--native moves all that lies on the queue, and needs --all to say so.', {
    hint: 'For example babelq retry --native --all --source orders.',
  });
}

function confirmationLines({ from, to, seen, about, reasons, rate }: MovePlan): string[] {
  const kinds = reasons.map(({ reason, count }) => `${reason} ${sayCount(count)}`).join(', ');
  const pace =
    rate === null ? 'as fast as SQS likes' : `${sayCount(rate)} a second, about ${sayDuration((about / rate) * 1000)}`;
  return [
    `SQS's own move task: ${from} → ${to.name} (${to.arn}), ${pace}.`,
    `Looked at ${sayCount(seen)} of about ${sayCount(about)}: ${kinds}. They go as they are: nothing in these needs a reset.`,
    ...(seen < about
      ? ['What was not looked at goes too, whatever it is: an app’s records would come back at once.']
      : []),
    'What arrives while it runs moves too. There is no record by message: the log has one line for the whole.',
    'It runs on SQS: Ctrl+C here cancels it, and what was moved stays moved.',
  ].map(escapeText);
}

async function follow(ask: MoveAsk, plan: MovePlan, { terminal }: Context): Promise<Moved> {
  const line = new ProgressLine(terminal);
  const startedAt = ask.clock.now();
  return carryOutMove(
    {
      ...ask,
      onProgress: (task) =>
        line.show(() => `Moving: ${sayMoved(task)} (${sayDuration(ask.clock.now() - startedAt)}, ${task.status})`),
    },
    plan,
  ).finally(() => line.clear());
}

function tell({ run, outcome, moved, toMove, detail, interrupted }: Moved, plan: MovePlan, context: Context): number {
  const left = Math.max(0, (toMove ?? plan.about) - moved);
  const counts = {
    matched: moved + (outcome === 'done' ? 0 : left),
    done: moved,
    failed: outcome === 'failed' ? left : 0,
    uncertain: outcome === 'uncertain' ? left : 0,
  };
  report(context, { run, dryRun: false, ...counts }, [escapeText(detail)]);
  const { terminal, global } = context;
  terminal.say(
    `What is there now: babelq sources${sameSources(global)}   What was done: babelq log --run ${run}${sameJournal(global)}`,
  );
  // A limit of time ends it so; a signal's own code counts more.
  if (interrupted) return moved > 0 ? EXIT.partly : EXIT.couldNot;
  if (outcome === 'done') return EXIT.done;
  return outcome === 'uncertain' || moved > 0 ? EXIT.partly : EXIT.couldNot;
}

function report(
  { global, terminal }: Context,
  counts: { run: string | null; dryRun: boolean; matched: number; done: number; failed: number; uncertain: number },
  lines: readonly string[],
): void {
  const { run, dryRun, matched, done, failed, uncertain } = counts;
  // No item: SQS tells nothing of single messages.
  itemReporter(global.output, 'retry', terminal, () => {
    for (const line of lines) terminal.write(`${line}\n`);
  }).end({ action: 'retry', run, dry_run: dryRun, matched, done, skipped: 0, failed, uncertain });
  if (global.output !== 'table') for (const line of lines) terminal.say(line);
}
