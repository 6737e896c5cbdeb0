import type { Action, ActionItem, ActionReport } from '../../model/action.ts';
import type { DifferentLine } from '../../model/display/difference.ts';
import type { Finding } from '../../model/doctor/check.ts';
import type { BodyEdit } from '../../model/edit.ts';
import type { WholeFailure } from '../../model/failure.ts';
import type { HistoryEntry } from '../../model/operations/inspect.ts';
import type { SourcePart } from '../../model/operations/parts.ts';
import type { Planned } from '../../model/operations/plan-action.ts';
import type { SourceReport } from '../../model/operations/survey.ts';
import type { Undoable } from '../../model/operations/undo.ts';
import type { WatchProgress } from '../../model/operations/watch.ts';
import type { Watching } from '../../model/options/watching.ts';
import type { Plan } from '../../model/plan.ts';
import type { ActProgress, LogEntry, ReadProgress, SourceFacts } from '../../model/ports.ts';
import type { Forecast } from '../../model/watch/forecast.ts';
import type { Command } from '../keys.ts';
import type { Arrangement } from '../work/arrange.ts';
import type { HoldPart } from './holding.ts';
import type { Asked, Size } from './state.ts';
import type { Terms } from './terms.ts';

/** Something that happened: a key, a tick, an answer. */
export type Event =
  /** `hold`: what is shown is to be held from the start. */
  | { type: 'started'; hold?: boolean }
  /** `at`: when its key was pressed, milliseconds of any clock; left out: long after any other. */
  | { type: 'command'; command: Command; at?: number }
  /** A key that does nothing here. */
  | { type: 'unbound'; at: number }
  /** Text for the line that is being typed. */
  | { type: 'typed'; text: string }
  | { type: 'pasted'; text: string }
  | { type: 'resized'; size: Size }
  | { type: 'ticked'; now: number; held: readonly number[] }
  | { type: 'read_progress'; source: string; reading: number; progress: ReadProgress }
  | { type: 'read'; source: string; reading: number; failures: readonly WholeFailure[]; report: SourceReport }
  /** It is time to read again what costs nothing to read. */
  | { type: 'refreshing' }
  | { type: 'read_stopped'; source: string; reading: number }
  | { type: 'counted'; facts: readonly SourceFacts[] }
  /** `took`: milliseconds of work. */
  | { type: 'arranged'; arrangement: number; result: Arrangement; labels: ReadonlyMap<string, string>; took: number }
  | { type: 'inspected'; id: string; failure: WholeFailure }
  | { type: 'inspect_failed'; id: string; error: string }
  | { type: 'history'; id: string; history: readonly HistoryEntry[] | { error: string } }
  | { type: 'logged'; entries: readonly LogEntry[] | { error: string } }
  /** What is held of a source, as far as it changed. */
  | { type: 'held'; source: string; part: Partial<HoldPart> }
  /** A sentence about work that came to its end by itself. */
  | { type: 'noticed'; notice: string }
  | { type: 'examined'; findings: readonly Finding[] | { error: string } }
  | { type: 'run_logged'; run: string; entries: readonly LogEntry[] | { error: string } }
  | { type: 'story'; id: string; entries: readonly LogEntry[] | { error: string } }
  | { type: 'undo_found'; flow: number; undoable: Undoable | null }
  | { type: 'plan_progress'; flow: number; progress: readonly ReadProgress[] }
  /** `met`: the message itself, where it is the only one and can be retried. */
  | { type: 'planned'; flow: number; planned: Planned; met: WholeFailure | null }
  | { type: 'edited'; flow: number; result: EditResult }
  | { type: 'foretold'; flow: number; watching: Watching; forecast: Forecast }
  | { type: 'act_progress'; flow: number; progress: readonly ActProgress[] }
  | { type: 'watch_progress'; flow: number; progress: WatchProgress }
  | { type: 'acted'; flow: number; outcome: Outcome }
  | { type: 'flow_failed'; flow: number; message: string; hint: string | null };

/** One kind of event. */
export type EventOf<T extends Event['type']> = Extract<Event, { type: T }>;

/** What came of an editor. */
export type EditResult =
  | { kind: 'unchanged' }
  /** `saved`: null where it isn't text. */
  | { kind: 'unsendable'; why: string; saved: string | null }
  /** There is nothing to edit. */
  | { kind: 'impossible'; why: string }
  | {
      kind: 'changed';
      before: string;
      after: string;
      saved: string;
      lines: readonly DifferentLine[];
      warning: string | null;
    };

/** What came of an action. */
export interface Outcome {
  report: Omit<ActionReport, 'items'>;
  parts: readonly SourcePart[];
  interrupted: boolean;
  /** The result in words, first the counts; escaped. */
  lines: readonly string[];
  /** Set where it ended by an error of its own. */
  error: { message: string; hint: string | null } | null;
  /** The messages by how they ended, what hurts most first; none that is empty. */
  sections: readonly Section[];
}

export interface Section {
  kind: 'returned' | 'failed' | 'uncertain' | 'skipped' | 'done';
  /** How many ended so; of very many not all are kept. */
  count: number;
  items: readonly ActionItem[];
}

/** Work to be done for the state, outside of it. */
export type Effect =
  /** Reads the sources named, side by side. */
  | { type: 'read'; sources: readonly { name: string; reading: number }[]; asked: Asked }
  /** Asks for counts alone. */
  | { type: 'count'; sources: readonly string[] | 'all' }
  /** Filters and orders what was read. */
  | { type: 'arrange'; arrangement: number }
  | { type: 'inspect'; id: string }
  | { type: 'history'; id: string }
  | { type: 'log' }
  /** Asks what `babelq doctor` asks; receives nothing. */
  | { type: 'examine' }
  | { type: 'log_run'; run: string }
  | { type: 'story'; id: string }
  | { type: 'find_undo'; flow: number }
  | { type: 'plan'; flow: number; action: Action; ids: readonly string[]; to?: string }
  /** Gives the terminal to the person's editor: for the body of a failure, or once more for what was saved (`text`). */
  | { type: 'edit'; flow: number; failure: WholeFailure | null; text: string | null }
  | { type: 'foretell'; flow: number; plan: Plan; watching: Watching; to?: string }
  | { type: 'carry_out'; flow: number; action: Action; planned: Planned; terms: Terms; edit: BodyEdit | null }
  /** Hides messages of a source from everyone else. */
  | { type: 'hold'; source: string; ids: readonly string[] }
  /** Makes all that is held visible again. */
  | { type: 'let_go' }
  /** Stops the first pass, or the action, of a flow. */
  | { type: 'stop'; flow: number }
  /** Lets go of everything held, finishes what was begun, then ends with the code. */
  | { type: 'leave'; code: number }
  /** Ends with the code at once, and says what stays hidden. */
  | { type: 'leave_now'; code: number };
