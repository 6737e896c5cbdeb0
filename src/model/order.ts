import { type Failure, timeOf } from './failure.ts';

/**
 * The order of every listing, whatever its output: what hurts most comes first.
 *
 * Failures with a known expiry come before those that nothing will delete, soonest first; then the newest by its time
 * (`failed_at`, else `sent_at`), those without one last; then by id, in code units. So the order is total, and the same
 * failures stand in the same order whenever they are listed and whichever source answered first.
 */
export function byUrgency(a: Failure, b: Failure): number {
  return (
    ascending(timeIn(a.expires_at, Number.POSITIVE_INFINITY), timeIn(b.expires_at, Number.POSITIVE_INFINITY)) ||
    newestFirst(a, b)
  );
}

/** Newest first by `failed_at`, else `sent_at`, those without one last; then by id. Total. */
export function newestFirst(a: Failure, b: Failure): number {
  return (
    ascending(timeIn(timeOf(b), Number.NEGATIVE_INFINITY), timeIn(timeOf(a), Number.NEGATIVE_INFINITY)) ||
    ascending(a.id, b.id)
  );
}

function timeIn(iso: string | null, unknown: number): number {
  const time = Date.parse(iso ?? '');
  return Number.isNaN(time) ? unknown : time;
}

function ascending<T extends number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
