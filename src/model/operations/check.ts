import { BabelqError, EXIT } from '../errors.ts';
import { type State, timeOf, type WholeFailure } from '../failure.ts';
import { type Filter, looksInside, matches } from '../filter.ts';
import type { Clock, ReadProgress, Source, SourceFacts } from '../ports.ts';
import { facts } from './facts.ts';
import { noteOf, survey } from './survey.ts';

export interface CheckRequest {
  sources: readonly Source[];
  filter: Filter;
  /** Only failures at least so old (ms), by `failed_at`, else `sent_at`. */
  olderThan: number | null;
  /** Only failures that will be deleted within so long (ms). */
  expiresWithin: number | null;
  /** How many may match before it is an alarm. */
  max: number;
  allowReceive: boolean;
  clock: Clock;
  signal: AbortSignal;
  onProgress?: (progress: ReadProgress) => void;
}

export interface CheckedSource {
  name: string;
  kind: Source['kind'];
  /** Null where it couldn't be asked. */
  matched: number | null;
  /** Null where nothing was read: only the messages themselves have reasons. */
  by_reason: Record<string, number> | null;
  /** Whether all of it was seen; null where nothing was read, and the count is SQS's own, an approximate one. */
  complete: boolean | null;
  note: string | null;
  error: string | null;
}

export interface Checked {
  matched: number;
  /** Most first; null where nothing was read. */
  by_reason: Record<string, number> | null;
  max: number;
  /** Whether the messages were read, where on SQS each look counts as a receive; else only counts were asked for. */
  read: boolean;
  sources: CheckedSource[];
}

/** Whether a check has to read the messages: it asks for something that counts can't tell. */
export function checkReads({
  filter,
  olderThan,
  expiresWithin,
}: Pick<CheckRequest, 'filter' | 'olderThan' | 'expiresWithin'>): boolean {
  return looksInside(filter) || olderThan !== null || expiresWithin !== null;
}

/**
 * Counts the failures that match: by asking for counts where that is enough, else by reading. What isn't known doesn't
 * match: a failure without a time is not older than anything.
 * @throws Interrupted
 */
export async function check(request: CheckRequest): Promise<Checked> {
  const read = checkReads(request);
  const sources = read
    ? await readThem(request)
    : (await facts(request.sources, request.signal)).map(countedIn(request.filter.states));
  return {
    matched: sources.reduce((sum, { matched }) => sum + (matched ?? 0), 0),
    by_reason: read ? added(sources.map(({ by_reason }) => by_reason ?? {})) : null,
    max: request.max,
    read,
    sources,
  };
}

/**
 * The exit code of a check: 5 where more match than may, whatever else went wrong.
 * @throws BabelqError `not_all_seen` where no more were seen than may be, but not everything could be looked at: then
 *   nobody knows
 */
export function exitOfCheck({ matched, max, sources }: Checked): number {
  if (matched > max) return EXIT.failuresMatch;
  if (sources.some(({ error }) => error !== null)) return EXIT.couldNot;
  const unseen = sources.filter(({ complete }) => complete === false).map(({ name }) => name);
  if (unseen.length === 0) return EXIT.done;
  throw new BabelqError(
    'not_all_seen',
    `Not all of ${unseen.join(', ')} could be seen, so more than ${max} may match.`,
    {
      hint: 'Check again when nobody else is reading; without filters babelq check asks for counts alone.',
    },
  );
}

async function readThem(request: CheckRequest): Promise<CheckedSource[]> {
  const { filter, olderThan, expiresWithin, clock } = request;
  const now = clock.now();
  const reasons = new Map<string, Map<string, number>>(request.sources.map(({ name }) => [name, new Map()]));
  const surveyed = await survey({ ...request, states: filter.states }, (failure, source) => {
    const listed =
      matches(filter, failure, now) &&
      (olderThan === null || isOlder(failure, now - olderThan)) &&
      (expiresWithin === null || expiresBy(failure, now + expiresWithin));
    if (listed) {
      const counts = reasons.get(source.name);
      counts?.set(failure.reason, (counts.get(failure.reason) ?? 0) + 1);
    }
    return { listed, next: 'more' };
  });
  return surveyed.map((one) => {
    const { name, kind, listed, complete, error } = one.report;
    const known = error === null;
    return {
      name,
      kind,
      matched: known ? listed : null,
      by_reason: known ? mostFirst(reasons.get(name) ?? new Map()) : null,
      complete: known ? complete : null,
      note: noteOf(one),
      error,
    };
  });
}

function isOlder(failure: WholeFailure, than: number): boolean {
  return Date.parse(timeOf(failure) ?? '') <= than;
}

function expiresBy({ expires_at }: WholeFailure, time: number): boolean {
  return Date.parse(expires_at ?? '') <= time;
}

/**
 * A source's failures by its counts alone. On SQS all that lies on the queue is failed, also what somebody has in flight
 * and what is delayed; jadpo's `visible` are the failed rows and its `in_flight` the pending ones.
 */
function countedIn(states: ReadonlySet<State>): (facts: SourceFacts) => CheckedSource {
  return ({ name, kind, visible, in_flight, delayed, error }) => {
    const parts: (number | null)[] = [];
    if (states.has('failed')) parts.push(visible);
    if (states.has('failed') && kind === 'sqs') parts.push(in_flight, delayed);
    if (states.has('pending') && kind === 'jadpo') parts.push(in_flight);
    const known = error === null && parts.every((part) => part !== null);
    return {
      name,
      kind,
      matched: known ? parts.reduce<number>((sum, part) => sum + (part ?? 0), 0) : null,
      by_reason: null,
      complete: null,
      note: null,
      error: error ?? (known ? null : 'Its counts are not known.'),
    };
  };
}

function added(all: readonly Record<string, number>[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const counts of all) {
    for (const [reason, count] of Object.entries(counts)) sums.set(reason, (sums.get(reason) ?? 0) + count);
  }
  return mostFirst(sums);
}

/** From entries, so that a reason named `__proto__` is a member like any other. */
function mostFirst(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
}
