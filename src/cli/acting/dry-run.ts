import type { ActionItem, ActionReport, PlanTerms, RecordedAction } from '../../model/action.ts';
import type { Confirmation } from '../../model/display/confirmation.ts';
import { messages } from '../../model/display/counts.ts';
import { Tally } from '../../model/display/tally.ts';
import { VERBS } from '../../model/display/verbs.ts';
import { actionSources, type SourcePart } from '../../model/operations/parts.ts';
import type { Context } from '../context.ts';
import { itemReporter } from '../outputs/items.ts';

/**
 * Prints what would be done, and changes nothing.
 * @param more lines to be shown after the confirmation's own, escaped
 * @param plan what it was asked beside the messages, for `--plan`; null where it is no plan
 * @param parts how the sources were looked through; left out where that isn't told of each
 */
export function showDryRun(
  action: RecordedAction,
  items: Iterable<ActionItem>,
  { doable, lines }: Pick<Confirmation, 'doable' | 'lines'>,
  more: readonly string[],
  plan: PlanTerms | null,
  { terminal, global }: Pick<Context, 'terminal' | 'global'>,
  parts?: readonly SourcePart[],
): Omit<ActionReport, 'items'> {
  const tally = new Tally();
  const reporter = itemReporter(global.output, action, terminal, () => {
    terminal.write(`${VERBS[action].planned} ${messages(doable)}; nothing was changed.\n`);
    for (const line of [...lines, ...more]) terminal.write(`${line}\n`);
  });
  for (const item of items) {
    tally.add(item);
    reporter.item(item);
  }
  const sources = parts && { sources: actionSources(parts) };
  const report = { action, run: null, dry_run: true, ...(plan !== null && { plan }), ...tally.counts, ...sources };
  // Of nothing a person is told by the error that follows.
  if (tally.counts.matched > 0 || global.output !== 'table') reporter.end(report);
  return report;
}
