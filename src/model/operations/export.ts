import { redactFailure } from '../display/redact.ts';
import { type BabelqError, EXIT } from '../errors.ts';
import type { ExportLine } from '../export-line.ts';
import { STATES, type WholeFailure } from '../failure.ts';
import { matches } from '../filter.ts';
import { IdSearch, notFound, wantedId } from '../ids.ts';
import { scanJson } from '../json/scan.ts';
import type { Clock, Journal, ReadProgress, Source } from '../ports.ts';
import type { Asked } from './action-ask.ts';
import { nothingWas } from './exit.ts';
import { DISMISSED, sayNoJournal } from './no-journal.ts';
import { type Surveyed, survey, unseenOf } from './survey.ts';

export interface ExportRequest {
  sources: readonly Source[];
  asked: Asked;
  journal: Journal;
  /** How many that match are taken of each source. */
  limit: number | 'all';
  /** Paths to blank; null to blank nothing. */
  redact: readonly string[] | null;
  /** The originals of what was sent edited. */
  edited: boolean;
  allowReceive: boolean;
  clock: Clock;
  signal: AbortSignal;
  onProgress?: (progress: ReadProgress) => void;
  /** Takes one line as soon as it is known, and answers whether more are wanted: a queue may hold more than fits into memory. */
  onLine: (line: ExportLine) => 'more' | 'enough';
}

export interface Exported {
  count: number;
  /** Bodies that aren't JSON, in which nothing could be blanked though that was asked. */
  notBlanked: number;
  /** The error for ids that fit nothing, where others were exported or a source couldn't be read. */
  missing: BabelqError | null;
  sources: Surveyed[];
}

/**
 * Hands out messages with everything that was stored. Changes nothing, and holds nothing once it is back.
 * @throws BabelqError `ambiguous_id`; `nothing_matched` or `all_in_flight` where nothing was exported; Interrupted
 */
export async function exportMessages(request: ExportRequest): Promise<Exported> {
  const { asked, clock } = request;
  const exported: Exported = { count: 0, notBlanked: 0, missing: null, sources: [] };
  const lost: string[] = [];
  // One time for all: when the export began.
  const exportedAt = new Date(clock.now()).toISOString();
  const take = (failure: WholeFailure): 'more' | 'enough' => {
    exported.count += 1;
    const { redact } = request;
    const shown = redact === null ? failure : redactFailure(failure, redact);
    if (redact !== null && (shown.body === null || scanJson(shown.body) === undefined)) exported.notBlanked += 1;
    return request.onLine({ failure: shown, exported_at: exportedAt, redacted: shown.redacted === true });
  };
  if (asked.kind === 'ids') await exportIds(request, asked.ids, take, exported, lost);
  else {
    const now = clock.now();
    const counts = new Map<string, number>();
    exported.sources = await survey({ ...request, states: asked.filter.states }, (failure, source) => {
      const count = counts.get(source.name) ?? 0;
      if (request.limit !== 'all' && count >= request.limit) return { listed: false, next: 'enough' };
      if (!matches(asked.filter, failure, now)) return { listed: false, next: 'more' };
      counts.set(source.name, count + 1);
      return { listed: true, next: take(failure) };
    });
  }
  const failing = exported.sources.find(({ error }) => error !== null);
  const none = exported.count === 0 && failing === undefined;
  if (lost.length > 0) {
    exported.missing = notFound('message', lost, {
      sources: request.sources.map(({ name }) => name),
      unseen: exported.sources.flatMap((one) => unseenOf(one) ?? []),
      noJournal: await sayNoJournal(request.journal, DISMISSED),
      exit: none ? EXIT.nothingMatched : EXIT.couldNot,
    });
  }
  if (none) {
    if (exported.missing !== null) throw exported.missing;
    throw nothingWas(
      exported.sources.map(({ report, allInFlight }) => ({ name: report.name, allInFlight })),
      'exported',
    );
  }
  return exported;
}

/** Nothing is handed out before all is known: a prefix may turn out to be ambiguous. */
async function exportIds(
  request: ExportRequest,
  ids: readonly string[],
  take: (failure: WholeFailure) => 'more' | 'enough',
  exported: Exported,
  lost: string[],
): Promise<void> {
  const names = request.sources.map(({ name }) => name);
  const search = new IdSearch<WholeFailure>(ids.map((id) => wantedId(id, names)));
  exported.sources = await survey(
    { ...request, states: new Set(STATES), nativeIdPrefixes: (source) => search.prefixesFor(source) },
    (failure) => {
      search.meet(failure, () => failure);
      return { listed: false, next: search.satisfied ? 'enough' : 'more' };
    },
  );
  for (const { wanted, found } of search.end(null)) {
    if (found === undefined) lost.push(wanted.text);
    else if (take(found.value) === 'enough') return;
  }
}
