import type { Action, ActionItem, Counts, RecordedAction } from './action.ts';
import type { Budget, Pace } from './budget.ts';
import type { JournalDiagnosis, SourceDiagnosis } from './doctor/diagnosis.ts';
import type { BodyEdit } from './edit.ts';
import type { BabelqError } from './errors.ts';
import type { ImportedMessage } from './export-line.ts';
import type { State, WholeFailure } from './failure.ts';
import type { RememberedFacts, SqsMessage } from './sqs-message.ts';

/** Time, so that a simulator can own it. Milliseconds since the epoch. */
export interface Clock {
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts (it never rejects). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** What a source is and holds, asked for without reading a message. `sources` prints it. */
export interface SourceFacts {
  name: string;
  kind: SourceKind;
  /** The dead-letter queue's name, or the table. */
  queue: string;
  fifo: boolean | null;
  visible: number | null;
  in_flight: number | null;
  delayed: number | null;
  retention_seconds: number | null;
  /** The queues whose RedrivePolicy points here; null where that couldn't be asked. */
  redrive_sources: string[] | null;
  error: string | null;
}
export type SourceKind = 'sqs' | 'jadpo';

/** A queue that messages were sent to: what lies there, and what becomes of one that keeps failing. Counts are approximate. */
export interface TargetFacts {
  name: string;
  visible: number;
  in_flight: number;
  delayed: number;
  /** VisibilityTimeout. */
  visibility_seconds: number;
  /** How often a message is received before SQS moves it on; null without a RedrivePolicy. */
  max_receives: number | null;
  /** The queue that SQS moves it to, by name; null without a RedrivePolicy. */
  dead_letter_queue: string | null;
  /** Whether that is this source's dead-letter queue. */
  leads_here: boolean;
}

/** SQS's own task that moves a whole dead-letter queue. */
export interface MoveTask {
  /** What it is cancelled by; null once it doesn't run any more. */
  handle: string | null;
  status: 'RUNNING' | 'COMPLETED' | 'CANCELLING' | 'CANCELLED' | 'FAILED' | 'UNKNOWN';
  /** Null where the task left it to SQS. */
  destination_arn: string | null;
  /** Approximate. */
  moved: number;
  /** As counted at its start; null before it was counted. */
  to_move: number | null;
  /** Why, where it failed. */
  failure: string | null;
  /** Milliseconds since the epoch. */
  started_at: number | null;
}

/** SQS's move tasks on one dead-letter queue. Every method throws BabelqError. */
export interface MoveTasks {
  /** The newest first, ten at most. */
  list(signal: AbortSignal): Promise<MoveTask[]>;
  /** The ARN of a queue by name, or as `--to` gives it. @throws BabelqError `no_queue` */
  arnOf(queue: string, signal: AbortSignal): Promise<{ name: string; arn: string; fifo: boolean }>;
  /**
   * Starts one; the answer is its handle. Null where the answer was lost: it may have been started.
   * @param rate messages a second, 1 to 500; null for as SQS likes
   */
  start(destinationArn: string, rate: number | null): Promise<string | null>;
  cancel(handle: string): Promise<void>;
}

export interface ReadRequest {
  states: ReadonlySet<State>;
  /** A hint: only failures whose native id begins with one of these are wanted. A source that can't use it ignores it. */
  nativeIdPrefixes?: readonly string[];
  /** Reads a dead-letter queue that has a RedrivePolicy of its own, where each look counts. */
  allowReceive: boolean;
  /** The originals of what was sent edited, which lie in the archive apart, instead of the states. */
  edited?: boolean;
  /** `--to`, so that a failure's `retry_to` is what a retry would do. */
  to?: string;
  signal: AbortSignal;
  onProgress?: (progress: ReadProgress) => void;
}

/** What a source knows of a message that is no member of its failure. */
export interface Aside {
  /** A run that ended in the middle may have sent it: it would be sent a second time. */
  possibleDouble: boolean;
}

export interface ReadProgress {
  source: string;
  seen: number;
  /** How many the source says it holds; null when not known. */
  about: number | null;
  /** Set while what was held is being made visible again: how many are left. */
  releasing?: number;
}

export interface ReadResult {
  seen: number;
  about: number | null;
  /** True only when the whole source was seen. */
  complete: boolean;
  /** What a person must know about this reading, in one sentence: `only the first ten of each FIFO group can be seen`. */
  note: string | null;
  /** Set when nothing was seen and everything is hidden by somebody. */
  allInFlight: { count: number; retryInSeconds: number } | null;
}

export interface HoldRequest {
  nativeIds: ReadonlySet<string>;
  /** Receives from a dead-letter queue that has a RedrivePolicy of its own, where each look counts. */
  allowReceive: boolean;
  signal: AbortSignal;
  onProgress?: (progress: ReadProgress) => void;
}

/** Messages that are kept hidden from everyone else, by a heartbeat, until they are released. */
export interface Holding {
  /** How many are hidden now: fewer than were asked for where some weren't met, or were lost since. */
  readonly count: number;
  /** Milliseconds since the epoch: SQS makes them visible by then, whatever is done. */
  readonly endsAt: number;
  /** Why not all that were asked for are held, in one sentence; null where all are. */
  readonly note: string | null;
  /** Makes them visible. `stuck`: how many couldn't be, and become visible by themselves. */
  release(): Promise<{ stuck: number }>;
}

/** What was shown of a message, and so agreed to. */
export interface Shown {
  to: string | null;
  state?: State;
  digest?: string;
}

/** Which messages an action takes. */
export type Selection =
  /**
   * Exactly these native ids, each to the target that was shown (null: where the evidence says), and only while it is
   * in the state that was shown (absent: in any that the action takes) and has the body that was shown, by its SHA-256
   * (absent: whatever its body). An SQS message's id is no other's, so its body isn't looked at.
   */
  | { kind: 'ids'; ids: ReadonlyMap<string, Shown> }
  /** What is met that matches and was there at `startedAt`, as far as can be told. */
  | { kind: 'match'; states: ReadonlySet<State>; matches: (failure: WholeFailure) => boolean; startedAt: number };

export interface ActRequest {
  action: Action;
  selection: Selection;
  run: Run;
  /** The queue that `--to` names; a name, URL or ARN. */
  to?: string;
  /** Adds the marker that tells handlers to skip outside effects. */
  bypass: boolean;
  /** Changes the body that a retry sends. The original stays in the archive. */
  edit?: BodyEdit;
  /** `--rate`: shared by all sources of the run; null for as fast as it goes. */
  pace: Pace | null;
  /** `--max`: shared by all sources of the run. Take before a message is acted on, put back what wasn't. */
  budget: Budget;
  allowReceive: boolean;
  signal: AbortSignal;
  /** Called once a message, when its outcome is journaled. Ids of a selection that were not met come at the end, `skipped`. */
  onItem: (item: ActionItem) => void;
  onProgress?: (progress: ActProgress) => void;
}

/** A queue that messages are put on as they were exported, byte for byte. */
export interface Intake {
  /** The queue's name. */
  readonly queue: string;
  /**
   * For each message why it isn't to be put there, in one sentence, or null; in the same order. Looks into the queue where one of
   * them may lie there still; with `again` only for whether the queue takes it.
   * @throws BabelqError `refused` where not all of the queue could be seen; Interrupted
   */
  judge(messages: readonly ImportedMessage[], request: JudgeRequest): Promise<(string | null)[]>;
  put(request: PutRequest): Promise<ActResult>;
}

export interface JudgeRequest {
  /** `--again` */
  again: boolean;
  allowReceive: boolean;
  signal: AbortSignal;
  onProgress?: (progress: ReadProgress) => void;
}

export interface PutRequest extends Pick<ActRequest, 'run' | 'pace' | 'signal' | 'onItem' | 'onProgress'> {
  /** In the order in which they are put. */
  messages: AsyncIterable<ImportedMessage>;
  again: boolean;
}

export interface ActProgress extends Counts {
  source: string;
  seen: number;
  about: number | null;
  releasing?: number;
}

export interface ActResult {
  seen: number;
  complete: boolean;
  note: string | null;
  allInFlight: { count: number; retryInSeconds: number } | null;
  /** True where the signal stopped it: what was begun was finished or journaled, what was held released. */
  interrupted: boolean;
  /** Set where it stopped by itself before the end (the journal became unwritable, the target vanished, too many held). */
  error: BabelqError | null;
}

export interface DiagnoseRequest {
  signal: AbortSignal;
  /** What came of receiving, where somebody asked for that: what no harmless call tells is known by it. */
  received: 'ok' | BabelqError | null;
}

/**
 * One configured place that holds failures. Opening it does no I/O: the first call connects, so that one source's
 * trouble never hides the others. Every method throws BabelqError; reads throw Interrupted when the signal aborts, after
 * what was held has been made visible again.
 */
export interface Source {
  readonly name: string;
  readonly kind: SourceKind;
  /** The dead-letter queue's name, or the table's, as configured. */
  readonly heldIn: string;
  facts(signal: AbortSignal): Promise<SourceFacts>;
  /** Hands each message once to `visit`, which answers whether it wants more. Gives everything back before it returns. */
  read(request: ReadRequest, visit: (failure: WholeFailure, aside?: Aside) => 'more' | 'enough'): Promise<ReadResult>;
  act(request: ActRequest): Promise<ActResult>;
  /**
   * What is known of the queues that a retry's items name as `to`, in the same order; one that can't be asked says why.
   * Empty for a source whose messages stay where they are.
   * @param to `--to` of that retry
   */
  targets(
    names: readonly string[],
    request: { to?: string; signal: AbortSignal },
  ): Promise<(TargetFacts | { name: string; error: string })[]>;
  /**
   * Where `--to`, else the configuration, leads, in words, where that isn't the source's own account, region and server:
   * `account 210987654321, eu-west-1`. Null where it is, and before the source was read.
   */
  elsewhere?(to: string | null): string | null;
  /** Null for a source that has no such thing. */
  readonly moveTasks: MoveTasks | null;
  /**
   * A queue of this source's service that messages can be put on from a file: its dead-letter queue, or the one that `to`
   * names, by name, URL or ARN. Absent where nothing can be put.
   */
  intake?(to: string | null): Promise<Intake>;
  /**
   * Receives these messages and keeps them hidden from everyone else; whatever else it receives meanwhile is given back.
   * Absent where nothing can be hidden.
   * @throws BabelqError; Interrupted, after everything was given back
   */
  hold?(request: HoldRequest): Promise<Holding>;
  /**
   * What can be found out about its settings, its permissions and the queues around it by calls that change and receive
   * nothing. Trouble is a part of the answer; it throws only what nobody expects. Absent where nothing can be asked.
   */
  diagnose?(request: DiagnoseRequest): Promise<SourceDiagnosis>;
  /** Where this source's service has a queue of that name; null where it hasn't. Absent for a source without queues. */
  whereIs?(queue: string): Promise<{ where: string; settings: [key: string, value: string][] } | null>;
  /** What is hidden from others right now, and when the last of it becomes visible by itself. */
  held(): { count: number; until: number | null };
  close(): Promise<void>;
}

// --- The journal -----------------------------------------------------------------------------------------------------

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
  startedAt: number;
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

export interface Settlement {
  entry: number;
  state: Exclude<EntryState, 'intended'>;
  newId?: string;
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
    at: number;
    /** The run's heartbeat is fresh: leave it alone. */
    alive: boolean;
  } | null;
  /**
   * The newest entry of this very message that came to its end as `done`. SQS may give out a message after its delete was
   * confirmed; then it must not be sent a second time.
   */
  finished: { entry: number; run: string; action: Action; to: string | null; newId: string | null } | null;
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

export interface LogQuery {
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
  unfinished?: boolean;
  since?: number;
  before?: number;
  by?: string;
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

/** Which part of the archive is asked for: `edited` for the originals of what was sent edited. */
export interface ArchivePage {
  after?: number;
  limit: number;
  nativeIdPrefixes?: readonly string[];
  edited?: boolean;
}

/**
 * babelq's memory: what was begun, what came of it, and what was dismissed. Every promise resolves only when the fact is
 * on disk. Throws BabelqError `journal` where it can't be written, and then nothing was recorded.
 */
export interface Journal {
  /** Where it lies, for messages. */
  readonly location: string;
  begin(start: RunStart): Promise<Run>;
  /** Says that the run is alive; a run unheard of for 60 s counts as dead. */
  beat(run: Run): Promise<void>;
  end(run: Run, how: 'finished' | 'interrupted' | 'stopped'): Promise<void>;

  /**
   * Records intents with their messages; the entries' numbers come back in the same order. Null, and nothing recorded,
   * where a run that is alive is at that very message, where somebody has begun something with it since it was recalled
   * (`last`), where what was to be restored has left the archive meanwhile, or what is imported was put there already: leave it alone. Earlier unfinished entries of the same message become `void`.
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
  close(): Promise<void>;
}
