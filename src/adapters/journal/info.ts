import type { JournalInfo, UnfinishedRun } from '../../model/journal-care.ts';

/** What a database counts of its journal. Times are milliseconds since the epoch. */
export interface JournalFacts {
  runs: number;
  entries: number;
  first: number | null;
  last: number | null;
  /** Runs that are alive, or left something without a known end; the newest first. */
  open: (Omit<UnfinishedRun, 'started_at' | 'last_heard_at'> & { started_at: number; last_heard_at: number })[];
  archive: { messages: number; oldest: number | null; next: number | null; originals: number };
}

type Told = Pick<JournalInfo, 'runs' | 'entries' | 'first_at' | 'last_at' | 'unfinished' | 'archive'>;

const NOTHING: JournalFacts = {
  runs: 0,
  entries: 0,
  first: null,
  last: null,
  open: [],
  archive: { messages: 0, oldest: null, next: null, originals: 0 },
};

/** What either kind of journal tells of itself; null for one that isn't there. */
export function tell(facts: JournalFacts | null): Told {
  const { runs, entries, first, last, open, archive } = facts ?? NOTHING;
  return {
    runs,
    entries,
    first_at: isoOf(first),
    last_at: isoOf(last),
    unfinished: {
      entries: open.reduce((sum, run) => sum + run.entries, 0),
      runs: open.map(({ started_at, last_heard_at, ...run }) => ({
        ...run,
        started_at: new Date(started_at).toISOString(),
        last_heard_at: new Date(last_heard_at).toISOString(),
      })),
    },
    archive: {
      messages: archive.messages,
      oldest_at: isoOf(archive.oldest),
      next_deleted_at: isoOf(archive.next),
      originals: archive.originals,
    },
  };
}

function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
