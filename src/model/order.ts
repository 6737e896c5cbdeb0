import { type Failure, timeOf } from './failure.ts';

/**
 * The order of every listing, whatever its output: what hurts most comes first.
 *
 * Failures with a known expiry come before those that nothing will delete, soonest first; then the newest by its time
 * (`failed_at`, else `sent_at`), those without one last; then by id, in code units. So the order is total, and the same
 * failures stand in the same order whenever they are listed and whichever source answered first.
 */
export function byUrgency(a: Failure, b: Failure): number {
  return ascending(a.expires_at ?? LATEST, b.expires_at ?? LATEST) || newestFirst(a, b);
}

type Dated = Pick<Failure, 'id' | 'failed_at' | 'sent_at'>;

/** Newest first by `failed_at`, else `sent_at`, those without one last; then by id. Total. */
export function newestFirst(a: Dated, b: Dated): number {
  return ascending(timeOf(b) ?? EARLIEST, timeOf(a) ?? EARLIEST) || ascending(a.id, b.id);
}

/** A failure's times are ISO 8601 in UTC with milliseconds: as texts they stand in the order of time, and need no parsing. */
const EARLIEST = '';
const LATEST = '\uffff';

function ascending(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
