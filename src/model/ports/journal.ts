import type { Action, RecordedAction } from '../action.ts';
import type { JournalDiagnosis } from '../doctor/diagnosis.ts';
import type { RememberedFacts, SqsMessage } from '../sqs-message.ts';

/**
 * babelq's memory: what was begun, what came of it, and what was dismissed. Every promise resolves only when the fact is
 * on disk. Throws BabelqError `journal` where it can't be written, and then nothing was recorded.
 */
export interface Journal {
  /** Where it lies, for messages. */
  readonly location: string;
  /** Begins a run, which is alive from then on. Makes the journal where it isn't there; lets go of what the archive has kept its time. */
  begin(start: RunStart): Promise<Run>;
  /** Says that the run is alive; a run unheard of for 60 s counts as dead. */
  beat(run: Run): Promise<void>;
  end(run: Run, how: 'finished' | 'interrupted' | 'stopped'): Promise<void>;

  /**
   * Records intents with their messages; the entries' numbers come back in the same order. Null, and nothing recorded,
   * where a run that is alive is at that very message, where somebody has begun something with it since it was recalled
   * (`last`), where what was to be restored has left the archive meanwhile, or what is imported was put there already: leave it
   * alone. Earlier unfinished entries of the same message become `void`.
   */
  intend(run: Run, intents: readonly Intent[]): Promise<(number | null)[]>;
  /** Records what became of entries. A retried message's body is dropped once it is `done`, unless it was edited; a digest stays. */
  settle(settlements: readonly Settlement[]): Promise<void>;
  /** What is known of messages met on a place, in the same order. Does not create a journal that isn't there. */
  recall(
    place: string,
    messages: readonly { nativeId: string; identity: string }[],
    run: Run | null,
  ): Promise<Recollection[]>;

  /**
   * The archive of a place, oldest first, in pages: pass the last page's `next`.
   * @param page.edited the originals of what was sent edited, instead of what was dismissed
   */
  archived(place: string, page: ArchivePage): Promise<{ messages: ArchivedMessage[]; next: number | null }>;
  countArchived(place: string): Promise<number>;

  /** What a run has retried, as far as that is confirmed, in the order it was begun. */
  sent(run: Run): Promise<SentMessage[]>;
  /** Which messages were put on a place from a file, or may have been; the newest, in the same order. */
  imported(place: string, nativeIds: readonly string[]): Promise<(ImportedEntry | null)[]>;

  /** Newest first. */
  log(query: LogQuery): Promise<LogEntry[]>;
  /** Where it lies and whether it could be written; found out without writing, making or mending anything. */
  diagnose?(): Promise<JournalDiagnosis>;
  /** Waits for what was begun, then lets go of the database. Calls after that throw. */
  close(): Promise<void>;
}

/** What a run is begun with. */
export interface RunStart {
  action: RecordedAction;
  /** Who: `$BABELQ_OPERATOR`, else user@host. */
  by: string;
  /** Why, as the person gave it. */
  note: string | null;
  /** What was asked, in words. */
  asked: string;
}

/** A run that is alive as long as its heartbeat is fresh. */
export interface Run extends RunStart {
  id: string;
  /** Milliseconds since the epoch, by the journal's clock. */
  startedAt: number;
  /** The newest entry when it began; 0 where there was none. What is newer came later, whatever a clock says. */
  newest: number;
}

/**
 * `intended` and `uncertain`: whether it was sent isn't known. `sent`: sent, its delete not confirmed. `done`, `failed`:
 * finished. `void`: overtaken by a later entry. For a dismissal `intended` means archived, its delete not confirmed.
 */
export type EntryState = 'intended' | 'uncertain' | 'sent' | 'done' | 'failed' | 'void';

/** What is about to be done to one message; on disk before it is done. */
export interface Intent {
  source: string;
  /** Which queue or table, the same for everyone who configures it by another name: an ARN, or the database's identity. */
  place: string;
  nativeId: string;
  /** What stays the same when it comes back under a new MessageId: meta.id, or the body's digest. */
  identity: string;
  reason: string;
  queue: string | null;
  subject: string | null;
  to: string | null;
  /** The FIFO deduplication id of the send, so that its repeat is dropped. */
  deduplicationId: string | null;
  possibleDouble: boolean;
  /** The whole message, for SQS; null where the store keeps it (jadpo). */
  message: SqsMessage | null;
  /** When SQS took it in and when its queue would have deleted it, for what the archive shows. */
  remembered: RememberedFacts | null;
  /** What is sent was edited: the message is kept as it was, as long as a dismissed one. */
  edited?: boolean;
  /** For a restoration: the archived entry that it restores. */
  restores?: number;
  /** For an import: also where the journal knows that the message was put there before. */
  again?: boolean;
  /** `last` as it was recalled: where somebody has begun something with the message since, this isn't begun. */
  last?: number | null;
}

