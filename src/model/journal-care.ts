import type { RecordedAction } from './action.ts';
import { BabelqError } from './errors.ts';

/** The journal as somebody sees it who looks after it, and not after messages. Times are ISO 8601, UTC. */
export interface JournalInfo {
  kind: 'sqlite' | 'postgres';
  /** Where it lies; of a URL without its password. */
  location: string;
  /** False where nothing was ever written there; then all that follows is 0, empty or null. */
  exists: boolean;
  schema_version: number | null;
  /** On its disk, everything that belongs to it. */
  size_bytes: number | null;
  /** Of that, what was freed and will be used again; null where that isn't known. */
  reusable_bytes: number | null;
  runs: number;
  entries: number;
  first_at: string | null;
  last_at: string | null;
  unfinished: { entries: number; runs: UnfinishedRun[] };
  archive: {
    /** Dismissed messages that can be restored. */
    messages: number;
    oldest_at: string | null;
    /** When the first of them will be deleted. */
    next_deleted_at: string | null;
    /** Originals of what was sent edited. */
    originals: number;
  };
}

/** A run that is under way, or that left something without a known end. */
export interface UnfinishedRun {
  run: string;
  action: RecordedAction;
  by: string;
  started_at: string;
  last_heard_at: string;
  /** Whether it is under way: not ended, and heard of within a minute. */
  alive: boolean;
  /** How many of its entries have no known end. */
  entries: number;
}

/** What `prune` may take. Messages past their time it always takes. */
export interface PruneScope {
  /** Milliseconds since the epoch: what was done before; null for nothing but what is past its time. */
  before: number | null;
  /** Also dismissed messages and edited originals that are inside their thirty days. */
  archived: boolean;
  /** Also what never came to a known end, of runs that are dead. */
  unfinished: boolean;
}

export interface PruneCount {
  /** Messages past their thirty days. */
  expired: number;
  /** Messages inside their thirty days, which could still be restored. */
  archived: number;
  /** Entries without a known end. */
  unfinished: number;
  /** Entries of the log that came to their end. */
  entries: number;
  /** Runs of which nothing is left by that. */
  runs: number;
}

export interface BackupReport {
  /** The file that was written. */
  file: string;
  size_bytes: number;
  schema_version: number;
  runs: number;
  entries: number;
  /** Messages in the archive, and of what isn't finished. */
  messages: number;
}

/**
 * For how long entries keep a message from being sent or imported twice, and an archived one its place: nothing of the log
 * that is younger is pruned. SQS keeps no message for longer than fourteen days.
 */
export const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Looking after a journal. Opening it does no I/O. Every method throws BabelqError `journal`. */
export interface JournalCare {
  info(): Promise<JournalInfo>;
  /** Makes it where it isn't there, or brings it up to date. */
  create(): Promise<JournalInfo>;
  /** What a prune would take now. */
  prunable(scope: PruneScope): Promise<PruneCount>;
  /**
   * Takes it, in one transaction.
   * @param agreed what was shown: where more is archived or unfinished than that by now, nothing is taken
   * @throws BabelqError `refused`
   */
  prune(scope: PruneScope, agreed: PruneCount): Promise<PruneCount>;
  /**
   * Copies the journal as it is at one moment into a new file (0600), while others may write.
   * @param path absolute
   * @param replace writes over a file that is there
   * @throws BabelqError `refused` where there is one
   */
  backup(path: string, replace: boolean): Promise<BackupReport>;
  close(): Promise<void>;
}

export function nothingPrunable(): PruneCount {
  return { expired: 0, archived: 0, unfinished: 0, entries: 0, runs: 0 };
}

/** Entries that began before this are out of use. Milliseconds since the epoch; null where no entry is to be taken. */
export function entriesBefore({ before }: PruneScope, now: number): number | null {
  return before === null ? null : Math.min(before, now - KEPT_MS);
}

/** @throws BabelqError `refused` where more of what can't be had back would be taken than was agreed to */
export function refuseMore(count: PruneCount, agreed: PruneCount): void {
  if (count.archived <= agreed.archived && count.unfinished <= agreed.unfinished) return;
  throw new BabelqError('refused', 'More would be removed than was agreed to, so nothing was.', {
    hint: 'Something was dismissed or ended meanwhile: run the command again.',
  });
}
