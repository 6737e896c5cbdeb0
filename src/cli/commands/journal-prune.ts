import { counted, messages, sayCount } from '../../model/display/counts.ts';
import { momentAt, parseTime, sayDuration } from '../../model/duration.ts';
import { BabelqError, EXIT } from '../../model/errors.ts';
import { unlessAborted } from '../../model/interruptible.ts';
import { KEPT_MS, type PruneCount, type PruneScope } from '../../model/journal-care.ts';
import { wholeNumber } from '../../model/options/numbers.ts';
import { asksLine, asksYes, whoConfirms } from '../acting/asking.ts';
import type { Context } from '../context.ts';
import { print } from '../outputs/report.ts';

interface Options {
  before?: string;
  archived?: boolean;
  unfinished?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  confirm?: string;
}

/** Removes what is past its time, after it showed how much that is. What can't be had back is confirmed by its number. */
export async function run(_args: string[], options: Options, context: Context): Promise<number> {
  const { terminal, global } = context;
  const confirmed = options.confirm === undefined ? null : wholeNumber(options.confirm, '--confirm', 0);
  // To name the number is to say yes to it.
  const isConfirmed = options.yes === true || confirmed !== null;
  const answers = whoConfirms('prune', { ...options, yes: isConfirmed }, context.io, false);
  const typed = options.before === undefined ? null : parseTime(options.before, '--before');
  const { care, clock } = await context.openJournalCare();
  const now = clock.now();
  const scope: PruneScope = {
    before: typed === null ? null : momentAt(typed, now),
    archived: options.archived ?? false,
    unfinished: options.unfinished ?? false,
  };
  refuseScope(scope, now);
  const count = await unlessAborted(care.prunable(scope), context.signal);
  const report = (dry_run: boolean, pruned: PruneCount) =>
    print(
      {
        document: { dry_run, before: scope.before === null ? null : new Date(scope.before).toISOString(), ...pruned },
        rows: [pruned],
        id: () => '',
        csv: [],
        show: (to) =>
          to.write(
            linesOf(dry_run ? 'Would remove' : 'Removed', pruned)
              .map((line) => `${line}\n`)
              .join(''),
          ),
      },
      global.output,
      terminal,
    );
  if (options.dryRun || total(count) === 0) {
    report(options.dryRun ?? false, count);
    return EXIT.done;
  }
  if (!(await agreed(count, confirmed, answers, context))) {
    terminal.complain('Nothing was removed.');
    return EXIT.couldNot;
  }
  report(false, await care.prune(scope, count));
  return EXIT.done;
}

function refuseScope({ before, archived, unfinished }: PruneScope, now: number): void {
  if (before === null) {
    if (!archived && !unfinished) return;
    throw new BabelqError(
      'usage',
      `${archived ? '--archived' : '--unfinished'} needs --before, so that it says of what.`,
      {
        hint: 'For example --before 14d.',
      },
    );
  }
  if (before > now - KEPT_MS && !archived && !unfinished) {
    throw new BabelqError('usage', `--before needs ${sayDuration(KEPT_MS)} at least for the log.`, {
      hint: 'Younger entries keep messages from being sent twice. --archived and --unfinished take what is younger.',
    });
  }
}

function irrecoverable({ archived, unfinished }: PruneCount): number {
  return archived + unfinished;
}

function total({ expired, archived, unfinished, entries, runs }: PruneCount): number {
  return expired + archived + unfinished + entries + runs;
}

/** @throws BabelqError `refused` where --confirm names another number, `usage` where a number is needed and nobody is here to type it */
async function agreed(
  count: PruneCount,
  confirmed: number | null,
  answers: NodeJS.ReadStream | null,
  context: Context,
): Promise<boolean> {
  const { terminal } = context;
  const number = irrecoverable(count);
  if (confirmed !== null && confirmed !== number) {
    throw new BabelqError('refused', `--confirm ${confirmed} was given, and it is ${number}; nothing was removed.`, {
      hint: 'babelq journal prune … --dry-run shows what it is about.',
    });
  }
  if (number > 0 && confirmed === null && answers === null) {
    throw new BabelqError(
      'usage',
      `${sayCount(number)} of it can't be had back, and --yes alone doesn't say so many.`,
      {
        hint: `See it with --dry-run, then add --confirm ${number}.`,
      },
    );
  }
  if (answers === null) return true;
  for (const line of linesOf('Would remove', count)) terminal.complain(line);
  terminal.complain('');
  if (number === 0) return asksYes('Remove that?', answers, context);
  const question = `${sayCount(number)} of it can't be had back. Type ${number} to remove it:`;
  const line = await asksLine(question, '', answers, context);
  return line?.trim() === String(number);
}

/** What a prune takes, a line each. */
function linesOf(verb: string, { expired, archived, unfinished, entries, runs }: PruneCount): string[] {
  const parts = [
    expired > 0 && `${messages(expired)} past their thirty days`,
    archived > 0 && `${messages(archived)} that could still be restored`,
    unfinished > 0 && `${counted(unfinished, 'entry', 'entries')} without a known end, with what is kept of them`,
    entries > 0 && `${counted(entries, 'entry', 'entries')} of the log`,
    runs > 0 && `${counted(runs, 'run')} of which nothing is left`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? ['There is nothing to remove.'] : parts.map((part) => `${verb} ${part}.`);
}