/** What became of an entry. What is known never becomes less: an end stays an end, and a confirmed send is never doubted again. */
export interface Settlement {
  entry: number;
  state: Exclude<EntryState, 'intended'>;
  /** The MessageId that the send was answered with. */
  newId?: string;
  /** Why, or what else is to be known, in one sentence. */
  detail?: string;
}

/** What the journal knows about a message that was met. */
export interface Recollection {
  /** The newest entry of this very message, however it ended. Give it back with an intent. */
  last: number | null;
  /** An earlier entry for this very message that never came to an end; the newest. */
  unfinished: {
    entry: number;
    run: string;
    action: Action;
    state: 'intended' | 'uncertain' | 'sent';
    to: string | null;
    newId: string | null;
    deduplicationId: string | null;
    /** The run's heartbeat is fresh: leave it alone. */
    alive: boolean;
  } | null;
  /**
   * The newest entry of this very message that came to its end as `done`. SQS may give out a message after its delete was
   * confirmed; then it must not be sent a second time.
   */
  finished: { run: string; action: Action; to: string | null; newId: string | null } | null;
  /** Set where the message was put back by a restoration: the facts it lost by that. */
  remembered: RememberedFacts | null;
  /** The given run has already sent a message with this identity from this place (under another MessageId). */
  sentInRun: boolean;
}

/** That a message was put on a place from a file. */
export interface ImportedEntry {
  run: string;
  /** Null where it isn't known whether it was. */
  newId: string | null;
}

/** A message that was dismissed, or the original of one that was sent edited. Times are milliseconds since the epoch. */
export interface ArchivedMessage {
  entry: number;
  run: string;
  source: string;
  place: string;
  nativeId: string;
  message: SqsMessage;
  remembered: RememberedFacts | null;
  archivedAt: number;
  /** When the archive lets go of it. */
  expiresAt: number;
  /** False where its delete from the queue was never confirmed: it may still lie there too. */
  confirmed: boolean;
}

/** Which part of the archive is asked for: `edited` for the originals of what was sent edited. */
export interface ArchivePage {
  /** The last page's `next`; from the beginning where it is left out. */
  after?: number;
  /** How many messages at most: whole ones, of up to a mebibyte each. */
  limit: number;
  nativeIdPrefixes?: readonly string[];
  edited?: boolean;
}

/** A message that a run sent back to its queue, or made pending; an end is known for it. */
export interface SentMessage {
  source: string;
  /** The MessageId or key that it had. */
  nativeId: string;
  /** See Intent. */
  identity: string;
  queue: string | null;
  to: string | null;
  /** The MessageId that its send was answered with. */
  newId: string | null;
}

/** Which entries of the log; all members together must fit. */
export interface LogQuery {
  /** A run's id, or the start of one. */
  run?: string;
  /** Full ids, `source/native id`. */
  ids?: readonly string[];
  /**
   * Messages as a person names them: ids with or without their source, prefixes that fit one message, or envelopes' own
   * ids. All that was done to each, under whatever ids it had then and got since. Ambiguous prefixes throw `ambiguous_id`.
   */
  story?: readonly string[];
  /** Only of these sources. */
  sources?: readonly string[];
  /** Only what has no end and no run that is alive. */
  unfinished?: boolean;
  /** Not before, and before: milliseconds since the epoch. */
  since?: number;
  before?: number;
  by?: string;
  /** How many at most, the newest. */
  limit?: number;
}

/** One line of the log: what was done to one message, and how it ended. */
export interface LogEntry {
  run: string;
  action: RecordedAction;
  id: string;
  source: string;
  reason: string;
  queue: string | null;
  subject: string | null;
  to: string | null;
  new_id: string | null;
  outcome: 'done' | 'failed' | 'uncertain' | 'under_way' | 'overtaken';
  possible_double: boolean;
  at: string;
  by: string;
  note: string | null;
  detail: string | null;
}
