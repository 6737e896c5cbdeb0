import type { Action } from '../../model/action.ts';
import type { Confirmation } from '../../model/display/confirmation.ts';
import type { Planned } from '../../model/operations/act.ts';
import type { ActProgress, ReadProgress } from '../../model/ports.ts';
import type { Scrolling } from './state.ts';

/** Retrying, dismissing or restoring, from the first look to the result. */
export interface Flow extends Scrolling {
  readonly kind: 'flow';
  readonly number: number;
  readonly action: Action;
  readonly ids: readonly string[];
  /** What the confirmation says beside what every confirmation says. */
  readonly remarks: readonly string[];
  readonly phase: Phase;
}

export type Phase =
  /** The first pass: what is there, and what can be done. */
  | { readonly name: 'planning'; readonly progress: readonly ReadProgress[] }
  | { readonly name: 'confirming'; readonly planned: Planned; readonly confirmation: Confirmation }
  | {
      readonly name: 'acting';
      readonly total: number;
      readonly startedAt: number;
      readonly progress: readonly ActProgress[];
      readonly stopping: boolean;
    }
  | { readonly name: 'result'; readonly lines: readonly ResultLine[] };

export interface ResultLine {
  /** Escaped. */
  readonly text: string;
  readonly tone: 'plain' | 'good' | 'bad' | 'dim';
}
