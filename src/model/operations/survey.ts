import { ofAbout } from '../display/counts.ts';
import { sayAllInFlight } from '../display/in-flight.ts';
import { asBabelqError, type BabelqError, Interrupted, withHint } from '../errors.ts';
import type { State, WholeFailure } from '../failure.ts';
import type { Unseen } from '../ids.ts';
import type { Aside, ReadProgress, ReadRequest, ReadResult, Source } from '../ports.ts';

/** How one source's part of a listing went. The `sources` member of the documents. */
export interface SourceReport {
  name: string;
  kind: Source['kind'];
  /** How many of its failures are in the listing. */
  listed: number;
  about: number | null;
  complete: boolean;
  note: string | null;
  error: string | null;
}

/** A source's report with what the caller needs beside the document. */
export interface Surveyed {
  report: SourceReport;
  seen: number;
  allInFlight: ReadResult['allInFlight'];
  error: BabelqError | null;
}

export interface SurveyRequest {
  sources: readonly Source[];
  states: ReadonlySet<State>;
  nativeIdPrefixes?: (source: string) => string[];
  allowReceive: boolean;
  edited?: boolean;
  to?: string;
  signal: AbortSignal;
  onProgress?: (progress: ReadProgress) => void;
}

/** What became of one message that went by: counted into the listing or not, and whether more are wanted. */
export interface Taken {
  listed: boolean;
  next: 'more' | 'enough';
}

/**
 * Reads all sources side by side and hands every message to `take`. A source that can't be read is reported with its
 * error and hides no other.
 * @throws BabelqError `usage` where what was typed can't be meant for a source; Interrupted when the signal aborted, after everything held was given back
 */
export async function survey(
  request: SurveyRequest,
  take: (failure: WholeFailure, source: Source, aside?: Aside) => Taken,
): Promise<Surveyed[]> {
  const surveyed = await Promise.all(request.sources.map((source) => surveyOne(request, source, take)));
  if (request.signal.aborted) throw new Interrupted();
  return surveyed;
}

async function surveyOne(
  request: SurveyRequest,
  source: Source,
  take: (failure: WholeFailure, source: Source, aside?: Aside) => Taken,
): Promise<Surveyed> {
  const report: SourceReport = {
    name: source.name,
    kind: source.kind,
    listed: 0,
    about: null,
    complete: false,
    note: null,
    error: null,
  };
  const read: ReadRequest = { states: request.states, allowReceive: request.allowReceive, signal: request.signal };
  if (request.nativeIdPrefixes) read.nativeIdPrefixes = request.nativeIdPrefixes(source.name);
  if (request.edited) read.edited = true;
  if (request.to !== undefined) read.to = request.to;
  if (request.onProgress) read.onProgress = request.onProgress;
  try {
    const result = await source.read(read, (failure, aside) => {
      const { listed, next } = take(failure, source, aside);
      if (listed) report.listed += 1;
      return next;
    });
    report.about = result.about;
    report.complete = result.complete;
    report.note = result.note;
    return { report, seen: result.seen, allInFlight: result.allInFlight, error: null };
  } catch (thrown) {
    if (thrown instanceof Interrupted) return { report, seen: 0, allInFlight: null, error: null };
    const error = asBabelqError(thrown, source.name);
    // No source's trouble, but a mistake of who typed it.
    if (error.code === 'usage') throw error;
    report.error = withHint(error);
    return { report, seen: 0, allInFlight: null, error };
  }
}

/** Why a source wasn't seen whole, as far as that is known; undefined where it was. */
export function unseenOf({ report, allInFlight, error }: Omit<Surveyed, 'seen'>): Unseen | undefined {
  if (error === null && allInFlight === null && report.complete) return undefined;
  const why = error?.message ?? (allInFlight === null ? report.note : sayAllInFlight(allInFlight));
  return { name: report.name, why };
}

/** What a listing says of a source: how much was looked at where that isn't what is listed (`scanned 400 of about 12,000`), and its own note. */
export function noteOf({ report, seen, allInFlight }: Surveyed): string | null {
  const parts = [allInFlight === null ? scanned(report, seen) : sayAllInFlight(allInFlight), report.note];
  const said = parts.filter((part) => part !== null);
  return said.length === 0 ? null : said.join('; ');
}

function scanned({ complete, error, listed, about }: SourceReport, seen: number): string | null {
  if (complete || error !== null || (seen === listed && seen === about)) return null;
  return `scanned ${ofAbout(seen, about)}`;
}
