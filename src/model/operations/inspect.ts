import { redactFailure } from '../display/redact.ts';
import { type BabelqError, EXIT } from '../errors.ts';
import { STATES, type WholeFailure } from '../failure.ts';
import { IdSearch, notFound, wantedId } from '../ids.ts';
import type { Journal, LogEntry, ReadProgress, Source } from '../ports.ts';
import { DISMISSED, sayNoJournal } from './no-journal.ts';
import { type SourceReport, survey, unseenOf } from './survey.ts';

export interface HistoryEntry {
  run: string;
  action: LogEntry['action'];
  outcome: LogEntry['outcome'];
  at: string;
  by: string;
  note: string | null;
}

export type InspectedFailure = WholeFailure & { history: HistoryEntry[] };

export interface InspectRequest {
  sources: readonly Source[];
  ids: readonly string[];
  journal: Journal;
  redact: readonly string[];
  allowReceive: boolean;
  signal: AbortSignal;
  onProgress?: (progress: ReadProgress) => void;
}

export interface Inspected {
  failures: InspectedFailure[];
  /** The error for ids that fit nothing, where others were found. */
  missing: BabelqError | null;
  sources: SourceReport[];
}

/**
 * Everything known of the messages named, with what the journal says was done to them. Looking never changes anything.
 * @throws BabelqError `ambiguous_id`, `nothing_matched`; Interrupted
 */
export async function inspect(request: InspectRequest): Promise<Inspected> {
  const names = request.sources.map(({ name }) => name);
  const search = new IdSearch<WholeFailure>(request.ids.map((id) => wantedId(id, names)));
  const surveyed = await survey(
    {
      sources: search.among(request.sources),
      states: new Set(STATES),
      nativeIdPrefixes: (source) => search.prefixesFor(source),
      allowReceive: request.allowReceive,
      signal: request.signal,
      ...(request.onProgress && { onProgress: request.onProgress }),
    },
    (failure) => {
      search.meet(failure, () => failure);
      return { listed: false, next: search.satisfied ? 'enough' : 'more' };
    },
  );
  const results = search.end(null);
  const found = results.flatMap(({ found }) => (found === undefined ? [] : [found.value]));
  const lost = results.flatMap(({ wanted, found }) => (found === undefined ? [wanted.text] : []));
  const failing = surveyed.find(({ error }) => error !== null);
  if (found.length === 0 && failing?.error) throw failing.error;
  const missing =
    lost.length === 0
      ? null
      : notFound('message', lost, {
          sources: names,
          unseen: surveyed.flatMap((one) => unseenOf(one) ?? []),
          noJournal: await sayNoJournal(request.journal, DISMISSED),
          exit: found.length === 0 ? EXIT.nothingMatched : EXIT.couldNot,
        });
  if (found.length === 0 && missing !== null) throw missing;
  const failures = await Promise.all(
    found.map(async (failure) => ({
      ...redactFailure(failure, request.redact),
      history: await historyOf(request.journal, failure.id),
    })),
  );
  return { failures, missing, sources: surveyed.map(({ report }) => report) };
}

/** What the journal says was done to a message, newest first. */
export async function historyOf(journal: Journal, id: string): Promise<HistoryEntry[]> {
  const entries = await journal.log({ ids: [id] });
  return entries.map(({ run, action, outcome, at, by, note }) => ({ run, action, outcome, at, by, note }));
}
