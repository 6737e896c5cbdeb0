import type { Action } from '../../model/action.ts';
import type { Confirmation } from '../../model/display/confirmation.ts';
import type { DifferentLine } from '../../model/display/difference.ts';
import type { BodyEdit } from '../../model/edit.ts';
import type { Planned } from '../../model/operations/plan-action.ts';
import type { WatchProgress } from '../../model/operations/watch.ts';
import type { ActProgress, ReadProgress } from '../../model/ports.ts';
import type { Forecast } from '../../model/watch/forecast.ts';
import type { Scrolling } from './state.ts';
import type { TextLine } from './text-line.ts';

/** Retrying, dismissing or restoring, from the first look to the result. */
export interface Flow extends Scrolling {
  readonly kind: 'flow';
  readonly number: number;
  readonly action: Action;
  readonly ids: readonly string[];
  /** What the confirmation says beside what every confirmation says. */
  readonly remarks: readonly string[];
  readonly options: Options;
  /** The option that is being typed. */
  readonly typing: OptionTyping | null;
  /** Null where the bodies stay as they are. */
  readonly editing: Editing | null;
  /** When (ms) the last key was pressed that may have been typed before the question could be read; null where none was. */
  readonly ahead: number | null;
  readonly phase: Phase;
}

/** What can be asked of an action beside the messages, as it was typed; empty where it wasn't. */
export interface Options extends Readonly<Record<TextOption, string>> {
  readonly bypass: boolean;
}

export type TextOption = 'target' | 'rate' | 'max' | 'canary' | 'wait' | 'note';

export const NO_OPTIONS: Options = { target: '', rate: '', max: '', canary: '', wait: '', note: '', bypass: false };

interface OptionTyping {
  readonly option: TextOption;
  readonly line: TextLine;
  /** Why what was typed can't be taken. */
  readonly error: string | null;
}

/** A body that is changed by hand before it is sent. */
export interface Editing {
  /** Null until it was saved. */
  readonly change: BodyChange | null;
}

export interface BodyChange {
  readonly edit: BodyEdit;
  /** What was saved, to be edited again. */
  readonly saved: string;
  readonly lines: readonly DifferentLine[];
  readonly warning: string | null;
}

export type Phase =
  /** The first pass: what is there, and what can be done. */
  | { readonly name: 'planning'; readonly progress: readonly ReadProgress[] }
  /** The person's own editor has the terminal. */
  | { readonly name: 'editing'; readonly planned: Planned }
  /** What was saved can't be sent. */
  | { readonly name: 'unsendable'; readonly planned: Planned; readonly why: string; readonly saved: string | null }
  | {
      readonly name: 'confirming';
      readonly planned: Planned;
      readonly confirmation: Confirmation;
      /** What a watch will do; null where none is asked for. */
      readonly outlook: Forecast | 'asking' | null;
    }
  | {
      readonly name: 'acting';
      readonly total: number;
      readonly startedAt: number;
      readonly progress: readonly ActProgress[];
      /** What was retried is watched: does it come back? */
      readonly watching: WatchProgress | null;
      readonly stopping: boolean;
    }
  | { readonly name: 'result'; readonly lines: readonly ResultLine[]; readonly undoable: boolean };

export interface ResultLine {
  /** Escaped. */
  readonly text: string;
  readonly tone: 'plain' | 'good' | 'bad' | 'dim' | 'strong';
}
