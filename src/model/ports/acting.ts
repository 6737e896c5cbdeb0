import type { Action, ActionItem, Counts } from '../action.ts';
import type { Budget, Pace } from '../budget.ts';
import type { BodyEdit } from '../edit.ts';
import type { BabelqError } from '../errors.ts';
import type { State, WholeFailure } from '../failure.ts';
import type { Run } from './journal.ts';
import type { AllInFlight } from './reading.ts';

/** What was shown of a message, and so agreed to. */
export interface Shown {
  /** Where it was to go, as items name it. */
  to: string | null;
  state?: State;
  /** SHA-256 (hex) of its stored body. */
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
  /** What is met that matches and was there at `startedAt` (milliseconds since the epoch), as far as can be told. */
  | { kind: 'match'; states: ReadonlySet<State>; matches: (failure: WholeFailure) => boolean; startedAt: number };

/** What a source is to do, and with which messages. */
export interface ActRequest {
  action: Action;
  selection: Selection;
  /** In whose name the journal records it; whoever began it keeps it alive and ends it. */
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
  /** Receives from a dead-letter queue that has a RedrivePolicy of its own, where each look counts. */
  allowReceive: boolean;
  /** Where it aborts nothing more is begun; what was begun is finished or journaled, and the result says `interrupted`. */
  signal: AbortSignal;
  /** Called once a message, when its outcome is journaled. Ids of a selection that were not met come at the end, `skipped`. */
  onItem: (item: ActionItem) => void;
  onProgress?: (progress: ActProgress) => void;
}

/** Told while a source acts: now and then, not for each message. */
export interface ActProgress extends Counts {
  /** The source's name. */
  source: string;
  /** Messages that were met so far, whether the action takes them or not. */
  seen: number;
  /** How many the source says it holds; null when not known. */
  about: number | null;
  /** Set while what was held is being made visible again: how many are left. */
  releasing?: number;
}

/** How a source's part of an action went; what became of each message was told by `onItem`. */
export interface ActResult {
  /** Messages that were met. */
  seen: number;
  /** True only where nothing can be left that the action takes: all of the source was seen, or all ids were met. */
  complete: boolean;
  /** What a person must know beside the items, in words. */
  note: string | null;
  /** Set when nothing was met and everything is hidden by somebody. */
  allInFlight: AllInFlight | null;
  /** True where the signal stopped it: what was begun was finished or journaled, what was held released. */
  interrupted: boolean;
  /** Set where it stopped by itself before the end (the journal became unwritable, the target vanished, too many held). */
  error: BabelqError | null;
}
