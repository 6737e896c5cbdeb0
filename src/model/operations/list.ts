import { redactFailure } from '../display/redact.ts';
import type { Failure, WholeFailure } from '../failure.ts';
import { withoutBody } from '../failure.ts';
import { type Filter, matches } from '../filter.ts';
import { byUrgency } from '../order.ts';
import type { Clock, ReadProgress, Source } from '../ports.ts';
import { finishBeside, sortInSteps } from '../steps.ts';
import { noteOf, type SourceReport, survey } from './survey.ts';

/** How many failures a source lists unless `--limit` says otherwise. */
export const LISTING_LIMIT = 1000;

export interface ListRequest {
  sources: readonly Source[];
  filter: Filter;
  /** How many that match are listed of each source; `all` for no bound. */
  limit: number | 'all';
  withBody: boolean;
  /** The configuration's `redact` paths. */
  redact: readonly string[];
  allowReceive: boolean;
  clock: Clock;
  signal: AbortSignal;
  onProgress?: (progress: ReadProgress) => void;
  /** Given where somebody waits beside: resolves when others had their turn. */
  breathe?: () => Promise<void>;
}

export interface Listing {
  /** What hurts most first. */
  failures: (Failure | WholeFailure)[];
  sources: SourceReport[];
}

/**
 * Lists the failures that match, of all sources. It changes nothing, and holds nothing once it is back.
 * @throws Interrupted
 */
export async function list(request: ListRequest): Promise<Listing> {
  const { filter, clock, redact } = request;
  const now = clock.now();
  const limit = request.limit === 'all' ? Number.POSITIVE_INFINITY : request.limit;
  const failures: (Failure | WholeFailure)[] = [];
  const counts = new Map<string, number>();
  const surveyed = await survey({ ...request, states: filter.states }, (failure, source) => {
    const count = counts.get(source.name) ?? 0;
    if (count >= limit) return { listed: false, next: 'enough' };
    if (!matches(filter, failure, now)) return { listed: false, next: 'more' };
    const shown = redactFailure(failure, redact);
    failures.push(request.withBody ? shown : withoutBody(shown));
    counts.set(source.name, count + 1);
    // One more than the limit isn't read on purpose: `complete` says whether the source ended here.
    return { listed: true, next: count + 1 >= limit ? 'enough' : 'more' };
  });
  const { breathe } = request;
  const sorted =
    breathe === undefined ? failures.sort(byUrgency) : await finishBeside(sortInSteps(failures, byUrgency), breathe);
  const sources = surveyed.map((one) => ({ ...one.report, note: noteOf(one) }));
  return { failures: sorted, sources };
}
