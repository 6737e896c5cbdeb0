import type { ActionReport, RecordedAction } from '../action.ts';
import { sayCount } from '../display/counts.ts';
import { BabelqError, EXIT } from '../errors.ts';
import type { AllInFlight } from '../ports.ts';
import type { SourcePart } from './parts.ts';

/**
 * The exit code of what was planned or done (README, exit codes).
 * @throws BabelqError `nothing_matched`, or `all_in_flight` where everything is hidden by somebody
 */
export function exitOf(report: Omit<ActionReport, 'items' | 'run'>, sources: readonly SourcePart[]): number {
  const troubled = sources.some(({ error }) => error !== null);
  if (report.matched === 0 && !troubled) throw nothingWas(sources, 'changed', report.action);
  if (report.dry_run) return troubled ? EXIT.couldNot : EXIT.done;
  const changed = report.done > 0 || report.uncertain > 0;
  const short = troubled || report.skipped > 0 || report.failed > 0 || report.uncertain > 0;
  if (!short) return EXIT.done;
  return changed ? EXIT.partly : EXIT.couldNot;
}

/**
 * The error for an action that matched nothing: `nothing_matched`, or `all_in_flight` where everything is hidden by somebody.
 * @param what `changed`, or `exported`
 */
export function nothingWas(
  sources: readonly Pick<SourcePart, 'name' | 'allInFlight'>[],
  what: 'changed' | 'exported',
  action?: RecordedAction,
): BabelqError {
  const hidden = sources.find(({ allInFlight }) => allInFlight !== null);
  if (hidden?.allInFlight) return hiddenByOthers(hidden.allInFlight, hidden.name);
  return new BabelqError('nothing_matched', `Nothing matched; nothing was ${what}.`, {
    hint:
      action === 'restore'
        ? 'babelq deliveries --state dismissed lists what can be restored; here --since and --before go by when that was.'
        : 'babelq deliveries lists what is there.',
  });
}

/** The error for a source of which nothing was seen, since everything is hidden by somebody. */
export function hiddenByOthers({ count, retryInSeconds }: AllInFlight, source: string): BabelqError {
  return new BabelqError('all_in_flight', `0 seen, ${sayCount(count)} in flight: somebody else has them.`, {
    hint: `Try again in ${retryInSeconds} s.`,
    source,
  });
}
